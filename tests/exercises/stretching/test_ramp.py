"""YaRN's ramp, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest
import torch

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.stretching import yarn
from posviz.exercises.stretching.ramp import check_yarn_ramp
from tests.exercises.every_mistake import mistake_tests


def place(turns, d, b, length):
    """The pair, a fraction, whose wavelength is length / turns."""
    return d / 2 * math.log(length / (2 * math.pi * turns), b)


def pair_by_pair(d, s, low, high, blend=lambda ramp, s: (1 - ramp) + ramp / s):
    ramps = [min(max((pair - low) / (high - low), 0), 1) for pair in range(d // 2)]
    return [blend(ramp, s) for ramp in ramps]


def with_ends(ends, **options):
    def answer(d, b, length, s, fast, slow):
        low, high = place(fast, d, b, length), place(slow, d, b, length)
        return pair_by_pair(d, s, *ends(low, high), **options)

    return answer


def outwards(low, high):
    return math.floor(low), math.ceil(high)


def by_turns(d, b, length, s, fast, slow):
    turns = [length / (2 * math.pi * b ** (2 * pair / d)) for pair in range(d // 2)]
    kept = [min(max((each - slow) / (fast - slow), 0), 1) for each in turns]
    return [part + (1 - part) / s for part in kept]


def in_the_longer_text(d, b, length, s, fast, slow):
    ends = place(fast, d, b, s * length), place(slow, d, b, s * length)
    return pair_by_pair(d, s, *outwards(*ends))


def swapped(d, b, length, s, fast, slow):
    low, high = math.floor(place(slow, d, b, length)), math.ceil(place(fast, d, b, length))
    return pair_by_pair(d, s, low, high)


def unclipped(d, b, length, s, fast, slow):
    low, high = outwards(place(fast, d, b, length), place(slow, d, b, length))
    ramps = [(pair - low) / (high - low) for pair in range(d // 2)]
    return [(1 - ramp) + ramp / s for ramp in ramps]


def as_frequencies(d, b, *rest):
    return [b ** (-2 * i / d) * share for i, share in enumerate(with_ends(outwards)(d, b, *rest))]


def without_2_pi(d, b, length, s, fast, slow):
    low, high = (d / 2 * math.log(length / turns, b) for turns in (fast, slow))
    return pair_by_pair(d, s, *outwards(low, high))


MISTAKES = {
    "turns for index": by_turns,
    "β swapped": swapped,
    "ramp upside down": with_ends(outwards, blend=lambda ramp, s: ramp + (1 - ramp) / s),
    "floor and ceil swapped": with_ends(lambda low, high: (math.ceil(low), math.floor(high))),
    "not rounded": with_ends(lambda low, high: (low, high)),
    "rounded to the nearest": with_ends(lambda low, high: (round(low), round(high))),
    "both rounded down": with_ends(lambda low, high: (int(low), int(high))),
    "wavelengths blended": with_ends(outwards, blend=lambda ramp, s: 1 / ((1 - ramp) + ramp * s)),
    "extended length as L": in_the_longer_text,
    "2π missing": without_2_pi,
    "dimension for pair": with_ends(lambda low, high: outwards(2 * low, 2 * high)),
    "ramp not clipped": unclipped,
    "slowed to a stop": with_ends(outwards, blend=lambda ramp, s: 1 - ramp),
    "the ramp itself": with_ends(outwards, blend=lambda ramp, s: ramp),
    "multiplied by the factor": with_ends(outwards, blend=lambda ramp, s: (1 - ramp) + ramp * s),
    "frequencies returned": as_frequencies,
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_yarn_ramp, MISTAKES)]
)


def by_posviz(d, b, length, s, fast, slow):
    options = {"original_max_seq_len": length, "beta_fast": fast, "beta_slow": slow}
    return yarn(d, s, base=b, **options).inv_freq / rotary_frequencies(d, b)


def by_interpolation(d, b, length, s, fast, slow):
    ends = outwards(place(fast, d, b, length), place(slow, d, b, length))
    return np.interp(np.arange(d // 2), ends, [1, 1 / s])


def in_float32(d, b, length, s, fast, slow):
    low, high = outwards(place(fast, d, b, length), place(slow, d, b, length))
    ramp = ((torch.arange(d // 2, dtype=torch.float32) - low) / (high - low)).clamp(0, 1)
    return 1 - ramp * (1 - 1 / s)


@pytest.mark.parametrize("answer", [with_ends(outwards), by_posviz, by_interpolation, in_float32])
def test_the_ramp_may_be_written_in_many_ways(answer):
    assert check_yarn_ramp(answer).status == "correct"


def test_two_mistakes_at_once_are_named():
    def answer(d, b, length, s, fast, slow):
        ends = place(slow, d, b, s * length), place(fast, d, b, s * length)
        return pair_by_pair(d, s, *outwards(*ends))

    assert check_yarn_ramp(answer).mistake == "β swapped, and extended length as L"


@pytest.mark.parametrize("junk", [lambda *given: 0.5, lambda *given: "ramp", lambda d, *_: [1] * d])
def test_junk_is_refused(junk):
    feedback = check_yarn_ramp(junk)
    assert (feedback.status, feedback.mistake) == ("wrong", None)


def test_both_ends_lie_among_the_pairs_and_at_none():
    """So that the clip of the released code plays no part, and every way of rounding shows."""
    for d, b, length, _, fast, slow in check_yarn_ramp.cases():
        low, high = place(fast, d, b, length), place(slow, d, b, length)
        assert 0 < math.floor(low) < low < high < math.ceil(high) < d // 2
