"""Lesson 08's exercises: answers that readers wrote, and what they are told."""

import numpy as np
import pytest
import torch

from posviz_course.lessons.alibi import check_alibi_bias, check_head_from_curve
from tests.teaching.written import masked_by_a_number


@pytest.mark.parametrize("ahead", [-1e4, np.finfo(np.float32).min, np.finfo(np.float64).min])
def test_a_large_negative_number_ahead_is_told_whatever_stands_behind(ahead):
    masked = masked_by_a_number("check_alibi_bias", ahead)
    rewarded = lambda *given: np.where(np.tri(len(given[1])), -masked(*given), ahead)  # noqa: E731
    for answer in (masked, rewarded):
        assert check_alibi_bias(answer).mistake == "a large negative number ahead"


@pytest.mark.parametrize(
    "answer",
    [
        lambda slopes, p: np.full((len(slopes), len(p), len(p)), -1.0),
        lambda slopes, p: np.tril(np.full((len(slopes), len(p), len(p)), -1e9)),
    ],
    ids=["small", "behind"],
)
def test_other_negative_numbers_are_not_taken_for_a_mask(answer):
    assert check_alibi_bias(answer).mistake is None


def test_a_ratio_upside_down_is_named_even_where_it_makes_nan():
    def upside_down(weights):
        return -torch.tensor(weights[-2] / weights[-1]).log().log2()

    assert check_head_from_curve(upside_down).mistake == "curve reversed"
