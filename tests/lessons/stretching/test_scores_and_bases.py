"""The score of equal contents and the first zero of its sum, against sums of cosines one by one."""

import math

import numpy as np
import pytest

from posviz.lessons.stretching.base_for_context import BaseForContext
from posviz.lessons.stretching.score_curve import ScoreCurve
from tests.lessons.by_hand import caption_of, frequencies


def summed(speeds, distance):
    return math.fsum(math.cos(distance * speed) for speed in speeds)


def test_the_means_that_are_told_are_those_of_a_loop():
    arrays = ScoreCurve(head_dim=32, factor=1.5).compute()
    distances = np.arange(3073, 6145)
    for mean, base in zip(arrays.said[2:4], (1e4, 1e4 * 1.5 ** (32 / 30)), strict=True):
        speeds = frequencies(32, base)
        expected = sum(np.cos(distances * speed).mean() for speed in speeds) / 16
        assert mean == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("base", "first"), [(100, 59), (1e4, 1707), (1e5, 7757)])
def test_the_first_distance_below_zero_is_that_of_a_loop(base, first):
    arrays = BaseForContext(base=base).compute()
    assert (arrays.first, arrays.reached) == (first, first - 1)
    speeds = frequencies(128, base)
    distances = np.arange(first)
    assert min(sum(np.cos(distances * speed) for speed in speeds)) >= 0
    below, above = summed(speeds, first), summed(speeds, first - 1)
    assert below < 0 <= above
    assert arrays.here == pytest.approx([below, above], abs=1e-8)


def test_where_the_sum_is_never_below_zero_the_caption_says_so():
    picture = BaseForContext(base=1_000_000, head_dim=256)
    assert (picture.compute().first, picture.compute().reached) == (0, 65_536)
    assert picture.compute().low.min() >= 0
    assert "never below 0 up to 65,536 tokens, the end of the axis" in caption_of(picture)
