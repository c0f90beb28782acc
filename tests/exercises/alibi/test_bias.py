"""The bias of ALiBi, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest
import torch

from posviz.exercises.alibi.bias import check_alibi_bias
from tests.exercises.every_mistake import mistake_tests


def cell_by_cell(bias):
    """Fill the matrices cell by cell: bias(slope, i, j) of the positions i and j."""

    def answer(slopes, positions):
        return [[[bias(slope, i, j) for j in positions] for i in positions] for slope in slopes]

    return answer


def behind(bias, ahead=0.0):
    return cell_by_cell(lambda slope, i, j: bias(slope, i, j) if j <= i else ahead)


def right(slope, i, j):
    return -slope * (i - j)


def first_head_in_zeros(slopes, positions):
    bias = np.zeros((len(slopes), len(positions), len(positions)))
    for head, slope in enumerate(slopes):
        for row, i in enumerate(positions):
            for column, j in enumerate(positions[: row + 1]):
                bias[head, row, column] = right(slope, i, j)
        return bias


def first_head_in_a_list(slopes, positions):
    heads = []
    for slope in slopes:
        heads.append(behind(right)([slope], positions)[0])
        return heads


def at_places(answer):
    """Count the places of the tokens instead of their positions."""
    return lambda slopes, positions: answer(slopes, range(len(positions)))


def from_the_end(slopes, positions):
    return behind(lambda slope, i, j: slope * (j - max(positions)))(slopes, positions)


BIAS_MISTAKES = {
    "sign": behind(lambda slope, i, j: slope * (i - j)),
    "sign, and keys ahead as those behind": cell_by_cell(lambda slope, i, j: slope * abs(i - j)),
    "sign, and keys ahead too": cell_by_cell(lambda slope, i, j: slope * (i - j)),
    "keys ahead as those behind": cell_by_cell(lambda slope, i, j: -slope * abs(i - j)),
    "keys ahead rewarded": cell_by_cell(right),
    "key − query": cell_by_cell(lambda slope, i, j: -slope * max(j - i, 0)),
    "key − query, and the sign": cell_by_cell(lambda slope, i, j: slope * max(j - i, 0)),
    "−∞ ahead": behind(right, ahead=-math.inf),
    "a large negative number ahead": behind(right, ahead=-1e9),
    "−∞ ahead, and the sign": behind(lambda slope, i, j: slope * (i - j), ahead=-math.inf),
    "one row for all queries": lambda slopes, p: [[[m * j for j in p]] for m in slopes],
    "one row, measured from the end": lambda slopes, p: [
        [[m * (j - p[-1]) for j in p]] for m in slopes
    ],
    "key positions": behind(lambda slope, i, j: slope * j),
    "key positions, with the sign −": behind(lambda slope, i, j: -slope * j),
    "distance from the end": from_the_end,
    "positions ignored": at_places(behind(right)),
    "positions ignored, and the sign": at_places(behind(lambda slope, i, j: slope * (i - j))),
    "positions ignored, and keys ahead as those behind": at_places(
        cell_by_cell(lambda slope, i, j: -slope * abs(i - j))
    ),
    "positions ignored, and keys ahead rewarded": at_places(cell_by_cell(right)),
    "axis of the heads last": lambda slopes, p: [
        [[-slope * max(i - j, 0) for slope in slopes] for j in p] for i in p
    ],
    "one slope for all heads": lambda slopes, p: behind(right)([slopes[0] for _ in slopes], p),
    "heads added up": lambda slopes, p: behind(right)([sum(slopes)], p)[0],
    "one head only": lambda slopes, p: behind(right)(slopes, p)[0],
    "the first head alone is filled": first_head_in_zeros,
    "the first head alone is there": first_head_in_a_list,
    "slopes forgotten": lambda slopes, p: behind(right)([1 for _ in slopes], p),
    "weights returned": behind(lambda *given: math.exp(right(*given))),
}


def in_torch(slopes, positions):
    slopes, positions = torch.tensor(slopes), torch.tensor(positions)
    distances = (positions[:, None] - positions).clamp(min=0)
    return (-slopes[:, None, None] * distances).requires_grad_()


def in_einsum(slopes, positions):
    distances = np.maximum(np.subtract.outer(positions, positions), 0)
    return np.einsum("h,ij->hij", -slopes, distances)


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_alibi_bias, BIAS_MISTAKES)]
)


@pytest.mark.parametrize("answer", [behind(right), in_torch, in_einsum])
def test_the_bias_may_be_written_in_many_ways(answer):
    assert check_alibi_bias(answer).status == "correct"


@pytest.mark.parametrize("ahead", [-1e4, -1e9, np.finfo(np.float32).min, np.finfo(np.float64).min])
def test_any_large_negative_number_ahead_is_told_whatever_stands_behind(ahead):
    for sign in (1, -1):
        masked = behind(lambda slope, i, j, sign=sign: sign * right(slope, i, j), ahead=ahead)
        assert check_alibi_bias(masked).mistake == "a large negative number ahead"


@pytest.mark.parametrize(
    "answer",
    [
        cell_by_cell(lambda *_: -1.0),
        behind(lambda *_: -1e9),
        lambda slopes, p: [behind(right, ahead=-1e9 * (m == slopes[0]))([m], p)[0] for m in slopes],
    ],
    ids=["small", "behind", "one head"],
)
def test_other_negative_numbers_are_not_taken_for_a_mask(answer):
    assert check_alibi_bias(answer).mistake is None


def test_what_is_wrong_in_no_known_way_is_told_with_its_input():
    feedback = check_alibi_bias(behind(lambda slope, i, j: -(slope**2) * (i - j)))
    assert (feedback.status, feedback.mistake) == ("wrong", None)
    assert "positions = " in feedback.evidence
    assert "-0. " not in feedback.evidence


def test_what_is_not_attempted_is_told_so():
    def empty(slopes, positions): ...

    assert check_alibi_bias(empty).status == "not attempted"


def test_positions_have_gaps_and_rise():
    steps = [np.diff(positions) for _, positions in check_alibi_bias.cases()]
    assert all(np.min(step) >= 1 for step in steps)
    assert any(np.max(step) > 1 for step in steps)
