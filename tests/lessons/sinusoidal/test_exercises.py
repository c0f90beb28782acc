"""Lesson 02's exercises: the sinusoidal table, and a table without a label."""

import math

import numpy as np

from posviz.lessons.sinusoidal.exercises.table import check_base, check_sinusoidal, found_table


def test_the_smallest_table_has_two_pairs():
    """With one the exponent is 0 whatever it is multiplied by, or divided by 0."""
    assert check_sinusoidal.cases()[0][1] == 4


def test_the_table_without_a_label_tells_its_base_in_every_pair():
    sines, cosines = np.hsplit(found_table(), 2)
    assert np.array_equal(sines[0], [0, 0, 0, 0])
    for pair in (1, 2, 3):
        angle = math.atan2(sines[1, pair], cosines[1, pair])
        assert check_base(angle ** (-4 / pair)).status == "correct"
