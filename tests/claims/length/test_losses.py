"""What each claim about losses comes to, and a planted error that turns each verdict."""

import statistics

from posviz.claims.length import _runs as runs
from posviz.claims.length import losses as claims
from posviz.lab.tables import CHANGED
from tests.claims.length import worlds
from tests.claims.length.raw import (
    TWELVE,
    ahead,
    at,
    comes_to,
    everybody,
    finders,
    grown,
    mean,
    readings,
    stay,
)
from tests.claims.planted import claim_tests


def lower(one, other, times):
    """In how many seeds one loss is lower."""
    both = zip(at("bytes", one, times), at("bytes", other, times), strict=True)
    return sum(a < b for a, b in both)


def share_told(end):
    """By how much the whole mean grows, as a share of the second half of what is new."""
    shares = []
    for reading in readings("bytes", "RoPE"):
        row = reading["by_place"]
        inside = mean(row, 32, 64)
        shares.append((mean(row, 0, end) - inside) / (mean(row, (end + 64) // 2, end) - inside))
    return statistics.median(shares)


def all_stay(arms, lengths=(2, 8)):
    """Of {how an arm is called: the arm}."""
    counts = {
        f"{called}, at {times} times the length": stay(arm, times)
        for called, arm in arms.items()
        for times in lengths
    }
    return comes_to(counts, everybody())


BEST = {
    "what counts is how little the loss grows": {arm: grown(arm, 8) for arm in TWELVE},
    "it is the loss itself": {arm: at("bytes", arm, 8) for arm in TWELVE},
    "it is what is recalled": {arm: [-x for x in at("recall", arm, 8)] for arm in TWELVE},
}
FLAT = [arm for arm in [*TWELVE, *CHANGED] if everybody()(stay(arm, 8))]
FOUND = {
    "rope_extrapolates": all_stay(
        {"nothing is changed": "RoPE", "scores have a window at test": "RoPE, window at test"}
    ),
    "sinusoidal_extrapolates": all_stay({"they are": "sinusoidal"}),
    "alibi_goes_on": all_stay({"it is ALiBi": "ALiBi"}),
    "learned_is_worse_than_sinusoidal": comes_to(
        {
            f"the text has {times} times the length": lower("sinusoidal", "learned", times)
            for times in (2, 4, 8)
        },
        everybody(),
    ),
    "t5_goes_on": all_stay({"it is T5’s bias": "T5"}),
    "xpos_goes_on": all_stay(
        {"nothing is changed": "xPos", "it sees two blocks at test": "xPos, blocks at test"}
    ),
    "learned_biases_go_on": all_stay({"it is Kerple’s": "Kerple", "it is FIRE’s": "FIRE"}, (8,)),
    "stretching_is_enough": all_stay({f"it is {arm}": arm for arm in ("NTK", "PI", "YaRN")}),
    "stretching_helps": comes_to(
        {
            f"it is {arm}, at {times} times the length": lower(arm, "RoPE", times)
            for arm in ("NTK", "PI", "YaRN")
            for times in (2, 8)
        },
        everybody(),
    ),
    "nothing_is_best": comes_to(
        {setting: ahead(found, "none") for setting, found in BEST.items()}, lambda n: n == 0
    ),
    "the_mean_tells": comes_to(
        {
            f"the text is {times} times as long": share_told(int(float(times) * 64))
            for times in ("1.25", "2", "8")
        },
        lambda share: share >= 0.5,
    ),
    "a_flat_loss_is_a_memory": comes_to(
        {f"it is {arm}": finders(arm) for arm in FLAT}, everybody("recall")
    ),
}


PLANTED = {
    "rope_extrapolates": (runs, "committed", worlds.flat, "true"),
    "sinusoidal_extrapolates": (runs, "committed", worlds.flat, "true"),
    "alibi_goes_on": (runs, "committed", worlds.steep, "false"),
    "learned_is_worse_than_sinusoidal": (runs, "committed", worlds.in_order, "true"),
    "t5_goes_on": (runs, "committed", worlds.flat, "true"),
    "xpos_goes_on": (runs, "committed", worlds.steep, "false"),
    "learned_biases_go_on": (runs, "committed", worlds.steep, "false"),
    "stretching_is_enough": (runs, "committed", worlds.flat, "true"),
    "stretching_helps": (runs, "committed", worlds.flat, "false"),
    "nothing_is_best": (runs, "committed", worlds.in_order, "true"),
    "the_mean_tells": (runs, "committed", worlds.dipping, "true"),
    "a_flat_loss_is_a_memory": (runs, "committed", worlds.flat, "true"),
}

test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)
