"""What each claim comes to, and a planted error that turns each verdict."""

import cmath
import math

import numpy as np

from posviz.claims.order import attention as claims
from posviz.encodings.doors import Encoding, NoPosition
from tests.claims.planted import claim_tests

W_Q, W_K, W_V = np.random.default_rng(1).normal(size=(3, 16, 16)) / 4
X = np.random.default_rng(0).normal(size=(6, 16))
X[4] = X[0]  # the same word
SHUFFLE = [3, 0, 5, 1, 4, 2]
SLOWER = [10_000 ** (-pair / 8) for pair in range(8)]


def weights_of(queries, keys, causal=False):
    """The weights query by query; each key that may be seen has a power of e."""
    rows = []
    for i, query in enumerate(queries):
        seen = i + 1 if causal else len(keys)
        powers = [math.exp(query @ key / math.sqrt(len(key))) for key in keys[:seen]]
        rows.append([power / sum(powers) for power in powers] + [0.0] * (len(keys) - seen))
    return np.array(rows)


def outputs_of(x, causal=False):
    return weights_of(x @ W_Q, x @ W_K, causal) @ (x @ W_V)


def with_waves(x):
    waves = [[wave(p * f) for f in SLOWER for wave in (math.sin, math.cos)] for p in range(len(x))]
    return x + waves


def turned(x):
    turns = [[cmath.exp(1j * p * f) for f in SLOWER] for p in range(len(x))]
    z = (x[:, ::2] + 1j * x[:, 1::2]) * turns
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def largest(first, second):
    return f"{np.abs(first - second).max():.4g}"


def change_of_weights(weights):
    """How much a weight between two words changes when they are shuffled: weights(words)."""
    return largest(weights(X[SHUFFLE]), weights(X)[SHUFFLE][:, SHUFFLE])


def change_with_other_values():
    q, k, v, other = np.random.default_rng(2).normal(size=(4, 6, 16))
    return largest(weights_of(q, k) @ other, weights_of(q, k) @ v)


def change_without_the_scale():
    q, k, _ = np.random.default_rng(4).normal(size=(3, 6, 64))
    return largest(weights_of(8 * q, k), weights_of(q, k))


def variances_of_scores():
    q, k = np.random.default_rng(3).normal(size=(2, 20_000, 64))
    return [f"{(q * other).sum(axis=1).var() / 64:.4g}" for other in (k, q)]


def sum_added_before_and_after():
    p = with_waves(np.zeros((6, 16)))
    before, after = ((X + p) @ W_Q, (X + p) @ W_K), (X @ W_Q + p, X @ W_K + p)
    return largest(before[0] @ before[1].T, after[0] @ after[1].T)


CAUSAL, CAUSAL_SHUFFLED = outputs_of(X, causal=True), outputs_of(X[SHUFFLE], causal=True)

# What each claim must come to, its numbers by a slow loop.
FOUND = {
    "attention_is_invariant": ("false", [largest(outputs_of(X[SHUFFLE]), outputs_of(X))]),
    "attention_is_equivariant": (
        "true only if there is no mask",
        ["< 1e-14", largest(CAUSAL_SHUFFLED, CAUSAL[SHUFFLE])],
    ),
    "the_mean_is_invariant": (
        "true only if there is no mask",
        ["< 1e-14", largest(CAUSAL_SHUFFLED.mean(axis=0), CAUSAL.mean(axis=0))],
    ),
    "equal_words_get_equal_outputs": (
        "true only if there is no mask",
        ["< 1e-14", largest(CAUSAL[4], CAUSAL[0])],
    ),
    "a_weight_is_the_same_in_every_order": (
        "true only if there is neither mask nor encoding",
        [
            "< 1e-14",
            change_of_weights(lambda x: weights_of(x @ W_Q, x @ W_K, causal=True)),
            change_of_weights(lambda x: weights_of(with_waves(x) @ W_Q, with_waves(x) @ W_K)),
            change_of_weights(lambda x: weights_of(turned(x @ W_Q), turned(x @ W_K))),
        ],
    ),
    "the_first_word_sees_itself_alone": ("true", ["1"]),
    "scores_are_what_is_summed": ("false", [change_with_other_values()]),
    "received_weights_sum_to_1": (
        "false",
        [largest(weights_of(X @ W_Q, X @ W_K).sum(axis=0), 1)],
    ),
    "the_scale_keeps_the_variance_at_1": (
        "true only if queries and keys are independent",
        variances_of_scores(),
    ),
    "the_scale_changes_nothing": ("false", [change_without_the_scale()]),
    "an_added_encoding_leaves_the_scores_alone": ("false", ["3"]),  # of four terms, all but x·x
    "the_encoding_is_added_to_queries_and_keys": (
        "true only if the projections W_Q and W_K are the identity",
        ["< 1e-14", sum_added_before_and_after()],
    ),
}

real_attend, real_attention = claims.attend, claims.attention


def attend_blind_to_masks_and_encodings(*given, **how):
    return real_attend(*given, **how | {"mask": None, "encoding": NoPosition()})


def attend_pooled(*given, **how):
    outputs, weights = real_attend(*given, **how)
    return outputs.mean(axis=1, keepdims=True) + 0 * outputs, weights


def attend_over_the_wrong_axis(*given, **how):
    outputs, weights = real_attend(*given, **how)
    return outputs, weights / weights.sum(axis=-2, keepdims=True)


def attention_of_scores(q, k, v, **how):
    weights = real_attention(q, k, v, **how)[1]
    return weights @ q, weights


def attention_of_directions(q, k, v, **how):
    return real_attention(q / np.linalg.norm(q, axis=-1, keepdims=True), k, v, **how)


def no_mask(q_positions, k_positions):
    return np.ones((len(q_positions), len(k_positions)), dtype=bool)


def no_encoding(positions, d_model):
    return np.zeros((len(positions), d_model))


PLANTED = {
    "attention_is_invariant": (claims, "attend", attend_pooled, "true"),
    "attention_is_equivariant": (claims, "attend", attend_blind_to_masks_and_encodings, "true"),
    "the_mean_is_invariant": (claims, "causal_mask", no_mask, "true"),
    "equal_words_get_equal_outputs": (claims, "causal_mask", no_mask, "true"),
    "a_weight_is_the_same_in_every_order": (
        (claims, "attend", attend_blind_to_masks_and_encodings, "true")
    ),
    "the_first_word_sees_itself_alone": (claims, "causal_mask", no_mask, "false"),
    "scores_are_what_is_summed": (claims, "attention", attention_of_scores, "true"),
    "received_weights_sum_to_1": (claims, "attend", attend_over_the_wrong_axis, "true"),
    "the_scale_keeps_the_variance_at_1": (Encoding, "scale", lambda self, head_dim: 1.0, "false"),
    "the_scale_changes_nothing": (claims, "attention", attention_of_directions, "true"),
    "an_added_encoding_leaves_the_scores_alone": (claims, "sinusoidal", no_encoding, "true"),
    "the_encoding_is_added_to_queries_and_keys": (claims, "sinusoidal", no_encoding, "true"),
}


test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)
