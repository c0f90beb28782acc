"""What each claim about layers comes to, and a planted error that turns each verdict."""

import math

import numpy as np
import pytest

from posviz.claims.content import layers as claims
from posviz.encodings.doors import NoPosition
from tests.claims.planted import claim_tests


def heard(layers, window):
    """Walk back from the last of 64 tokens, one step at a time."""
    reached = {63}
    for _ in range(layers):
        reached |= {j for i in reached for j in range(max(0, i - window + 1), i + 1)}
    return str(len(reached))


def through(steps):
    """Ways of 4 numbers in 0 … 63 to make so many steps, by inclusion and exclusion."""
    ways = sum(
        (-1) ** j * math.comb(4, j) * math.comb(steps - 64 * j + 3, 3)
        for j in range(5)
        if steps >= 64 * j
    )
    return f"{253 * ways / 64**4:.4g}"


def kept(length):
    return f"{(3 * min(4096, length) + length) / (4 * length):.4g}"


def tau(steps):
    return 1 + 0.1 * math.log(1 + steps)


def best(keys, times):
    """The weight of a key that is so much above all others."""
    return math.exp(times) / (math.exp(times) + keys - 1)


def constant(keys):
    return f"{best(keys, 1.2 * math.log(1024)) / best(keys, 1.2 * math.log(keys)):.4g}"


def with_factor(margin):
    return f"{best(131_072, margin * tau(16)) / best(8192, margin):.4g}"


FOUND = {
    "nope_has_no_position": ("true only if there is no mask", ["63", "< 1e-14"]),
    "a_window_is_the_reach": (
        "true only if there is 1 layer",
        [heard(layers, 8) for layers in (1, 2, 4)],
    ),
    "a_chunk_is_a_window": (
        "true only if the query is the last of its chunk",
        [str(16 - seen) for seen in (16, 9, 1)],
    ),
    "chunks_stay_apart": ("true", ["16", "16", "16"]),
    "reach_is_as_good_as_sight": (
        "true only if the token is half as far as they reach",
        [through(steps) for steps in (126, 227, 252)],
    ),
    "a_quarter_of_the_cache": (
        "true only if the text has a million tokens",
        [kept(length) for length in (4096, 32_768, 10**6)],
    ),
    "a_one_is_a_layer_without": ("false", ["0", "0"]),
    "both_temperatures_are_one": (
        "true only if the query is at 8190",
        ["< 1e-14", f"{tau(1) - tau(0):.4g}", f"{tau(16) - tau(15):.4g}"],
    ),
    "a_constant_is_as_good_as_log_n": (
        "true only if the row has 64 keys or the row has 1024 keys",
        [constant(keys) for keys in (64, 1024, 65_536)],
    ),
    "log_n_may_be_subtracted": ("false", ["< 1e-14", "< 1e-14"]),
    "llama4_makes_up_for_the_length": (
        "true only if its score is 16 above the others",
        [with_factor(margin) for margin in (4, 8, 16)],
    ),
}

real_plan, real_near = claims.layer_plan, claims._near


def always_far(window, tokens):
    return real_near(1, tokens)


def overlapping(q_positions, k_positions, chunk):
    return real_near(chunk, np.asarray(q_positions))


def read_the_other_way(config):
    layers = real_plan(config)
    for layer, flag in zip(layers, config["no_rope_layers"], strict=True):
        layer["encoding"] = NoPosition() if flag else "RoPE"
    return layers


def with_windows_everywhere(config):
    return [layer | {"window": 512} for layer in real_plan(config)]  # of a text of 4096 an eighth


def from_p(position, **options):
    return claims.ministral3_factor(position, beta=0.1, original_max_seq_len=8192)


def in_place_of_it(scores):
    """A softmax that sees what all scores have alike."""
    parts = np.exp(scores)
    return parts / (1 + parts.sum(axis=-1, keepdims=True))


PLANTED = {
    "nope_has_no_position": (claims, "causal_mask", lambda q, k: np.ones((64, 64), bool), "true"),
    "a_window_is_the_reach": (claims, "_near", always_far, "false"),
    "a_chunk_is_a_window": (claims, "chunked_causal_mask", overlapping, "true"),
    "chunks_stay_apart": (claims, "chunked_causal_mask", overlapping, "true only if"),
    "reach_is_as_good_as_sight": (claims.np, "convolve", lambda a, b: np.ones(253), "true"),
    "a_quarter_of_the_cache": (claims, "layer_plan", with_windows_everywhere, "true"),
    "a_one_is_a_layer_without": (claims, "layer_plan", read_the_other_way, "true"),
    "both_temperatures_are_one": (claims, "llama4_factor", from_p, "true"),
    "a_constant_is_as_good_as_log_n": (claims, "log_n_factor", lambda seen: 5.0, "true"),
    "log_n_may_be_subtracted": (claims, "softmax", in_place_of_it, "true"),
    "llama4_makes_up_for_the_length": (claims, "llama4_factor", lambda position: 2.0, "true"),
}

test_what_each_claim_comes_to, test_a_planted_error_turns_the_verdict = claim_tests(
    claims, FOUND, PLANTED
)


def test_the_temperatures_that_are_told():
    assert f"{tau(1):.4f}, {tau(16):.4f}" == "1.0693, 1.2833"


@pytest.mark.parametrize("layers", [1, 3])
def test_the_reach_is_the_formula_that_is_told(layers):
    assert heard(layers, 8) == str(layers * 7 + 1)
