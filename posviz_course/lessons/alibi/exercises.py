"""Exercises: the slopes of any number of heads, the bias, and the head behind a curve."""

import numpy as np

from posviz.attention import softmax
from posviz.encodings.relative import offsets
from posviz.teaching.mistakes import (
    POSITIONS_IGNORED,
    answer,
    argument,
    looks_like,
    right_on,
    step,
    wrong,
)
from posviz_course.lesson_checker import LessonChecker


def power_below(num_heads):
    """The largest power of two that is not above."""
    return 2 ** (num_heads.bit_length() - 1)


def every_second(twice, count):
    """The first, third, fifth … slope of twice the power, as many as are missing."""
    return twice[::2][:count]


def slopes_of(num_heads, *, first=1, power_of=power_below, extra=every_second):
    """num_heads -> slopes [num_heads], all above 0, in the order of the released code."""
    power = power_of(num_heads)
    series, twice = (2.0 ** (-8 * np.arange(first, first + n) / n) for n in (power, 2 * power))
    return np.concatenate([series, extra(twice, num_heads - power)])


def slopes_inputs(rng, size):
    """One number of heads, powers of two first."""
    heads = (1, 2, 8, 3, 7, 12, 40)  # powers of two first: their rule is half of the answer
    return (heads[size - 1] if size <= len(heads) else int(rng.integers(9, 64)),)


check_slopes = LessonChecker(
    "The slopes of ALiBi",
    slopes_of,
    slopes_inputs,
    mistakes=[
        step("the formula for every number of heads",
            "You used 2^(−8h/n) for every n. The released code does so only where n is a power "
            "of two. Otherwise take the slopes of the power below, then every second slope of "
            "twice that power.", power_of=lambda num_heads: num_heads),
        step("heads from 0",
            "You counted heads from 0, so the first slope is 1. They count from 1: the first "
            "slope of 8 heads is 1/2, and the last 1/256.", first=0),
        step("extra slopes missing",
            "You have the slopes of the power of two below, and none for the other heads. Append "
            "every second slope of twice the power.", extra=lambda twice, count: twice[:0]),
        step("every second from the second",
            "Your extra slopes are there twice: every second slope of twice the power, from the "
            "second on, is a slope of the power itself. Start from the first, [::2].",
            extra=lambda twice, count: twice[1::2][:count]),
        step("not every second",
            "Your extra slopes are the first ones of twice the power. Take every second, [::2]: "
            "those between are there already.", extra=lambda twice, count: twice[:count]),
        step("extra slopes not cut",
            "You have all slopes of the power below and every second one of twice the power: too "
            "many. Cut the second part to what is missing, [:num_heads - power], which is "
            "nothing for a power of two.", extra=lambda twice, count: twice[::2]),
        answer("sorted", lambda slopes: np.sort(slopes)[::-1],
            "You sorted the slopes. The released code appends the extra ones, so the order is "
            "broken where num_heads is no power of two, and a trained head keeps its slope."),
        answer("flattest first", lambda slopes: slopes[::-1],
            "You start with the flattest head. Head 1 is the steepest: 2^(−8h/n) falls with h."),
        answer("sign", lambda slopes: -slopes,
            "Your slopes are below 0. Return them as positive numbers: the bias subtracts them."),
        answer("sign of the exponent", lambda slopes: 1 / slopes,
            "Your slopes grow to 2^8 = 256. The exponent is negative: 2^(−8h/n)."),
        wrong("2^(−h)", lambda num_heads: 2.0 ** -np.arange(1, num_heads + 1),
            "You wrote 2^(−h), which is right for 8 heads alone. The exponent is −8h/n."),
    ],
)


def bias_of(slopes, positions, *, distance=lambda offset: np.maximum(offset, 0)):
    """Slopes [heads], rising positions [len] -> bias [heads, len, len], 0 ahead for the mask."""
    return -slopes[:, None, None] * distance(offsets(positions, positions))


def bias_inputs(rng, size):
    """Slopes [heads], in score per token, and sorted positions [len], in tokens."""
    positions = np.sort(rng.permutation(3 * size + 2)[: size + 1]) + 1
    return rng.uniform(0.2, 1.5, size=1 + size % 4), positions


def has_large_numbers_ahead(bias):
    """Whether all keys ahead have less than any bias that is asked for, which end at −40."""
    ahead = np.triu(np.ones(bias.shape[-2:], bool), 1)
    return len(bias[0]) > 1 and (bias[:, ahead] < -99).all()


