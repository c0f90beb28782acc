"""Lesson 04's exercises: answers that readers wrote, and what they are told."""

import numpy as np

from posviz import offsets
from posviz_course.lessons.relative import check_bias_matrix, check_shaw_index


def test_two_mistakes_at_once_are_both_named():
    def rows(q_positions, k_positions, max_distance):  # query − key, not shifted
        return np.clip(q_positions[:, None] - k_positions, -max_distance, max_distance)

    told = "sign of the offset, and clipped, not shifted"
    assert check_shaw_index(rows).mistake == told


def test_a_matrix_that_was_made_of_offsets_holds_whole_numbers():
    def filled(numbers, length):
        matrix = offsets(range(length), range(length))
        for i, j in np.ndindex(matrix.shape):
            matrix[i, j] = numbers[i - j + length - 1]
        return matrix

    assert check_bias_matrix(filled).mistake == "whole numbers"


def test_an_index_past_the_end_is_told_as_one_place_too_far():
    def bias(numbers, length):
        return [[numbers[i - j + length] for j in range(length)] for i in range(length)]

    assert check_bias_matrix(bias).mistake == "one place past the end"


def test_a_bias_matrix_row_by_row_is_right():
    def rows(numbers, length):
        return [numbers[i : i + length][::-1] for i in range(length)]

    assert check_bias_matrix(rows)
