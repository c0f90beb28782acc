"""Temperatures by position beside transformers' own, and log-n by the keys that a query sees."""

import math
from functools import partial

import numpy as np
import pytest
import torch
from transformers import Llama4TextConfig, Ministral3Config
from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale

from posviz import (
    Llama4Temperature,
    LogN,
    Ministral3Temperature,
    NoPosition,
    blockwise_causal_mask,
    causal_mask,
    llama4_factor,
    log_n_factor,
    ministral3_factor,
)
from posviz.attention import attention
from tests.every_encoding import random

FAR = [0, 1, 8190, 8191, 8192, 16_382, 16_383, 16_384, 131_071, 10**7]


def test_llama_4_counts_from_one():
    """Token 8192, at position 8191, is the first whose factor is above 1."""
    expected = [1 + 0.1 * math.log(1 + (place + 1) // 8192) for place in FAR]
    np.testing.assert_allclose(llama4_factor(FAR), expected)
    np.testing.assert_allclose(llama4_factor([8190, 8191, 131_071]), [1, 1.0693, 1.2833], atol=5e-5)


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
    factor = llama4_factor(FAR, attn_scale=0.3, floor_scale=4)
    np.testing.assert_array_equal(Llama4Temperature(0.3, 4)(FAR), 1 / factor)
    factor = ministral3_factor(FAR, beta=0.3, original_max_seq_len=4)
    np.testing.assert_array_equal(Ministral3Temperature(0.3, 4)(FAR), 1 / factor)


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
PADDED = (np.array([[3], [0]]) <= PLACES)[:, None, None]  # two sentences, of 4 tokens and of 7
MASKS = {
    "causal": (causal_mask, None),
    "window": (causal_mask, 3),
    "window alone": (None, 2),
    "blocks": (partial(blockwise_causal_mask, block=2), None),
    "padding": (causal_mask(PLACES, PLACES) & PADDED, None),
    "one column for all": (np.tri(7, 1, 0, dtype=bool), None),
    "by head": (random(1, 2, 7, 7) < 0, None),
    "everything": (None, None),
}


@pytest.mark.parametrize("name", MASKS)
def test_log_n_counts_the_keys_that_a_row_sees(name):
    mask, window = MASKS[name]
    q, k = (random(2, 2, 7, 4, seed=seed) for seed in range(2))
    whole = mask(PLACES, PLACES) if callable(mask) else True if mask is None else mask
    near = abs(PLACES[:, None] - PLACES) < (window or 99)
    scale = np.array([0.6, 1.7])
    options = {"q_positions": PLACES, "k_positions": PLACES, "return_weights": True}
    limits = {"mask": mask, "window": window, "temperature": LogN(scale)}
    _, found = attention(q, k, k, encoding=NoPosition(), **limits, **options)
    expected = seen_slowly(q, k, np.broadcast_to(whole & near, (2, 2, 7, 7)), scale)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("scale", [0.5, [0.5, 1.5]], ids=str)
def test_the_scale_of_log_n_is_learned(scale):
    q, places = torch.tensor(random(1, 2, 4, 4)), {"q_positions": range(4), "k_positions": range(4)}

    def run(scale):
        options = {"encoding": NoPosition(), "mask": causal_mask, "temperature": LogN(scale)}
        return attention(q, q, q, **options, **places)

    learned = torch.tensor(scale, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(run, learned)


def test_one_key_and_none_have_a_factor_of_zero():
    assert log_n_factor([0, 1, 8], 2.0).tolist() == [0, 0, 2 * math.log(8)]
