"""Lesson 10's exercises: the numbers that their texts give, and two mistakes at once."""

import numpy as np
import pytest

from posviz.lessons.stretching import (
    check_distances,
    check_new_base,
    check_on_scores,
    check_reading,
    check_yarn_ramp,
)


def test_numbers_of_the_texts_come_out():
    assert check_new_base.reference(128, 4, 1e4) == pytest.approx(40_889.9, abs=0.05)
    ramp = check_yarn_ramp.reference(128, 1e4, 4096, 4, 32, 1)
    assert ramp[30] == pytest.approx(0.7115, abs=5e-5)
    assert check_distances.reference(10, 4, 3)[-1, 0] == 6
    for factor, squared in ((4, 1.2965), (32, 1.8133), (40, 1.8739)):
        assert check_on_scores.reference(factor, 0, 0) == pytest.approx(squared, abs=5e-5)


def test_answer_that_writes_into_the_configuration_is_judged():
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

    named = check_distances(answer).mistake
    assert set(named.split(", and ")) == {"rows are keys", "moved on by the window"}
