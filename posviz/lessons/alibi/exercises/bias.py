"""Exercise: the bias of ALiBi, for any slopes and positions."""

import numpy as np

from posviz.encodings.alibi import alibi_bias
from posviz.encodings.relative import offsets
from posviz.teaching.checker import Checker


def _bias(slopes, positions):
    return _behind(alibi_bias(slopes, offsets(positions, positions)))


def _behind(x):
    """x [..., len, len] for keys that are not ahead of their query, 0 for the others."""
    return np.tril(x)


def _bias_inputs(rng, size):
    heads = 1 + size % 4
    positions = np.sort(rng.permutation(3 * size + 2)[: size + 1])
    return rng.uniform(0.2, 1.5, size=heads), positions + 1


# The answer is a function (slopes [heads], positions [len]) -> bias [heads, len, len],
# 0 for keys ahead of their query: these are the mask's business. Positions rise.
check_alibi_bias = Checker(
    "The bias of ALiBi",
    reference=_bias,
    inputs=_bias_inputs,
    edges=[
        (np.array([0.5, 0.25]), np.array([0, 2, 3])),  # the first position
        (np.array([0.5]), np.array([4])),  # one token, one head
    ],
)


@check_alibi_bias.mistake("sign")
def _(slopes, positions):
    """Your bias rewards distance: the farthest key has most. ALiBi subtracts slope × distance."""
    return -_bias(slopes, positions)


@check_alibi_bias.mistake("sign, and keys ahead as those behind")
def _(slopes, positions):
    """Two things. Your bias rewards distance, where ALiBi subtracts slope × distance. And you took
    |i − j|, which gives keys ahead a bias as well: leave 0 where j is above i."""
    return -alibi_bias(slopes, offsets(positions, positions))


@check_alibi_bias.mistake("sign, and keys ahead too")
def _(slopes, positions):
    """Two things. The minus is missing: ALiBi subtracts slope × (query − key). And keys ahead have
    a bias as well: leave 0 where j is above i."""
    return slopes[:, None, None] * offsets(positions, positions)


@check_alibi_bias.mistake("keys ahead as those behind")
def _(slopes, positions):
    """You took |i − j| (`alibi_bias` does, too), so a key ahead has the bias of one as far behind.
    A mask must hide it, and without one a head cannot tell before from after: leave 0 where j is
    above i."""
    return alibi_bias(slopes, offsets(positions, positions))


@check_alibi_bias.mistake("keys ahead rewarded")
def _(slopes, positions):
    """You took i − j everywhere. It is negative for keys ahead, so these would be rewarded, more
    the farther they are: leave 0 where j is above i."""
    return -slopes[:, None, None] * offsets(positions, positions)


@check_alibi_bias.mistake("key − query")
def _(slopes, positions):
    """You took key − query, and hid what is behind. Distances are query − key: rows are queries,
    and keys behind stand left of the diagonal."""
    return np.swapaxes(_bias(slopes, positions), -1, -2)


@check_alibi_bias.mistake("key − query, and the sign")
def _(slopes, positions):
    """Your bias is above 0 and belongs to keys ahead. Rows are queries, keys behind stand left of
    the diagonal, and their bias is −slope × (query − key)."""
    return -np.swapaxes(_bias(slopes, positions), -1, -2)


@check_alibi_bias.mistake("−∞ ahead")
def _(slopes, positions):
    """A mask would put −∞ ahead, as you did. Here leave 0 there, so that all of it is numbers."""
    ahead = np.triu(np.ones((len(positions), len(positions)), bool), 1)
    return np.where(ahead, -np.inf, _bias(slopes, positions))


@check_alibi_bias.recognised_by("a large negative number ahead")
def _(bias):
    """You put a large negative number ahead, as a mask would. Here leave 0 there, and the rest to
    the mask."""
    ahead = np.triu(np.ones(bias.shape[-2:], bool), 1)
    # No bias that is asked for is below −40.
    return len(bias[0]) > 1 and (bias[:, ahead] < -99).all()


@check_alibi_bias.mistake("−∞ ahead, and the sign")
def _(slopes, positions):
    """Two things. Your bias rewards distance, where ALiBi subtracts slope × distance. And a mask
    would put −∞ ahead, as you did: here leave 0 there."""
    ahead = np.triu(np.ones((len(positions), len(positions)), bool), 1)
    return np.where(ahead, -np.inf, -_bias(slopes, positions))


@check_alibi_bias.mistake("one row for all queries")
def _(slopes, positions):
    """You wrote slope × key position, one row for all queries. Under a causal softmax that is the
    same, since a row differs by one number only. Here return −slope × (query − key), with a row
    for each query."""
    return slopes[:, None, None] * positions


