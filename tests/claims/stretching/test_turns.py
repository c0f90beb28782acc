"""What each claim about turns comes to, and a planted error that turns each verdict."""

import math

import numpy as np

from posviz.claims.stretching import turns as claims
from tests.claims.planted import claim_tests

NBSP = "\N{NO-BREAK SPACE}"


def turns(pair, dim, base, length):
    return length / (2 * math.pi * base ** (2 * pair / dim))


def finished(dim, base, length):
    """Counted pair by pair."""
    return sum(turns(pair, dim, base, length) >= 1 for pair in range(dim // 2))


def grouped(number):
    return f"{number:,}".replace(",", NBSP)


def leaves_the_arc(slowed):
    """Pairs of Llama-2 that, slowed so many times, go further in 16 384 tokens than in 4096."""
    pairs = range(64)
    return str(sum(turns(i, 128, 1e4, 4096) < 1 and slowed(i) * (1 + 1e-9) < 4 for i in pairs))


def first_below_0(dim):
    """By a recurrence of cosines, cos (m + 1)θ = 2 cos θ cos mθ − cos (m − 1)θ."""
    theta = np.array([1e4 ** (-2 * i / dim) for i in range(dim // 2)])
    now, before, m = np.cos(theta), np.ones(dim // 2), 1
    while now.sum() >= 0:
        now, before, m = 2 * np.cos(theta) * now - before, now, m + 1
    return grouped(m)


# The audited counts: 46 of 64, 35, 40, 18 of 32 and 23.
FOUND = {
    "every_pair_turns": ("false", ["18", "29", "24", "14", "9"]),
    "a_larger_base_finishes_more": (
        "false",
        [str(finished(128, base, 8192)) for base in (1e4, 5e5, 1e7)],
    ),
    "five_of_32_are_unfinished": (
        "true only if training has 4096 tokens or training has 8192 tokens",
        [str(32 - finished(64, 1e4, length)) for length in (4096, 8192, 32_000)],
    ),
    "the_critical_dimension_counts_them": ("true", ["0"] * 5),
    "slower_turning_keeps_the_arc": (
        "true only if it is position interpolation or it is YaRN or it is Llama-3's",
        ["0", leaves_the_arc(lambda pair: 4 ** (pair / 63)), "0", "0"],
    ),
    "the_base_times_the_factor": (
        "false",
        [f"{4 ** ((dim - 2) / dim):.4g}" for dim in (64, 128, 256)],
    ),
    "ten_thousand_reaches_4096": ("false", [first_below_0(dim) for dim in (64, 128)]),
}

real_frequencies, real_ntk = claims.rotary_frequencies, claims.ntk


def all_fast(head_dim, base):
    return np.ones(head_dim // 2)


def base_upside_down(head_dim, base):
    return real_frequencies(head_dim, 1e8 / base)


def pairs_from_1(head_dim, base):
    return real_frequencies(head_dim, base) * base ** (-2 / head_dim)


def down_to_the_base(head_dim, base):
    return base ** -np.linspace(0, 1, head_dim // 2)


def slower_by(factor):
    return lambda head_dim, base: real_frequencies(head_dim, base) / factor


def by_the_square(head_dim, factor, **options):
    return real_ntk(head_dim, factor**2, **options)


PLANTED = {
    "every_pair_turns": (claims, "rotary_frequencies", all_fast, "true"),
    "a_larger_base_finishes_more": (
        (claims, "rotary_frequencies", base_upside_down, "true only if")
    ),
    "five_of_32_are_unfinished": (claims, "rotary_frequencies", slower_by(2 * np.pi), "true"),
    "the_critical_dimension_counts_them": (claims, "rotary_frequencies", pairs_from_1, "false"),
    "slower_turning_keeps_the_arc": (claims, "ntk", by_the_square, "true"),
    "the_base_times_the_factor": (claims, "rotary_frequencies", down_to_the_base, "true"),
    "ten_thousand_reaches_4096": (claims, "rotary_frequencies", slower_by(6), "true"),
}

test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)


def test_the_audited_counts_are_there():
    assert [finished(*of) for of in claims.MODELS.values()] == [46, 35, 40, 18, 23]
