"""Attention in parts against the slow way, and a small Llama's losses against its own."""

from functools import partial

import numpy as np
import pytest
import torch

from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from posviz.encodings.position_maps import (
    MappedRotary,
    dual_chunk_positions,
    rerope_positions,
    self_extend_positions,
)
from posviz.encodings.rotary import Rotary
from posviz.encodings.stretching import yarn
from posviz.models import stretched_attention as parts

LENGTH, HEAD_DIM = 75, 8
MAPS = {
    "as they are": partial(rerope_positions, window=LENGTH),
    "rerope": partial(rerope_positions, window=9),
    "self-extend": partial(self_extend_positions, window=20, group=3),
    "dual chunk": partial(dual_chunk_positions, chunk=10, farthest=12),
}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("chunk", [16, 100])
def test_attention_in_parts_is_attention(monkeypatch, name, chunk):
    monkeypatch.setattr(parts, "CHUNK", chunk)
    random = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, n, LENGTH, HEAD_DIM, generator=random) for n in (6, 2, 2))
    how, here = MappedRotary(MAPS[name], Rotary(layout="half_split")), torch.arange(LENGTH)
    seen, _ = parts.attention_in_parts(how, LENGTH)(None, q, k, v)
    q, k, v = q.double(), k.double().repeat_interleave(3, 1), v.double().repeat_interleave(3, 1)
    scores = how.at_scores(torch.zeros(1, 6, LENGTH, LENGTH).double(), q, k, here, here)
    ahead = torch.ones(LENGTH, LENGTH).triu(1).bool()
    expected = scores.masked_fill(ahead, -torch.inf).softmax(-1) @ v
    torch.testing.assert_close(seen.double(), expected.transpose(1, 2), rtol=0, atol=1e-5)


def small_model(**rope):
    """A Llama of two layers with random weights, the same ones each time."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    sizes = {"hidden_size": 48, "intermediate_size": 32, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": HEAD_DIM}
    rope = {"rope_type": "default", "rope_theta": 100.0, **rope}
    config = LlamaConfig(
        vocab_size=50,
        initializer_range=0.3,
        max_position_embeddings=64,
        rope_parameters=rope,
        attn_implementation="eager",
        **sizes,
        **heads,
    )
    return LlamaForCausalLM(config).eval()


def own_losses(model, ids):
    tokens = torch.as_tensor(ids)
    with torch.inference_mode():
        logits = model(tokens[None], use_cache=False).logits[0, :-1]
    losses = torch.nn.functional.cross_entropy(logits, tokens[1:], reduction="none")
    return losses.numpy(), (logits.argmax(-1) == tokens[1:]).numpy()


@pytest.mark.slow("seconds")
@pytest.mark.parametrize(
    ("rope", "made"),
    [
        ({}, Frequencies(rotary_frequencies(HEAD_DIM, 100.0))),
        (
            {
                "rope_type": "yarn",
                "factor": 4.0,
                "original_max_position_embeddings": 16,
                "beta_fast": 4.0,
                "beta_slow": 1.0,
            },
            yarn(HEAD_DIM, 4, base=100.0, original_max_seq_len=16, beta_fast=4),
        ),
    ],
    ids=["nothing changed", "YaRN"],
)
def test_losses_are_the_models_own_and_it_stays_as_it_was(monkeypatch, rope, made):
    monkeypatch.setattr(parts, "CHUNK", 32)
    ids = np.random.default_rng(0).integers(50, size=LENGTH)
    how = MappedRotary(MAPS["as they are"], Rotary(layout="half_split", frequencies=made))
    layers, plain = [], small_model()
    before = own_losses(plain, ids)[0]
    losses, likeliest = parts.token_losses(plain, ids, how, each_layer=lambda: layers.append(1))
    expected, first = own_losses(small_model(**rope), ids)
    assert len(layers) == 2
    assert np.isnan(losses[0])
    np.testing.assert_allclose(losses[1:], expected, rtol=0, atol=1e-4)
    np.testing.assert_array_equal(likeliest[1:], first)
    np.testing.assert_array_equal(own_losses(plain, ids)[0], before)
