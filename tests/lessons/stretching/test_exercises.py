"""Lesson 10's exercises: the numbers that their texts give, and a configuration."""

import numpy as np
import pytest

from posviz.lessons.stretching.exercises.new_base import check_new_base
from posviz.lessons.stretching.exercises.positions import check_distances
from posviz.lessons.stretching.exercises.ramp import check_yarn_ramp
from posviz.lessons.stretching.exercises.reading import check_reading
from posviz.lessons.stretching.exercises.temperature import check_on_scores


def test_the_numbers_of_the_texts_come_out():
    assert check_new_base.reference(128, 4, 1e4) == pytest.approx(40_889.9, abs=0.05)
    assert check_yarn_ramp.reference(128, 1e4, 4096, 4, 32, 1)[30] == pytest.approx(
        0.7115, abs=5e-5
    )
    assert check_distances.reference(10, 4, 3)[-1, 0] == 6


@pytest.mark.parametrize(
    ("factor", "squared"),
    [
        (2, 1.1434),
        (4, 1.2965),
        (8, 1.4591),
        (16, 1.6314),
        (32, 1.8133),
        (40, 1.8739),
        (128, 2.2058),
    ],
)
def test_the_factors_on_scores_of_the_lesson_come_out(factor, squared):
    assert check_on_scores.reference(factor, 0, 0) == pytest.approx(squared, abs=5e-5)
    assert check_on_scores.reference(factor, 1, 1) == 1


def test_an_answer_that_writes_into_the_configuration_is_judged():
    def answer(config, seq_len):
        found = np.array(check_reading.reference(config, seq_len), dtype=np.float32)
        config.clear()
        return found

    assert check_reading(answer).status == "correct"


def test_two_mistakes_in_a_table_of_distances_are_both_named():
    def answer(length, window, group):
        i, j = np.indices((length, length))
        far = i // group - j // group + window
        return np.tril(np.where(i - j < window, i - j, far)).T

    mistake = check_distances(answer).mistake
    assert mistake == "rows are keys, and moved on by the window"
