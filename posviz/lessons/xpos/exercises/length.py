"""Exercise: where a key overflows."""

import numpy as np

from posviz.encodings.xpos import xpos_scale
from posviz.teaching.checker import Checker

# Of 8 bits (E4M3), 16 and 32, and below that of float64, in which a search would overflow itself.
LARGEST = (448.0, float(np.finfo(np.float16).max), float(np.finfo(np.float32).max))


def _overflow(largest, zeta, scale_base):
    return scale_base * np.log(largest) / -np.log(zeta.min())


def _overflow_inputs(rng, size):
    # A small scale_base, so that an answer that counts token after token is done at once.
    zeta = xpos_scale(1, 2 + 2 * size, gamma=rng.uniform(0.1, 1), scale_base=1)
    return LARGEST[size % 3], zeta, int(rng.integers(2, 9))


def _whole_inputs(rng, size, nudge):
    """Return inputs whose position is a whole number, but for a nudge far below the tolerance."""
    halvings = 1 + size % 3
    zeta = np.linspace(0.5**halvings, 1, size + 1, endpoint=False)
    return 2.0 ** (halvings * (2 + size)) * (1 + nudge), zeta, int(rng.integers(2, 9))


# The answer is a function (largest, zeta [pairs], scale_base) -> position where a key, 1 in every
# pair before it is scaled, grows to the largest number of its format; not rounded.
check_overflow_position = Checker(
    "Where a key overflows",
    reference=_overflow,
    inputs=_overflow_inputs,
    edges=[(LARGEST[0], np.array([0.5]), 2)],  # one pair
)


@check_overflow_position.mistake("scale_base forgotten")
def _(largest, zeta, scale_base):
    """You left out scale_base. The exponent is position / scale_base, so the position is
    scale_base times as large."""
    return _overflow(largest, zeta, 1)


@check_overflow_position.mistake("divided by scale_base")
def _(largest, zeta, scale_base):
    """You divided by scale_base. Positions are divided by it before they are exponents, so the
    position is scale_base times as large: multiply."""
    return _overflow(largest, zeta, 1 / scale_base)


@check_overflow_position.mistake("counted from the middle")
def _(largest, zeta, scale_base):
    """You doubled the position, as if it were counted from the middle of the text. Here positions
    count from the start."""
    return 2 * _overflow(largest, zeta, scale_base)


@check_overflow_position.mistake("halved")
def _(largest, zeta, scale_base):
    """You halved the position. Here positions count from the start of the text; and if they counted
    from its middle, a text twice as long would fit."""
    return _overflow(largest, zeta, scale_base) / 2


@check_overflow_position.harmless_on("rounded")
def _(rng, size):
    """Your position is right up to a fraction of a token. Either you rounded it, or you searched
    for the first token that overflows. Solve for it, a formula and no search, and return it with
    its decimals."""
    return _whole_inputs(rng, size, -1e-9)


@check_overflow_position.harmless_on("rounded down")
def _(rng, size):
    """Your position is right up to a fraction of a token. Either you rounded it down, or you
    searched for the last token that fits. Solve for it, a formula and no search, and return it with
    its decimals."""
    return _whole_inputs(rng, size, 1e-9)


@check_overflow_position.mistake("one token early")
def _(largest, zeta, scale_base):
    """Your position is one token early. Nothing is to be subtracted: positions count from 0, as
    exponents do."""
    return _overflow(largest, zeta, scale_base) - 1


@check_overflow_position.mistake("one token late")
def _(largest, zeta, scale_base):
    """Your position is one token late. Nothing is to be added: positions count from 0, as exponents
    do."""
    return _overflow(largest, zeta, scale_base) + 1


@check_overflow_position.mistake("3.5 for every head")
def _(largest, zeta, scale_base):
    """You wrote 3.5 into the formula, which is 1/ζ of the lesson's fastest pair. Take the smallest
    of the ζ that are given."""
    return _overflow(largest, np.array([1 / 3.5]), scale_base)


@check_overflow_position.mistake("512 for every S")
def _(largest, zeta, scale_base):
    """You wrote 512 into the formula: use the argument scale_base, which is not always 512."""
    return _overflow(largest, zeta, 512)


