"""Exercise: write the rule of T5's buckets."""

import numpy as np

from posviz.encodings.t5 import t5_bucket
from posviz.teaching.checker import Checker


def _bucket_inputs(rng, size):
    # No bucket of these starts exactly at a whole distance, where rounding would decide.
    num_buckets, max_distance = (12, 14, 20)[size % 3], (150, 100, 40)[size // 3]
    reach = 4 * size**2
    offsets = rng.permutation(2 * reach + 1)[: 4 * size] - reach
    offsets[-1] = 0  # the query itself is always among them
    return offsets, num_buckets, max_distance


def _rule(offsets, num_buckets, max_distance, **options):
    return t5_bucket(offsets, num_buckets=num_buckets, max_distance=max_distance, **options)


# The answer is a function (offsets [n], num_buckets, max_distance) -> buckets [n] of an encoder,
# which sees both directions.
check_t5_bucket_function = Checker(
    "The rule of T5's buckets",
    reference=_rule,
    inputs=_bucket_inputs,
    edges=[
        # Both sides of 0, of the single buckets' end, and of max_distance.
        (np.array([0, 1, -1, 2, -2, 3, -3, 149, 151, -1000]), 12, 150),
        (np.array([6, -16, 40]), 14, 100),  # half of an odd half is rounded down
    ],
)


@check_t5_bucket_function.mistake("sign of the offset")
def _(offsets, num_buckets, max_distance):
    """You gave the upper half to the past. Our offset is query − key, so keys after their query
    have offsets below 0: the upper half is for these."""
    return _rule(-offsets, num_buckets, max_distance)


@check_t5_bucket_function.mistake("query itself in the upper half")
def _(offsets, num_buckets, max_distance):
    """You added num_buckets // 2 where the offset is 0, too. That is the query itself, in bucket 0:
    the upper half is for offsets below 0, with < and not <=, and its first bucket stays empty."""
    return _rule(offsets, num_buckets, max_distance) + num_buckets // 2 * (offsets == 0)


@check_t5_bucket_function.mistake("16 added")
def _(offsets, num_buckets, max_distance):
    """You add 16 for the future, which is half of T5's own 32. Half of the buckets that are given
    is num_buckets // 2: add that."""
    return _rule(np.abs(offsets), num_buckets, max_distance) + 16 * (offsets < 0)


@check_t5_bucket_function.mistake("future half forgotten")
def _(offsets, num_buckets, max_distance):
    """Past and future share their buckets in your rule. Add num_buckets // 2 where the offset is
    below 0."""
    return _rule(np.abs(offsets), num_buckets, max_distance)


@check_t5_bucket_function.mistake("future in bucket 0")
def _(offsets, num_buckets, max_distance):
    """You put all keys after their query into bucket 0. They have distances, too: take the absolute
    value, and add num_buckets // 2 where the offset is below 0."""
    return _rule(np.maximum(offsets, 0), num_buckets, max_distance)


@check_t5_bucket_function.mistake("decoder's buckets")
def _(offsets, num_buckets, max_distance):
    """Your rule is the decoder's, which gives all buckets to the past. The encoder sees both
    directions, and each has num_buckets // 2."""
    return _rule(offsets, num_buckets, max_distance, bidirectional=False)


@check_t5_bucket_function.mistake("all buckets each way")
def _(offsets, num_buckets, max_distance):
    """You gave each direction all buckets, and then shifted the future. The two directions share
    them: halve num_buckets before you do anything else."""
    past = _rule(np.abs(offsets), num_buckets, max_distance, bidirectional=False)
    return past + num_buckets // 2 * (offsets < 0)


@check_t5_bucket_function.mistake("32 and 128")
def _(offsets, num_buckets, max_distance):
    """You wrote T5's own 32 and 128 into the rule: use the arguments num_buckets and
    max_distance."""
    return _rule(offsets, 32, 128)


@check_t5_bucket_function.mistake("max_distance ignored")
def _(offsets, num_buckets, max_distance):
    """You wrote 128 into the rule: use the argument max_distance, which is not always 128."""
    return _rule(offsets, num_buckets, 128)


def _share(distances, single, max_distance):
    """Return how far a distance is from single to max_distance, in equal factors."""
    return np.log(distances / single) / np.log(max_distance / single)


def _with_slip(offsets, num_buckets, max_distance, share=_share, rounded=np.floor, last=-1, more=0):
    """Follow the rule with one part of it replaced; a direction ends at num_buckets // 2 + last.

    more: how many wide buckets there are too many.
    """
    half = num_buckets // 2
    single = half // 2
    distances = np.abs(offsets)
    shares = share(np.maximum(distances, single), single, max_distance)
    wide = np.minimum(single + rounded((half - single + more) * shares), half + last)
    return np.where(distances < single, distances, wide) + half * (offsets < 0)


@check_t5_bucket_function.mistake("clamp missing")
def _(offsets, num_buckets, max_distance):
    """Your buckets go on rising beyond max_distance, into those of the future or out of the table.
    Take at most num_buckets // 2 − 1 before you add the half of the future."""
    return _with_slip(offsets, num_buckets, max_distance, last=np.inf)


@check_t5_bucket_function.mistake("clamped one too high")
def _(offsets, num_buckets, max_distance):
    """You let num_buckets // 2 pass, which is the first bucket of the future, or for the future
    none at all. A half counted from 0 ends at num_buckets // 2 − 1."""
    return _with_slip(offsets, num_buckets, max_distance, last=0)


@check_t5_bucket_function.mistake("clamped with the future's half")
def _(offsets, num_buckets, max_distance):
    """You clamped at num_buckets − 1, after you had added the half of the future. So far keys of
    the past rise into that half: take at most num_buckets // 2 − 1 before you add it."""
    unclamped = _with_slip(offsets, num_buckets, max_distance, last=np.inf)
    return np.minimum(unclamped, num_buckets - 1)


@check_t5_bucket_function.mistake("wide buckets not halved")
def _(offsets, num_buckets, max_distance):
    """You multiplied the logarithm by num_buckets − m. One direction has n = num_buckets // 2
    buckets, of which n − m are wide: multiply by n − m."""
    return _with_slip(offsets, num_buckets, max_distance, more=num_buckets - num_buckets // 2)


@check_t5_bucket_function.mistake("last bucket too early")
def _(offsets, num_buckets, max_distance):
    """Your last bucket comes too early, as if you had clipped the distance. Either all of a half
    are exact in your rule: of n = num_buckets // 2 buckets only m = n // 2 are. Or you took
    log2(d/m) as it is: divide log(d/m) by log(max_distance/m), in any one base."""
    half = num_buckets // 2
    return np.minimum(np.abs(offsets), half - 1) + half * (offsets < 0)


@check_t5_bucket_function.mistake("rounded to the nearest")
def _(offsets, num_buckets, max_distance):
    """You rounded to the nearest bucket. A bucket holds all distances from where it starts up to
    the next one: round down, as int() and np.floor do."""
    return _with_slip(offsets, num_buckets, max_distance, rounded=np.round)


@check_t5_bucket_function.mistake("rounded up")
def _(offsets, num_buckets, max_distance):
    """You rounded up. A bucket holds all distances from where it starts up to the next one: round
    down, as int() and np.floor do."""
    return _with_slip(offsets, num_buckets, max_distance, rounded=np.ceil)


@check_t5_bucket_function.mistake("not rounded")
def _(offsets, num_buckets, max_distance):
    """Your buckets have fractions. A bucket is the number of a row: round down before you clamp."""
    return _with_slip(offsets, num_buckets, max_distance, rounded=np.positive)


@check_t5_bucket_function.mistake("natural logarithm alone")
def _(offsets, num_buckets, max_distance):
    """You took log(d/m) to base e as it is, so the last bucket comes too early. Divide it by
    log(max_distance/m): then any base gives the same."""
    return _with_slip(offsets, num_buckets, max_distance, lambda d, m, most: np.log(d / m))


@check_t5_bucket_function.mistake("logarithm to base 10 alone")
def _(offsets, num_buckets, max_distance):
    """You took log10(d/m) as it is, which reaches 1 at 10·m, not at max_distance. Divide it by
    log10(max_distance/m): then any base gives the same."""
    return _with_slip(offsets, num_buckets, max_distance, lambda d, m, most: np.log10(d / m))


@check_t5_bucket_function.mistake("logarithm of max_distance")
def _(offsets, num_buckets, max_distance):
    """You divided by log(max_distance). The logarithm starts at m, where the wide buckets do:
    divide log(d/m) by log(max_distance/m)."""
    return _with_slip(
        offsets, num_buckets, max_distance, lambda d, m, most: np.log(d / m) / np.log(most)
    )


@check_t5_bucket_function.mistake("distances not divided by m")
def _(offsets, num_buckets, max_distance):
    """You divided log(d) by log(max_distance), so the wide buckets would start at 1. They start at
    m, where the single ones end: divide log(d/m) by log(max_distance/m)."""
    return _with_slip(
        offsets, num_buckets, max_distance, lambda d, m, most: np.log(d) / np.log(most)
    )


@check_t5_bucket_function.mistake("equal buckets")
def _(offsets, num_buckets, max_distance):
    """Your wide buckets are equally wide. Each should be wider than the one before, by the same
    factor: divide log(d/m) by log(max_distance/m), not d − m by max_distance − m."""
    return _with_slip(offsets, num_buckets, max_distance, lambda d, m, most: (d - m) / (most - m))


@check_t5_bucket_function.mistake("future below 0")
def _(offsets, num_buckets, max_distance):
    """You gave keys after their query buckets below 0, which NumPy would take for rows from the
    end. Add num_buckets // 2 to the bucket of the distance instead."""
    return np.sign(offsets) * _rule(np.abs(offsets), num_buckets, max_distance)


@check_t5_bucket_function.harmless_on("half of an odd half")
def _(rng, size):
    """Your rule is right where num_buckets can be divided by 4. Elsewhere a half n has an odd
    number of buckets: m = n // 2 of them are exact, with // and not /, and n − m are wide, one more
    than m."""
    offsets, _, max_distance = _bucket_inputs(rng, size)
    return offsets, (12, 20)[size % 2], max_distance