check_alibi_bias = LessonChecker(
    "The bias of ALiBi",
    bias_of,
    bias_inputs,
    edges=[
        (np.array([0.5, 0.25]), np.array([0, 2, 3])),  # the first position
        (np.array([0.5]), np.array([4])),  # one token, one head
    ],
    mistakes=[
        answer("sign", lambda bias: -bias,
            "Your bias rewards distance: the farthest key has most. ALiBi subtracts slope × "
            "distance."),
        step("keys ahead as those behind",
            "You took |i − j| (`alibi_bias` does, too), so a key ahead has the bias of one as "
            "far behind. A mask must hide it, and without one a head cannot tell before from "
            "after: leave 0 where j is above i.", distance=np.abs),
        step("keys ahead rewarded",
            "You took i − j everywhere. It is negative for keys ahead, so these would be "
            "rewarded, more the farther they are: leave 0 where j is above i.",
            distance=lambda offset: offset),
        step("key − query",
            "You took key − query, and hid what is behind. Distances are query − key: rows are "
            "queries, and keys behind stand left of the diagonal.",
            distance=lambda offset: np.maximum(-offset, 0)),
        answer("−∞ ahead", lambda bias: np.where(np.tri(bias.shape[-1], dtype=bool), bias, -np.inf),
            "A mask would put −∞ ahead, as you did. Here leave 0 there, so that all of it is "
            "numbers."),
        looks_like("a large negative number ahead", has_large_numbers_ahead,
            "You put a large negative number ahead, as a mask would. Here leave 0 there, and the "
            "rest to the mask."),
        wrong("one row for all queries",
            lambda slopes, positions: slopes[:, None, None] * positions,
            "You wrote slope × key position, one row for all queries. Under a causal softmax "
            "that is the same, since a row differs by one number only. Here return −slope × "
            "(query − key), with a row for each query."),
        POSITIONS_IGNORED,
        argument("one slope for all heads",
            "You gave every head the first slope. Each head has its own: slopes[:, None, None].",
            slopes=lambda slopes: np.full_like(slopes, slopes[0])),
        argument("the first head alone is filled",
            "The first head is right and the others are 0. Is your return inside the loop over "
            "the heads? It belongs behind the loop.",
            slopes=lambda slopes: slopes * (np.arange(len(slopes)) == 0)),
    ],
)


def slope_of(weights):
    """Weights [len] -> the slope; a reversed curve has the same."""
    return abs(np.log(weights[-1] / weights[-2]))


def head_of(weights, *, slope=slope_of):
    """Weights [len] of the last query, contents alike, in the order of the keys -> head 1 … 8."""
    return -np.log2(slope(weights))


def curve(size, *, length=0, flatter=1.0):
    """The weights [length] of another head of 8 for each size."""
    slope = flatter * 2.0 ** -(3, 1, 6, 2, 8, 4, 7, 5)[size - 1]
    return softmax(-slope * np.arange(length or size + 3)[::-1])


check_head_from_curve = LessonChecker(
    "The head behind a curve",
    head_of,
    lambda rng, size: (curve(size, length=size + 3 + int(rng.integers(4))),),
    edges=[(curve(1, length=4),)],  # the shortest text
    mistakes=[
        answer("counted from 0", lambda head: head - 1,
            "Your heads are one too low. Head h of 8 has the slope 2^(−h), and the first is head "
            "1. If you took log2 of the ratio and rounded: the weights are powers of e, so take "
            "ln. If you compared keys two apart: halve ln of their ratio."),
        step("log2 of the ratio",
            "You took log2 of the ratio. The softmax takes powers of e, so the slope is ln of "
            "the ratio of two neighbours. Only then comes log2, for the slope is a power of 2.",
            slope=lambda weights: slope_of(weights) / np.log(2)),
        answer("ln of the slope", lambda head: head * np.log(2),
            "You took ln of the slope: slopes are powers of 2, so take −log2 of it."),
        answer("sign", lambda head: -head,
            "Your heads are below 0. The slope is 2^(−h), so h is −log2 of it."),
        answer("slope returned", lambda head: 2.0**-head,
            "That is the slope. Head h of 8 has the slope 2^(−h): return h."),
        answer("numbered from the flattest", lambda head: 9 - head,
            "You numbered the heads from the flattest. Head 1 is the steepest, with slope 1/2."),
        step("difference of two weights",
            "You took the difference of two weights for the slope. The scores differ by the "
            "slope, the weights by a factor: take ln of their ratio.",
            slope=lambda weights: weights[-1] - weights[-2]),
        step("distance forgotten",
            "You compared the last weight with the first. Between them are len − 1 steps: divide "
            "ln of their ratio by that.",
            slope=lambda weights: slope_of(weights) * (len(weights) - 1)),
        right_on("curve reversed", lambda rng, size: (curve(size)[::-1],),
            "You have the ratio upside down, or read the curve from its wrong end. Then ln is "
            "below 0, and log2 warns that it is invalid. The query's own weight is the last one "
            "and the largest: slope = ln(weights[-1] / weights[-2])."),
        right_on("cut off", lambda rng, size: (curve(size, flatter=1 - 1e-6),),
            "You cut off what stands after the point. A logarithm may come out a little too "
            "small, 2.9999… for 3: use round."),
        right_on("long rows only", lambda rng, size: (curve(size, length=10_000),),
            "You found the slope from the query's own weight. That is 1 − e^(−slope) in a long "
            "row only; these are short. The ratio of two neighbours is the same in every row."),
    ],
)
