"""Lesson 09's exercises: the mask of blocks, and the half-life of a pair."""

import numpy as np
import pytest

from posviz_course.lessons.examination import check_10
from posviz_course.lessons.xpos import check_blockwise_mask, check_half_lives
from tests.teaching.written import mask_by_bits, mask_by_halves


def test_a_mask_and_what_is_expected_are_shown_alike_and_in_full():
    mine, expected = check_blockwise_mask(lambda n, block: np.tri(n) == 1).evidence.split(
        "expected"
    )
    for shown in (mine, expected):
        assert "1 0" in shown
        assert "..." not in shown


def test_the_half_life_that_the_exercise_tells_comes_out():
    assert check_half_lives.reference(np.array([0.4 / 1.4]), 512) == pytest.approx(283.3, abs=0.05)


@pytest.mark.parametrize("check", [check_blockwise_mask, check_10])
@pytest.mark.parametrize("answer", [mask_by_bits, mask_by_halves])
def test_blocks_that_are_no_power_of_two_are_tried(check, answer):
    assert check(answer).mistake == "blocks of a power of two only"
