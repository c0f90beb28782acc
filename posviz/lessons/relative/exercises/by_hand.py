"""Exercise: find five of T5's buckets by hand."""

import numpy as np

from posviz.encodings.t5 import t5_bucket
from posviz.teaching.checker import Checker

# Offsets, query − key. At 60 the logarithm ends in .8, so rounding it shows.
OFFSETS = (5, -5, 20, 60, -200)

# The answer is a list of five numbers: the buckets of these offsets in T5's encoder, which has 32
# buckets for both directions and a max_distance of 128.
check_t5_buckets = Checker("T5's buckets by hand", reference=lambda: t5_bucket(OFFSETS))


@check_t5_buckets.mistake("sign of the offset")
def _():
    """You gave the upper half to the past. Our offset is query − key, so below 0 the key comes
    after its query: the upper half, from 16, is for these."""
    return t5_bucket(np.negative(OFFSETS))


@check_t5_buckets.mistake("future half forgotten")
def _():
    """Your distances are in the right buckets, but keys after their query have the upper half of
    the 32: add 16 where the offset is below 0."""
    return t5_bucket(np.abs(OFFSETS))


@check_t5_buckets.mistake("clamp missing")
def _():
    """Your −200 is beyond the last bucket, 31. All distances from 91 on share the last bucket of
    their half: take at most 15 before you add 16."""
    return 5, 21, 10, 13, 33


@check_t5_buckets.mistake("decoder's buckets")
def _():
    """Those are the buckets of the decoder, which gives all 32 to the past. The encoder sees both
    directions: 16 buckets each, of which 8 hold one distance."""
    return t5_bucket(OFFSETS, bidirectional=False)


@check_t5_buckets.mistake("32 buckets each way")
def _():
    """You gave each direction all 32 buckets and came to 47, which is no bucket. The two directions
    share them: 16 each, of which 8 hold one distance."""
    return 5, 21, 17, 26, 47


@check_t5_buckets.mistake("last bucket too early")
def _():
    """Your 20 and 60 are in the last bucket already: you clipped them, or took a logarithm to base
    e or 2. Divide log(d/8) by log(128/8), in any one base, before you multiply by 8."""
    return 5, 21, 15, 15, 31


@check_t5_buckets.mistake("logarithm to base 10")
def _():
    """You took log10(d/8) as it is, so bucket 16 would begin at 80. It would begin at max_distance:
    divide by log10(128/8), and any base gives the same."""
    return 5, 21, 11, 15, 31


@check_t5_buckets.mistake("a bucket for each doubling")
def _():
    """You went on by one bucket for each doubling of the distance. From 8 to 128 are four doublings
    and eight buckets: add 8 · log(d/8)/log(128/8), rounded down."""
    return 5, 21, 9, 10, 28


@check_t5_buckets.mistake("rounded to the nearest")
def _():
    """You rounded to the nearest bucket, or up. A bucket holds all distances from where it starts
    up to the next one: round down."""
    return 5, 21, 11, 14, 31


@check_t5_buckets.mistake("logarithm of 128")
def _():
    """You divided by log(128). The logarithm starts at 8, where the wide buckets do: divide
    log(d/8) by log(128/8)."""
    return 5, 21, 9, 11, 29


@check_t5_buckets.mistake("distances not divided by 8")
def _():
    """You divided log(d) by log(128), so bucket 8 would start at 1. The wide buckets start at 8:
    divide log(d/8) by log(128/8)."""
    return 5, 21, 12, 14, 31


@check_t5_buckets.mistake("equal buckets")
def _():
    """Your wide buckets are equally wide. Each should be wider than the one before, by the same
    factor: divide log(d/8) by log(128/8), not d − 8 by 120."""
    return 5, 21, 8, 11, 31


@check_t5_buckets.mistake("future below 0")
def _():
    """You gave keys after their query buckets below 0. Buckets are rows of a table: those of the
    future are 16 … 31, so add 16 to the bucket of the distance."""
    return 5, -5, 10, 13, -15


@check_t5_buckets.mistake("counted from 1")
def _():
    """Your buckets are counted from 1: distance 0 has bucket 0."""
    return t5_bucket(OFFSETS) + 1


@check_t5_buckets.recognised_by("not rounded")
def _(buckets):
    """A bucket is the number of a row, and at least one of yours has a fraction. Round the
    logarithm down: a bucket holds all distances from where it starts up to the next one."""
    return (buckets % 1 != 0).any()


@check_t5_buckets.recognised_by("no bucket")
def _(buckets):
    """There are 32 buckets, numbered 0 … 31: at least one of yours is none of them."""
    return ((buckets < 0) | (buckets > 31)).any()


@check_t5_buckets.recognised_by("past in the upper half")
def _(buckets):
    """You have keys of the past in the upper half. Where the offset is above 0, the key comes
    before its query: those buckets are 0 … 15."""
    return bool((buckets[np.greater(OFFSETS, 0)] > 15).any())


@check_t5_buckets.recognised_by("future in the lower half")
def _(buckets):
    """You have keys of the future in the lower half. Where the offset is below 0, the key comes
    after its query: add 16."""
    return bool((buckets[np.less(OFFSETS, 0)] < 16).any())


def _first_wrong(buckets):
    """The first offset with a wrong bucket; none where no bucket is right, or all are."""
    wrong = buckets != t5_bucket(OFFSETS)
    return None if wrong.all() or not wrong.any() else OFFSETS[np.argmax(wrong)]


@check_t5_buckets.recognised_by("wrong at 5")
def _(buckets):
    """Some of your five are right; 5 is not. Its distance is below 8 and so is a bucket itself."""
    return _first_wrong(buckets) == 5


@check_t5_buckets.recognised_by("wrong at −5")
def _(buckets):
    """Your 5 is right, −5 is not. Its key is as far away, but after its query: add 16."""
    return _first_wrong(buckets) == -5


@check_t5_buckets.recognised_by("wrong at 20")
def _(buckets):
    """Your 5 and −5 are right, 20 is not. It needs a logarithm: 8 + 8 · log(20/8)/log(128/8),
    rounded down."""
    return _first_wrong(buckets) == 20


@check_t5_buckets.recognised_by("wrong at 60")
def _(buckets):
    """Your 5, −5 and 20 are right, 60 is not. It needs a logarithm as 20 does, rounded down,
    however near to the next bucket it comes."""
    return _first_wrong(buckets) == 60


@check_t5_buckets.recognised_by("wrong at −200")
def _(buckets):
    """All but −200 are right. It is so far that the last bucket of its half is its own, and its key
    comes after its query."""
    return _first_wrong(buckets) == -200
