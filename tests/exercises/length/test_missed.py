"""What few runs miss, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest

from posviz.exercises.length.missed import check_missed
from tests.exercises.every_mistake import mistake_tests


def each(chance):
    return lambda rate, seeds: [chance(rate, int(n)) for n in seeds]


MISTAKES = {
    "seen": each(lambda p, n: 1 - math.prod([1 - p] * n)),
    "all fail": each(lambda p, n: math.prod([p] * n)),
    "rates added": each(lambda p, n: 1 - n * p),
    "not below 0": each(lambda p, n: max(1 - n * p, 0)),
    "exactly one": each(lambda p, n: n * p * math.prod([1 - p] * (n - 1))),
    "one run": each(lambda p, n: 1 - p),
}
test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_missed, MISTAKES)]
)


def test_a_product_is_right():
    assert check_missed(each(lambda p, n: math.prod([1 - p] * n))).status == "correct"


def test_it_is_what_draws_show():
    """The reference against 20,000 draws of three runs."""
    failed = np.random.default_rng(0).random((20_000, 3)) < 0.2
    share = 1 - failed.any(axis=1).mean()
    assert check_missed.reference(0.2, [3])[0] == pytest.approx(share, abs=0.01)


def test_who_tells_how_likely_a_failure_is_seen_is_told_so():
    told = check_missed(lambda rate, seeds: 1 - (1 - rate) ** np.asarray(seeds))
    assert told.message.startswith("That is how likely you *see* a failure.")
