"""Exercises: write the table, find a wavelength, read a table that was found."""

from math import pi

import numpy as np

from posviz.encodings.frequencies import rotary_frequencies, wavelengths
from posviz.encodings.sinusoidal import sinusoidal
from posviz.teaching.checker import Checker


def _table_inputs(rng, size):
    positions = rng.choice(50, size=size, replace=False)
    d_model = 2 * size + 2  # with one pair the exponent is 0, and tensor2tensor's rule divides by 0
    return positions, d_model, float(rng.choice([100, 1_000, 10_000]))


def _table(positions, d_model, base):
    return sinusoidal(positions, d_model, base=base)


# The answer is a function (positions [len], d_model, base) -> table [len, d_model].
check_sinusoidal = Checker(
    "The sinusoidal table",
    reference=_table,
    inputs=_table_inputs,
    edges=[
        (np.array([0, 3, 3]), 4, 100.0),  # the first position, and equal ones
        (np.array([7]), 4, 10_000.0),  # one token
    ],
)


def _pairs(d_model):
    return np.arange(d_model // 2)


def _interleaved(angles, even=np.sin, odd=np.cos):
    return np.stack([even(angles), odd(angles)], axis=-1).reshape(len(angles), -1)


@check_sinusoidal.mistake("exponent doubled")
def _(positions, d_model, base):
    """Your wavelengths are the square of what they should be (over 2π): 2i is already the
    dimension index, so do not double it again."""
    return _interleaved(np.outer(positions, base ** (-4 * _pairs(d_model) / d_model)))


@check_sinusoidal.mistake("exponent halved")
def _(positions, d_model, base):
    """Your exponent is half of what it should be: pair i has the exponent 2i/d_model, and you
    used i/d_model, so the slowest pair turns far too fast."""
    return _interleaved(np.outer(positions, base ** (-_pairs(d_model) / d_model)))


@check_sinusoidal.mistake("concatenated instead of interleaved")
def _(positions, d_model, base):
    """Your values are right, but all sines come first and then all cosines. The paper interleaves
    them: column 2i is a sine and column 2i+1 the cosine of the same angle."""
    table = _table(positions, d_model, base)
    return np.hstack([table[:, ::2], table[:, 1::2]])


@check_sinusoidal.mistake("cosine before sine")
def _(positions, d_model, base):
    """You swapped sine and cosine: the sine has the even columns, so row 0 reads 0, 1, 0, 1."""
    return _table(positions, d_model, base)[:, np.arange(d_model) ^ 1]


@check_sinusoidal.mistake("base and d_model swapped")
def _(positions, d_model, base):
    """You swapped base and d_model: base is what is raised to the power, d_model divides 2i."""
    return _interleaved(np.outer(positions, d_model ** (-2 * _pairs(d_model) / base)))


@check_sinusoidal.mistake("positions from 1")
def _(positions, d_model, base):
    """Your rows are one position late: count positions from 0, so row 0 reads 0, 1, 0, 1."""
    return _table(positions + 1, d_model, base)


@check_sinusoidal.mistake("minus missing")
def _(positions, d_model, base):
    """Your angles grow from pair to pair; they should shrink. Divide the position by
    base^(2i/d_model), or multiply it by base^(−2i/d_model)."""
    return _interleaved(np.outer(positions, base ** (2 * _pairs(d_model) / d_model)))


@check_sinusoidal.mistake("pairs from 1")
def _(positions, d_model, base):
    """Your pairs are counted from 1: pair 0 comes first, and turns by one radian per token."""
    return _interleaved(np.outer(positions, base ** (-2 * (_pairs(d_model) + 1) / d_model)))


@check_sinusoidal.mistake("a frequency for every column")
def _(positions, d_model, base):
    """You gave every column a frequency of its own: the sine and the cosine of a pair share one,
    so the exponent is 2i/d_model for column 2i and for column 2i+1."""
    angles = np.outer(positions, base ** (-np.arange(d_model) / d_model))
    return np.where(np.arange(d_model) % 2, np.cos(angles), np.sin(angles))


@check_sinusoidal.mistake("tensor2tensor frequencies")
def _(positions, d_model, base):
    """You divided by d_model/2 − 1, as the tensor2tensor code does; the paper divides 2i by
    d_model."""
    return sinusoidal(positions, d_model, base=base, frequencies="tensor2tensor")


@check_sinusoidal.mistake("base ignored")
def _(positions, d_model, base):
    """You wrote 10000 into the formula: use the argument base, which is not always 10000."""
    return _table(positions, d_model, 10_000)


@check_sinusoidal.mistake("column number as i")
def _(positions, d_model, base):
    """You put the number of the column for i in 2i/d_model: i is the number of the pair, so that
    columns 2i and 2i+1 have the exponent 2i/d_model."""
    angles = np.outer(positions, base ** (-2 * np.arange(d_model) / d_model))
    return np.where(np.arange(d_model) % 2, np.cos(angles), np.sin(angles))


@check_sinusoidal.mistake("positions ignored")
def _(positions, d_model, base):
    """Your rows are those of 0, 1, 2, …: use the positions that are given, whatever they are."""
    return _table(np.arange(len(positions)), d_model, base)


@check_sinusoidal.mistake("sines in every column")
def _(positions, d_model, base):
    """You took the sine in every column: the odd columns are cosines, so row 0 reads 0, 1, 0, 1."""
    return _interleaved(np.outer(positions, rotary_frequencies(d_model, base)), np.sin, np.sin)


@check_sinusoidal.mistake("cosines left out")
def _(positions, d_model, base):
    """Your odd columns hold only zeros: they should be the cosines."""
    angles = np.outer(positions, rotary_frequencies(d_model, base))
    return _interleaved(angles, np.sin, np.zeros_like)


@check_sinusoidal.mistake("sines left out")
def _(positions, d_model, base):
    """Your even columns hold only zeros: they should be the sines."""
    angles = np.outer(positions, rotary_frequencies(d_model, base))
    return _interleaved(angles, np.zeros_like)


@check_sinusoidal.mistake("angles taken for degrees")
def _(positions, d_model, base):
    """You took the angles for degrees. They are radians, as np.sin and np.cos want them: leave out
    np.radians, or the factor π/180."""
    return _table(np.radians(positions), d_model, base)


@check_sinusoidal.mistake("angles turned into degrees")
def _(positions, d_model, base):
    """You turned the angles into degrees. np.sin and np.cos want radians, and radians they are:
    leave out np.degrees, or the factor 180/π."""
    return _table(np.degrees(positions), d_model, base)


@check_sinusoidal.mistake("cosines concatenated before sines")
def _(positions, d_model, base):
    """Your values are right, but all cosines come first and then all sines. The paper interleaves
    them: column 2i is a sine and column 2i+1 the cosine of the same angle."""
    table = _table(positions, d_model, base)
    return np.hstack([table[:, 1::2], table[:, ::2]])


@check_sinusoidal.mistake("a table of integers")
def _(positions, d_model, base):
    """Your table holds integers, which cut off all that follows the point: make a table of
    floats, as np.zeros does if no dtype is given."""
    return _table(positions, d_model, base).astype(int)


def _wavelength_inputs(rng, size):
    return int(rng.integers(size)), 2 * size, float(rng.choice([100, 1_000, 10_000]))


def _wavelength(pair, d_model, base):
    return wavelengths(rotary_frequencies(d_model, base))[pair]


# The answer is a function (pair, d_model, base) -> wavelength in tokens.
check_wavelength = Checker(
    "The wavelength of a pair",
    reference=_wavelength,
    inputs=_wavelength_inputs,
    edges=[(0, 8, 100.0), (3, 8, 100.0)],  # the first pair, and the last
)


@check_wavelength.mistake("exponent doubled")
def _(pair, d_model, base):
    """Your wavelength is the square of what it should be (over 2π): 2i is already the dimension
    index of pair i, so do not double it again."""
    return 2 * pi * base ** (4 * pair / d_model)


@check_wavelength.mistake("exponent halved")
def _(pair, d_model, base):
    """Your exponent is i/d_model; it is 2i/d_model, for pair i begins at dimension 2i."""
    return 2 * pi * base ** (pair / d_model)


@check_wavelength.mistake("2π forgotten")
def _(pair, d_model, base):
    """You forgot 2π: base^(2i/d_model) tokens turn the pair by one radian, not by a full turn."""
    return _wavelength(pair, d_model, base) / (2 * pi)


@check_wavelength.mistake("half a turn")
def _(pair, d_model, base):
    """Your wavelength is half of what it should be: a full turn is 2π, not π."""
    return _wavelength(pair, d_model, base) / 2


@check_wavelength.mistake("a turn of 360")
def _(pair, d_model, base):
    """You took a full turn for 360. The frequency is in radians per token, and a full turn is 2π
    radians."""
    return _wavelength(pair, d_model, base) * 180 / pi


@check_wavelength.mistake("frequency instead of wavelength")
def _(pair, d_model, base):
    """You returned the frequency, in radians per token; the wavelength is 2π divided by it."""
    return 2 * pi / _wavelength(pair, d_model, base)


@check_wavelength.mistake("turns per token")
def _(pair, d_model, base):
    """You returned how many turns the pair makes per token; the wavelength, in tokens per turn,
    is one divided by it."""
    return 1 / _wavelength(pair, d_model, base)


@check_wavelength.mistake("sign of the exponent")
def _(pair, d_model, base):
    """Your wavelengths shrink from pair to pair; they should grow. The frequency has the minus
    sign, the wavelength has none."""
    return 2 * pi * base ** (-2 * pair / d_model)


@check_wavelength.mistake("base and d_model swapped")
def _(pair, d_model, base):
    """You swapped base and d_model: base is what is raised to the power, d_model divides 2i."""
    return 2 * pi * d_model ** (2 * pair / base)


@check_wavelength.mistake("pairs from 1")
def _(pair, d_model, base):
    """You counted the pairs from 1: the wavelength of pair 0 is 2π tokens."""
    return 2 * pi * base ** (2 * (pair + 1) / d_model)


@check_wavelength.mistake("base ignored")
def _(pair, d_model, base):
    """You wrote 10000 into the formula: use the argument base, which is not always 10000."""
    return 2 * pi * 10_000 ** (2 * pair / d_model)


FOUND_BASE = 500


def found_table() -> np.ndarray:
    """Return the table that the exercise asks about, [4, 8]: positions 0 … 3, sines first."""
    return sinusoidal(range(4), 8, base=FOUND_BASE, layout="concatenated")


# The answer is a number: the base of found_table().
check_base = Checker("The base of the table that was found", reference=lambda: FOUND_BASE)


@check_base.mistake("the usual base")
def _():
    """That is the base of the paper. With it pair 1 of 8 columns would turn by 0.1 radians per
    token; in row 1 you find another angle."""
    return 10_000


@check_base.mistake("squared")
def _():
    """That is the square of the base. Either you took column 2 for the sine of pair 1: row 0 reads
    0 0 0 0 1 1 1 1, so the sines stand together and pair 1 is in columns 1 and 5. Or your exponent
    is i/d_model, not 2i/d_model."""
    return FOUND_BASE**2


@check_base.recognised_by("sine instead of angle")
def _(base):
    """You took the sine for the angle, which is a little larger: undo the sine with np.arcsin."""
    return abs(base - np.sin(FOUND_BASE**-0.25) ** -4) < 2


@check_base.recognised_by("last pair at 1/base")
def _(base):
    """You took the frequency of the last pair for 1/base. In the paper's rule it is not yet there:
    of 8 columns the last pair is i = 3, with the exponent 6/8."""
    return abs(base - FOUND_BASE**0.75) < 1


@check_base.recognised_by("power not undone")
def _(base):
    """You have base^(2/8), one divided by the frequency of pair 1. Raise it to the power 8/2."""
    return abs(base - FOUND_BASE**0.25) < 0.05


@check_base.recognised_by("nearly")
def _(base):
    """That is the base up to the digits that are printed. It is a whole number."""
    return abs(base - FOUND_BASE) < 5
