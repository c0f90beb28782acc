"""Temperatures by position beside transformers' own, and log-n by the keys that a query sees."""

import math
from functools import partial

import numpy as np
import pytest
import torch
from transformers import Llama4TextConfig, Ministral3Config
from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale

from posviz.attention import KeyValueCache, attend, attention
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import NoPosition
from posviz.encodings.temperatures import (
    Llama4Temperature,
    LogN,
    Ministral3Temperature,
    llama4_factor,
    log_n_factor,
    ministral3_factor,
)
from posviz.attention.masks import blockwise_causal_mask, causal_mask, padding_mask
from tests.every_encoding import random

KINDS = pytest.mark.parametrize("kind", [np.array, torch.tensor])
FAR = [0, 1, 8190, 8191, 8192, 16_382, 16_383, 16_384, 131_071, 10**7]


@KINDS
def test_llama_4_counts_from_one_and_ministral_3_from_zero(kind):
    ours, theirs = llama4_factor(kind(FAR)), ministral3_factor(kind(FAR))
    for place, four, three in zip(FAR, ours, theirs, strict=True):
        assert four == pytest.approx(1 + 0.1 * math.log(1 + (place + 1) // 8192))
        assert three == pytest.approx(1 + 0.1 * math.log(1 + place // 16_384))
    told = llama4_factor([8190, 8191, 131_071])
    np.testing.assert_allclose(told, [1, 1.0693, 1.2833], atol=5e-5)


@pytest.mark.parametrize(("beta", "length"), [(0.1, 16_384), (0.7, 3)])
def test_ministral_3_is_the_function_of_transformers(beta, length):
    places = torch.tensor([FAR], dtype=torch.float64)
    theirs = get_llama_4_attn_scale(places, beta, length)[0, 0, :, 0]
    found = ministral3_factor(places[0], beta=beta, original_max_seq_len=length)
    torch.testing.assert_close(found, theirs)


def test_the_defaults_are_those_of_the_models():
    theirs, ours = Llama4TextConfig(), Llama4Temperature()
    assert (ours.attn_scale, ours.floor_scale) == (theirs.attn_scale, theirs.floor_scale)
    theirs, ours = Ministral3Config().rope_parameters, Ministral3Temperature()
    assert ours.beta == theirs["llama_4_scaling_beta"]
    assert ours.original_max_seq_len == theirs["original_max_position_embeddings"]


def test_a_temperature_is_one_over_the_factor():
    np.testing.assert_array_equal(
        1 / Llama4Temperature(0.3, 4)(FAR),
        1 / (1 / llama4_factor(FAR, attn_scale=0.3, floor_scale=4)),
    )
    found = Ministral3Temperature(0.3, 4)(FAR)
    np.testing.assert_array_equal(
        found, 1 / ministral3_factor(FAR, beta=0.3, original_max_seq_len=4)
    )


def seen_slowly(q, k, may, scale):
    """softmax((scale · ln n) · z) row by row, n the keys that the row sees."""
    weights = np.zeros(may.shape)
    for b, h, i in np.ndindex(may.shape[:3]):
        keys = np.flatnonzero(may[b, h, i])
        z = k[b, h, keys] @ q[b, h, i] / math.sqrt(q.shape[-1])
        if len(keys):
            powers = np.exp(scale[h] * math.log(len(keys)) * z)
            weights[b, h, i, keys] = powers / powers.sum()
    return weights


PLACES = np.arange(7)
MASKS = {
    "causal": (causal_mask, None),
    "window": (causal_mask, 3),
    "window alone": (None, 2),
    "blocks": (partial(blockwise_causal_mask, block=2), None),
    "padding": (causal_mask(PLACES, PLACES) & padding_mask([4, 7], 7), None),
    "one column for all": (np.tri(7, 1, 0, dtype=bool), None),
    "by head": (np.random.default_rng(0).random((1, 2, 7, 7)) < 0.4, None),
    "everything": (None, None),
}


@KINDS
@pytest.mark.parametrize("implementation", [None, "eager"])
@pytest.mark.parametrize("name", MASKS)
def test_log_n_counts_the_keys_that_a_row_sees(name, kind, implementation):
    mask, window = MASKS[name]
    q, k = (random(2, 2, 7, 4, seed=seed) for seed in range(2))
    whole = (
        mask(PLACES, PLACES) if callable(mask) else np.ones((7, 7), bool) if mask is None else mask
    )
    near = abs(PLACES[:, None] - PLACES) < (window or 99)
    may = np.broadcast_to(whole & near, (2, 2, 7, 7))
    scale = np.array([0.6, 1.7])
    v = np.broadcast_to(np.eye(7), (2, 2, 7, 7)).copy()  # the output is the weights
    found = attention(
        *map(kind, (q, k, v)),
        encoding=NoPosition(),
        q_positions=PLACES,
        k_positions=PLACES,
        mask=mask if mask is None or callable(mask) else kind(mask),
        window=window,
        temperature=LogN(kind(scale)),
        implementation=None if kind is np.array else implementation,
    )
    np.testing.assert_allclose(found, seen_slowly(q, k, may, scale), atol=1e-12)


@KINDS
def test_log_n_with_a_cache_counts_what_the_cache_holds(kind):
    x, w = kind(random(2, 6, 8)), [kind(random(8, 8, seed=seed)) for seed in (1, 2, 3)]
    options = {"num_heads": 2, "encoding": Alibi(), "temperature": LogN(0.8), "mask": causal_mask}
    whole = attend(x, *w, positions=range(6), **options)
    cache = KeyValueCache()
    for start, stop in ((0, 2), (2, 3), (3, 6)):
        step = attend(x[:, start:stop], *w, positions=range(start, stop), cache=cache, **options)
        np.testing.assert_allclose(step, whole[:, start:stop], atol=1e-13)


def test_the_scale_of_log_n_is_learned():
    q, scale = torch.tensor(random(1, 2, 4, 4)), torch.tensor([0.5, 1.5], dtype=torch.float64)
    places = {"q_positions": range(4), "k_positions": range(4), "mask": causal_mask}

    def run(scale):
        return attention(q, q, q, encoding=NoPosition(), temperature=LogN(scale), **places)

    assert torch.autograd.gradcheck(run, scale.requires_grad_())
    assert torch.autograd.gradcheck(run, torch.tensor(0.5, dtype=torch.float64, requires_grad=True))


def test_one_key_and_none_have_a_factor_of_zero():
    assert log_n_factor([0, 1, 8], 2.0).tolist() == [0, 0, 2 * math.log(8)]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: llama4_factor([0], floor_scale=0), ValueError, "floor_scale must be above 0"),
        (lambda: llama4_factor([-8193]), ValueError, "positions must be at least -1, got -8193"),
        (lambda: llama4_factor(["a"]), TypeError, "positions must be real numbers"),
        (lambda: ministral3_factor([np.nan]), ValueError, "positions must be finite"),
        (
            lambda: ministral3_factor([0], original_max_seq_len=-1),
            ValueError,
            "original_max_seq_len must be above 0, got -1",
        ),
        (lambda: ministral3_factor([0], beta="b"), TypeError, "strength of the temperature"),
        (
            lambda: Llama4Temperature(floor_scale="a"),
            TypeError,
            "floor_scale must be a real number",
        ),
        (lambda: LogN("a"), TypeError, "scale must be real numbers"),
        (lambda: LogN(1j), TypeError, "scale must be real numbers"),
        (lambda: LogN(np.nan), ValueError, "scale must be finite"),
        (lambda: log_n_factor([3], "a"), TypeError, "scale must be real numbers"),
        (lambda: LogN(np.ones((2, 2))), ValueError, r"scale must be one number or \[heads\]"),
        (
            lambda: LogN(np.ones(3)).factor(np.ones((1, 1, 1)), np.ones((1, 2, 1, 4))),
            ValueError,
            "scale must have the 2 heads of q, got 3",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
