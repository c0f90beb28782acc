"""Lesson 07's exercises: answers that readers wrote, and what they are told."""

import numpy as np

from posviz_course.lessons.rotary2d import check_axial, check_kind


def test_a_comparison_without_a_tolerance_is_told_to_allow_rounding():
    def my_kind(f):
        if (f[1:, :-1] == f[:-1, 1:]).all():
            return 2
        return 0 if (f[1:, 1:] + f[:-1, :-1] == f[1:, :-1] + f[:-1, 1:]).all() else 1

    feedback = check_kind(my_kind)
    assert feedback.mistake == "mixed for every map"
    assert "np.allclose" in feedback.message


def test_a_test_of_symmetry_alone_is_told_that_other_maps_are_symmetric():
    def my_kind(f):
        if np.allclose(f, f.T):
            return 2
        return 0 if np.allclose(f[1:, 1:] + f[:-1, :-1], f[1:, :-1] + f[:-1, 1:]) else 1

    assert check_kind(my_kind).mistake == "symmetry tested"


def test_the_other_diagonal_is_told_to_look_at_row_plus_column():
    def my_kind(f):
        if np.allclose(f[1:, 1:], f[:-1, :-1]):
            return 2
        return 0 if np.allclose(f[1:, 1:] + f[:-1, :-1], f[1:, :-1] + f[:-1, 1:]) else 1

    assert check_kind(my_kind).mistake == "one frequency not seen"


def test_the_base_of_the_example_is_not_taken_for_half_of_the_exponent():
    def my_axial(rows, columns, head_dim, base):
        inv_freq = 10.0 ** (-2 * np.arange(head_dim // 4) / (head_dim // 2))
        return np.concatenate([np.outer(columns, inv_freq), np.outer(rows, inv_freq)], axis=1)

    assert check_axial(my_axial).mistake == "base 10"
