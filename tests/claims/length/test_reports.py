"""What each claim about few runs comes to, and a planted error that turns each verdict."""

import math
import statistics
from itertools import combinations

from posviz.claims.length import _runs as runs
from posviz.claims.length import reports as claims
from tests.claims.length import worlds
from tests.claims.length.raw import TWELVE, at, comes_to
from tests.claims.planted import claim_tests


def sign(x):
    return (x > 0) - (x < 0)


def alike(task, times):
    """Share of pairs and seeds in which the seed says what the medians say."""
    found = []
    for one, other in combinations(TWELVE, 2):
        pairs = [*zip(at(task, one, times), at(task, other, times), strict=True)]
        median = [statistics.median(each) for each in zip(*pairs, strict=True)]
        found += [sign(a - b) == sign(median[0] - median[1]) for a, b in pairs]
    return sum(found) / len(found)


def best_less_median(task, best):
    return max(abs(best(at(task, arm, 8)) - statistics.median(at(task, arm, 8))) for arm in TWELVE)


FOUND = {
    "three_seeds_show_it": comes_to(
        {f"there are {n} seeds": math.prod([0.8] * n) for n in (3, 5, 10)}, lambda p: p <= 0.05
    ),
    "one_seed_orders": comes_to(
        {
            f"it is {task} at {times}×": alike(task, times)
            for task, times in (("bytes", 1), ("bytes", 8), ("recall", 8))
        },
        lambda share: share >= 0.99,
    ),
    "the_best_run_tells": comes_to(
        {
            "it is bytes": best_less_median("bytes", min),
            "it is recall": best_less_median("recall", max),
        },
        lambda distance: distance <= 0.05,
    ),
}
PLANTED = {
    "three_seeds_show_it": (claims, "_missed", lambda rate, seeds: rate**seeds, "true"),
    "one_seed_orders": (runs, "committed", worlds.in_order, "true"),
    "the_best_run_tells": (runs, "committed", worlds.flat, "true"),
}

test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)
