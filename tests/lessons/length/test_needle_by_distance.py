"""The loss and the needles of runs that are written by hand."""

import numpy as np
import pytest

from posviz.lessons.length.needle_by_distance import NeedleByDistance
from tests.lab.made_results import made
from tests.lessons.by_hand import drawn

BINS = np.array([1.0, 1.0, 0.9, 0.7, 0.5, 0.3, 0.2])  # distances from 1, 2, 4, … 64
FOUND = [made("recall", "ALiBi", seed, (1, 1, 1, 1), BINS - 0.02 * seed) for seed in range(3)]
FOUND += [made("bytes", "ALiBi", seed, (2, 2, 2, 2.01)) for seed in range(3)]


def test_needles_stand_at_the_middle_of_their_distances():
    _, parts = drawn(NeedleByDistance(FOUND, beside="nothing"))
    thin, _, median, _ = parts[4:8]
    x, y = median.line.get_data()
    assert list(x) == pytest.approx([2**k * 2**0.5 for k in range(7)])
    assert list(y) == pytest.approx(list(BINS - 0.02))
    assert thin.line.get_xydata().shape == (3 * 8, 2)
