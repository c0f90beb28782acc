"""Lesson 07: the slopes, and every listed mistake as a reader would write it."""

import math

import pytest
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor

from posviz.exercises.alibi import check_slopes
from tests.exercises.every_mistake import mistake_tests


def powers(heads, first=1, *, of=None, eight=8):
    return [2 ** (-eight * h / (of or heads)) for h in range(first, first + heads)]


def released(heads, extra=lambda twice, count: twice[0::2][:count], slopes=powers):
    """As in the released code, which calls itself for the power of two below."""
    if math.log2(heads).is_integer():
        return slopes(heads)
    below = 2 ** math.floor(math.log2(heads))
    return slopes(below) + extra(slopes(2 * below), heads - below)


def only_the_first_series_from_0(heads):
    below = 2 ** math.floor(math.log2(heads))
    return [slope * 2 ** (8 / below) for slope in powers(below)] + released(heads)[below:]


SLOPES_MISTAKES = {
    "heads from 0": lambda n: released(n, slopes=lambda count: powers(count, 0)),
    "heads from 0, but not the extra ones": only_the_first_series_from_0,
    "heads from 0, and one formula": lambda n: powers(n, 0),
    "the formula for every number of heads": powers,
    "the power above": lambda n: powers(2 ** math.ceil(math.log2(n)))[:n],
    "the series goes on": lambda n: powers(n, of=2 ** int(math.log2(n))),
    "extra slopes missing": lambda n: released(n, lambda twice, count: []),
    "every second from the second": lambda n: released(n, lambda twice, m: twice[1::2][:m]),
    "every second of the power itself": lambda n: released(
        n, lambda twice, m: powers(len(twice) // 2)[::2][:m]
    ),
    "not every second": lambda n: released(n, lambda twice, count: twice[:count]),
    "extra slopes first": lambda n: (
        released(n)[2 ** int(math.log2(n)) :] + powers(2 ** int(math.log2(n)))
    ),
    "sorted": lambda n: sorted(released(n), reverse=True),
    "sorted from the flattest": lambda n: sorted(released(n)),
    "flattest first": lambda n: [*reversed(released(n))],
    "sign": lambda n: [-slope for slope in released(n)],
    "exponents returned": lambda n: [-math.log2(slope) for slope in released(n)],
    "sign of the exponent": lambda n: released(n, slopes=lambda m: powers(m, eight=-8)),
    "2^(−h)": lambda n: [2**-h for h in range(1, n + 1)],
    "8/n inverted": lambda n: released(
        n, slopes=lambda m: [2 ** (-m * h / 8) for h in range(1, m + 1)]
    ),
    "8 missing": lambda n: released(n, slopes=lambda m: powers(m, eight=1)),
    "e instead of 2": lambda n: released(n, slopes=lambda m: powers(m, eight=8 / math.log(2))),
}


def slopes_of_bloom(heads):
    """transformers' own, as bias of the key at position 1."""
    return build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)[:, 0, 1]


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_slopes, SLOPES_MISTAKES)]
)


@pytest.mark.parametrize("answer", [released, slopes_of_bloom])
def test_the_released_slopes_are_correct(answer):
    assert check_slopes(answer).status == "correct"


def test_what_is_wrong_in_no_known_way_is_told_with_its_input():
    verdict = check_slopes(lambda n: [*released(n)[:-1], 0.7])
    assert (verdict.status, verdict.mistake) == ("wrong", None)
    assert "num_heads = " in verdict.evidence


def test_what_is_not_attempted_is_told_so():
    def empty(num_heads): ...

    assert check_slopes(empty).status == "not attempted"


def test_heads_are_asked_for_that_are_powers_of_two_and_that_are_not():
    counts = {heads for (heads,) in check_slopes.cases()}
    assert {6, 12, 20} < {heads for heads in counts if heads & (heads - 1)}
    assert {1, 8} < counts
