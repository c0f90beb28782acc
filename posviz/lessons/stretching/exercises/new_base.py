"""Exercise: the base with which the last pair turns a factor more slowly."""

import numpy as np

from posviz.teaching.checker import Checker


def _new_base(head_dim, factor, base):
    return base * factor ** (head_dim / (head_dim - 2))


def _new_base_inputs(rng, size):
    return 4 + 2 * size, float(rng.choice([2.0, 3.0, 5.0])), float(rng.choice([50.0, 300.0, 1e4]))


def _base_of_ten_thousand(rng, size):
    head_dim, factor, _ = _new_base_inputs(rng, size)
    return head_dim, factor, 1e4


# The answer is a function (head_dim, factor, base) -> the base with which pair 0 turns as before
# and the last of the head_dim/2 pairs exactly `factor` times more slowly.
check_new_base = Checker(
    "The base of NTK",
    reference=_new_base,
    inputs=_new_base_inputs,
    edges=[(6, 2.0, 50.0), (8, 1.0, 50.0)],  # few pairs; nothing is slowed
)


@check_new_base.mistake("exponent missing")
def _(head_dim, factor, base):
    """You multiplied the base by the factor. In the last pair its exponent is (d − 2)/d, a little
    less than 1, so that slows the pair by a little less than the factor. A power of the factor
    makes up for it."""
    return base * factor


@check_new_base.mistake("d/(d − 1)")
def _(head_dim, factor, base):
    """You took the exponent d/(d − 1). The last pair is number d/2 − 1, and its exponent
    −2i/d = −(d − 2)/d: it takes a 2."""
    return base * factor ** (head_dim / (head_dim - 1))


@check_new_base.mistake("d/(d + 2)")
def _(head_dim, factor, base):
    """You took the exponent d/(d + 2). Pairs count from 0, so the last is number d/2 − 1: d − 2."""
    return base * factor ** (head_dim / (head_dim + 2))


@check_new_base.mistake("exponent upside down")
def _(head_dim, factor, base):
    """You took the exponent (d − 2)/d. That is what the base has in the last pair; to undo it, take
    the reciprocal."""
    return base * factor ** ((head_dim - 2) / head_dim)


@check_new_base.mistake("2/d")
def _(head_dim, factor, base):
    """You took the exponent 2/d, the step from one pair to the next. The last pair is d/2 − 1 steps
    from the first: together they have to make the factor."""
    return base * factor ** (2 / head_dim)


@check_new_base.mistake("2/(d − 2)")
def _(head_dim, factor, base):
    """You took the exponent 2/(d − 2), what one step between neighbours adds. The base itself
    stands for d/2 such steps."""
    return base * factor ** (2 / (head_dim - 2))


@check_new_base.mistake("d for the pairs")
def _(head_dim, factor, base):
    """You put the number of pairs, d/2, where d belongs: the exponent d/(d − 2) has the whole
    head_dim."""
    return base * factor ** (head_dim / 2 / (head_dim / 2 - 2))


@check_new_base.mistake("power of the product")
def _(head_dim, factor, base):
    """You took the power of base · factor. Only the factor has it: in Python, ** goes before *, and
    parentheses around the product change that."""
    return (base * factor) ** (head_dim / (head_dim - 2))


@check_new_base.mistake("power of the base")
def _(head_dim, factor, base):
    """The exponent stands at the base. It belongs to the factor: with factor 1 nothing may
    change."""
    return base ** (head_dim / (head_dim - 2)) * factor


@check_new_base.mistake("parentheses of the exponent")
def _(head_dim, factor, base):
    """In Python ** goes before /, so your line divides a power by d − 2. Put the exponent into
    parentheses."""
    return base * factor**head_dim / (head_dim - 2)


@check_new_base.mistake("divided")
def _(head_dim, factor, base):
    """Your base became smaller, so the pairs turn faster. A larger base is a slower last pair."""
    return base / factor ** (head_dim / (head_dim - 2))


@check_new_base.mistake("base left out")
def _(head_dim, factor, base):
    """That is by how much the base grows. Return the new base: multiply by the old one."""
    return factor ** (head_dim / (head_dim - 2))


@check_new_base.harmless_on("10 000 for every base")
def _(rng, size):
    """Your answer is right for a base of 10 000, and only there: use the argument."""
    return _base_of_ten_thousand(rng, size)


@check_new_base.mistake("the frequency")
def _(head_dim, factor, base):
    """That is the frequency of the last pair. Return the base that makes it."""
    return base ** (-(head_dim - 2) / head_dim) / factor


@check_new_base.mistake("all frequencies")
def _(head_dim, factor, base):
    """Those are the frequencies. Return one number, the base that makes them."""
    return _new_base(head_dim, factor, base) ** (-np.arange(0, head_dim, 2) / head_dim)
