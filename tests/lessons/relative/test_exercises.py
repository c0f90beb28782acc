"""Lesson 04's exercises: answers that readers wrote, and what they are told."""

import numpy as np

from posviz_course.lessons.relative import check_bias_matrix, check_shaw_index


def test_two_mistakes_at_once_are_both_named():
    def rows(q_positions, k_positions, max_distance):  # query − key, not shifted
        return np.clip(q_positions[:, None] - k_positions, -max_distance, max_distance)

    told = "sign of the offset, and clipped, not shifted"
    assert check_shaw_index(rows).mistake == told


def test_a_bias_matrix_row_by_row_is_right():
    def rows(numbers, length):
        return [numbers[i : i + length][::-1] for i in range(length)]

    assert check_bias_matrix(rows)
