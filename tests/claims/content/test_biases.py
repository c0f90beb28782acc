"""What each claim about content comes to, and a planted error that turns each verdict."""

import math

import numpy as np

from posviz.claims.content import biases as claims
from posviz.claims.measures import normal
from tests.claims.planted import claim_tests


def farthest(made):
    """The largest distance of a bias to the line −d/2 over 32 tokens."""
    return f"{max(abs(made(d) + d / 2) for d in range(32)):.4g}"


def psi(x):
    return math.log(0.1 * x + 1)


def of_fire():
    return f"{psi(50) / psi(600) - psi(50) / psi(2000):.4g}"


def mirrored(seed, betas):
    """The score of a query and a key after one reflection for each β, all along one w."""
    q, k, w = normal(seed, 3, 8)
    w = w / math.sqrt(w @ w)
    for beta in betas:
        q = q - beta * w * (w @ q)
    return float(k @ q)


def second_half():
    return f"{abs(mirrored(1, [0.5]) - mirrored(1, [0.5, 0.5])):.4g}"


def of_two_ones():
    return f"{abs(mirrored(2, [1.0, 1.0]) - mirrored(2, [])):.4g}"


def most_uncounted(gate):
    """By how much a count of gates falls short of i − j + 1, at most: over the whole row."""
    return f"{sum(1 - gate(token) for token in range(32)):.4g}"


def spread():
    """Of the angle from a key to a query, in whole degrees."""
    best = []
    for q, k in normal(6, 64, 2, 2):
        angle = math.degrees(math.atan2(q[1], q[0]) - math.atan2(k[1], k[0]))
        best.append(round(angle) % 360)
    return str(max(best) - min(best))


def mean_step():
    """The first and the last position tell it."""
    ends = [claims.randomised_positions(64, 2048, rng=seed)[[0, -1]] for seed in range(32)]
    return f"{sum(int(last - first) for first, last in ends) / (32 * 63):.4g}"


FOUND = {
    "fox_is_alibi": ("true only if all gates are alike", ["< 1e-14", f"{4 - 1 / 4:.4g}"]),
    "a_closed_gate_hides_its_token": (
        "true only if it stands before",
        ["< 1e-14", f"{4 - 0.01:.4g}", "< 1e-14"],
    ),
    "kerple_is_a_learned_alibi": (
        "true only if it is the power, with r₂ = 1",
        [
            "< 1e-14",
            farthest(lambda d: -math.sqrt(d) / 2),
            farthest(lambda d: -math.log(1 + d) / 2),
        ],
    ),
    "fire_sees_the_offset_alone": (
        "true only if both queries stand before the threshold, at 100 and 400",
        ["< 1e-14", of_fire()],
    ),
    "more_tokens_take_more": ("true only if β is 1/2", [second_half(), "< 1e-14", "< 1e-14"]),
    "two_mirrors_undo": ("true only if β is 1", [of_two_ones(), "< 1e-14"]),
    "cope_counts_tokens": (
        "true only if all gates are open",
        ["< 1e-14", most_uncounted(lambda t: t % 3 == 0), most_uncounted(lambda t: 0.5)],
    ),
    "cope_tells_all_far_keys_apart": (
        "false",
        [str(32 - 30), str(32 - 15)],
    ),
    "alibi_is_a_matrix": ("true", ["< 1e-14", "< 1e-14"]),
    "all_are_one_matrix": (
        "true only if it is ALiBi or it is a pair of RoPE or it is one of xPos",
        ["2", "2", "2", "48", "8"],
    ),
    "content_has_no_say_in_where": ("true only if it is PoPE", [spread(), "0"]),
    "neighbours_stay_neighbours": ("true only if they are drawn from 64", ["1", mean_step()]),
}

real_fire, real_path = claims.fire_distances, claims.path_scores


def all_alike(gates):
    return claims.alibi_bias(np.array([1 / 4]), claims.BEHIND)[0]


def rooted(r1, r2, offsets):
    """The power, whose second number is not read."""
    return -r1[:, None, None] * np.sqrt(np.abs(offsets))


def never_past(q, k, threshold):
    return real_fire(q, k, threshold=4096.0)


def half_mirrors(q, k, w, beta):
    return real_path(q, k, w, np.full_like(beta, 0.5))


def whole_mirrors(q, k, w, beta):
    return real_path(q, k, w, np.full_like(beta, 2.0))


def every_token(gates):
    return np.tril(claims.BEHIND + 1.0)


def on_and_on(q, table, positions):
    """A table without an end."""
    return positions


def bent(slopes, offsets):
    return -slopes[:, None, None] * np.sqrt(np.abs(offsets))


def only_lines():
    return {"it is ALiBi": lambda d: 0.0 - d, "it is a pair of RoPE": lambda d: np.cos(0.3 * d)}


def pointed(x, angles):
    """The angle of a key turns with its content, as RoPE's does."""
    return claims.apply_rotary(np.concatenate([x, 0.3 * x**2], axis=-1), angles)


def from_0(length, max_position, rng):
    return np.arange(length)


PLANTED = {
    "fox_is_alibi": (claims, "fox_bias", all_alike, "true"),
    "a_closed_gate_hides_its_token": (claims, "fox_bias", all_alike, "false"),
    "kerple_is_a_learned_alibi": (claims, "kerple_power_bias", rooted, "false"),
    "fire_sees_the_offset_alone": (claims, "fire_distances", never_past, "true"),
    "more_tokens_take_more": (claims, "path_scores", half_mirrors, "true"),
    "two_mirrors_undo": (claims, "path_scores", whole_mirrors, "false"),
    "cope_counts_tokens": (claims, "cope_positions", every_token, "true"),
    "cope_tells_all_far_keys_apart": (claims, "cope_bias", on_and_on, "true"),
    "alibi_is_a_matrix": (claims, "alibi_bias", bent, "false"),
    "all_are_one_matrix": (claims, "_kernels", only_lines, "true"),
    "content_has_no_say_in_where": (claims, "apply_pope", pointed, "false"),
    "neighbours_stay_neighbours": (claims, "randomised_positions", from_0, "true"),
}

test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)
