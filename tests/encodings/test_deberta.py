"""DeBERTa against exact integers, loops and transformers."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from transformers import DebertaV2Config
from transformers.models.deberta_v2 import modeling_deberta_v2 as deberta_v2

from posviz import DeBERTa, deberta_bucket, deberta_scores, offsets
from posviz.attention import attention
from tests.every_encoding import random

RELEASED = (256, 512)


def bucket(offset, bucket_size, max_position):
    """The formula in fractions: ⌈(mid − 1) · ln a / ln b⌉ is the first t with bᵗ ≥ a^(mid−1)."""
    mid, distance = bucket_size // 2, abs(offset)
    if distance <= mid:
        return offset
    a, b = Fraction(distance, mid), Fraction(max_position - 1, mid)
    t = 0
    while b**t < a ** (mid - 1) and mid + t < bucket_size:
        t += 1
    found = (mid + t) if offset > 0 else -(mid + t)
    return max(-bucket_size, min(bucket_size - 1, found))


def delta(i, j, k):
    """Equation 3."""
    if i - j <= -k:
        return 0
    return 2 * k - 1 if i - j >= k else i - j + k


def test_without_buckets_it_is_the_clip_of_the_paper():
    values = [*range(-6, 7), -(10**6), 10**6]
    assert (deberta_bucket(values, None, 4) + 4).tolist() == [delta(x, 0, 4) for x in values]


@pytest.mark.parametrize(
    ("bucket_size", "max_position"), [(4, 4), (5, 20), (18, 65), (32, 128), (33, 10**6)]
)
def test_buckets_are_the_formula_in_fractions(bucket_size, max_position):
    values = [*range(-300, 301), max_position, -max_position, 10**6, -(10**6), 2**40]
    found = deberta_bucket(values, bucket_size, max_position)
    assert found.tolist() == [bucket(value, bucket_size, max_position) for value in values]


@pytest.mark.parametrize("distance", [63, 64, 65, 127, 128, 129])
def test_buckets_around_the_limits_of_the_released_model(distance):
    """Up to 128, half of the buckets, an offset is its own bucket."""
    both = [distance, -distance]
    assert deberta_bucket(both, *RELEASED).tolist() == [bucket(x, *RELEASED) for x in both] == both


@pytest.mark.parametrize(("bucket_size", "max_position"), [RELEASED, (32, 128)])
def test_buckets_are_those_of_transformers(bucket_size, max_position):
    values = torch.arange(-2000, 2001)
    theirs = deberta_v2.make_log_bucket_position(values, bucket_size, max_position).long()
    expected = torch.clamp(theirs + bucket_size, 0, 2 * bucket_size - 1) - bucket_size
    assert torch.equal(deberta_bucket(values, bucket_size, max_position), expected)


@pytest.mark.parametrize(("max_position", "offset", "exact"), [(17, 12, 13), (65, 24, 13)])
def test_where_logarithms_in_float32_miss_by_one(max_position, offset, exact):
    """(offset/9)⁸ is ((max_position − 1)/9)⁴, so t is 4 exactly; float32 finds a little more."""
    theirs = deberta_v2.make_log_bucket_position(torch.tensor([offset]), 18, max_position)
    assert deberta_bucket([offset], 18, max_position).tolist() == [exact]
    assert theirs.tolist() == [exact + 1]


def released_module(heads, head_dim, bucket_size, max_position, terms, shared):
    config = DebertaV2Config(
        hidden_size=heads * head_dim,
        num_attention_heads=heads,
        relative_attention=True,
        position_buckets=bucket_size or -1,
        max_relative_positions=max_position,
        share_att_key=shared,
        pos_att_type=list(terms),
    )
    module = deberta_v2.DisentangledSelfAttention(config).double().eval()
    for seed, x in enumerate(module.parameters()):
        x.data = torch.tensor(random(*x.shape, seed=seed))
    return module


@pytest.mark.parametrize("terms", [("c2p",), ("p2c",), ("c2p", "p2c")], ids="+".join)
@pytest.mark.parametrize(
    ("heads", "length", "head_dim", "bucket_size", "max_position", "shared"),
    [(6, 9, 6, None, 4, False), (2, 40, 4, 8, 32, True)],
)
def test_weights_are_those_of_transformers(
    heads, length, head_dim, bucket_size, max_position, shared, terms
):
    """Its scale is a square root in float32."""
    module = released_module(heads, head_dim, bucket_size, max_position, terms, shared)
    x = torch.tensor(random(2, length, heads * head_dim))
    table = torch.tensor(random(2 * (bucket_size or max_position), heads * head_dim, seed=1))

    def split(layer, x):
        return layer(x).unflatten(-1, (heads, head_dim)).transpose(-2, -3)

    with torch.no_grad():
        mask = torch.ones(2, 1, length, length)
        _, theirs = module(x, mask, output_attentions=True, rel_embeddings=table)
        key = module.key_proj if shared else getattr(module, "pos_key_proj", None)
        query = module.query_proj if shared else getattr(module, "pos_query_proj", None)
        tables = (
            split(key, table) if "c2p" in terms else None,
            split(query, table) if "p2c" in terms else None,
        )
        encoding = DeBERTa(*tables, bucket_size, max_position, terms)
        where = {"q_positions": range(100, 100 + length), "k_positions": range(100, 100 + length)}
        q, k, v = (split(getattr(module, f"{name}_proj"), x) for name in ("query", "key", "value"))
        _, ours = attention(q, k, v, encoding=encoding, **where, return_weights=True)
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


@pytest.mark.parametrize("p2c", ["code", "paper"])
def test_the_paper_reads_the_query_table_the_other_way_round(p2c):
    """The paper reads K_j · Q at δ(j, i); the released code reads it at δ(i, j)."""
    span, first = 2, 3
    q, k = random(2, 3, 3, 4), random(2, 3, 7, 4, seed=1)
    position_key, position_query = random(2, 3, 2 * span, 4, seed=2)
    expected = np.empty((2, 3, 3, 7))
    for b, h, i, j in np.ndindex(expected.shape):
        m, n = first + i, j  # their positions
        row = delta(n, m, span) if p2c == "paper" else delta(m, n, span)
        by_content = q[b, h, i] @ (k[b, h, j] + position_key[h, delta(m, n, span)])
        expected[b, h, i, j] = by_content + k[b, h, j] @ position_query[h, row]
    where = (range(first, first + 3), range(7))
    found = deberta_scores(q, k, position_key, position_query, offsets(*where), p2c=p2c)
    np.testing.assert_allclose(found, expected, atol=1e-13)
    encoding, scale = DeBERTa(position_key, position_query, p2c=p2c), 12**-0.5
    assert encoding.scale(4) == pytest.approx(scale, rel=1e-15)
    found = encoding.at_scores(q @ k.mT * scale, q, k, *where)
    np.testing.assert_allclose(found, expected * scale, atol=1e-13)
