"""Exercise: YaRN's ramp, as its released code has it."""

import math

import numpy as np

from posviz.teaching.checker import Checker


def _pair_that_turns(turns, head_dim, base, length):
    return head_dim * math.log(length / (turns * 2 * math.pi)) / (2 * math.log(base))


def _ends(head_dim, base, length, fast, slow, *, first=math.floor, last=math.ceil):
    low, high = (_pair_that_turns(turns, head_dim, base, length) for turns in (fast, slow))
    return first(low), last(high)


def _shares(ends, head_dim, factor):
    """What each pair gets of its frequency, kept up to the first end and slowed from the last."""
    low, high = ends
    ramp = np.clip((np.arange(head_dim // 2) - low) / (high - low), 0, 1)
    return 1 - ramp + ramp / factor


def _yarn(head_dim, base, length, factor, fast, slow):
    return _shares(_ends(head_dim, base, length, fast, slow), head_dim, factor)


def _yarn_inputs(rng, size):
    """Both ends of the ramp lie between the first pair and the last, and at no whole pair."""
    length = int(rng.choice([1500, 2600, 4096]))
    factor, slow = float(rng.integers(4, 17)), float(rng.choice([1, 1.5, 2]))
    return 24 + 4 * size, float(rng.choice([9e3, 5e4])), length, factor, 20.0 + 2 * size, slow


def _turns(head_dim, base, length):
    return length * base ** (-np.arange(0, head_dim, 2) / head_dim) / (2 * np.pi)


# The answer is a function (head_dim, base, length, factor, fast, slow) -> what each pair gets of
# its frequency [head_dim/2]: 1 where it is kept, 1/factor where it is slowed.
check_yarn_ramp = Checker("The ramp of YaRN", reference=_yarn, inputs=_yarn_inputs)


@check_yarn_ramp.mistake("turns for index")
def _(head_dim, base, length, factor, fast, slow):
    """Your ramp is linear in the number of turns: that is the one in the paper. The released code,
    with which the models were trained, has one that is linear in the index of the pair."""
    kept = np.clip((_turns(head_dim, base, length) - slow) / (fast - slow), 0, 1)
    return kept + (1 - kept) / factor


@check_yarn_ramp.mistake("β swapped")
def _(head_dim, base, length, factor, fast, slow):
    """You exchanged the two numbers of turns. The pair that makes `fast` turns comes first: there
    the ramp begins."""
    return _yarn(head_dim, base, length, factor, slow, fast)


@check_yarn_ramp.mistake("ramp upside down")
def _(head_dim, base, length, factor, fast, slow):
    """You slowed the fast pairs and kept the slow ones. Those that turned often in training are
    kept: the ramp is 0 for them, and it is the part that is slowed."""
    return 1 + 1 / factor - _yarn(head_dim, base, length, factor, fast, slow)


@check_yarn_ramp.mistake("floor and ceil swapped")
def _(head_dim, base, length, factor, fast, slow):
    """You rounded inwards. The ramp begins at the floor of the one end and ends at the ceiling of
    the other."""
    ends = _ends(head_dim, base, length, fast, slow, first=math.ceil, last=math.floor)
    return _shares(ends, head_dim, factor)


@check_yarn_ramp.mistake("not rounded")
def _(head_dim, base, length, factor, fast, slow):
    """Your ramp begins and ends between two pairs. The code rounds outwards, floor and ceil, unless
    a configuration says truncate: false."""
    ends = _ends(head_dim, base, length, fast, slow, first=float, last=float)
    return _shares(ends, head_dim, factor)


@check_yarn_ramp.mistake("rounded to the nearest")
def _(head_dim, base, length, factor, fast, slow):
    """You rounded both ends to the nearest pair, or both in one direction. The first is rounded
    down and the second up."""
    ends = _ends(head_dim, base, length, fast, slow, first=round, last=round)
    return _shares(ends, head_dim, factor)


@check_yarn_ramp.mistake("both rounded down")
def _(head_dim, base, length, factor, fast, slow):
    """You rounded both ends down; int and // do, too. The second one is rounded up: math.ceil."""
    ends = _ends(head_dim, base, length, fast, slow, last=math.floor)
    return _shares(ends, head_dim, factor)


@check_yarn_ramp.mistake("wavelengths blended")
def _(head_dim, base, length, factor, fast, slow):
    """You blended wavelengths, 1 and factor. The code blends frequencies, 1 and 1/factor, and the
    middle of those is another."""
    share = _yarn(head_dim, base, length, factor, fast, slow)
    ramp = (1 - share) / (1 - 1 / factor)
    return 1 / (1 - ramp + ramp * factor)


@check_yarn_ramp.mistake("extended length as L")
def _(head_dim, base, length, factor, fast, slow):
    """You counted turns in the longer text. Which pairs are kept is decided by the turns that
    training has seen, in `length` tokens."""
    return _yarn(head_dim, base, length * factor, factor, fast, slow)


@check_yarn_ramp.mistake("2π missing")
def _(head_dim, base, length, factor, fast, slow):
    """You took radians for turns. A turn is 2π of them, so a pair that makes `turns` in L tokens
    has the wavelength L / turns, and its frequency is 2π over that."""
    return _yarn(head_dim, base, 2 * math.pi * length, factor, fast, slow)


@check_yarn_ramp.mistake("dimension for pair")
def _(head_dim, base, length, factor, fast, slow):
    """Your ends are twice as far: you counted dimensions. From b^(−2i/d) the pair is
    i = d/2 · log_b(…)."""
    low, high = (2 * _pair_that_turns(turns, head_dim, base, length) for turns in (fast, slow))
    return _shares((math.floor(low), math.ceil(high)), head_dim, factor)


@check_yarn_ramp.mistake("ramp not clipped")
def _(head_dim, base, length, factor, fast, slow):
    """Your ramp goes on below 0 and above 1. Clip it: np.clip(…, 0, 1)."""
    low, high = _ends(head_dim, base, length, fast, slow)
    ramp = (np.arange(head_dim // 2) - low) / (high - low)
    return 1 - ramp + ramp / factor


@check_yarn_ramp.mistake("slowed to a stop")
def _(head_dim, base, length, factor, fast, slow):
    """Your slow pairs do not turn at all. They turn `factor` times more slowly: add the part that
    is slowed, divided by it."""
    share = _yarn(head_dim, base, length, factor, fast, slow)
    return 1 - (1 - share) / (1 - 1 / factor)


@check_yarn_ramp.mistake("the ramp itself")
def _(head_dim, base, length, factor, fast, slow):
    """That is the ramp, 0 where a pair is kept. Blend with it: (1 − ramp) · 1 + ramp · 1/factor."""
    return (1 - _yarn(head_dim, base, length, factor, fast, slow)) / (1 - 1 / factor)


@check_yarn_ramp.mistake("multiplied by the factor")
def _(head_dim, base, length, factor, fast, slow):
    """Your slow pairs turn faster. They are divided by the factor, not multiplied."""
    share = _yarn(head_dim, base, length, factor, fast, slow)
    ramp = (1 - share) / (1 - 1 / factor)
    return 1 - ramp + ramp * factor


@check_yarn_ramp.mistake("frequencies returned")
def _(head_dim, base, length, factor, fast, slow):
    """Those are the frequencies. Return what each pair gets of its own: divide by the old one."""
    share = _yarn(head_dim, base, length, factor, fast, slow)
    return share * base ** (-np.arange(0, head_dim, 2) / head_dim)
