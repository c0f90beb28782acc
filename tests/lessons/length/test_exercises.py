"""Lesson 12's exercises: what few runs miss, and a needle in a mean."""

import numpy as np
import pytest

from posviz.lessons.length.exercises.missed import check_missed
from posviz.lessons.length.exercises.which import check_which


@pytest.mark.parametrize("number", range(4))
def test_one_curve_whatever_is_given_is_wrong(number):
    assert check_which(lambda curves, trained: number).status == "wrong"


def test_the_probability_to_miss_a_failure_is_what_draws_show():
    """The reference against 20,000 draws of three runs."""
    failed = np.random.default_rng(0).random((20_000, 3)) < 0.2
    share = 1 - failed.any(axis=1).mean()
    assert check_missed.reference(0.2, [3])[0] == pytest.approx(share, abs=0.01)
