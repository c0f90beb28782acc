"""Lesson 13's exercise: the positions are those that are given."""

import numpy as np

from posviz_course.lessons.choosing import check_moved


def test_a_layer_is_asked_at_the_positions_that_are_given():
    def from_0(layer, positions):
        here = np.arange(len(positions))
        return abs(layer(here + 100) - layer(here)).max()

    def from_the_first(layer, positions):
        here = positions[0] + np.arange(len(positions))
        return abs(layer(here + 100) - layer(here)).max()

    assert check_moved(from_0).mistake == "positions ignored"
    assert not check_moved(from_the_first)
