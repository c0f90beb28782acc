"""DeBERTa against exact integers, loops and another library."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import DebertaV2Config
from transformers.models.deberta_v2 import modeling_deberta_v2 as deberta_v2

from posviz.attention import KeyValueCache, attend, attention
from posviz.encodings import deberta
from posviz.encodings.deberta import DeBERTa, deberta_bucket, deberta_scores
from posviz.encodings.doors import doors
from posviz.encodings.relative import offsets
from posviz.masks import causal_mask

RELEASED = (256, 512)
all_terms = pytest.mark.parametrize("terms", [("c2p",), ("p2c",), ("c2p", "p2c")], ids="+".join)


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def tensors(*shapes):
    return [torch.tensor(random(*shape, seed=i)) for i, shape in enumerate(shapes)]


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


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
@given(
    values=st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=9), k=st.integers(1, 10**6)
)
def test_without_buckets_it_is_the_delta_of_the_paper(kind, values, k):
    found = deberta_bucket(kind(values), None, k)
    assert (found + k).tolist() == [delta(value, 0, k) for value in values]


def test_the_clip_is_lopsided():
    assert deberta_bucket(range(-6, 7), None, 4).tolist() == [-4] * 3 + list(range(-3, 3)) + [3] * 4
    assert deberta_bucket([-(10**6), 10**6], *RELEASED).tolist() == [-256, 255]


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
@pytest.mark.parametrize(
    ("bucket_size", "max_position"), [(4, 4), (5, 20), (6, 17), (18, 65), (32, 128), (33, 10**6)]
)
def test_buckets_one_by_one(kind, bucket_size, max_position):
    values = [*range(-1200, 1201), max_position, -max_position, 10**6, -(10**6), 2**40, -(2**40)]
    found = deberta_bucket(kind(values), bucket_size, max_position)
    assert found.tolist() == [bucket(value, bucket_size, max_position) for value in values]


@given(
    values=st.lists(st.integers(-(10**18), 10**18), min_size=1),
    bucket_size=st.integers(4, 40),
    room=st.integers(2, 10**10),
)
def test_buckets_are_ordered_and_within_the_table(values, bucket_size, room):
    found = deberta_bucket(sorted(values), bucket_size, bucket_size // 2 + room)
    assert np.all(np.diff(found) >= 0)
    assert np.all((found >= -bucket_size) & (found <= bucket_size - 1))


@pytest.mark.parametrize(("bucket_size", "max_position"), [RELEASED, (32, 128), (128, 512)])
def test_buckets_are_those_of_transformers(bucket_size, max_position):
    values = torch.arange(-2000, 2001)
    theirs = deberta_v2.make_log_bucket_position(values, bucket_size, max_position).long()
    expected = torch.clamp(theirs + bucket_size, 0, 2 * bucket_size - 1) - bucket_size
    assert torch.equal(deberta_bucket(values, bucket_size, max_position), expected)


@pytest.mark.parametrize(("max_position", "offset", "exact"), [(17, 12, 13), (65, 24, 13)])
def test_where_logarithms_in_floats_miss_by_one(max_position, offset, exact):
    """(offset/9)⁸ is ((max_position − 1)/9)⁴, so t is 4 exactly; float32 finds a little more."""
    assert Fraction(offset, 9) ** 8 == Fraction(max_position - 1, 9) ** 4
    theirs = deberta_v2.make_log_bucket_position(torch.tensor([offset]), 18, max_position)
    assert deberta_bucket([offset], 18, max_position).tolist() == [exact]
    assert theirs.tolist() == [exact + 1]


def test_limits_are_found_once_for_all_layers(monkeypatch):
    first = deberta_bucket(range(99), 40, 77)
    monkeypatch.setattr(deberta, "bisect_right", None)
    assert deberta_bucket(range(99), 40, 77).tolist() == first.tolist()


def released_module(heads, head_dim, bucket_size, max_position, terms, shared=True):
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


@all_terms
@pytest.mark.parametrize(
    ("batch", "heads", "length", "head_dim", "bucket_size", "max_position"),
    [(1, 1, 1, 2, None, 3), (2, 6, 9, 6, None, 4), (1, 12, 40, 2, 8, 32), (2, 1, 20, 4, 6, 16)],
)
@pytest.mark.parametrize("shared", [True, False])
def test_weights_are_those_of_transformers(
    batch, heads, length, head_dim, bucket_size, max_position, terms, shared
):
    """Its scale is a square root in float32."""
    module = released_module(heads, head_dim, bucket_size, max_position, terms, shared)
    x, table = tensors(
        (batch, length, heads * head_dim), (2 * (bucket_size or max_position), heads * head_dim)
    )

    def split(layer, x):
        return layer(x).unflatten(-1, (heads, head_dim)).transpose(-2, -3)

    with torch.no_grad():
        mask = torch.ones(batch, 1, length, length)
        _, theirs = module(x, mask, output_attentions=True, rel_embeddings=table)
        key = module.key_proj if shared else getattr(module, "pos_key_proj", None)
        query = module.query_proj if shared else getattr(module, "pos_query_proj", None)
        encoding = DeBERTa(
            split(key, table) if "c2p" in terms else None,
            split(query, table) if "p2c" in terms else None,
            bucket_size,
            max_position,
            terms,
        )
        where = {"q_positions": range(100, 100 + length), "k_positions": range(100, 100 + length)}
        q, k, v = (split(getattr(module, f"{name}_proj"), x) for name in ("query", "key", "value"))
        _, ours = attention(q, k, v, encoding=encoding, **where, return_weights=True)
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


@pytest.mark.parametrize("p2c", ["code", "paper"])
@pytest.mark.parametrize("convert", [np.asarray, torch.tensor])
@all_terms
@pytest.mark.parametrize(
    ("batch", "heads", "q_len", "k_len"), [(1, 1, 1, 1), (2, 6, 3, 7), (1, 2, 6, 2), (3, 20, 1, 9)]
)
def test_entry_by_entry(convert, p2c, terms, batch, heads, q_len, k_len):
    """The paper reads K_j · Q at δ(j, i); the released code reads it at δ(i, j)."""
    span, first = 2, 3
    q, k = random(batch, heads, q_len, 4), random(batch, heads, k_len, 4, seed=1)
    position_key, position_query = random(2, heads, 2 * span, 4, seed=2)
    expected = np.empty((batch, heads, q_len, k_len))
    for b, h, i, j in np.ndindex(expected.shape):
        m, n = first + i, j  # where they stand
        total = q[b, h, i] @ k[b, h, j]
        if "c2p" in terms:
            total += q[b, h, i] @ position_key[h, delta(m, n, span)]
        if "p2c" in terms:
            row = delta(n, m, span) if p2c == "paper" else delta(m, n, span)
            total += k[b, h, j] @ position_query[h, row]
        expected[b, h, i, j] = total
    q, k, *tables = map(convert, (q, k, position_key, position_query))
    where = (range(first, first + q_len), range(k_len))
    found = deberta_scores(q, k, *tables, offsets(*where), terms=terms, p2c=p2c)
    np.testing.assert_allclose(found, expected, atol=1e-13)
    encoding, scale = DeBERTa(*tables, terms=terms, p2c=p2c), (4 + 4 * len(terms)) ** -0.5
    assert doors(encoding) == ("at_scores",)
    assert encoding.scale(4) == pytest.approx(scale, rel=1e-15)
    found = encoding.at_scores(q @ np.swapaxes(k, -1, -2) * scale, q, k, *where)
    np.testing.assert_allclose(found, expected * scale, atol=1e-13)


@pytest.mark.parametrize("p2c", ["code", "paper"])
def test_positions_of_each_sentence_in_buckets(p2c):
    q, k, *tables = tensors((2, 3, 4, 2), (2, 3, 5, 2), (3, 8, 2), (3, 8, 2))
    q_positions = torch.tensor([[9, 2, 60, 3], [0, 0, 1, 10**6]])
    k_positions = torch.tensor([[0, 7, 3, 50, 99], [5, 4, 3, 2, 1]])
    settings = {"p2c": p2c, "bucket_size": 4, "max_position": 30}
    found = deberta_scores(q, k, *tables, offsets(q_positions, k_positions), **settings)
    for b, h, i, j in np.ndindex(found.shape):
        apart = int(q_positions[b, i] - k_positions[b, j])
        rows = [bucket(x, 4, 30) + 4 for x in (apart, apart if p2c == "code" else -apart)]
        q_i, k_j = q[b, h, i], k[b, h, j]
        expected = q_i @ (k_j + tables[0][h, rows[0]]) + k_j @ tables[1][h, rows[1]]
        assert found[b, h, i, j].item() == pytest.approx(expected.item(), abs=1e-13)


def test_three_terms_have_three_times_the_variance():
    q, k, *tables = (random(2, 200, 64, seed=seed) for seed in range(4))
    found = deberta_scores(q[None], k[None], *tables, offsets(range(200), range(200)))
    assert found.std() / 8 == pytest.approx(3**0.5, rel=0.02)
    assert found.std() * DeBERTa(*tables).scale(64) == pytest.approx(1, rel=0.02)


def test_a_cache_changes_nothing():
    x, w_q, w_k, w_v, *tables = tensors((2, 6, 8), (8, 12), (8, 6), (8, 6), (4, 6, 3), (4, 6, 3))
    settings = {"num_heads": 4, "encoding": DeBERTa(*tables)}
    positions = torch.arange(6)
    mask = causal_mask(positions, positions)
    together = attend(x, w_q, w_k, w_v, positions=positions, mask=mask, **settings)
    cache = KeyValueCache()
    for at in range(6):
        token = x[:, at : at + 1]
        step = attend(token, w_q, w_k, w_v, positions=[at], cache=cache, **settings)
        torch.testing.assert_close(step[:, 0], together[:, at])


def test_gradients_flow_to_the_tables():
    shapes, where = ((2, 2, 2, 2), (2, 2, 3, 2), (2, 4, 2), (2, 4, 2)), (range(1, 3), range(3))
    arrays = [x.requires_grad_() for x in tensors(*shapes)]

    def scores(q, k, *tables):
        return DeBERTa(*tables).at_scores(q @ k.mT, q, k, *where)

    assert torch.autograd.gradcheck(scores, arrays)
    assert torch.autograd.gradcheck(lambda *x: deberta_scores(*x, offsets(*where)), arrays)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_every_precision_comes_back_as_it_came(dtype):
    """Rounded once, at the end: sums of three rounded terms would be farther off."""
    shapes, where = ((1, 2, 30, 64), (1, 2, 50, 64), *[(2, 16, 64)] * 2), (range(30), range(50))
    arrays = [x.to(dtype) for x in tensors(*shapes)]
    found = deberta_scores(*arrays, offsets(*where))
    assert found.dtype == dtype
    expected = deberta_scores(*(x.double() for x in arrays), offsets(*where))
    summing = 3 * 64 * torch.finfo(torch.float32).eps
    rounding = torch.finfo(dtype).eps / 2 + summing
    torch.testing.assert_close(found.double(), expected, rtol=rounding, atol=10 * summing)
    q, k, *tables = arrays
    scores = torch.zeros(1, 2, 30, 50)  # attention keeps scores of halves in float32
    found = DeBERTa(*tables).at_scores(scores, q, k, *where)
    assert found.dtype == torch.float32
    q, k, *tables = (x.double() for x in arrays)
    expected = DeBERTa(*tables).at_scores(scores.double(), q, k, *where)
    torch.testing.assert_close(found.double(), expected, rtol=summing, atol=summing)
