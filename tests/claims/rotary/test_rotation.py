"""What each claim comes to, and a planted error that turns each verdict."""

import math

import numpy as np

from posviz.claims.rotary import rotation as claims
from tests.claims.planted import claim_tests
from tests.claims.slow_rotation import shown

# q·k and q₁k₂ − q₂k₁ of q = (1, 0.5) and k = (0.3, 1.2)
DOT, CROSS = 1 * 0.3 + 0.5 * 1.2, 1 * 1.2 - 0.5 * 0.3


def missing_minus(head_dim, position):
    last = np.random.default_rng(0).normal(size=head_dim)[-1]
    frequency = 10_000 ** (-(head_dim - 2) / head_dim)
    return shown(2 * abs(last * math.sin(position * frequency)))


# What each claim must come to, its numbers by an exact formula or a slow loop.
FOUND = {
    "the_matrix_turns_clockwise": ("false", ["90"]),
    "a_linear_map_keeps_lengths": (
        "true only if the linear map is a rotation",
        ["< 1e-14", shown(math.hypot(1.5, 0.5) - math.hypot(1, 0.5))],
    ),
    "the_cosine_is_a_factor": (
        "true only if k = (2, 1), parallel to q",
        ["< 1e-14", shown(math.sin(math.pi / 6) * CROSS)],
    ),
    "the_matrix_between_is_r_m_minus_n": (
        "false",
        [shown(math.cos(1.5) * DOT - math.sin(1.5) * CROSS)],
    ),
    "the_pairs_count_from_1": ("false", [shown(1 - 10_000 ** (-2 / d)) for d in (64, 512)]),
    "the_exponent_may_count_pairs": (
        "false",
        [f"{10_000 ** (255 / 256):,.2f}".replace(",", "\N{NO-BREAK SPACE}")],
    ),
    "every_column_has_its_own_frequency": ("false", ["32", "32"]),
    "a_test_finds_the_missing_minus": (
        "true only if head_dim = 2 at position 5 or head_dim = 8 at position 500 or "
        "head_dim = 64 at position 5000",
        [missing_minus(*place) for place in ((2, 5), (8, 5), (64, 5), (8, 500), (64, 5000))],
    ),
}

real_matrix = claims.rotation_matrix
real_frequencies = claims.rotary_frequencies


def turned_backwards(angles):
    return real_matrix([-angle for angle in angles])


def turned_to_first_order(angles):
    return np.array([[1, -angles[0]], [angles[0], 1]])


def without_the_cross_term(x, angles):
    """Each vector twice, times cosine and times sine: the products of x alone remain."""
    return np.concatenate([x * np.cos(angles), x * np.sin(angles)], axis=-1)


PLANTED = {
    "the_matrix_turns_clockwise": (claims, "rotation_matrix", turned_backwards, "true"),
    "a_linear_map_keeps_lengths": (claims, "rotation_matrix", turned_to_first_order, "false"),
    "the_cosine_is_a_factor": (claims, "apply_rotary", without_the_cross_term, "true"),
    "the_matrix_between_is_r_m_minus_n": (claims, "rotation_matrix", turned_backwards, "true"),
    "the_pairs_count_from_1": (
        (claims, "rotary_frequencies", lambda d: real_frequencies(d) * 10_000 ** (-2 / d), "true")
    ),
    "the_exponent_may_count_pairs": (
        (claims, "rotary_frequencies", lambda d: real_frequencies(d) ** 2, "true")
    ),
    "every_column_has_its_own_frequency": (
        (claims, "rotation_matrix", lambda angles, layout: np.diag(np.cos(np.arange(64))), "true")
    ),
    "a_test_finds_the_missing_minus": (
        (claims, "apply_rotary", claims._without_the_last_minus, "false")
    ),
}


test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)


def test_the_score_beside_the_wrong_formula_is_the_true_one():
    # qᵀ R_{n−m} k = cos(1.5) q·k + sin(1.5) (q₁k₂ − q₂k₁)
    score = math.cos(1.5) * DOT + math.sin(1.5) * CROSS
    assert f"The score is {shown(score)}," in claims.the_matrix_between_is_r_m_minus_n().text
