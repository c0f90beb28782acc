"""Lesson 07's exercises: offsets that score like no step, chosen from the list or not."""

import numpy as np
import pytest

from posviz.lessons.rotary2d import check_collision


@pytest.mark.parametrize("offset", [(1, -1), (5, -5), (-1, 1), [-8, 8], np.array([-3, 3])])
def test_an_offset_that_scores_like_no_step_is_told_that_it_does(offset):
    feedback = check_collision(offset)
    assert feedback.mistake == "not among the four"
    assert feedback.message.startswith("That one does score like (0, 0)")


@pytest.mark.parametrize("offset", [(1, 1), (3, -2), (0, 0, 0), 0, (1, -1, 0)])
def test_an_offset_that_scores_unlike_no_step_is_not_told_that_it_does(offset):
    assert check_collision(offset).mistake is None


def test_one_offset_alone_scores_like_the_patch_itself():
    # As complex numbers: a score is the real part of the sum of q·conj(k)·e^(i·(rows + columns)·f).
    products = np.random.default_rng(0).normal(size=(4, 2)) @ [1, 1j]

    def score(rows, columns):
        return (products * np.exp(1j * (rows + columns) * 100 ** (-np.arange(4) / 4))).sum().real

    choices = (0, 3), (3, -3), (3, 3), (-3, 0)
    assert [each for each in choices if abs(score(*each) - score(0, 0)) < 1e-9] == [(3, -3)]
