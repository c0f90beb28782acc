"""What each claim comes to, and a planted error that turns each verdict."""

import itertools
import math

import numpy as np
import torch
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from posviz.claims import audit
from posviz.claims.relative import scores as claims
from posviz.course import OF_TOPIC
from posviz.encodings.doors import NoPosition
from tests.claims.planted import claim_tests

NBSP = "\N{NO-BREAK SPACE}"
WORDS = np.random.default_rng(0).normal(size=(16, 64))
W_Q, W_K, W_R = np.random.default_rng(1).normal(size=(3, 64, 64)) / 8
U, V = np.random.default_rng(2).normal(size=(2, 64))


def wave(offset):
    """Sines before cosines, as Transformer-XL has them."""
    angles = [offset / 10_000 ** (pair / 32) for pair in range(32)]
    return np.array([*map(math.sin, angles), *map(math.cos, angles)])


# The terms of a score of the query q, the key k and the key r of their offset
WRITTEN = {
    "q·k": lambda q, k, r: q @ k,
    "q·R": lambda q, k, r: q @ r,
    "U·x_i": lambda q, k, r: U @ q,
    "V·x_j": lambda q, k, r: U @ k,
}
TRUE = {"(q + u)·k": lambda q, k, r: (q + U) @ k, "(q + v)·r": lambda q, k, r: (q + V) @ r}


def weights_of(terms, w_r=W_R):
    """Weights [16, 16] of the words and of those before them."""
    weights = np.zeros((16, 16))
    for i in range(16):
        powers = [
            math.exp(
                math.fsum(
                    term(WORDS[i] @ W_Q, WORDS[j] @ W_K, wave(i - j) @ w_r)
                    for term in terms.values()
                )
                / 8
            )
            for j in range(i + 1)
        ]
        weights[i, : i + 1] = np.array(powers) / math.fsum(powers)
    return weights


def largest(first, second):
    return f"{np.abs(first - second).max():.4g}"


def change_without(name):
    rest = {other: term for other, term in WRITTEN.items() if other != name}
    return largest(weights_of(rest), weights_of(WRITTEN))


def row(offset):
    return min(max(offset, -4), 3) + 4


def difference_of_code_and_paper():
    _, k = np.random.default_rng(3).normal(size=(2, 16, 64))
    _, queries = np.random.default_rng(4).normal(size=(2, 8, 64))
    differences = [
        abs(k[j] @ (queries[row(i - j)] - queries[row(j - i)]))
        for i in range(16)
        for j in range(16)
    ]
    return f"{max(differences) / math.sqrt(3 * 64):.4g}"


def deviation_of_three_terms():
    q, k = np.random.default_rng(3).normal(size=(2, 20_000, 64))
    keys, queries = np.random.default_rng(4).normal(size=(2, 20_000, 2, 64))
    three = [q * k, q * keys[:, 1], k * queries[:, 1]]
    return np.sqrt(np.var(sum(term.sum(axis=1) for term in three)) / 64)


def hugging_face_buckets(offsets, bidirectional):
    """It counts key − query."""
    return T5Attention._relative_position_bucket(-torch.tensor(offsets), bidirectional).tolist()


def buckets_used(bidirectional):
    return f"{len(set(hugging_face_buckets(range(-300, 301), bidirectional)))}"


def start_of_the_last_bucket(bidirectional):
    buckets = hugging_face_buckets(range(301), bidirectional)
    return f"{buckets.index(buckets[-1])}"


def factor_in_transformers():
    """From the ratio of two weights of a head whose queries, keys and values are the words."""
    head = T5Attention(T5Config(d_model=64, d_kv=64, num_heads=1, attn_implementation="eager"))
    for projection in (head.q, head.k, head.v):
        torch.nn.init.eye_(projection.weight)
    words = torch.tensor(WORDS[None] / 8, dtype=torch.float32)
    with torch.no_grad():
        weights = head.eval()(words)[2][0, 0].double().numpy()
    products = WORDS @ WORDS[0] / 64
    return f"{math.log(weights[0, 2] / weights[0, 1]) / (products[2] - products[1]):.4g}"


