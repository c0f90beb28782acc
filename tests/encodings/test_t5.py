"""T5's buckets against exact arithmetic, and its attention against transformers'."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from posviz import T5, attend, causal_mask, offsets, t5_bias, t5_bucket
from tests.every_encoding import random

TABLE = random(32, 3)
RULES = [  # bidirectional, num_buckets, max_distance: T5's two first, then odd ones
    (True, 32, 128),
    (False, 32, 128),
    (True, 320, 800),
    (True, 4, 2),
    (True, 16, 5),
    (False, 7, 50),
    (False, 2, 3),
    (False, 3, 10**6),
]


def in_one_direction(distance, buckets, max_distance):
    """Climb bucket by bucket while (d/m)^(n−m) ≥ (max/m)^t, in exact fractions."""
    single = buckets // 2
    if distance < single:
        return distance
    step, power = 0, Fraction(distance, single) ** (buckets - single)
    while single + step + 1 < buckets and power >= Fraction(max_distance, single) ** (step + 1):
        step += 1
    return single + step


def slowly(offset, bidirectional, num_buckets, max_distance):
    if bidirectional:
        later = num_buckets // 2 if offset < 0 else 0
        return later + in_one_direction(abs(offset), num_buckets // 2, max_distance)
    return in_one_direction(max(offset, 0), num_buckets, max_distance)


def bucket(values, rule):
    bidirectional, buckets, reach = rule
    return t5_bucket(values, bidirectional=bidirectional, num_buckets=buckets, max_distance=reach)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_every_offset_is_where_exact_arithmetic_puts_it(rule):
    values = [*range(-150, 151), *(sign * 10**6 + i for sign in (-1, 1) for i in (-1, 0, 1))]
    assert bucket(values, rule).tolist() == [slowly(offset, *rule) for offset in values]


def test_a_distance_at_which_a_bucket_starts_exactly():
    """(64/8)^8 is (128/8)^6, but 8 / log(16) * log(8) is less than 6 in float64."""
    assert t5_bucket([63, 64, 65]).tolist() == [8 + 5, 8 + 6, 8 + 6]


@pytest.mark.parametrize(
    ("bidirectional", "starts"),
    [
        (True, [*range(9), 12, 16, 23, 32, 46, 64, 91]),
        (False, [*range(17), 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]),
    ],
)
def test_where_the_buckets_of_t5_start(bidirectional, starts):
    found = t5_bucket(range(1000), bidirectional=bidirectional)
    assert [0, *(np.flatnonzero(np.diff(found)) + 1).tolist()] == starts


@pytest.mark.parametrize("rule", [*RULES[:2], (False, 7, 50)], ids=str)
def test_buckets_are_those_of_transformers(rule):
    relative = torch.arange(-2000, 2001)  # key − query
    theirs = T5Attention._relative_position_bucket(relative, *rule)
    assert torch.equal(bucket(-relative, rule), theirs)


@pytest.mark.parametrize("positions", [[30, 31, 32], [0, 9, 25], [[3, 4, 25], [0, 0, 1]]], ids=str)
def test_the_encoding_adds_the_number_of_each_bucket_to_its_head(positions):
    encoding = T5(TABLE[:12], bidirectional=False, max_distance=40)
    found = encoding.at_scores(np.ones((2, 3, 3, 2)), None, None, positions, [1, 2])
    rows = np.broadcast_to(positions, (2, 3))
    for b, h, i, j in np.ndindex(2, 3, 3, 2):
        expected = 1 + TABLE[slowly(int(rows[b, i]) - (1 + j), False, 12, 40), h]
        assert found[b, h, i, j] == pytest.approx(expected)


@pytest.mark.parametrize("is_decoder", [False, True])
def test_attention_is_that_of_transformers(is_decoder):
    """Its scores are not divided by the root of head_dim."""
    torch.manual_seed(0)
    config = T5Config(d_model=10, d_kv=6, num_heads=3, is_decoder=is_decoder, dropout_rate=0.0)
    config._attn_implementation = "eager"
    layer = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    layer.o = torch.nn.Identity()
    layer, x = layer.double().eval(), torch.tensor(random(2, 150, 10))
    table, positions, mask, hidden = (
        layer.relative_attention_bias.weight,
        torch.arange(150),
        None,
        None,
    )
    if is_decoder:
        mask = causal_mask(positions, positions)
        hidden = torch.where(mask, 0.0, -torch.inf).double()[None, None]
    w = (projection.weight.T for projection in (layer.q, layer.k, layer.v))
    options = {"encoding": T5(table, bidirectional=not is_decoder), "positions": positions}
    found = attend(x, *w, num_heads=3, mask=mask, **options)
    torch.testing.assert_close(found, layer(x, mask=hidden)[0], rtol=1e-12, atol=1e-12)
    bias = layer.compute_bias(4, 150, past_seen_tokens=146)[0]
    buckets = t5_bucket(offsets(positions[146:], positions), bidirectional=not is_decoder)
    assert torch.equal(t5_bias(table, buckets), bias)
