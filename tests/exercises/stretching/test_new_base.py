"""The base of NTK, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest

from posviz.encodings.stretching import ntk
from posviz.exercises.stretching.new_base import check_new_base
from tests.exercises.every_mistake import mistake_tests


def by_power(power):
    return lambda d, s, b: b * math.exp(power(d) * math.log(s))


def the_last(d, s, b):
    return math.exp(-(d - 2) / d * math.log(b)) / s


def whole(d, s, b):
    pairs = range(d // 2)
    return [(b * s ** (d / (d - 2))) ** (-2 * pair / d) for pair in pairs]


MISTAKES = {
    "exponent missing": by_power(lambda d: 1),
    "d/(d − 1)": by_power(lambda d: d / (d - 1)),
    "d/(d + 2)": by_power(lambda d: d / (d + 2)),
    "exponent upside down": by_power(lambda d: (d - 2) / d),
    "2/d": by_power(lambda d: 2 / d),
    "2/(d − 2)": by_power(lambda d: 2 / (d - 2)),
    "d for the pairs": by_power(lambda d: (d // 2) / (d // 2 - 2)),
    "power of the product": lambda d, s, b: math.pow(b * s, d / (d - 2)),
    "power of the base": lambda d, s, b: s * math.pow(b, d / (d - 2)),
    "parentheses of the exponent": lambda d, s, b: b * s**d / (d - 2),
    "divided": by_power(lambda d: -d / (d - 2)),
    "base left out": lambda d, s, b: s ** (d / (d - 2)),
    "10 000 for every base": lambda d, s, b: 10_000 * s ** (d / (d - 2)),
    "the frequency": the_last,
    "all frequencies": whole,
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_new_base, MISTAKES)]
)


def from_the_last_frequency(d, s, b):
    return the_last(d, s, b) ** (-d / (d - 2))


def by_posviz(d, s, b):
    return ntk(d, s, base=b).inv_freq[1] ** (-d / 2)


def by_bisection(d, s, b):
    low, high = b, b * s**3
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (
            (middle, high) if middle ** (-(d - 2) / d) > the_last(d, s, b) else (low, middle)
        )
    return low


def in_float32(d, s, b):
    return np.float32(b) * np.float32(s) ** np.float32(d / (d - 2))


@pytest.mark.parametrize(
    "answer",
    [by_power(lambda d: d / (d - 2)), from_the_last_frequency, by_posviz, by_bisection, in_float32],
)
def test_the_base_may_be_found_in_many_ways(answer):
    assert check_new_base(answer).status == "correct"


def test_two_mistakes_at_once_are_named():
    """Not a mistake of its own: the base forgotten, and the exponent, too."""
    feedback = check_new_base(lambda d, s, b: 1e4 * s)
    assert feedback.status == "wrong"
    assert "base = " in feedback.evidence


@pytest.mark.parametrize("junk", [lambda *given: "base", lambda *given: np.nan, lambda *given: 1j])
def test_junk_is_refused(junk):
    feedback = check_new_base(junk)
    assert (feedback.status, feedback.mistake) == ("wrong", None)


def test_the_number_of_the_exercise_comes_out():
    assert check_new_base.reference(128, 4, 1e4) == pytest.approx(40_889.9, abs=0.05)
