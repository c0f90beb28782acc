"""Transformer-XL and XLNet against loops, the released trick and transformers."""

import math

import numpy as np
import pytest
import torch
from transformers import XLNetConfig, XLNetModel
from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

from posviz import TransformerXL, rel_shift
from posviz.attention import attention
from tests.every_encoding import random

SIZES = [(2, 6, 3, 5, 6), (1, 12, 7, 7, 2)]  # batch, heads, q_len, k_len, head_dim
sizes = pytest.mark.parametrize(("batch", "heads", "q_len", "k_len", "head_dim"), SIZES)


def tensors(*shapes):
    return [torch.tensor(random(*shape, seed=i)) for i, shape in enumerate(shapes)]


def sinusoid(offset, d_model, base=10_000):
    """The released layout: sines of all frequencies, then cosines."""
    angles = [offset / base ** (i / d_model) for i in range(0, d_model, 2)]
    return np.array([math.sin(a) for a in angles] + [math.cos(a) for a in angles])


@pytest.mark.parametrize(("q_len", "memory"), [(1, 0), (1, 5), (4, 0), (5, 3)])
def test_shifted_columns_are_offsets(q_len, memory):
    k_len = q_len + memory
    columns = np.arange(k_len - 1, -1, -1.0)  # the number in a column is its offset
    causal = rel_shift(np.tile(columns, (2, q_len, 1)))
    assert causal.shape == (2, q_len, k_len)
    for h, i, j in np.ndindex(2, q_len, k_len):
        apart = i - j + memory
        assert causal[h, i, j] == (apart if apart >= 0 else -np.inf)


def xlnet(heads, head_dim):
    config = XLNetConfig(d_model=heads * head_dim, n_head=heads, n_layer=1, d_inner=4, vocab_size=3)
    module = XLNetRelativeAttention(config).double().eval()
    parameters = (module.q, module.k, module.v, module.o, module.r)
    for seed, x in enumerate((*parameters, module.r_w_bias, module.r_r_bias)):
        x.data = torch.tensor(random(*x.shape, seed=seed))
    return XLNetModel(config), module


@sizes
def test_the_encoding_is_xlnet_with_its_own_sinusoids(batch, heads, q_len, k_len, head_dim):
    """Its angles are in float32."""
    model, module = xlnet(heads, head_dim)
    q, k = tensors((batch, heads, q_len, head_dim), (batch, heads, k_len, head_dim))
    keys = k.permute(2, 0, 1, 3)
    waves = model.relative_positional_encoding(q_len, k_len, bsz=batch).double()
    with torch.no_grad():
        rows = torch.einsum("ibh,hnd->ibnd", waves, module.r)
        given = (q.permute(2, 0, 1, 3), keys, keys, rows)
        _, theirs = module.rel_attn_core(*given, output_attentions=True)
        encoding = TransformerXL(module.r.flatten(1), module.r_w_bias, module.r_r_bias)
        where = {"q_positions": range(k_len - q_len, k_len), "k_positions": range(k_len)}
        _, ours = attention(q, k, k, encoding=encoding, **where, return_weights=True)
    torch.testing.assert_close(ours, theirs.permute(2, 3, 0, 1), atol=2e-5, rtol=0)


@pytest.mark.parametrize(
    ("q_positions", "k_positions"),
    [
        ([[3, 4], [3, 4]], [range(5), range(5)]),
        ([[4, 10**6], [-3, 0.5]], [[0, 0, 1, 10**6 - 1, 5], [9, 8, 7, 0.25, 0]]),
    ],
    ids=["a run after memory", "gaps, keys ahead, far out and between tokens"],
)
def test_the_encoding_adds_the_terms_of_the_paper(q_positions, k_positions):
    """Terms (b) to (d) of section 3.3, scaled."""
    q, k, scores = random(2, 3, 2, 4), random(2, 3, 5, 4, seed=1), random(2, 3, 2, 5, seed=2)
    w_r, (u, v) = random(6, 12, seed=3), random(2, 3, 4, seed=4)
    encoding = TransformerXL(w_r, u, v, base=100)
    found = encoding.at_scores(scores, q, k, q_positions, k_positions)
    for b, h, i, j in np.ndindex(2, 3, 2, 5):
        apart = q_positions[b][i] - k_positions[b][j]
        r = sinusoid(apart, 6, 100) @ w_r[:, h * 4 : h * 4 + 4]
        added = q[b, h, i] @ r + u[h] @ k[b, h, j] + v[h] @ r
        assert found[b, h, i, j] == pytest.approx(scores[b, h, i, j] + added / 2, abs=1e-9)
