"""What each claim comes to, and a planted error that turns each verdict."""

import math

import numpy as np
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from posviz.claims.relative import offsets as claims
from posviz.encodings.doors import NoPosition
from posviz.encodings.rotary import Rotary
from tests.claims.planted import claim_tests

NBSP = "\N{NO-BREAK SPACE}"
FIRST, SECOND = np.random.default_rng(1).normal(size=(2, 9, 64)) / 8
PROJECTIONS = np.random.default_rng(4).normal(size=(3, 64, 64)) / 8
WORDS = np.random.default_rng(0).normal(size=(6, 64))
HALVES = [3, 4, 5, 0, 1, 2]
TO_OFFSET_KEYS = np.random.default_rng(2).normal(size=(64, 64)) / 8
BIASES = np.random.default_rng(3).normal(size=(32, 1))


def wave(offset):
    """Sines before cosines, as Transformer-XL has them."""
    angles = [offset / 10_000 ** (pair / 32) for pair in range(32)]
    return np.array([*map(math.sin, angles), *map(math.cos, angles)])


def shaw(q, k, offset):
    return q @ (k + FIRST[min(max(-offset, -4), 4) + 4]) / 8


def transformer_xl(q, k, offset):
    return ((q + FIRST[0]) @ k + (q + SECOND[0]) @ (wave(offset) @ TO_OFFSET_KEYS)) / 8


def t5(q, k, offset):
    return q @ k + BIASES[hugging_face_bucket(offset), 0]


def deberta(q, k, offset):
    row = min(max(offset, -4), 3) + 4
    return (q @ k + q @ FIRST[row] + k @ SECOND[row]) / math.sqrt(3 * 64)


def hugging_face_bucket(offset):
    """It counts key − query."""
    return int(T5Attention._relative_position_bucket(torch.tensor(-offset)))


def buckets_up_to(distance):
    return {hugging_face_bucket(offset) for offset in range(-distance, distance + 1)}


def weights_of(q, k, score):
    powers = np.exp([[score(q[i], k[j], i - j) for j in range(len(k))] for i in range(len(q))])
    return powers / powers.sum(axis=1, keepdims=True)


def outputs_of(x, score, values=None):
    q, k, v = (x @ w for w in PROJECTIONS)
    weights = weights_of(q, k, score)
    outputs = weights @ v
    if values is not None:
        outputs += part_of_the_values(weights, values)
    return outputs


def part_of_the_values(weights, values):
    clipped = [[values[min(max(j - i, -4), 4) + 4] for j in range(6)] for i in range(6)]
    return np.einsum("ij,ijd->id", weights, clipped)


def change_when_the_halves_swap(score, values=None):
    after, before = (outputs_of(x, score, values) for x in (WORDS[HALVES], WORDS))
    return f"{np.abs(after - before[HALVES]).max():.4g}"


def change_with_a_table():
    rows = np.random.default_rng(5).normal(size=(16, 64))
    here, there = (outputs_of(WORDS + rows[start : start + 6], t5) for start in (0, 7))
    return f"{np.abs(there - here).max():.4g}"


def row(position):
    """Sines and cosines in turn, as they are added to a word."""
    return wave(position).reshape(2, 32).T.ravel()


def change_through_a_matrix():
    w = np.random.default_rng(0).normal(size=(64, 64)) / 8
    near, far = (
        math.fsum(a * w[i, j] * b for i, a in enumerate(row(m)) for j, b in enumerate(row(m - 5)))
        for m in (7, 107)
    )
    return f"{abs(far - near) / 8:.4g}"


def change_of_a_word_with_a_position():
    word = np.random.default_rng(0).normal(size=64)
    near, far = (math.fsum(word * row(position)) for position in (2, 102))
    return f"{abs(far - near) / 8:.4g}"


def share_of_far_tokens(clip):
    q, k = np.random.default_rng(0).normal(size=(2, 32, 64))
    table = np.random.default_rng(1).normal(size=(2 * clip + 1, 64)) / 8
    weights = weights_of(
        q, k, lambda q, k, offset: q @ (k + table[min(max(-offset, -clip), clip) + clip]) / 8
    )
    far = [weights[i, j] for i in range(32) for j in range(32) if abs(i - j) > clip]
    return f"{math.fsum(far) / 32:.4g}"


