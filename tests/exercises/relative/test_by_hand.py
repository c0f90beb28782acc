"""T5's buckets by hand, and every listed mistake as a reader would come to it."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from posviz.exercises.relative.by_hand import OFFSETS, check_t5_buckets
from tests.exercises.every_mistake import mistake_tests


def by_hand(
    climb=lambda d: 8 * math.log(d / 8) / math.log(128 / 8), *, rounded=math.floor, last=15
):
    """The buckets offset by offset; climb(distance) is how far above bucket 8."""

    def bucket(distance):
        return distance if distance < 8 else min(8 + rounded(climb(distance)), last)

    return [bucket(abs(offset)) + 16 * (offset < 0) for offset in OFFSETS]


def with_32_each_way(distance):
    if distance < 16:
        return distance
    return min(16 + int(16 * math.log(distance / 16) / math.log(128 / 16)), 31)


RIGHT = by_hand()

BUCKET_MISTAKES = {
    "sign of the offset": [21, 5, 26, 29, 15],
    "future half forgotten": [bucket % 16 for bucket in RIGHT],
    "clamp missing": by_hand(last=99),
    "decoder's buckets": [with_32_each_way(max(offset, 0)) for offset in OFFSETS],
    "32 buckets each way": [with_32_each_way(abs(o)) + 16 * (o < 0) for o in OFFSETS],
    "last bucket too early": by_hand(lambda d: 8 * math.log(d / 8)),
    "logarithm to base 10": by_hand(lambda d: 8 * math.log10(d / 8)),
    "a bucket for each doubling": by_hand(lambda d: math.log2(d / 8)),
    "rounded to the nearest": by_hand(rounded=round),
    "logarithm of 128": by_hand(lambda d: 8 * math.log(d / 8) / math.log(128)),
    "distances not divided by 8": by_hand(lambda d: 8 * math.log(d) / math.log(128)),
    "equal buckets": by_hand(lambda d: 8 * (d - 8) / 120),
    "future below 0": [5, -5, 10, 13, -15],
    "counted from 1": [bucket + 1 for bucket in RIGHT],
    "not rounded": [5, 21, 10.64, 13.81, 31],
    "no bucket": [5, 21, 10, 13, 32],
    "past in the upper half": [21, 21, 26, 29, 31],
    "future in the lower half": [5, 21, 10, 13, 15],
    "wrong at 5": [4, 21, 10, 12, 30],
    "wrong at −5": [5, 20, 10, 12, 30],
    "wrong at 20": [5, 21, 9, 13, 30],
    "wrong at 60": [5, 21, 10, 12, 31],
    "wrong at −200": [5, 21, 10, 13, 30],
}


@pytest.mark.parametrize(
    "answer", [RIGHT, tuple(RIGHT), np.array(RIGHT, "int8"), torch.tensor(RIGHT).float()]
)
def test_the_solution_is_correct(answer):
    assert RIGHT == [5, 21, 10, 13, 31]
    assert check_t5_buckets(answer).status == "correct"


def test_the_solution_is_that_of_hugging_face():
    theirs = T5Attention._relative_position_bucket(-torch.tensor(OFFSETS))  # key − query
    assert check_t5_buckets(theirs).status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_t5_buckets, BUCKET_MISTAKES)]
)


@pytest.mark.parametrize(
    "buckets",
    [
        by_hand(lambda d: 8 * math.log2(d / 8)),
        [min(abs(offset), 15) + 16 * (offset < 0) for offset in OFFSETS],
        by_hand(lambda d: 16 * math.log(d / 8) / math.log(2)),
    ],
)
def test_whatever_ends_in_the_last_bucket_too_early_is_told_so(buckets):
    assert check_t5_buckets(buckets).mistake == "last bucket too early"


def test_rounding_up_is_told_with_rounding():
    assert check_t5_buckets(by_hand(rounded=math.ceil)).mistake == "rounded to the nearest"


@pytest.mark.parametrize(
    ("buckets", "name"),
    [
        ([5, 21, 10, 13, 40], "no bucket"),
        ([5, 21, -1, 13, 31], "no bucket"),
        ([5, 21, 10, 30, 31], "past in the upper half"),
        ([5, 6, 10, 13, 31], "future in the lower half"),
        (by_hand(rounded=float), "not rounded"),
        ([5, 20, 10, 12, 31], "wrong at −5"),
    ],
)
def test_one_slip_among_right_buckets_is_told(buckets, name):
    assert check_t5_buckets(buckets).mistake == name


def test_no_right_bucket_is_pointed_at():
    """Whichever of the five are off by one bucket, up or down, a wrong one is looked at first."""
    for off in itertools.product((-1, 0, 1), repeat=5):
        given = np.add(RIGHT, off)
        mistake = check_t5_buckets(given).mistake or ""
        if mistake.startswith("wrong at "):
            offset = int(mistake.removeprefix("wrong at ").replace("−", "-"))
            assert off[OFFSETS.index(offset)] != 0


@pytest.mark.parametrize("buckets", [[4, 20, 9, 12, 30], [5, 21, 10, 13], 5, [RIGHT], ["5"] * 5])
def test_other_answers_give_nothing_away(buckets):
    feedback = check_t5_buckets(buckets)
    assert (feedback.status, feedback.mistake) == ("wrong", None)
    assert "expected = " not in feedback.evidence


def test_what_is_not_attempted_is_told_so():
    assert check_t5_buckets(...).status == check_t5_buckets(None).status == "not attempted"


def test_no_offset_lies_where_a_bucket_starts():
    """(d/8)^8 would be 16^t there, and rounding would decide."""
    for distance in map(abs, OFFSETS):
        assert Fraction(distance, 8) ** 8 not in {Fraction(16) ** step for step in range(9)}
