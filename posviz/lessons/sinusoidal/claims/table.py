"""Claims: what a sinusoidal table holds."""

from math import pi

import numpy as np

from posviz.encodings.frequencies import rotary_frequencies, wavelengths
from posviz.encodings.sinusoidal import Sinusoidal, shift_matrix, sinusoidal
from posviz.teaching.ledger import Verdict, claim, judge, shown
from posviz.teaching.measures import SAME, largest


def _similarities(d_model: int, offsets: int) -> np.ndarray:
    """PE(0)·PE(offset) / (d_model/2), which is 1 at offset 0; shape [offsets + 1]."""
    table = sinusoidal(np.arange(offsets + 1), d_model)
    return table @ table[0] / (d_model / 2)


def _nearest(d_model: int, first: int, last: int) -> float:
    """The smallest distance of row 0 from the rows first … last."""
    row = sinusoidal(0, d_model)
    few = 1000  # rows at a time: all at once would take 400 MB
    return min(
        float(np.linalg.norm(sinusoidal(positions, d_model) - row, axis=-1).min())
        for positions in np.split(np.arange(first, last + 1), range(few, last + 1 - first, few))
    )


@claim("table", sources=("vaswani2017attention",))
def the_row_of_d_model_4() -> Verdict:
    """With d_model = 4, row 1 of the table reads 0.841471, 0.540302, 0.821856, 0.569695."""
    printed = np.array([0.841471, 0.540302, 0.821856, 0.569695])
    difference = largest(sinusoidal(1, 4) - printed)
    text = "Largest difference from the row; equal to six digits means below 1e-6."
    return judge({"d_model = 4": difference}, lambda difference: difference < 1e-6, text)


@claim("table")
def every_row_has_one_length() -> Verdict:
    """With d_model = 512, the row of every position has the length 16 = √(d_model/2)."""
    lengths = np.linalg.norm(sinusoidal(np.arange(1000), 512), axis=1)
    ends = {
        "the row is the shortest": float(lengths.min()),
        "the row is the longest": float(lengths.max()),
    }
    text = "Length of a row, of 1000 rows; 16 means within 1e-12."
    return judge(ends, lambda length: abs(length - 16) < 1e-12, text)


@claim("table", sources=("vaswani2017attention", "tensor2tensor"))
def tensor2tensor_computes_the_paper() -> Verdict:
    """The tensor2tensor code, the first that was released, computes the table of the paper."""
    positions = np.arange(1000)
    released = sinusoidal(positions, 512, frequencies="tensor2tensor")
    difference = sinusoidal(positions, 512) - released
    drifts = {f"there are {n} positions": largest(difference[:n]) for n in (512, 1000)}
    text = "Largest difference between the two tables, d_model = 512; the same means below 1e-6."
    return judge(drifts, lambda drift: drift < 1e-6, text)


@claim("frequencies", sources=("vaswani2017attention",))
def as_many_frequencies_as_dimensions() -> Verdict:
    """A table with d_model = 512 has 512 different frequencies."""
    count = len(np.unique(rotary_frequencies(512)))
    text = "Different frequencies: a sine and a cosine share each."
    return judge({"d_model = 512": count}, lambda count: count == 512, text)


def _wavelengths(d_model: int) -> np.ndarray:
    return wavelengths(rotary_frequencies(d_model))


