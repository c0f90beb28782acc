"""What each claim comes to, and a planted error that turns each verdict."""

import math

import numpy as np
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor

from posviz.claims.alibi import lines as claims
from posviz.encodings.doors import NoPosition
from posviz.encodings.learned import Learned
from tests.claims.planted import claim_tests

NBSP = "\N{NO-BREAK SPACE}"
Q, K, V = np.random.default_rng(0).normal(size=(3, 8, 16, 64))
HALVES = [2.0**-head for head in range(1, 9)]
CAUSAL, NO_MASK = (lambda i, j: j <= i), (lambda i, j: True)


def heads_off_the_formula(heads):
    released = build_alibi_tensor(torch.ones(1, 2), heads, torch.float64)[:, 0, 1].tolist()
    return sum(abs(slope - 2 ** (-8 * h / heads)) > 1e-6 for h, slope in enumerate(released, 1))


def weights_of(bias, *, sees, scale=1 / 8):
    """Weights [8, 16, 16] of all heads, one by one: bias(slope, i, j), sees(i, j)."""
    weights = np.zeros((8, 16, 16))
    for head, i in np.ndindex(8, 16):
        for j in filter(lambda j: sees(i, j), range(16)):
            score = scale * (Q[head, i] @ K[head, j])
            weights[head, i, j] = math.exp(score + bias(HALVES[head], i, j))
    return weights / weights.sum(axis=-1, keepdims=True)


def by_distance(slope, i, j):
    return -slope * abs(i - j)


def first_slope(slope, i, j):
    return by_distance(1 / 2, i, j)


def largest(first, second):
    return f"{np.abs(first - second).max():.4g}"


RIGHT = weights_of(by_distance, sees=CAUSAL)


def as_written():
    written = [
        weights_of(first_slope, sees=NO_MASK, scale=1),
        weights_of(first_slope, sees=NO_MASK),
        weights_of(by_distance, sees=NO_MASK),
    ]
    return [*(largest(weights, RIGHT) for weights in written), "< 1e-14"]


def key_position_without_a_mask():
    other = weights_of(lambda slope, i, j: slope * j, sees=NO_MASK)
    return largest(other, weights_of(by_distance, sees=NO_MASK))


def series(slope, distance):
    """The weight in an endless row of equal contents."""
    return (1 - math.exp(-slope)) * math.exp(-slope * distance)


def window(slope):
    """The distance from which the weight is below one in a thousand, by bisection."""
    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if series(slope, middle) < 1e-3 else (middle, high)
    return f"{low:.4g}"


def far_share(slope):
    total = math.fsum(math.exp(-slope * distance) for distance in range(10_000))
    far = math.fsum(math.exp(-slope * distance) for distance in range(1024, 10_000))
    return f"{100 * far / total:.4g}"


def change_by_torch():
    bias = torch.arange(2048, dtype=torch.float64) / 2
    rounded = bias.bfloat16().double()
    return f"{(rounded.softmax(0) - bias.softmax(0)).abs().max():.4g}"


def reversed_difference():
    """The text reversed under a causal mask: a token sees what stood after it."""
    back = weights_of(by_distance, sees=lambda i, j: j >= i)
    return largest(RIGHT @ V, back @ V)


# What each claim must come to, its numbers by a slow loop, a library or an audited number.
FOUND = {
    "slopes_are_one_formula": (
        "true only if n is 8 or n is 16",
        [str(heads_off_the_formula(heads)) for heads in (8, 16, 12, 20)],
    ),
    "alibi_is_one_line": ("true only if the mask is causal, too", as_written()),
    "it_has_almost_no_parameters": ("true", ["0"]),
    "weights_fall_in_a_straight_line": (
        "false",
        [f"{math.exp(-1 / 2):.4g}", f"{math.exp(-1 / 256):.4g}"],
    ),
    "far_tokens_are_not_excluded": (
        "true only if the head is the flattest of 8",
        ["< 1e-14", f"{math.exp(-100 / 256):.4g}"],
    ),
    "the_factor_is_the_window": ("false", [window(1 / 2), window(1 / 256)]),
    "any_length_has_a_bias": ("true", ["0", "0"]),
    "weight_spreads_over_a_long_text": ("false", ["< 1e-14", far_share(1 / 256)]),
    "the_position_of_the_key_is_enough": (
        "true only if the mask is causal",
        ["< 1e-14", key_position_without_a_mask()],
    ),
    "memory_grows_with_the_square": (
        "false",
        [f"{(2 * length - 1) / length**2:.4g}" for length in (256, 1024)],
    ),
    "bfloat16_is_enough": (
        "true only if the bias is −slope · (i − j)",
        ["< 1e-14", change_by_torch()],
    ),
    "before_and_after_are_told_apart": (
        "true only if the mask is causal",
        [reversed_difference(), "< 1e-14"],
    ),
}

real_bias = claims.alibi_bias


def everything(q_positions, k_positions):
    return np.ones((len(q_positions), len(k_positions)), dtype=bool)


def one_pace(num_heads):
    return np.full(num_heads, 2.0**-8)


def bias_of_a_table(slopes, offsets):
    return np.where(np.abs(offsets) < 2048, real_bias(slopes, offsets), np.nan)


PLANTED = {
    "slopes_are_one_formula": (
        (claims, "alibi_slopes", lambda n: 2 ** (-8 * np.arange(1, n + 1) / n), "true")
    ),
    "alibi_is_one_line": (claims, "Alibi", NoPosition, "false"),
    "it_has_almost_no_parameters": (
        (claims, "Alibi", lambda: Learned(np.zeros((512, 8))), "false")
    ),
    "weights_fall_in_a_straight_line": (claims, "softmax", lambda scores: 1e4 + scores, "true"),
    "far_tokens_are_not_excluded": (claims, "alibi_slopes", one_pace, "true"),
    "the_factor_is_the_window": (claims, "softmax", np.exp, "true"),  # nothing is divided out
    "any_length_has_a_bias": (claims, "alibi_bias", bias_of_a_table, "true only if"),
    "weight_spreads_over_a_long_text": (
        claims,
        "alibi_slopes",
        lambda n: np.full(n, 1e-5),
        "true",
    ),
    "the_position_of_the_key_is_enough": (claims, "causal_mask", everything, "false"),
    "memory_grows_with_the_square": (
        (claims, "alibi_bias", lambda *given: real_bias(*given).copy(), "true")
    ),
    "bfloat16_is_enough": (claims, "to_dtype", lambda x, name: x, "true"),
    "before_and_after_are_told_apart": (claims, "causal_mask", everything, "false"),
}

test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)


def test_the_numbers_of_the_lesson_are_told():
    """From the audit of what was claimed: 13.8 … 1768.4 tokens, 11.95 … 348.3, 1.9e-22."""
    assert claims.the_factor_is_the_window().numbers.split(" if ")[0] == "11.95"
    assert "; 348.3 if" in claims.the_factor_is_the_window().numbers
    assert f"from 13.82 and 1{NBSP}768.39 on" in claims.the_factor_is_the_window().text
    assert "it is 1.9e-22:" in claims.far_tokens_are_not_excluded().text
    assert "is 257, and becomes 256." in claims.bfloat16_is_enough().text
    assert "would give them 89.76," in claims.weight_spreads_over_a_long_text().text
