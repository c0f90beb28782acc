"""Exercises of lesson 07: the slopes of any number of heads, and the bias they make."""

import numpy as np

from posviz.encodings.alibi import alibi_bias, alibi_slopes
from posviz.encodings.relative import offsets
from posviz.exercises.checker import Checker

HEADS = (1, 2, 4, 8, 3, 6, 12, 20)  # powers of two first: their rule is half of the answer


# The answer is a function (num_heads) -> slopes [num_heads], all above 0, in the order of the
# released code.
check_slopes = Checker(
    "The slopes of ALiBi",
    reference=alibi_slopes,
    inputs=lambda rng, size: (HEADS[size - 1],),
)


def _power(num_heads):
    """The largest power of two that is not above."""
    return 2 ** (num_heads.bit_length() - 1)


def _series(count, *, of=None, first=1):
    """2^(−8h/of) for `count` numbers h."""
    return 2.0 ** (-8 * np.arange(first, first + count) / (of or count))


def _with_extra(num_heads, extra):
    """The slopes of the power below, then those that are picked from twice the power."""
    power = _power(num_heads)
    return np.concatenate([_series(power), extra(_series(2 * power), num_heads - power)])


@check_slopes.mistake("heads from 0")
def _(num_heads):
    """You counted heads from 0, so the first slope is 1. They count from 1: the first slope of 8
    heads is 1/2, and the last 1/256."""
    power = _power(num_heads)
    extra = _series(2 * power, first=0)[::2]
    return np.concatenate([_series(power, first=0), extra[: num_heads - power]])


@check_slopes.mistake("heads from 0, but not the extra ones")
def _(num_heads):
    """You counted heads from 0 in the first series, so its first slope is 1. They count from 1
    there as well: 2^(−8h/n), h = 1 … n."""
    return _with_extra(num_heads, lambda twice, count: twice[::2][:count]) * np.where(
        np.arange(num_heads) < _power(num_heads), 2 ** (8 / _power(num_heads)), 1
    )


@check_slopes.mistake("the formula for every number of heads")
def _(num_heads):
    """You used 2^(−8h/n) for every n. The released code does so only where n is a power of two.
    Otherwise take the slopes of the power below, then every second slope of twice that power."""
    return _series(num_heads)


@check_slopes.mistake("the power above")
def _(num_heads):
    """You took the first slopes of the power of two above. Take all slopes of the power below,
    then every second one of the power above."""
    power = _power(num_heads)
    return _series(power if power == num_heads else 2 * power)[:num_heads]


@check_slopes.mistake("the series goes on")
def _(num_heads):
    """You let the series of the power below go on beyond 2^(−8). The extra heads stand between
    those there are: every second slope of twice the power, from the first on."""
    return _series(num_heads, of=_power(num_heads))


@check_slopes.mistake("extra slopes missing")
def _(num_heads):
    """You have the slopes of the power of two below, and none for the other heads. Append every
    second slope of twice the power."""
    return _series(_power(num_heads))


@check_slopes.mistake("every second from the second")
def _(num_heads):
    """Your extra slopes are there twice: every second slope of twice the power, from the second
    on, is a slope of the power itself. Start from the first, [::2]."""
    return _with_extra(num_heads, lambda twice, count: twice[1::2][:count])


@check_slopes.mistake("not every second")
def _(num_heads):
    """Your extra slopes are the first ones of twice the power. Take every second, [::2]: those
    between are there already."""
    return _with_extra(num_heads, lambda twice, count: twice[:count])


@check_slopes.mistake("extra slopes first")
def _(num_heads):
    """Your extra slopes come first. The released code appends them, and a trained head keeps its
    slope: the order counts."""
    return np.roll(alibi_slopes(num_heads), num_heads - _power(num_heads))


@check_slopes.mistake("sorted")
def _(num_heads):
    """You sorted the slopes. The released code appends the extra ones, so the order is broken
    where num_heads is no power of two, and a trained head keeps its slope."""
    return np.sort(alibi_slopes(num_heads))[::-1]


@check_slopes.mistake("flattest first")
def _(num_heads):
    """You start with the flattest head. Head 1 is the steepest: 2^(−8h/n) falls with h."""
    return alibi_slopes(num_heads)[::-1]


@check_slopes.mistake("sign")
def _(num_heads):
    """Your slopes are below 0. Return them as positive numbers: the bias subtracts them."""
    return -alibi_slopes(num_heads)


@check_slopes.mistake("sign of the exponent")
def _(num_heads):
    """Your slopes grow to 2^8 = 256. The exponent is negative: 2^(−8h/n)."""
    return 1 / alibi_slopes(num_heads)


@check_slopes.mistake("2^(−h)")
def _(num_heads):
    """You wrote 2^(−h), which is right for 8 heads alone. The exponent is −8h/n."""
    return _series(num_heads, of=8)


@check_slopes.mistake("8/n inverted")
def _(num_heads):
    """You wrote n/8 where 8/n belongs: the exponent is −8h/n, so that the last slope of a power of
    two is 2^(−8)."""
    power = _power(num_heads)
    extra = 2.0 ** (-2 * power * np.arange(1, 2 * power, 2) / 8)
    series = 2.0 ** (-power * np.arange(1, power + 1) / 8)
    return np.concatenate([series, extra[: num_heads - power]])


@check_slopes.mistake("8 missing")
def _(num_heads):
    """Your last slope of a power of two is 1/2. The exponent is −8h/n, with an 8, so that it is
    2^(−8)."""
    return alibi_slopes(num_heads) ** (1 / 8)


@check_slopes.mistake("e instead of 2")
def _(num_heads):
    """You took powers of e. The slopes are powers of 2: 2^(−8h/n)."""
    return alibi_slopes(num_heads) ** (1 / np.log(2))


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
check_alibi_bias = Checker("The bias of ALiBi", reference=_bias, inputs=_bias_inputs)


@check_alibi_bias.mistake("sign")
def _(slopes, positions):
    """Your bias rewards distance: the farthest key has most. ALiBi subtracts slope × distance."""
    return -_bias(slopes, positions)


@check_alibi_bias.mistake("keys ahead as those behind")
def _(slopes, positions):
    """You took |i − j|, so a key ahead has the bias of one as far behind. A mask must hide it, and
    without one a head cannot tell before from after: leave 0 where j is above i."""
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
    """Your bias is right, and a mask would put −∞ ahead, as you did. Here leave 0 there, so that
    all of it is numbers."""
    ahead = np.triu(np.ones((len(positions), len(positions)), bool), 1)
    return np.where(ahead, -np.inf, _bias(slopes, positions))


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


@check_alibi_bias.mistake("slopes forgotten")
def _(slopes, positions):
    """You returned the distances themselves. Multiply them by the slope of each head."""
    return _bias(np.ones_like(slopes), positions)


@check_alibi_bias.mistake("weights returned")
def _(slopes, positions):
    """You went too far: return the bias itself, before the exponential."""
    return np.tril(np.exp(_bias(slopes, positions)))