# What each claim must come to, its numbers by a slow loop or a count.
FOUND = {
    "every_term_counts": (
        "true only if the term is q·k or the term is q·R or the term is V·x_j",
        [change_without("q·k"), change_without("q·R"), "< 1e-14", change_without("V·x_j")],
    ),
    "the_often_written_score_is_the_right_one": (
        "false",
        [largest(weights_of(WRITTEN), weights_of(TRUE))],
    ),
    "contents_and_offsets_share_a_projection": (
        "false",
        [largest(weights_of(TRUE, W_K), weights_of(TRUE))],
    ),
    "the_relative_encodings_are_learned": ("false", ["< 1e-14"]),
    "its_parameters_grow_with_the_length": (
        "false",
        [f"{(1024 * 1024 + 2 * 1024) / (length * 1024):.4g}" for length in (512, 1024, 4096)],
    ),
    "all_buckets_are_used": (
        "true only if keys come before alone (decoder)",
        [buckets_used(both) for both in (True, False)],
    ),
    "distances_are_told_apart_up_to_128": (
        "false",
        [start_of_the_last_bucket(both) for both in (True, False)],
    ),
    "t5_divides_by_the_root": ("false", [factor_in_transformers()]),
    "deberta_clips_above": ("false", ["3", "-4"]),
    "deberta_divides_by_the_root_of_3_d": (
        "true only if position meets content, too (c2p and p2c)",
        ["3", "2"],
    ),
    "three_terms_are_three_times_as_wide": ("false", [f"{deviation_of_three_terms():.4g}"]),
    "the_code_is_the_paper": (
        "true only if content meets position alone (c2p)",
        [difference_of_code_and_paper(), "< 1e-14"],
    ),
}

real_scores = claims.transformer_xl_scores
real_table = claims.sinusoidal
real_bucket = claims.deberta_bucket


def buckets_of_one_distance(offsets, bidirectional=True):
    return np.clip(np.abs(offsets), 0, 128)


def three_times_the_first_term(q, k, *given, **how):
    return 3 * q @ k.swapaxes(-1, -2)


def contents_alone(q, k, *given, **how):
    return q @ k.swapaxes(-1, -2)


PLANTED = {
    "every_term_counts": (claims, "softmax", np.exp, "true"),  # nothing is divided out
    "the_often_written_score_is_the_right_one": (
        (
            claims,
            "transformer_xl_scores",
            lambda q, k, r, u, v: real_scores(q, k, r, u, 0 * v),
            "true",
        )
    ),
    "contents_and_offsets_share_a_projection": (
        (
            claims,
            "transformer_xl_scores",
            lambda q, k, r, u, v: real_scores(q, k, 0 * r, u, v),
            "true",
        )
    ),
    "the_relative_encodings_are_learned": (
        (claims, "sinusoidal", lambda positions, d, layout: real_table(positions, d), "true")
    ),
    "its_parameters_grow_with_the_length": (
        (claims, "parameters_of", lambda encoding: encoding.w_r.size, "true only if")
    ),
    "all_buckets_are_used": (
        (claims, "t5_bucket", lambda offsets, bidirectional: abs(offsets) % 32, "true")
    ),
    "distances_are_told_apart_up_to_128": (claims, "t5_bucket", buckets_of_one_distance, "true"),
    "t5_divides_by_the_root": (claims.T5, "scale", NoPosition.scale, "true"),
    "deberta_clips_above": (
        (claims, "deberta_bucket", lambda offset, *how: -real_bucket(-offset, *how), "true")
    ),
    "deberta_divides_by_the_root_of_3_d": (
        (claims.DeBERTa, "scale", lambda self, head_dim: (3 * head_dim) ** -0.5, "true")
    ),
    "three_terms_are_three_times_as_wide": (
        (claims, "deberta_scores", three_times_the_first_term, "true")
    ),
    "the_code_is_the_paper": (claims, "deberta_scores", contents_alone, "true"),
}


test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)


def test_the_deviation_the_parameters_and_the_empty_bucket_are_told():
    rooted = f"{deviation_of_three_terms() / math.sqrt(3):.4g}"
    assert f"it is {rooted}." in claims.three_terms_are_three_times_as_wide().text
    told = claims.its_parameters_grow_with_the_length().text
    assert f"They are 1{NBSP}050{NBSP}624 for any L, in W_KR, u and v;" in told
    assert f"is 524{NBSP}288, 1{NBSP}048{NBSP}576 and 4{NBSP}194{NBSP}304." in told
    assert "empty in the encoder: 16." in claims.all_buckets_are_used().text


def test_the_order_is_that_of_the_lesson():
    rows = audit(OF_TOPIC["relative"].number).rows
    about = [about for about, _ in itertools.groupby(rows, lambda row: row[0].about)]
    assert about == ["offsets", "order", "storage", "Shaw", "Transformer-XL", "T5", "DeBERTa"]
