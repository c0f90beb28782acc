"""Lesson 07: the slopes and the bias, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor

from posviz.exercises.alibi import check_alibi_bias, check_slopes
from tests.exercises.every_mistake import mistake_tests


def powers(heads, first=1, *, of=None, eight=8):
    return [2 ** (-eight * h / (of or heads)) for h in range(first, first + heads)]


def released(heads, extra=lambda twice, count: twice[0::2][:count], slopes=powers):
    """As in the released code, which calls itself for the power of two below."""
    if math.log2(heads).is_integer():
        return slopes(heads)
    below = 2 ** math.floor(math.log2(heads))
    return slopes(below) + extra(slopes(2 * below), heads - below)


def only_the_first_series_from_0(heads):
    below = 2 ** math.floor(math.log2(heads))
    return [slope * 2 ** (8 / below) for slope in powers(below)] + released(heads)[below:]


SLOPES_MISTAKES = {
    "heads from 0": lambda n: released(n, slopes=lambda count: powers(count, 0)),
    "heads from 0, but not the extra ones": only_the_first_series_from_0,
    "the formula for every number of heads": powers,
    "the power above": lambda n: powers(2 ** math.ceil(math.log2(n)))[:n],
    "the series goes on": lambda n: powers(n, of=2 ** int(math.log2(n))),
    "extra slopes missing": lambda n: released(n, lambda twice, count: []),
    "every second from the second": lambda n: released(n, lambda twice, m: twice[1::2][:m]),
    "not every second": lambda n: released(n, lambda twice, count: twice[:count]),
    "extra slopes first": lambda n: (
        released(n)[2 ** int(math.log2(n)) :] + powers(2 ** int(math.log2(n)))
    ),
    "sorted": lambda n: sorted(released(n), reverse=True),
    "flattest first": lambda n: [*reversed(released(n))],
    "sign": lambda n: [-slope for slope in released(n)],
    "sign of the exponent": lambda n: released(n, slopes=lambda m: powers(m, eight=-8)),
    "2^(−h)": lambda n: [2**-h for h in range(1, n + 1)],
    "8/n inverted": lambda n: released(
        n, slopes=lambda m: [2 ** (-m * h / 8) for h in range(1, m + 1)]
    ),
    "8 missing": lambda n: released(n, slopes=lambda m: powers(m, eight=1)),
    "e instead of 2": lambda n: released(n, slopes=lambda m: powers(m, eight=8 / math.log(2))),
}


def cell_by_cell(bias):
    """Fill the matrices cell by cell: bias(slope, i, j) of the positions i and j."""

    def answer(slopes, positions):
        return [[[bias(slope, i, j) for j in positions] for i in positions] for slope in slopes]

    return answer


def behind(bias, ahead=0.0):
    return cell_by_cell(lambda slope, i, j: bias(slope, i, j) if j <= i else ahead)


def right(slope, i, j):
    return -slope * (i - j)


def from_the_end(slopes, positions):
    return behind(lambda slope, i, j: slope * (j - max(positions)))(slopes, positions)


BIAS_MISTAKES = {
    "sign": behind(lambda slope, i, j: slope * (i - j)),
    "keys ahead as those behind": cell_by_cell(lambda slope, i, j: -slope * abs(i - j)),
    "keys ahead rewarded": cell_by_cell(right),
    "key − query": cell_by_cell(lambda slope, i, j: -slope * max(j - i, 0)),
    "key − query, and the sign": cell_by_cell(lambda slope, i, j: slope * max(j - i, 0)),
    "−∞ ahead": behind(right, ahead=-math.inf),
    "key positions": behind(lambda slope, i, j: slope * j),
    "key positions, with the sign −": behind(lambda slope, i, j: -slope * j),
    "distance from the end": from_the_end,
    "positions ignored": lambda slopes, p: behind(right)(slopes, range(len(p))),
    "axis of the heads last": lambda slopes, p: [
        [[-slope * max(i - j, 0) for slope in slopes] for j in p] for i in p
    ],
    "one slope for all heads": lambda slopes, p: behind(right)([slopes[0] for _ in slopes], p),
    "heads added up": lambda slopes, p: behind(right)([sum(slopes)], p)[0],
    "one head only": lambda slopes, p: behind(right)(slopes, p)[0],
    "slopes forgotten": lambda slopes, p: behind(right)([1 for _ in slopes], p),
    "weights returned": behind(lambda *given: math.exp(right(*given))),
}
MISTAKES = [(check_slopes, SLOPES_MISTAKES), (check_alibi_bias, BIAS_MISTAKES)]


def slopes_of_bloom(heads):
    """transformers' own, as bias of the key at position 1."""
    return build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)[:, 0, 1]


def in_torch(slopes, positions):
    slopes, positions = torch.tensor(slopes), torch.tensor(positions)
    distances = (positions[:, None] - positions).clamp(min=0)
    return (-slopes[:, None, None] * distances).requires_grad_()


def in_einsum(slopes, positions):
    distances = np.maximum(np.subtract.outer(positions, positions), 0)
    return np.einsum("h,ij->hij", -slopes, distances)


@pytest.mark.parametrize("answer", [released, slopes_of_bloom])
def test_the_released_slopes_are_correct(answer):
    assert check_slopes(answer).status == "correct"


@pytest.mark.parametrize("answer", [behind(right), in_torch, in_einsum])
def test_the_bias_may_be_written_in_many_ways(answer):
    assert check_alibi_bias(answer).status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(MISTAKES)


def test_what_is_wrong_in_no_known_way_is_told_with_its_input():
    wrong = [
        (check_slopes(lambda n: [*released(n)[:-1], 0.7]), "num_heads = "),
        (check_alibi_bias(behind(lambda slope, i, j: -(slope**2) * (i - j))), "positions = "),
    ]
    for verdict, named in wrong:
        assert (verdict.status, verdict.mistake) == ("wrong", None)
        assert named in verdict.evidence


@pytest.mark.parametrize("check", [check for check, _ in MISTAKES], ids=lambda check: check.title)
def test_what_is_not_attempted_is_told_so(check):
    def empty(*given): ...

    assert check(empty).status == "not attempted"


def test_heads_are_asked_for_that_are_powers_of_two_and_that_are_not():
    counts = {heads for (heads,) in check_slopes.cases()}
    assert {6, 12, 20} < {heads for heads in counts if heads & (heads - 1)}
    assert {1, 8} < counts


def test_positions_have_gaps_and_rise():
    steps = [np.diff(positions) for _, positions in check_alibi_bias.cases()]
    assert all(np.min(step) >= 1 for step in steps)
    assert any(np.max(step) > 1 for step in steps)
