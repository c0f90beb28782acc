"""Lesson 04's exercises: answers by hand, and inputs that rounding does not decide."""

from fractions import Fraction

import numpy as np
import pytest

from posviz.lessons.relative.exercises import (
    OFFSETS,
    check_shaw_index,
    check_t5_bucket_function,
    check_t5_buckets,
    check_transformer_xl_scores,
)


@pytest.mark.parametrize(
    ("buckets", "name"),
    [
        ([5, 21, 10, 13, 40], "no bucket"),
        ([5, 21, -1, 13, 31], "no bucket"),
        ([5, 21, 10, 30, 31], "wrong at 60"),
        ([5, 6, 10, 13, 31], "wrong at −5"),
        ([5, 20, 10, 12, 31], "wrong at −5"),
        ([5, 21, 11, 14, 31], "rounded to the nearest"),
        ([5, 21, 15, 15, 31], "last bucket too early"),
        ([5, 5, 10, 14, 15], "wrong at −5"),
    ],
)
def test_one_mistake_among_right_buckets_is_named(buckets, name):
    assert check_t5_buckets(buckets).mistake == name


@pytest.mark.parametrize("buckets", [[4, 20, 9, 12, 30], [5, 21, 10, 13], 5, ["5"] * 5])
def test_other_buckets_give_nothing_away(buckets):
    feedback = check_t5_buckets(buckets)
    assert (feedback.status, feedback.mistake) == ("wrong", None)
    assert "expected = " not in feedback.evidence


def test_two_mistakes_at_once_are_both_named():
    def scores(q, k, r, u, v):  # u and v swapped, and r[j − i]
        i, j = np.indices((len(q), len(q)))
        return np.tril((q + v) @ k.T + ((q + u)[:, None] * r[j - i]).sum(-1))

    def rows(q_positions, k_positions, max_distance):  # query − key, not shifted
        return np.clip(q_positions[:, None] - k_positions, -max_distance, max_distance)

    told = check_transformer_xl_scores(scores), check_shaw_index(rows)
    assert [each.mistake for each in told] == [
        "u and v swapped, and sign of the offset",
        "sign of the offset, and clipped, not shifted",
    ]


def test_no_offset_lies_where_a_bucket_starts():
    """(d/m)^(n−m) would be (max/m)^t there, and the order of float operations would decide."""
    for offsets, num_buckets, max_distance in [
        *check_t5_bucket_function.cases(),
        (np.array(OFFSETS), 32, 128),
    ]:
        n = num_buckets // 2
        m = n // 2
        starts = {Fraction(max_distance, m) ** step for step in range(1, 20)}
        assert not starts & {Fraction(abs(offset), m) ** (n - m) for offset in offsets.tolist()}
