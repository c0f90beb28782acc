"""Exercise: which of eight heads drew this curve of weights?"""

import numpy as np

from posviz.attention import softmax
from posviz.encodings.alibi import alibi_slopes
from posviz.teaching.checker import Checker

HEADS = (3, 1, 6, 2, 8, 4, 7, 5)


def _slope(weights):
    return abs(np.log(weights[-1] / weights[-2]))  # a reversed curve has the same


def _head(weights):
    return -np.log2(_slope(weights))


def _weights(size, *, length=0, flatter=1.0):
    slope = flatter * alibi_slopes(8)[HEADS[size - 1] - 1]
    return softmax(-slope * np.arange(length or size + 3)[::-1])


def _weights_inputs(rng, size):
    return (_weights(size, length=size + 3 + int(rng.integers(4))),)


# The answer is a function (weights [len], those of the last query, in the order of the keys, whose
# contents are alike) -> number of the head, 1 … 8.
check_head_from_curve = Checker(
    "The head behind a curve",
    reference=_head,
    inputs=_weights_inputs,
    edges=[(_weights(1, length=4),)],  # the shortest text
)


@check_head_from_curve.mistake("counted from 0")
def _(weights):
    """Your heads are one too low. Head h of 8 has the slope 2^(−h), and the first is head 1. If you
    took log2 of the ratio and rounded: the weights are powers of e, so take ln. If you compared
    keys two apart: halve ln of their ratio."""
    return _head(weights) - 1


@check_head_from_curve.mistake("one too high")
def _(weights):
    """Your heads are one too high. Head h of 8 has the slope 2^(−h): do not add 1 to −log2 of the
    slope, and take ln of the ratio, not log10."""
    return _head(weights) + 1


@check_head_from_curve.mistake("log2 of the ratio")
def _(weights):
    """You took log2 of the ratio. The softmax takes powers of e, so the slope is ln of the ratio of
    two neighbours. Only then comes log2, for the slope is a power of 2."""
    return -np.log2(_slope(weights) / np.log(2))


@check_head_from_curve.mistake("one logarithm")
def _(weights):
    """You took one logarithm of the ratio. There are two powers to undo: ln of the ratio of two
    neighbours is the slope, and −log2 of the slope is the head."""
    return -_slope(weights) / np.log(2)


@check_head_from_curve.mistake("one logarithm, above 0")
def _(weights):
    """You took one logarithm of the ratio. There are two powers to undo: ln of the ratio of two
    neighbours, the larger over the smaller, is the slope, and −log2 of the slope is the head."""
    return _slope(weights) / np.log(2)


@check_head_from_curve.mistake("log10 of the ratio")
def _(weights):
    """You took log10 of the ratio. The softmax takes powers of e, so the slope is ln of the ratio
    of two neighbours."""
    return -np.log2(_slope(weights) / np.log(10))


@check_head_from_curve.mistake("ln of the slope")
def _(weights):
    """You took ln of the slope. It is a power of 2, 2^(−h): take −log2 of it."""
    return -np.log(_slope(weights))


@check_head_from_curve.mistake("sign")
def _(weights):
    """Your heads are below 0. The slope is 2^(−h), so h is −log2 of it."""
    return -_head(weights)


@check_head_from_curve.mistake("slope returned")
def _(weights):
    """That is the slope. Head h of 8 has the slope 2^(−h): return h."""
    return _slope(weights)


@check_head_from_curve.mistake("minus the slope")
def _(weights):
    """That is minus the slope. Head h of 8 has the slope 2^(−h): take −log2 of the slope."""
    return -_slope(weights)


@check_head_from_curve.mistake("one over the slope")
def _(weights):
    """That is one over the slope, which is 2^h: return h."""
    return 1 / _slope(weights)


@check_head_from_curve.mistake("ratio returned")
def _(weights):
    """That is the ratio of two neighbours, e^(−slope). Take −ln of it for the slope, and then
    −log2 of that for the head."""
    return np.exp(-_slope(weights))


@check_head_from_curve.mistake("ratio returned, upside down")
def _(weights):
    """That is the ratio of two neighbours, e^slope. Take ln of it for the slope, and then −log2 of
    that for the head."""
    return np.exp(_slope(weights))


@check_head_from_curve.mistake("ratio not undone")
def _(weights):
    """You took 1 − ratio for the slope. The ratio is e^(−slope), and 1 − slope comes close to that
    in flat heads only: take −ln of it."""
    return -np.log2(-np.expm1(-_slope(weights)))


@check_head_from_curve.mistake("numbered from the flattest")
def _(weights):
    """You numbered the heads from the flattest. Head 1 is the steepest, with slope 1/2."""
    return 9 - _head(weights)


@check_head_from_curve.mistake("last weight alone")
def _(weights):
    """You took −ln of the last weight for the slope. The softmax has divided it by the sum of the
    row: only the ratio of two weights is free of that."""
    return -np.log2(-np.log(weights[-1]))


@check_head_from_curve.mistake("last weight as the slope")
def _(weights):
    """You took the last weight for the slope. In a long row it is 1 − e^(−slope), in a short one
    more: take ln of the ratio of two neighbours."""
    return -np.log2(weights[-1])


@check_head_from_curve.mistake("difference of two weights")
def _(weights):
    """You took the difference of two weights for the slope. The scores differ by the slope, the
    weights by a factor: take ln of their ratio."""
    return -np.log2(weights[-1] - weights[-2])


@check_head_from_curve.mistake("distance forgotten")
def _(weights):
    """You compared the last weight with the first. Between them are len − 1 steps: divide ln of
    their ratio by that."""
    return -np.log2(_slope(weights) * (len(weights) - 1))


@check_head_from_curve.mistake("one step too many")
def _(weights):
    """You divided by the number of keys. From the first to the last there are len − 1 steps."""
    return -np.log2(_slope(weights) * (len(weights) - 1) / len(weights))


@check_head_from_curve.harmless_on("curve reversed")
def _(rng, size):
    """You have the ratio upside down, or read the curve from its wrong end. The query's own weight
    is the last one and the largest: slope = ln(weights[-1] / weights[-2]), which is above 0."""
    return (_weights(size)[::-1],)


@check_head_from_curve.harmless_on("cut off")
def _(rng, size):
    """You cut off what stands after the point. A logarithm may come out a little too small, 2.9999…
    for 3: use round."""
    return (_weights(size, flatter=1 - 1e-6),)


@check_head_from_curve.harmless_on("long rows only")
def _(rng, size):
    """You found the slope from the query's own weight. That is 1 − e^(−slope) in a long row only;
    these are short. The ratio of two neighbours is the same in every row."""
    return (_weights(size, length=10_000),)