@check_alibi_bias.mistake("one row, measured from the end")
def _(slopes, positions):
    """You measured from the end of the text, one row for all queries. Under a causal softmax that
    is the same, since a row differs by one number only. Here return −slope × (query − key), with a
    row for each query."""
    return slopes[:, None, None] * (positions - positions[-1])


@check_alibi_bias.mistake("key positions")
def _(slopes, positions):
    """You wrote slope × key position. Under a causal softmax that is the same, since a row differs
    by one number only. Here return −slope × (query − key)."""
    rows = np.broadcast_to(positions, (len(positions), len(positions)))
    return _behind(slopes[:, None, None] * rows)


@check_alibi_bias.mistake("key positions, with the sign −")
def _(slopes, positions):
    """You subtracted slope × key position, so the first key of the text has most. Subtract
    slope × (query − key): the query's own key has 0."""
    rows = np.broadcast_to(positions, (len(positions), len(positions)))
    return _behind(-slopes[:, None, None] * rows)


@check_alibi_bias.mistake("distance from the end")
def _(slopes, positions):
    """You measured from the end of the text. Under a causal softmax that is the same, since a row
    differs by one number only. Here return −slope × (query − key)."""
    rows = np.broadcast_to(positions - positions[-1], (len(positions), len(positions)))
    return _behind(slopes[:, None, None] * rows)


@check_alibi_bias.mistake("positions ignored")
def _(slopes, positions):
    """You counted the places 0, 1, 2, … of the tokens: use the positions that are given."""
    return _bias(slopes, np.arange(len(positions)))


@check_alibi_bias.mistake("positions ignored, and the sign")
def _(slopes, positions):
    """Two things. Your bias rewards distance, where ALiBi subtracts slope × distance. And you
    counted the places 0, 1, 2, … of the tokens: use the positions that are given."""
    return -_bias(slopes, np.arange(len(positions)))


@check_alibi_bias.mistake("positions ignored, and keys ahead as those behind")
def _(slopes, positions):
    """Two things. You took |i − j|, which gives keys ahead a bias as well: leave 0 where j is above
    i. And you counted the places 0, 1, 2, … of the tokens: use the positions that are given."""
    indices = np.arange(len(positions))
    return alibi_bias(slopes, offsets(indices, indices))


@check_alibi_bias.mistake("positions ignored, and keys ahead rewarded")
def _(slopes, positions):
    """Two things. You took i − j everywhere, which rewards keys ahead: leave 0 where j is above i.
    And you counted the places 0, 1, 2, … of the tokens: use the positions that are given."""
    indices = np.arange(len(positions))
    return -slopes[:, None, None] * offsets(indices, indices)


@check_alibi_bias.mistake("axis of the heads last")
def _(slopes, positions):
    """Your heads are the last axis. They come first, as in scores [heads, len, len]: write
    slopes[:, None, None]."""
    return np.moveaxis(_bias(slopes, positions), 0, -1)


@check_alibi_bias.mistake("one slope for all heads")
def _(slopes, positions):
    """You gave every head the first slope. Each head has its own: slopes[:, None, None]."""
    return _bias(np.full_like(slopes, slopes[0]), positions)


@check_alibi_bias.mistake("heads added up")
def _(slopes, positions):
    """You added up the heads. Each keeps a bias of its own: the answer is [heads, len, len]."""
    return _bias(slopes, positions).sum(axis=0)


@check_alibi_bias.mistake("one head only")
def _(slopes, positions):
    """Your answer has no axis of heads. Each slope makes a bias of its own: the answer is
    [heads, len, len]."""
    return _bias(slopes, positions)[0]


@check_alibi_bias.mistake("the first head alone is filled")
def _(slopes, positions):
    """The first head is right and the others are 0. Is your return inside the loop over the heads?
    It belongs behind the loop."""
    return _bias(slopes * (np.arange(len(slopes)) == 0), positions)


@check_alibi_bias.mistake("the first head alone is there")
def _(slopes, positions):
    """The first head is right and the others are missing. Is your return inside the loop over the
    heads? It belongs behind the loop."""
    return _bias(slopes[:1], positions)


@check_alibi_bias.mistake("slopes forgotten")
def _(slopes, positions):
    """You returned the distances themselves. Multiply them by the slope of each head."""
    return _bias(np.ones_like(slopes), positions)


@check_alibi_bias.mistake("weights returned")
def _(slopes, positions):
    """You went too far: return the bias itself, before the exponential."""
    return np.tril(np.exp(_bias(slopes, positions)))
