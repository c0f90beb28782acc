"""Overflow, and every listed mistake as a reader would write it."""

import math
import statistics

import numpy as np
import pytest

from posviz.exercises.xpos.length import check_overflow_position
from tests.exercises.every_mistake import mistake_tests


def position_of(zeta, largest, scale_base):
    return scale_base * math.log(largest, 1 / zeta)


def solution(largest, zeta, scale_base):
    return position_of(min(zeta), largest, scale_base)


MISTAKES = {
    "scale_base forgotten": lambda most, zeta, s: math.log(most, 1 / zeta[0]),
    "divided by scale_base": lambda most, zeta, s: math.log(most, 1 / zeta[0]) / s,
    "counted from the middle": lambda most, zeta, s: position_of(zeta[0] ** 0.5, most, s),
    "halved": lambda most, zeta, s: position_of(zeta[0] ** 2, most, s),
    "rounded": lambda *given: math.ceil(solution(*given)),
    "rounded down": lambda *given: math.floor(solution(*given)),
    "one token early": lambda *given: solution(*given) - 1,
    "one token late": lambda *given: solution(*given) + 1,
    "3.5 for every head": lambda most, zeta, s: s * math.log(most, 3.5),
    "512 for every S": lambda most, zeta, s: position_of(zeta[0], most, 512),
    "ζ forgotten": lambda most, zeta, s: s * math.log(most),
    "log2 without ζ": lambda most, zeta, s: s * math.log2(most),
    "log10 without ζ": lambda most, zeta, s: s * math.log10(most),
    "log2 with ln": lambda most, zeta, s: -s * math.log2(most) / math.log(zeta[0]),
    "ln with log2": lambda most, zeta, s: -s * math.log(most) / math.log2(zeta[0]),
    "log10 with ln": lambda most, zeta, s: -s * math.log10(most) / math.log(zeta[0]),
    "ln with log10": lambda most, zeta, s: -s * math.log(most) / math.log10(zeta[0]),
    "slowest pair": lambda most, zeta, s: position_of(zeta[-1], most, s),
    "every pair": lambda most, zeta, s: [position_of(pair, most, s) for pair in zeta],
    "mean of the pairs": lambda most, zeta, s: position_of(statistics.fmean(zeta), most, s),
    "place for value": lambda *given: np.argmin([position_of(z, given[0], 1) for z in given[1]]),
    "sign": lambda most, zeta, s: s * math.log(most) / math.log(zeta[0]),
    "upside down": lambda most, zeta, s: s * math.log(1 / zeta[0]) / math.log(most),
    "multiplied by ln(1/ζ)": lambda most, zeta, s: s * math.log(most) * math.log(1 / zeta[0]),
    "1 − ζ for its logarithm": lambda most, zeta, s: s * math.log(most) / (1 - zeta[0]),
    "ζ for its logarithm": lambda most, zeta, s: s * math.log(most) / zeta[0],
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_overflow_position, MISTAKES)]
)


def token_after_token(largest, zeta, scale_base):
    position = 0
    while zeta.min() ** (-position / scale_base) < largest:
        position += 1
    return position


def among_many(largest, zeta, scale_base):
    with np.errstate(over="ignore"):
        grown = zeta.min() ** (-np.arange(40_000) / scale_base)
    return np.argmax(grown >= largest)


def each_pair_among_many(largest, zeta, scale_base):
    with np.errstate(over="ignore"):
        grown = zeta ** (-np.arange(40_000)[:, None] / scale_base)
    return (grown >= largest).argmax(axis=0).min()


SEARCHES = [token_after_token, among_many, each_pair_among_many]


def to_a_tenth(*given):
    return round(solution(*given), 1)


@pytest.mark.parametrize("answer", [*SEARCHES, to_a_tenth, lambda *given: round(solution(*given))])
def test_searches_and_whole_numbers_are_told_that_a_formula_is_asked_for(answer):
    feedback = check_overflow_position(answer)
    assert feedback.mistake == "rounded"
    assert "a formula and no search" in feedback.message


@pytest.mark.parametrize("search", SEARCHES)
def test_the_last_token_that_fits_is_told_so(search):
    feedback = check_overflow_position(lambda *given: search(*given) - 1)
    assert feedback.mistake == "rounded down"
    assert "the last token that fits" in feedback.message


def test_a_search_that_goes_token_after_token_is_judged_at_once():
    tokens = []
    check_overflow_position(lambda *given: tokens.append(token_after_token(*given)) or tokens[-1])
    assert 0 < sum(tokens) < 10_000


def test_a_search_that_finds_nothing_is_told_so():
    feedback = check_overflow_position(lambda most, zeta, s: np.argmax(np.arange(8) >= most))
    assert feedback.mistake == "place for value"
    assert "a search finds nothing" in feedback.message


def first_of_all(largest, zeta, scale_base):
    return min(position_of(pair, largest, scale_base) for pair in zeta)


def by_bisection(largest, zeta, scale_base):
    low, high = 0.0, 1e9
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        fits = -middle / scale_base * math.log(zeta[0]) < math.log(largest)
        low, high = (middle, high) if fits else (low, middle)
    return low


@pytest.mark.parametrize("answer", [solution, first_of_all, by_bisection])
def test_the_overflow_may_be_found_in_many_ways(answer):
    assert check_overflow_position(answer).status == "correct"


def test_the_numbers_of_the_exercise_come_out():
    """With ζ = 0.4/1.4, and the last with 2/3, so that no formula with 3.5 in it gives all."""
    position = check_overflow_position.reference
    float16, float32 = (float(np.finfo(dtype).max) for dtype in (np.float16, np.float32))
    zeta = np.array([0.4 / 1.4])
    assert position(float32, zeta, 1) == pytest.approx(70.8, abs=0.05)
    assert position(float16, zeta, 1) == pytest.approx(8.85, abs=0.005)
    assert position(float32, zeta, 512) == pytest.approx(36_260.7, abs=0.05)
    assert position(float16, zeta, 512) == pytest.approx(4_532.4, abs=0.05)
    assert position(float32, np.array([2 / 3]), 512) == pytest.approx(112_034.5, abs=0.05)


def test_what_is_wrong_in_no_known_way_is_told_with_its_input():
    for slip in (lambda position: position + 9, lambda position: round(position, -1)):
        feedback = check_overflow_position(lambda *given, slip=slip: slip(solution(*given)))
        assert (feedback.status, feedback.mistake) == ("wrong", None)
        assert "scale_base = " in feedback.evidence


def test_what_is_not_attempted_is_told_so():
    def empty(*given): ...

    assert check_overflow_position(empty).status == "not attempted"


def test_both_formats_and_more_than_one_pair_are_asked_for():
    cases = check_overflow_position.cases()
    assert {65_504.0, float(np.finfo(np.float32).max)} < {largest for largest, *_ in cases}
    assert all(len(set(zeta)) > 1 for _, zeta, _ in cases)
