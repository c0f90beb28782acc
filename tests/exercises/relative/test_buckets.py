"""The rule of T5's buckets, and every listed mistake as a reader would write it."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from posviz.exercises.relative.buckets import check_t5_bucket_function
from tests.exercises.every_mistake import mistake_tests


def share(d, m, most):
    return math.log(d / m) / math.log(most / m)


def half_of(number):
    return number // 2


def rule(
    *,
    share=share,
    rounded=int,
    last=lambda n: n - 1,
    most=None,
    half=half_of,
    exact=half_of,
    wide=lambda n, m: n - m,
    upper=half_of,
    future=lambda offset: offset < 0,
):
    """The rule offset by offset with one thing of it changed."""

    def answer(offsets, num_buckets, max_distance):
        n = half(num_buckets)
        m = exact(n)
        buckets = []
        for offset in offsets.tolist():
            d = abs(offset)
            if d >= m:
                climb = m < n and wide(n, m) * share(d, m, most or max_distance)
                d = min(m + rounded(climb), last(n))
            buckets.append(d + upper(num_buckets) if future(offset) else d)
        return buckets

    return answer


def decoder(offsets, num_buckets, max_distance):
    seen = np.where(offsets < 0, 0, offsets)
    return rule(half=lambda n: n)(seen, num_buckets, max_distance)


def negated(offsets, num_buckets, max_distance):
    past = rule()(np.abs(offsets), num_buckets, max_distance)
    return [-bucket if offset < 0 else bucket for bucket, offset in zip(past, offsets, strict=True)]


def of_t5_itself(offsets, num_buckets, max_distance):
    return rule(half=lambda n: 16, most=128)(offsets, 32, 128)


def clipped(offsets, num_buckets, max_distance):
    half = num_buckets // 2
    return [min(abs(offset), half - 1) + half * (offset < 0) for offset in offsets]


def clamped_at_the_end(offsets, num_buckets, max_distance):
    buckets = rule(last=lambda n: math.inf)(offsets, num_buckets, max_distance)
    return [min(bucket, num_buckets - 1) for bucket in buckets]


def not_halved(offsets, num_buckets, max_distance):
    return rule(wide=lambda n, m: num_buckets - m)(offsets, num_buckets, max_distance)


def rounded_last(offsets, num_buckets, max_distance):
    halves = rule(rounded=float, exact=lambda n: n / 2)(offsets, num_buckets, max_distance)
    return [int(bucket) for bucket in halves]


BUCKET_MISTAKES = {
    "sign of the offset": lambda offsets, *rest: rule()(-offsets, *rest),
    "query itself in the upper half": rule(future=lambda offset: offset <= 0),
    "16 added": rule(upper=lambda num_buckets: 16),
    "future half forgotten": lambda offsets, *rest: rule()(np.abs(offsets), *rest),
    "future in bucket 0": lambda offsets, *rest: rule()(offsets.clip(min=0), *rest),
    "decoder's buckets": decoder,
    "all buckets each way": rule(half=lambda n: n),
    "32 and 128": of_t5_itself,
    "max_distance ignored": rule(most=128),
    "clamp missing": rule(last=lambda n: math.inf),
    "clamped one too high": rule(last=lambda n: n),
    "clamped with the future's half": clamped_at_the_end,
    "wide buckets not halved": not_halved,
    "last bucket too early": clipped,
    "rounded to the nearest": rule(rounded=round),
    "rounded up": rule(rounded=math.ceil),
    "not rounded": rule(rounded=float),
    "natural logarithm alone": rule(share=lambda d, m, most: math.log(d / m)),
    "logarithm to base 10 alone": rule(share=lambda d, m, most: math.log10(d / m)),
    "logarithm of max_distance": rule(share=lambda d, m, most: math.log(d / m, most)),
    "distances not divided by m": rule(share=lambda d, m, most: math.log(d, most)),
    "equal buckets": rule(share=lambda d, m, most: (d - m) / (most - m)),
    "future below 0": negated,
    "half of an odd half": rule(exact=lambda n: n / 2),
}


def in_another_order(d, m, most):
    return (math.log2(d) - math.log2(m)) / (math.log2(most) - math.log2(m))


def hugging_face(offsets, num_buckets, max_distance):
    ahead = -torch.tensor(offsets)  # key − query, in float32 logarithms
    return T5Attention._relative_position_bucket(ahead, True, num_buckets, max_distance)


def in_numpy(offsets, num_buckets, max_distance):
    half = num_buckets // 2
    m = half // 2
    d = np.abs(offsets)
    with np.errstate(divide="ignore"):
        climb = np.log(d / m) / np.log(max_distance / m) * (half - m)
    far = np.minimum(m + np.floor(climb), half - 1)
    return np.where(d < m, d, far) + np.where(offsets < 0, half, 0)


@pytest.mark.parametrize("answer", [rule(), rule(share=in_another_order), in_numpy, hugging_face])
def test_the_rule_may_be_written_in_many_ways(answer):
    """None of the offsets is one at which the order of float operations decides."""
    assert check_t5_bucket_function(answer).status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_t5_bucket_function, BUCKET_MISTAKES)]
)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (rule(share=lambda d, m, most: math.log2(d / m)), "log2(d/m) as it is"),
        (rule(exact=lambda n: n), "all of a half are exact"),
        (clipped, "clipped the distance"),
    ],
)
def test_what_comes_to_the_same_as_clipping_is_named_in_one_message(answer, told):
    feedback = check_t5_bucket_function(answer)
    assert feedback.mistake == "last bucket too early"
    assert told in feedback.message


@pytest.mark.parametrize("answer", [rounded_last, rule(wide=lambda n, m: m)])
def test_what_is_right_where_halves_are_even_is_told_so(answer):
    assert check_t5_bucket_function(answer).mistake == "half of an odd half"


def test_the_logarithm_of_0_is_told_with_its_line():
    feedback = check_t5_bucket_function(
        lambda offsets, n, most: [int(math.log(abs(offset) - abs(offset))) for offset in offsets]
    )
    assert feedback.status == "error"
    assert "ValueError" in feedback.message
    assert "num_buckets = " in feedback.evidence


def test_a_wrong_answer_of_no_known_kind_is_told_with_its_input():
    turned = check_t5_bucket_function(lambda *given: rule()(*given)[::-1])
    assert (turned.status, turned.mistake) == ("wrong", None)
    assert "max_distance = " in turned.evidence
    one = check_t5_bucket_function(lambda *given: rule()(*given)[0])
    assert "single number" in one.message


def test_what_is_not_attempted_is_told_so():
    def empty(offsets, num_buckets, max_distance): ...

    for answer in (..., empty):
        assert check_t5_bucket_function(answer).status == "not attempted"


def test_the_offsets_are_met_on_both_sides_and_beyond_max_distance():
    cases = check_t5_bucket_function.cases()
    assert all(min(offsets) < 0 < max(offsets) for offsets, *_ in cases[1:])
    offsets, _, max_distance = cases[-1]
    assert min(offsets) < -max_distance < max_distance < max(offsets)
    assert any(0 in offsets for offsets, *_ in cases)


def test_no_offset_lies_where_a_bucket_starts():
    """(d/m)^(n−m) would be (max/m)^t there, and the order of float operations would decide."""
    for offsets, num_buckets, max_distance in check_t5_bucket_function.cases():
        n = num_buckets // 2
        m = n // 2
        starts = {Fraction(max_distance, m) ** step for step in range(1, 20)}
        assert not starts & {Fraction(abs(offset), m) ** (n - m) for offset in offsets.tolist()}