def part_of_shaws_values():
    q, k, _ = np.random.default_rng(0).normal(size=(3, 6, 64))
    keys, values = np.random.default_rng(1).normal(size=(2, 9, 64)) / 8
    weights = weights_of(
        q, k, lambda q, k, offset: q @ (k + keys[min(max(-offset, -4), 4) + 4]) / 8
    )
    return f"{np.abs(part_of_the_values(weights, values)).max():.4g}"


# What each claim must come to, its numbers by a slow loop, a library or a count.
FOUND = {
    "from_sat_to_on_it_is_one_step": ("false", [f"{1 - 7}"]),
    "all_methods_count_alike": (
        "true only if the rows are DeBERTa's",
        [f"{3 - 5}", f"{hugging_face_bucket(1) - hugging_face_bucket(-1)}", f"{5 - 3}"],
    ),
    "a_reordered_sentence_is_the_same": (
        "false",
        [
            change_when_the_halves_swap(shaw, SECOND),
            change_when_the_halves_swap(transformer_xl),
            change_when_the_halves_swap(t5),
            change_when_the_halves_swap(deberta),
        ],
    ),
    "the_output_does_not_see_a_shift": ("true", ["< 1e-14"] * 4),
    "a_table_may_be_added_too": ("false", [change_with_a_table()]),
    "terms_with_positions_are_relative": (
        "true only if a position meets a position, W the identity",
        ["< 1e-14", change_through_a_matrix(), change_of_a_word_with_a_position()],
    ),
    "storage_grows_with_the_square": (
        "false",
        [f"1{NBSP}023", f"{2 * 16 + 1}", f"{len(buckets_up_to(511))}", "0"],
    ),
    "far_tokens_are_ignored": ("false", [share_of_far_tokens(4), share_of_far_tokens(16)]),
    "shaw_acts_on_the_scores_alone": (
        "true only if there is no table for the values",
        ["< 1e-14", part_of_shaws_values()],
    ),
}

real_bucket = claims.deberta_bucket


def a_step_between_any_words(q_positions, k_positions):
    return np.ones((1, 1), dtype=int)


def louder_at_later_keys(self, scores, q, k, q_positions, k_positions):
    return scores * (1 + np.asarray(k_positions))


def a_row_for_each_pair(offsets, max_distance):
    return np.arange(offsets.size)


def hidden_when_far(self, scores, q, k, q_positions, k_positions):
    clip = len(self.key_table) // 2
    far = np.abs(np.subtract.outer(q_positions, k_positions)) > clip
    return np.where(far, -np.inf, scores)


PLANTED = {
    "from_sat_to_on_it_is_one_step": (claims, "offsets", a_step_between_any_words, "true"),
    "all_methods_count_alike": (
        (claims, "deberta_bucket", lambda offset, *how: real_bucket(-offset, *how), "false")
    ),
    "a_reordered_sentence_is_the_same": (
        (claims, "_methods", lambda: {"there is none": NoPosition()}, "true")
    ),
    "the_output_does_not_see_a_shift": (
        claims.T5,
        "at_scores",
        louder_at_later_keys,
        "true only if",
    ),
    "a_table_may_be_added_too": (
        (claims.Learned, "at_input", lambda self, x, positions: x, "true")
    ),
    "terms_with_positions_are_relative": (
        (claims, "sinusoidal", lambda positions, d: np.outer(positions, np.ones(d)), "false")
    ),
    "storage_grows_with_the_square": (claims, "shaw_index", a_row_for_each_pair, "true only if"),
    "far_tokens_are_ignored": (claims.Shaw, "at_scores", hidden_when_far, "true"),
    "shaw_acts_on_the_scores_alone": (
        (claims.Shaw, "at_values", lambda self, output, *given: output, "true")
    ),
}


test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)


def test_alibi_has_no_table_whatever_else_it_holds(monkeypatch):
    monkeypatch.setattr(claims, "Alibi", lambda: Rotary(rotary_dim=32))
    numbers = claims.storage_grows_with_the_square().numbers
    assert numbers.endswith("; 0 if the bias is computed (ALiBi)")


def test_the_offset_in_the_first_sentence_is_told():
    assert "in the first sentence it is 1." in claims.from_sat_to_on_it_is_one_step().text