@claim("frequencies")
def the_middle_wavelength_is_628() -> Verdict:
    """The pair i = d_model/4 has a wavelength of 628 tokens, whatever d_model is."""
    found = {f"d_model = {d}": float(_wavelengths(d)[d // 4]) for d in (4, 64, 512)}
    text = "Wavelength of the pair in tokens, to be rounded."
    return judge(found, lambda wavelength: round(wavelength) == 628, text)


@claim("frequencies", sources=("vaswani2017attention",), section="5 How long is a turn?")
def the_longest_wavelength_is_62832() -> Verdict:
    """The slowest pair has a wavelength of about 62 832 tokens, 2π times the base."""
    found = {f"d_model = {d}": float(_wavelengths(d)[-1]) for d in (4, 64, 512, 2048, 8192)}
    text = "Wavelength in tokens; about means within 1 %. The limit itself is never reached."
    return judge(found, lambda length: abs(length / (20_000 * pi) - 1) < 0.01, text)


@claim("frequencies")
def the_middle_band() -> Verdict:
    """With d_model = 512, the pairs 64 to 192 have wavelengths of 100 to 1000 tokens."""
    found = {f"i = {pair}": float(_wavelengths(512)[pair]) for pair in (64, 192)}
    text = "Wavelength in tokens at the two ends of the band."
    return judge(found, lambda wavelength: 100 <= wavelength <= 1000, text)


@claim("frequencies")
def the_base_keeps_gradients() -> Verdict:
    """The base of 10 000 keeps gradients from vanishing."""
    x, positions = np.random.default_rng(0).normal(size=(1, 64, 32)), np.arange(64)
    gradients = [
        Sinusoidal(base=base).at_input(x + 1, positions)
        - Sinusoidal(base=base).at_input(x, positions)
        for base in (10.0, 10_000.0)
    ]
    text = (
        "Largest difference between the gradients that pass the encoding with base 10 and with "
        "base 10 000; a base that matters would change them by more than 1e-12."
    )
    change = {"the encoding is added": largest(gradients[1] - gradients[0])}
    return judge(change, lambda difference: difference > 1e-12, text)


@claim("similarity", section="7 How alike are two rows?")
def similarity_falls_with_distance() -> Verdict:
    """The farther apart two positions are, the less similar are their rows."""
    rises = {
        f"d_model = {d}": int((np.diff(_similarities(d, 1000)) > 0).sum()) for d in (8, 64, 512)
    }
    text = "How many of the first 1000 steps of distance raise the similarity; never means 0."
    return judge(rises, lambda rises: rises == 0, text)


@claim("similarity")
def neighbours_are_nearly_the_same() -> Verdict:
    """The similarity of neighbours is about 1."""
    found = {f"d_model = {d}": float(_similarities(d, 1)[1]) for d in (2, 4, 8, 32, 64, 512)}
    text = "PE(0)·PE(1) / (d_model/2), which is 1 for equal rows; about means above 0.95."
    return judge(found, lambda similarity: similarity > 0.95, text)


@claim("relative position", section="6 Does one matrix serve?")
def absolute_encodings_know_no_distance() -> Verdict:
    """An absolute encoding cannot express relative positions."""
    positions = np.arange(512)
    errors = [
        largest(sinusoidal(positions + k, 512) - sinusoidal(positions, 512) @ matrix.T)
        for k, matrix in ((k, shift_matrix(k, 512)) for k in (1, 5, 17, 100))
    ]
    text = (
        "Largest error when one rotation, the same at every position, moves 512 rows by 1, 5, 17 "
        "or 100 tokens; above 1e-9 there would be no such rotation."
    )
    return judge({"d_model = 512": max(errors)}, lambda error: error > SAME, text)


@claim("relative position", section="7 How alike are two rows?")
def products_depend_on_the_offset_alone() -> Verdict:
    """The product of two rows depends on their offset alone."""
    table = sinusoidal(np.arange(512), 64)
    between = np.random.default_rng(0).normal(size=(64, 64)) / np.sqrt(64)
    settings = {
        "nothing stands between them": np.eye(64),
        "a random matrix W stands between them": between,
    }
    spreads = {
        setting: float(np.ptp(np.diagonal(table @ w @ table.T, -5)))
        for setting, w in settings.items()
    }
    text = (
        "Largest minus smallest PE(m) W PE(n)ᵀ of 507 pairs with offset 5, d_model = 64, entries "
        "of W with variance 1/d_model; alone means below 1e-9."
    )
    return judge(spreads, lambda spread: spread < SAME, text)


@claim("collisions")
def sines_alone_collide() -> Verdict:
    """With sines alone two positions would share a value, for sin x = sin(π − x)."""
    whole = np.abs(sinusoidal(np.arange(1, 1001), 2)[:, 0])
    mirrored = sinusoidal(np.array([1.0, pi - 1]), 2)[:, 0]
    smallest = {
        "positions may be any real numbers": float(np.ptp(mirrored)),
        "positions are whole numbers": float(whole.min()),
    }
    text = (
        "Difference of the sines of 1 and π − 1; smallest difference of sin n from sin 0, n = 1 … "
        f"1000, which is near but not 0 at n = {whole.argmin() + 1}. To share means below 1e-12."
    )
    return judge(smallest, lambda difference: difference < 1e-12, text)


@claim("collisions")
def no_two_rows_are_nearly_the_same() -> Verdict:
    """No two positions have nearly the same row."""
    nearest = {f"d_model = {d}": _nearest(d, 1, 100_000) for d in (4, 8, 16, 64, 512)}
    text = "Smallest distance of row 0 from the rows 1 … 100 000; nearly the same means below 0.1."
    return judge(nearest, lambda distance: distance >= 0.1, text)


@claim("collisions", section="Does a row ever come back?")
def the_table_repeats_beyond_10_000() -> Verdict:
    """Beyond 10 000 positions the waves repeat, and rows can no longer be told apart."""
    neighbour = _nearest(512, 1, 1)
    nearest = {
        "the other row is one of 10 001 … 20 000": _nearest(512, 10_001, 20_000),
        "it is one of 60 000 … 65 000, a turn of the slowest pair": _nearest(512, 60_000, 65_000),
    }
    text = (
        "Smallest distance from row 0, d_model = 512; no longer told apart means nearer than the "
        f"neighbour, which is {shown(neighbour)} away."
    )
    return judge(nearest, lambda distance: distance < neighbour, text)