@check_overflow_position.mistake("ζ forgotten")
def _(largest, zeta, scale_base):
    """You wrote scale_base · ln(largest), as if keys grew as e^(position/scale_base). They grow as
    (1/ζ)^(position/scale_base): divide by ln(1/ζ)."""
    return scale_base * np.log(largest)


@check_overflow_position.mistake("log2 without ζ")
def _(largest, zeta, scale_base):
    """You wrote scale_base · log2(largest), as if keys grew as 2^(position/scale_base). They
    grow as (1/ζ)^(position/scale_base): divide by log2(1/ζ)."""
    return scale_base * np.log2(largest)


@check_overflow_position.mistake("log10 without ζ")
def _(largest, zeta, scale_base):
    """You wrote scale_base · log10(largest), as if keys grew as 10^(position/scale_base). They
    grow as (1/ζ)^(position/scale_base): divide by log10(1/ζ)."""
    return scale_base * np.log10(largest)


@check_overflow_position.mistake("log2 with ln")
def _(largest, zeta, scale_base):
    """You took log2 of the largest number and ln of ζ. Take the same logarithm of both."""
    return _overflow(largest, zeta, scale_base) / np.log(2)


@check_overflow_position.mistake("ln with log2")
def _(largest, zeta, scale_base):
    """You took ln of the largest number and log2 of ζ. Take the same logarithm of both."""
    return _overflow(largest, zeta, scale_base) * np.log(2)


@check_overflow_position.mistake("log10 with ln")
def _(largest, zeta, scale_base):
    """You took log10 of the largest number and ln of ζ. Take the same logarithm of both."""
    return _overflow(largest, zeta, scale_base) / np.log(10)


@check_overflow_position.mistake("ln with log10")
def _(largest, zeta, scale_base):
    """You took ln of the largest number and log10 of ζ. Take the same logarithm of both."""
    return _overflow(largest, zeta, scale_base) * np.log(10)


@check_overflow_position.mistake("slowest pair")
def _(largest, zeta, scale_base):
    """You took the largest ζ, of the pair that overflows last. The first to overflow has the
    smallest ζ."""
    return _overflow(largest, zeta.max(), scale_base)


@check_overflow_position.mistake("every pair")
def _(largest, zeta, scale_base):
    """You returned a position for every pair. The key overflows where the first of them does:
    return the smallest."""
    return scale_base * np.log(largest) / -np.log(zeta)


@check_overflow_position.mistake("mean of the pairs")
def _(largest, zeta, scale_base):
    """You took the mean ζ. The key overflows where the first of its pairs does, the one with the
    smallest ζ."""
    return _overflow(largest, zeta.mean(), scale_base)


@check_overflow_position.mistake("place for value")
def _(largest, zeta, scale_base):
    """You return 0 for every key. np.argmin gives the place of the smallest number, here 0: its
    value is np.min. And np.argmax gives 0, too, where a search finds nothing."""
    return 0.0


@check_overflow_position.mistake("sign")
def _(largest, zeta, scale_base):
    """Your position is below 0: that is where a query overflows. The key is divided by its scale,
    so it grows as ζ^(−position/scale_base)."""
    return -_overflow(largest, zeta, scale_base)


@check_overflow_position.mistake("upside down")
def _(largest, zeta, scale_base):
    """Your fraction is upside down: the larger the largest number, the later it overflows. Divide
    ln(largest) by ln(1/ζ)."""
    return scale_base**2 / _overflow(largest, zeta, scale_base)


@check_overflow_position.mistake("multiplied by ln(1/ζ)")
def _(largest, zeta, scale_base):
    """You multiplied by ln(1/ζ). The smaller ζ, the sooner the key overflows: divide by it."""
    return scale_base * np.log(largest) * -np.log(zeta.min())


@check_overflow_position.mistake("1 − ζ for its logarithm")
def _(largest, zeta, scale_base):
    """You divided by 1 − ζ, which is near ln(1/ζ) only where ζ is near 1. Take −ln ζ."""
    return scale_base * np.log(largest) / (1 - zeta.min())


@check_overflow_position.mistake("ζ for its logarithm")
def _(largest, zeta, scale_base):
    """You divided by ζ itself. Solve ζ^(−position/scale_base) = largest: take logarithms of both
    sides first."""
    return scale_base * np.log(largest) / zeta.min()
