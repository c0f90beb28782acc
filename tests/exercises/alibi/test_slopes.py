"""The slopes, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor

from posviz.exercises.alibi.slopes import check_slopes
from tests.exercises.every_mistake import mistake_tests


def powers(heads, first=1, *, of=None, eight=8):
    return [2 ** (-eight * h / (of or heads)) for h in range(first, first + heads)]


def released(heads, extra=lambda twice, count: twice[0::2][:count], slopes=powers):
    """As in the released code, which calls itself for the power of two below."""
    if math.log2(heads).is_integer():
        return slopes(heads)
    below = 2 ** math.floor(math.log2(heads))
    return slopes(below) + extra(slopes(2 * below), heads - below)


def one_line(heads, extra):
    """As without a case for powers of two, which need no extra heads."""
    below = 2 ** int(math.log2(heads))
    return powers(below) + extra(powers(2 * below), heads - below)


def only_the_first_series_from_0(heads):
    below = 2 ** math.floor(math.log2(heads))
    return [slope * 2 ** (8 / below) for slope in powers(below)] + released(heads)[below:]


SLIPS = {
    "flattest first": lambda slopes: slopes[::-1],
    "sign": lambda slopes: [-slope for slope in slopes],
    "exponents returned": lambda slopes: [-math.log2(slope) for slope in slopes],
    "sign of the exponent": lambda slopes: [2 ** -math.log2(slope) for slope in slopes],
    "// instead of /": lambda slopes: [2.0 ** (math.log2(slope) // 1) for slope in slopes],
    "8 missing": lambda slopes: [2 ** (math.log2(slope) / 8) for slope in slopes],
    "e instead of 2": lambda slopes: [math.exp(math.log2(slope)) for slope in slopes],
}

SLOPES_MISTAKES = {
    **{name: lambda n, slip=slip: slip(released(n)) for name, slip in SLIPS.items()},
    **{f"{k}, and one formula": lambda n, slip=slip: slip(powers(n)) for k, slip in SLIPS.items()},
    "heads from 0": lambda n: released(n, slopes=lambda count: powers(count, 0)),
    "heads from 0, and not every second": lambda n: released(
        n, lambda twice, count: twice[:count], slopes=lambda count: powers(count, 0)
    ),
    "heads from 0, but not the extra ones": only_the_first_series_from_0,
    "heads from 0 in the extra ones": lambda n: released(
        n, lambda twice, count: powers(len(twice), 0)[::2][:count]
    ),
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
    "extra slopes from the power on": lambda n: one_line(
        n, lambda twice, _: twice[len(twice) // 2 : n]
    ),
    "extra slopes of num_heads": lambda n: released(n, lambda _, count: powers(n)[::2][:count]),
    "extra slopes from the end": lambda n: released(n, lambda twice, m: twice[::2][-m:]),
    "extra slopes from the end, by [-0:]": lambda n: one_line(n, lambda b, m: b[::2][-m:]),
    "extra slopes not cut": lambda n: one_line(n, lambda twice, count: twice[::2]),
    "extra slopes not cut, but for powers of two": lambda n: released(n, lambda b, m: b[::2]),
    "extra slopes first": lambda n: (
        released(n)[2 ** int(math.log2(n)) :] + powers(2 ** int(math.log2(n)))
    ),
    "sorted": lambda n: sorted(released(n), reverse=True),
    "sorted from the flattest": lambda n: sorted(released(n)),
    "2^(−h)": lambda n: [2**-h for h in range(1, n + 1)],
    "8/n inverted": lambda n: released(
        n, slopes=lambda m: [2 ** (-m * h / 8) for h in range(1, m + 1)]
    ),
    "8/n inverted, and one formula": lambda n: [2 ** (-n * h / 8) for h in range(1, n + 1)],
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


def test_two_things_are_told_where_a_slip_meets_one_formula():
    alone, both = (check_slopes(SLOPES_MISTAKES[f"sign{end}"]) for end in ("", ", and one formula"))
    assert both.message.startswith(f"Two things. {alone.message} And you used one formula for")


@pytest.mark.parametrize("kind", [list, np.array, torch.tensor])
@pytest.mark.parametrize("pair", [tuple, list])
def test_two_parts_with_a_comma_between_are_told_to_be_joined(kind, pair):
    def comma(heads):
        below = 2 ** int(math.log2(heads))
        return pair([kind(released(heads)[:below]), kind(released(heads)[below:])])

    # For 1 head, the smallest input, the first part is right and the second empty.
    assert check_slopes(comma).message.endswith("join them: np.concatenate([a, b]).")


def test_what_is_wrong_in_no_known_way_is_told_with_its_input():
    feedback = check_slopes(lambda n: [*released(n)[:-1], 0.7])
    assert (feedback.status, feedback.mistake) == ("wrong", None)
    assert "num_heads = " in feedback.evidence


def test_what_is_not_attempted_is_told_so():
    def empty(num_heads): ...

    assert check_slopes(empty).status == "not attempted"


def test_heads_are_asked_for_that_are_powers_of_two_and_that_are_not():
    counts = {heads for (heads,) in check_slopes.cases()}
    assert {3, 7} < {heads for heads in counts if heads & (heads - 1)}
    assert max(counts) > 32
    assert {1, 8} < counts
