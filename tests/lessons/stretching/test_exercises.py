"""Lesson 10's exercises: the numbers that their texts give."""

import pytest

from posviz_course.lessons.stretching import check_new_base, check_on_scores, check_yarn_ramp


def test_numbers_of_the_texts_come_out():
    assert check_new_base.reference(128, 4, 1e4) == pytest.approx(40_889.9, abs=0.05)
    ramp = check_yarn_ramp.reference(128, 1e4, 4096, 4, 32, 1)
    assert ramp[30] == pytest.approx(0.7115, abs=5e-5)
    for factor, squared in ((4, 1.2965), (32, 1.8133), (40, 1.8739)):
        assert check_on_scores.reference(factor, 0, 0) == pytest.approx(squared, abs=5e-5)
