"""RoPE as other libraries turn: their pairs, at angles taken number by number."""

import math

import numpy as np
import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding
from transformers import LlamaConfig
from transformers.models.cohere import modeling_cohere as cohere
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from x_transformers import x_transformers

from posviz.encodings.rotary import Rotary

SHAPES = [  # batch, heads, len, head_dim, first position
    (1, 1, 1, 2, 0),
    (2, 6, 5, 6, 3),
    (1, 12, 7, 64, 4090),
    (1, 20, 2, 128, 131_072),
    (3, 1, 4, 6, 10**6 - 3),
]
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)
BASE = 10_000.0


def queries(shape, dtype=torch.float64):
    return torch.tensor(np.random.default_rng(0).normal(size=shape[:4]), dtype=dtype)


def exact_frequencies(rotary_dim):
    rates = [BASE ** (-2 * i / rotary_dim) for i in range(rotary_dim // 2)]
    return torch.tensor(rates, dtype=torch.float64)


def exact_waves(positions, rotary_dim):
    """[1, len, rotary_dim/2] cosines and sines, each from Python's own."""
    rates = exact_frequencies(rotary_dim).tolist()
    angles = [[position * rate for rate in rates] for position in positions]
    return [
        torch.tensor([[[wave(angle) for angle in row] for row in angles]], dtype=torch.float64)
        for wave in (math.cos, math.sin)
    ]


@every_shape
def test_half_split_is_what_llama_does(shape):
    positions, q = range(shape[4], shape[4] + shape[2]), queries(shape)
    cos, sin = (torch.cat([wave, wave], -1) for wave in exact_waves(positions, shape[3]))
    theirs, _ = llama.apply_rotary_pos_emb(q, q, cos, sin)
    ours = Rotary(layout="half_split").at_query(q, positions)
    torch.testing.assert_close(ours, theirs, atol=1e-9, rtol=0)


@pytest.mark.parametrize("rotary_dim", [2, 4])
@every_shape
def test_half_split_with_a_tail_is_what_gpt_neox_does(shape, rotary_dim):
    rotary_dim = min(rotary_dim, shape[3])
    positions, q = range(shape[4], shape[4] + shape[2]), queries(shape)
    cos, sin = (torch.cat([wave, wave], -1) for wave in exact_waves(positions, rotary_dim))
    theirs, _ = gpt_neox.apply_rotary_pos_emb(q, q, cos, sin)
    ours = Rotary(rotary_dim=rotary_dim, layout="half_split").at_key(q, positions)
    torch.testing.assert_close(ours, theirs, atol=1e-9, rtol=0)


@pytest.mark.parametrize("rotary_dim", [2, 4])
@every_shape
def test_interleaved_with_a_tail_is_what_gptj_does(shape, rotary_dim):
    rotary_dim = min(rotary_dim, shape[3])
    positions, q = range(shape[4], shape[4] + shape[2]), queries(shape)
    cos, sin = exact_waves(positions, rotary_dim)
    x = q.transpose(1, 2)  # theirs is [batch, len, heads, head_dim]
    turned = gptj.apply_rotary_pos_emb(x[..., :rotary_dim], sin, cos)
    theirs = torch.cat([turned, x[..., rotary_dim:]], dim=-1).transpose(1, 2)
    ours = Rotary(rotary_dim=rotary_dim).at_query(q, positions)
    torch.testing.assert_close(ours, theirs, atol=1e-9, rtol=0)


@every_shape
def test_interleaved_is_what_cohere_does(shape):
    positions, q = range(shape[4], shape[4] + shape[2]), queries(shape, torch.float32)
    cos, sin = (wave.repeat_interleave(2, -1).float() for wave in exact_waves(positions, shape[3]))
    _, theirs = cohere.apply_rotary_pos_emb(q, q, cos, sin)
    torch.testing.assert_close(Rotary().at_key(q, positions), theirs, atol=1e-6, rtol=1e-6)


@every_shape
def test_interleaved_is_what_rotary_embedding_torch_does(shape):
    """With exact frequencies: its own are float32, off by a hundredth of a turn at 10⁶."""
    q, dims = queries(shape), shape[3]
    frequencies = exact_frequencies(dims)
    module = RotaryEmbedding(max(dims, 4), custom_freqs=frequencies, cache_if_possible=False)
    positions = torch.arange(shape[4], shape[4] + shape[2], dtype=torch.float64)
    theirs = module.rotate_queries_or_keys(q, offset=shape[4])
    torch.testing.assert_close(Rotary().at_query(q, positions), theirs, atol=1e-9, rtol=0)


@every_shape
def test_interleaved_is_what_x_transformers_does(shape):
    q, module = queries(shape), x_transformers.RotaryEmbedding(max(shape[3], 4))
    module.inv_freq = exact_frequencies(shape[3])
    positions = torch.arange(shape[4], shape[4] + shape[2], dtype=torch.float64)
    freqs, _ = module(positions)
    theirs = x_transformers.apply_rotary_pos_emb(q, freqs)
    torch.testing.assert_close(Rotary().at_key(q, positions), theirs, atol=1e-9, rtol=0)


@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_batches_of_positions_and_bases_are_those_of_llama(base):
    config = LlamaConfig(
        hidden_size=64,
        num_attention_heads=4,
        rope_parameters={"rope_type": "default", "rope_theta": base},
    )
    q = queries((2, 4, 10, 16), torch.float32)
    positions = torch.stack([torch.arange(10), torch.arange(10) + 7])
    theirs, _ = llama.apply_rotary_pos_emb(q, q, *llama.LlamaRotaryEmbedding(config)(q, positions))
    ours = Rotary(base=base, layout="half_split").at_query(q, positions)
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)
