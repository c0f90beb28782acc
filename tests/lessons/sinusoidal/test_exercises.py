"""Lesson 02's exercise without a label: its base can be read from every pair."""

import math

import numpy as np

from posviz_course.lessons.sinusoidal import check_base, found_table


def test_the_table_without_a_label_tells_its_base_in_every_pair():
    sines, cosines = np.hsplit(found_table(), 2)
    assert np.array_equal(sines[0], [0, 0, 0, 0])
    for pair in (1, 2, 3):
        angle = math.atan2(sines[1, pair], cosines[1, pair])
        assert check_base(angle ** (-4 / pair)).status == "correct"
