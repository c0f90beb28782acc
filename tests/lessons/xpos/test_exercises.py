"""Lesson 09's exercises: the mask of blocks, and where a key overflows."""

import numpy as np
import pytest

from posviz.lessons.xpos.exercises.blocks import check_blockwise_mask
from posviz.lessons.xpos.exercises.length import check_overflow_position
from tests.teaching.written import blocks_by_slices, overflow_token_by_token


def test_a_mask_and_what_is_expected_are_shown_alike_and_in_full():
    mine, expected = check_blockwise_mask(blocks_by_slices).evidence.split("expected")
    for shown in (mine, expected):
        assert "1 0" in shown
        assert "..." not in shown


@pytest.mark.parametrize(
    "answer",
    [
        lambda *given: round(check_overflow_position.reference(*given), 1),
        lambda *given: round(check_overflow_position.reference(*given)),
    ],
    ids=["a tenth", "a whole number"],
)
def test_a_rounded_position_is_told_that_a_formula_is_asked_for(answer):
    feedback = check_overflow_position(answer)
    assert feedback.mistake == "rounded"
    assert "a formula and no search" in feedback.message


def test_a_search_that_goes_token_by_token_is_judged_at_once():
    tokens = []
    check_overflow_position(
        lambda *given: tokens.append(overflow_token_by_token(*given)) or tokens[-1]
    )
    assert 0 < sum(tokens) < 10_000


def test_a_search_that_finds_nothing_is_told_so():
    feedback = check_overflow_position(lambda most, zeta, s: np.argmax(np.arange(8) >= most))
    assert feedback.mistake == "place for value"
    assert "a search finds nothing" in feedback.message


def test_the_numbers_of_the_overflow_exercise_come_out():
    """With ζ = 0.4/1.4, and the last with 2/3, so that no formula with 3.5 in it gives all."""
    position = check_overflow_position.reference
    float16, float32 = (float(np.finfo(dtype).max) for dtype in (np.float16, np.float32))
    zeta = np.array([0.4 / 1.4])
    assert position(float32, zeta, 1) == pytest.approx(70.8, abs=0.05)
    assert position(float16, zeta, 1) == pytest.approx(8.85, abs=0.005)
    assert position(float32, zeta, 512) == pytest.approx(36_260.7, abs=0.05)
    assert position(float16, zeta, 512) == pytest.approx(4_532.4, abs=0.05)
    assert position(float32, np.array([2 / 3]), 512) == pytest.approx(112_034.5, abs=0.05)
