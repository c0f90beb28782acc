"""What each claim comes to, and a planted error that turns each verdict."""

import itertools
import math

import numpy as np

from posviz.claims.rotary import scores as claims
from tests.claims.planted import claim_tests
from tests.claims.slow_rotation import (
    FREQUENCIES,
    KEY,
    QUERY,
    at,
    not_turned,
    not_turned_at_its_door,
    product,
    shown,
    slow_outputs,
    turned,
)


def change_when_rotated_first():
    w_q, w_k = np.random.default_rng(1).normal(size=(2, 64, 64)) / 8
    near, far = (
        product(np.array(turned(QUERY, m)) @ w_q, np.array(turned(KEY, n)) @ w_k) / 8
        for m, n in ((7, 3), (107, 103))
    )
    return shown(abs(far - near))


def change_when_values_turn():
    q, k, v = np.random.default_rng(0).normal(size=(3, 1, 1, 16, 64))[:, 0, 0]
    here, there = (slow_outputs(at(q, 0), at(k, 0), at(v, start)) for start in (0, 100))
    return shown(np.abs(there - here).max())


def rises(head_dim):
    """Count the steps of distance, up to 256, at which the sum of the cosines grows."""
    scores = [
        math.fsum(math.cos(n / 10_000 ** (2 * i / head_dim)) for i in range(head_dim // 2))
        for n in range(257)
    ]
    return f"{sum(later > earlier for earlier, later in itertools.pairwise(scores))}"


def share_higher_near():
    """Scores as real parts of complex products, one text at a time."""
    turns = np.exp(1j * np.outer(np.arange(32), FREQUENCIES))
    near = np.array([[abs(m - n) <= 2 for n in range(32)] for m in range(32)])
    count = 0
    for seed in range(500):
        vectors = np.random.default_rng(seed).normal(size=(2, 32, 64))
        q, k = (vectors[..., ::2] + 1j * vectors[..., 1::2]) * turns
        scores = (q @ k.conj().T).real
        count += scores[near].mean() > scores[~near].mean()
    return shown(count / 500)


# What each claim must come to, its numbers by an exact formula or a slow loop.
FOUND = {
    "the_score_depends_on_the_offset_alone": ("true", ["< 1e-12"] * 3),
    "rotating_may_come_first": (
        "true only if they are projected, then rotated",
        ["< 1e-14", change_when_rotated_first()],
    ),
    "only_rope_makes_scores_relative": ("false", ["< 1e-14"] * 2),
    "values_may_turn_too": ("false", [change_when_values_turn()]),
    "attention_falls_with_distance": ("false", [rises(2), rises(64), rises(128)]),
    "scores_are_higher_near_the_diagonal": (
        "true only if all tokens are one word, with q = k",
        [share_higher_near(), "1"],
    ),
}


def longer_at_later_positions(self, q, positions):
    return q * (1 + positions[:, None] / 1000)


def shrunk_instead_of_turned(angles):
    return np.eye(64) * np.repeat(np.cos(angles), 2, -1)[:, None]


def position_instead_of_word(x, angles):
    return np.broadcast_to(np.concatenate([np.cos(angles), np.sin(angles)], axis=-1), x.shape)


PLANTED = {
    "the_score_depends_on_the_offset_alone": (
        (claims.Rotary, "at_query", longer_at_later_positions, "false")
    ),
    "rotating_may_come_first": (claims, "apply_rotary", not_turned, "true"),
    "only_rope_makes_scores_relative": (
        (claims, "rotation_matrix", shrunk_instead_of_turned, "true")
    ),
    "values_may_turn_too": (claims.Rotary, "_turned", not_turned_at_its_door, "true"),
    "attention_falls_with_distance": (
        (claims, "rotary_frequencies", lambda d: np.full(d // 2, 1e-4), "true")
    ),
    "scores_are_higher_near_the_diagonal": (
        (claims, "apply_rotary", position_instead_of_word, "true")
    ),
}


test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)
