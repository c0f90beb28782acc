"""Claims: what a sinusoidal table holds."""

from math import pi

import numpy as np

from posviz.encodings.frequencies import rotary_frequencies, wavelengths
from posviz.encodings.sinusoidal import shift_matrix, sinusoidal
from posviz.teaching.claims import claim
from posviz.teaching.measures import largest


@claim("The slowest pair has a wavelength of about 62 832 tokens, 2π times the base.",
    cases={f"for d_model = {d}": d for d in (64, 512, 8192)},
    measures="its wavelength in tokens, where about means more than 62 203", rule="> 62203",
    sources=("vaswani2017attention",))
def the_longest_wavelength_is_62832(d_model):
    """The exponent of the last pair is 1 − 2/d_model, so no table reaches 2π times the base."""
    return float(wavelengths(rotary_frequencies(d_model))[-1])


@claim("An absolute encoding cannot express relative positions.",
    measures="the largest error when one matrix moves 512 rows by 1, 5, 17 or 100 tokens",
    rule="> 1e-9", section="6 One matrix for every row?")
def absolute_encodings_know_no_distance():
    """In the sinusoidal table one rotation, the same at every position, moves a row by k tokens."""
    rows = np.arange(512)
    return max(
        largest(sinusoidal(rows + k, 512) - sinusoidal(rows, 512) @ shift_matrix(k, 512).T)
        for k in (1, 5, 17, 100)
    )


@claim("The farther apart two positions are, the less similar are their rows.",
    cases={f"for d_model = {d}": d for d in (8, 64, 512)},
    measures="how many of the first 1000 steps raise the similarity", rule="== 0",
    section="7 How similar are two rows?")
def similarity_falls_with_distance(d_model):
    """The similarity is a mean of waves, and it rises again where many of them rise."""
    table = sinusoidal(np.arange(1001), d_model)
    return int((np.diff(table @ table[0]) > 0).sum())


@claim("In attention, the score of two rows depends on their offset alone.",
    cases={
        "if W_Q W_Kᵀ is the identity": np.eye(64),
        "if W_Q W_Kᵀ is random": np.random.default_rng(0).normal(size=(64, 64)) / 8,
    }, measures="largest minus smallest score of 507 pairs of rows with offset 5, d_model = 64",
    rule="< 1e-9", section="7 How similar are two rows?")
def products_depend_on_the_offset_alone(between):
    """The matrix W_Q W_Kᵀ comes between two rows, and nothing keeps it from mixing the hands."""
    table = sinusoidal(np.arange(512), 64)
    return float(np.ptp(np.diagonal(table @ between @ table.T, -5)))


@claim("Beyond 10 000 positions the waves repeat, and rows can no longer be told apart.",
    cases={
        "for rows 10 001 to 20 000": (10_001, 20_000),
        "for rows 60 000 to 65 000, where the slowest wave comes back": (60_000, 65_000),
    }, measures="the smallest distance from row 0, if row 1 is at the distance 1", rule="< 1")
def the_table_repeats_beyond_10_000(rows):
    """Each of the 256 waves repeats after another number of tokens, so they never all come back
    at once."""
    return _nearest(512, *rows) / _nearest(512, 1, 1)


def _nearest(d_model, first, last):
    """The smallest distance of row 0 from the rows first … last."""
    row, at_once = sinusoidal(0, d_model), 1000  # all rows at once would take 400 MB
    return min(
        float(np.linalg.norm(sinusoidal(positions, d_model) - row, axis=-1).min())
        for positions in np.split(
            np.arange(first, last + 1), range(at_once, last + 1 - first, at_once)
        )
    )


@claim("With a larger base, every hand except the first rotates more slowly.",
    measures="the number of hands, of 256, that are slower with base 1 000 000 than with 10 000",
    rule="== 255", section="4 The whole table")
def a_larger_base_slows_all_hands_but_one():
    """The exponent of the first hand is 0, so it rotates by 1 radian per token with every base."""
    wide, usual = (rotary_frequencies(512, base) for base in (1_000_000, 10_000))
    return int((wide < usual).sum())


@claim("A table with d_model = 512 has 512 different frequencies.",
    measures="the number of different frequencies", rule="== 512",
    sources=("vaswani2017attention",), section="3 The formula")
def as_many_frequencies_as_dimensions():
    """The sine and the cosine of a hand share one frequency."""
    return len(np.unique(rotary_frequencies(512)))


@claim("With sines alone two positions would share a value, because sin x = sin(π − x).",
    cases={"for positions 1 and π − 1": [1, pi - 1], "for whole positions": np.arange(1001)},
    measures="the smallest difference from the sine of the first position", rule="< 1e-12")
def sines_alone_collide(positions):
    """No multiple of π is a whole number but 0, so the sines of whole positions come close, as at
    0 and 355, and never agree."""
    sines = sinusoidal(np.array(positions), 2)[:, 0]
    return float(np.abs(sines[1:] - sines[0]).min())
