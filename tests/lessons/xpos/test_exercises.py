"""Lesson 09's exercises: the mask of blocks, and where a key overflows."""

import numpy as np
import pytest

from posviz.lessons.xpos import check_blockwise_mask, check_overflow_position
from tests.teaching.written import overflow_token_by_token


def test_a_mask_and_what_is_expected_are_shown_alike_and_in_full():
    mine, expected = check_blockwise_mask(lambda n, block: np.tri(n) == 1).evidence.split(
        "expected"
    )
    for shown in (mine, expected):
        assert "1 0" in shown
        assert "..." not in shown


@pytest.mark.parametrize("digits", [0, 1])
def test_a_rounded_position_is_named(digits):
    feedback = check_overflow_position(
        lambda *given: round(check_overflow_position.reference(*given), digits)
    )
    assert feedback.mistake == "rounded"


def test_a_search_that_goes_token_by_token_is_judged_at_once():
    tokens = []
    check_overflow_position(
        lambda *given: tokens.append(overflow_token_by_token(*given)) or tokens[-1]
    )
    assert 0 < sum(tokens) < 10_000


def test_numbers_that_the_overflow_exercise_tells_come_out():
    """With ζ = 0.4/1.4, and the last with 2/3, so that no formula with 3.5 in it gives all."""
    float16, float32 = (float(np.finfo(dtype).max) for dtype in (np.float16, np.float32))
    told = {(float32, 0.4 / 1.4, 512): 36_260.7, (float16, 0.4 / 1.4, 512): 4_532.4}
    told |= {(float32, 0.4 / 1.4, 1): 70.8, (float16, 0.4 / 1.4, 1): 8.85}
    told[float32, 2 / 3, 512] = 112_034.5
    for (largest, zeta, scale_base), position in told.items():
        found = check_overflow_position.reference(largest, np.array([zeta]), scale_base)
        assert found == pytest.approx(position, abs=0.05)
