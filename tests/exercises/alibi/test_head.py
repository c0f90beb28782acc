"""The head behind a curve, and every listed mistake as a reader would write it."""

import math
import warnings

import numpy as np
import pytest
import torch

from posviz.exercises.alibi.head import check_head_from_curve
from tests.exercises.every_mistake import mistake_tests


def from_slope(slope):
    """Return an answer that finds the slope in a way of its own."""
    return lambda weights: -math.log2(slope(weights))


def neighbours(weights):
    return math.log(weights[-1]) - math.log(weights[-2])


def solution(weights):
    return round(from_slope(neighbours)(weights))


def first_to_last(weights, steps):
    return math.log(weights[-1] / weights[0]) / steps


def own_weight(weights):
    return -math.log(1 - weights[-1])


def cut_off(weights):
    """As int() does, with the rounding errors of some curves on the wrong side."""
    return math.floor(from_slope(neighbours)(weights) + (1e-9 if len(weights) % 2 else -1e-9))


HEAD_MISTAKES = {
    "counted from 0": lambda weights: solution(weights) - 1,
    "one too high": lambda weights: 1 - math.log2(neighbours(weights)),
    "log2 of the ratio": from_slope(lambda w: math.log2(w[-1] / w[-2])),
    "one logarithm": lambda weights: -math.log2(weights[-1] / weights[-2]),
    "one logarithm, above 0": lambda weights: -math.log2(weights[-2] / weights[-1]),
    "log10 of the ratio": from_slope(lambda w: math.log10(w[-1] / w[-2])),
    "ln of the slope": lambda weights: -math.log(neighbours(weights)),
    "sign": lambda weights: math.log2(neighbours(weights)),
    "slope returned": neighbours,
    "minus the slope": lambda weights: -neighbours(weights),
    "one over the slope": lambda weights: 1 / neighbours(weights),
    "ratio returned": lambda weights: weights[-2] / weights[-1],
    "ratio returned, upside down": lambda weights: weights[-1] / weights[-2],
    "ratio not undone": from_slope(lambda weights: 1 - weights[-2] / weights[-1]),
    "numbered from the flattest": lambda weights: 9 - solution(weights),
    "last weight alone": from_slope(lambda weights: -math.log(weights[-1])),
    "last weight as the slope": from_slope(lambda weights: weights[-1]),
    "difference of two weights": from_slope(lambda weights: weights[-1] - weights[-2]),
    "distance forgotten": from_slope(lambda weights: first_to_last(weights, 1)),
    "one step too many": from_slope(lambda weights: first_to_last(weights, len(weights))),
    "curve reversed": from_slope(lambda weights: math.log(weights[0] / weights[1])),
    "cut off": cut_off,
    "long rows only": from_slope(own_weight),
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_head_from_curve, HEAD_MISTAKES)]
)


@pytest.mark.parametrize(
    "answer",
    [
        solution,
        from_slope(neighbours),
        from_slope(lambda weights: first_to_last(weights, len(weights) - 1)),
        lambda weights: round(from_slope(lambda w: 1 - w[-2] / w[-1])(weights)),
        lambda weights: -torch.tensor(weights).log().diff()[-1].log2(),
    ],
)
def test_the_head_may_be_found_in_many_ways(answer):
    assert check_head_from_curve(answer).status == "correct"


@pytest.mark.parametrize(
    ("mistake", "name"),
    [
        ("log2 of the ratio", "counted from 0"),
        ("log10 of the ratio", "one too high"),
    ],
)
def test_a_wrong_logarithm_that_was_rounded_is_told_beside_its_neighbour(mistake, name):
    rounded = check_head_from_curve(lambda weights: round(HEAD_MISTAKES[mistake](weights)))
    assert rounded.mistake == name
    assert "ln" in rounded.message


def test_keys_two_apart_are_told_beside_heads_from_0():
    two_apart = check_head_from_curve(from_slope(lambda w: math.log(w[-1] / w[-3])))
    assert two_apart.mistake == "counted from 0"
    assert "two apart" in two_apart.message


def test_a_search_with_equality_is_told_of_isclose():
    def search(weights):
        for head in range(1, 9):
            if weights[-1] / weights[-2] == math.exp(2.0**-head) + 1e-15:
                return head

    assert "np.isclose" in check_head_from_curve(search).message


def test_a_right_line_with_an_axis_too_many_brings_no_warning():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        feedback = check_head_from_curve(lambda w: np.array([-np.log2(np.log(w[-1] / w[-2]))]))
    assert feedback.message.startswith("Your answer has shape (1,)")
    assert caught == []


def test_the_own_weight_is_named_when_the_head_is_rounded_too():
    rounded = check_head_from_curve(lambda weights: round(from_slope(own_weight)(weights)))
    assert rounded.mistake == "long rows only"


def test_the_ratio_upside_down_is_named_even_where_numpy_makes_nan_of_it():
    def upside_down(weights):
        return -torch.tensor(weights[-2] / weights[-1]).log().log2()

    assert check_head_from_curve(upside_down).mistake == "curve reversed"


def test_every_head_is_asked_for_and_the_weights_sum_to_1():
    heads = set()
    for (weights,) in check_head_from_curve.cases():
        assert math.fsum(weights) == pytest.approx(1)
        heads.add(solution(weights))
    assert heads == {1, 2, 3, 4, 5, 6, 7, 8}


def test_what_is_wrong_in_no_known_way_is_told_with_its_input():
    feedback = check_head_from_curve(lambda weights: len(weights))
    assert (feedback.status, feedback.mistake) == ("wrong", None)
    assert "weights = " in feedback.evidence
    assert check_head_from_curve(lambda weights: ...).status == "not attempted"
