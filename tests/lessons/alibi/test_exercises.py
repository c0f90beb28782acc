"""Lesson 08's exercises: slopes, bias, and the head behind a curve."""

import warnings

import numpy as np
import pytest
import torch

from posviz.lessons.alibi.exercises.bias import check_alibi_bias
from posviz.lessons.alibi.exercises.head import check_head_from_curve
from tests.teaching.written import masked_by_a_number


@pytest.mark.parametrize("ahead", [-1e4, np.finfo(np.float32).min, np.finfo(np.float64).min])
def test_a_large_negative_number_ahead_is_told_whatever_stands_behind(ahead):
    masked = masked_by_a_number("check_alibi_bias", ahead)
    rewarded = lambda *given: np.where(np.tri(len(given[1])), -masked(*given), ahead)  # noqa: E731
    for answer in (masked, rewarded):
        assert check_alibi_bias(answer).mistake == "a large negative number ahead"


def masked_in_one_head(slopes, positions):
    bias = np.array(check_alibi_bias.reference(slopes, positions))
    bias[0] = masked_by_a_number("check_alibi_bias")(slopes, positions)[0]
    return bias


@pytest.mark.parametrize(
    "answer",
    [
        lambda slopes, p: np.full((len(slopes), len(p), len(p)), -1.0),
        lambda slopes, p: np.tril(np.full((len(slopes), len(p), len(p)), -1e9)),
        masked_in_one_head,
    ],
    ids=["small", "behind", "one head"],
)
def test_other_negative_numbers_are_not_taken_for_a_mask(answer):
    assert check_alibi_bias(answer).mistake is None


def test_a_right_head_with_an_axis_too_many_brings_no_warning():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        feedback = check_head_from_curve(lambda w: np.array([-np.log2(np.log(w[-1] / w[-2]))]))
    assert feedback.message.startswith("Your answer has shape (1,)")
    assert caught == []


def test_a_ratio_upside_down_is_named_even_where_it_makes_nan():
    def upside_down(weights):
        return -torch.tensor(weights[-2] / weights[-1]).log().log2()

    assert check_head_from_curve(upside_down).mistake == "curve reversed"


def test_every_head_is_asked_for_and_its_weights_sum_to_1():
    cases = [weights for (weights,) in check_head_from_curve.cases()]
    assert np.allclose([weights.sum() for weights in cases], 1)
    assert {round(check_head_from_curve.reference(w)) for w in cases} == {1, 2, 3, 4, 5, 6, 7, 8}
