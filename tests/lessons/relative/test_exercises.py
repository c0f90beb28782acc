"""Lesson 04's exercises: T5's buckets, by hand and as a rule."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from posviz.lessons.relative.exercises.buckets import check_t5_bucket_function
from posviz.lessons.relative.exercises.by_hand import OFFSETS, check_t5_buckets

RIGHT = [5, 21, 10, 13, 31]


@pytest.mark.parametrize(
    ("buckets", "name"),
    [
        ([5, 21, 10, 13, 40], "no bucket"),
        ([5, 21, -1, 13, 31], "no bucket"),
        ([5, 21, 10, 30, 31], "past in the upper half"),
        ([5, 6, 10, 13, 31], "future in the lower half"),
        ([5, 20, 10, 12, 31], "wrong at −5"),
        ([5, 21, 11, 14, 31], "rounded to the nearest"),
        ([5, 21, 15, 15, 31], "last bucket too early"),
    ],
)
def test_one_mistake_among_right_buckets_is_named(buckets, name):
    assert check_t5_buckets(buckets).mistake == name


@pytest.mark.slow("243 answers")
def test_no_right_bucket_is_pointed_at():
    """Whichever of the five are off by one bucket, up or down, a wrong one is looked at first."""
    for off in itertools.product((-1, 0, 1), repeat=5):
        mistake = check_t5_buckets(np.add(RIGHT, off)).mistake or ""
        if mistake.startswith("wrong at "):
            offset = int(mistake.removeprefix("wrong at ").replace("−", "-"))
            assert off[OFFSETS.index(offset)] != 0


@pytest.mark.parametrize("buckets", [[4, 20, 9, 12, 30], [5, 21, 10, 13], 5, [RIGHT], ["5"] * 5])
def test_other_buckets_give_nothing_away(buckets):
    feedback = check_t5_buckets(buckets)
    assert (feedback.status, feedback.mistake) == ("wrong", None)
    assert "expected = " not in feedback.evidence


def test_no_offset_by_hand_lies_where_a_bucket_starts():
    """(d/8)^8 would be 16^t there, and rounding would decide."""
    for distance in map(abs, OFFSETS):
        assert Fraction(distance, 8) ** 8 not in {Fraction(16) ** step for step in range(9)}


def test_no_offset_of_the_rule_lies_where_a_bucket_starts():
    """(d/m)^(n−m) would be (max/m)^t there, and the order of float operations would decide."""
    for offsets, num_buckets, max_distance in check_t5_bucket_function.cases():
        n = num_buckets // 2
        m = n // 2
        starts = {Fraction(max_distance, m) ** step for step in range(1, 20)}
        assert not starts & {Fraction(abs(offset), m) ** (n - m) for offset in offsets.tolist()}
