"""What each claim about answers comes to, and a planted error that turns each verdict."""

import statistics

from posviz.claims.length import _runs as runs
from posviz.claims.length import answers as claims
from tests.claims.length import worlds
from tests.claims.length.raw import TWELVE, ahead, at, comes_to, everybody, finders, solvers
from tests.claims.planted import claim_tests


def ahead_of_the_best(task, sign, times=8):
    inside = {arm: sign * statistics.median(at(task, arm, 1)) for arm in TWELVE}
    best = min(inside, key=inside.get)
    return ahead({arm: [sign * x for x in at(task, arm, times)] for arm in TWELVE}, best)


def parity(times):
    return sum(solvers("parity", arm, times) for arm in TWELVE)


def least(times):
    return min(statistics.median(at("majority", arm, times)) for arm in TWELVE)


def more(arm):
    pairs = zip(at("recall", f"{arm}, randomised", 8), at("recall", arm, 8), strict=True)
    return sum(with_it > without for with_it, without in pairs)


WINDOWS = {
    "it is put on at test": "RoPE, window at test",
    "all layers have one from the start": "RoPE, window",
    "one layer sees all, and is told no position": "hybrid",
}
FOUND = {
    "parity_goes_on": comes_to(
        {f"the text is {times} times as long": parity(times) for times in (2, 4)},
        lambda count: count == parity(1) > 0,
    ),
    "majority_goes_on": comes_to(
        {f"the text is {times} times as long": least(times) for times in (2, 4)},
        lambda share: share >= 0.9,
    ),
    "randomised_positions_help": comes_to(
        {f"it is {arm}": more(arm) for arm in ("learned", "RoPE")}, everybody("recall")
    ),
    "a_window_keeps_the_needle": comes_to(
        {called: finders(arm) for called, arm in WINDOWS.items()}, everybody("recall")
    ),
    "better_inside_is_better_beyond": comes_to(
        {
            "it is bytes": ahead_of_the_best("bytes", 1),
            "it is recall": ahead_of_the_best("recall", -1),
            "it is copy unique": ahead_of_the_best("copy unique", -1, 4),
        },
        lambda count: count == 0,
    ),
}
PLANTED = {
    "parity_goes_on": (runs, "committed", worlds.flat, "true"),
    "majority_goes_on": (runs, "committed", worlds.flat, "true"),
    "randomised_positions_help": (runs, "committed", worlds.flat, "false"),
    "a_window_keeps_the_needle": (runs, "committed", worlds.flat, "true"),
    "better_inside_is_better_beyond": (runs, "committed", worlds.flat, "true"),
}

test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)
