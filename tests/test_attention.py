"""Attention against loops and other libraries, its limits and its cache."""

import math

import numpy as np
import pytest
import torch
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

from posviz import (
    T5,
    Alibi,
    Encoding,
    KeyValueCache,
    NoPosition,
    Rotary,
    attend,
    causal_mask,
    softmax,
)
from posviz.attention import attention
from tests.every_encoding import D_MODEL, HEADS, dynamic, phi, random, stretched

KINDS = pytest.mark.parametrize("kind", [np.asarray, torch.tensor], ids=["NumPy", "torch"])
W = [random(D_MODEL, D_MODEL, seed=seed) / 2 for seed in (1, 2, 3)]


def places(length):
    return {"q_positions": range(length), "k_positions": range(length)}


def slowly(q, k, v, bias=None, mask=None):
    """One head, one query and one key at a time."""
    rows, weights = [], []
    for i, query in enumerate(q):
        scores = []
        for j, key in enumerate(k):
            score = sum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query))
            score += 0 if bias is None else bias(i, j)
            scores.append(score if mask is None or mask[i, j] else -math.inf)
        powers = [math.exp(score) for score in scores]
        weights.append([power / sum(powers) for power in powers])
        rows.append(sum(w * value for w, value in zip(weights[-1], v, strict=True)))
    return np.array(rows), np.array(weights)


@pytest.mark.parametrize(("heads", "kv_heads"), [(2, 2), (4, 2)])
@pytest.mark.parametrize(("q_len", "k_len"), [(1, 4), (3, 4), (4, 1)])
def test_attention_is_a_loop_over_queries_and_keys(q_len, k_len, heads, kv_heads):
    q, k = random(2, heads, q_len, 3), random(2, kv_heads, k_len, 3, seed=1)
    v = random(2, kv_heads, k_len, 5, seed=2)
    mask = random(q_len, k_len, seed=3) > -0.5
    mask[:, 0] = True
    positions = {"q_positions": range(q_len), "k_positions": range(k_len)}
    options = {"encoding": NoPosition(), "mask": mask, "return_weights": True}
    found, weights = attention(q, k, v, **positions, **options)
    for b, h in np.ndindex(2, heads):
        shared = h * kv_heads // heads
        rows, row_weights = slowly(q[b, h], k[b, shared], v[b, shared], mask=mask)
        np.testing.assert_allclose(found[b, h], rows, atol=1e-12)
        np.testing.assert_allclose(weights[b, h], row_weights, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_attention_without_position_is_that_of_torch(dtype):
    q = torch.tensor(random(2, 4, 5, 8)).to(dtype)
    k, v = (torch.tensor(random(2, 2, 7, 8, seed=seed)).to(dtype) for seed in (1, 2))
    mask = torch.tensor(random(2, 1, 5, 7, seed=3) > -0.5)
    mask[0, 0, 2] = False  # a query that may look nowhere
    function = torch.nn.functional.scaled_dot_product_attention
    theirs = function(q, k, v, attn_mask=mask, enable_gqa=True)
    positions = {"q_positions": range(5), "k_positions": range(7)}
    ours = attention(q, k, v, encoding=NoPosition(), mask=mask, **positions)
    assert ours.dtype == dtype
    tolerance = 2 * torch.finfo(dtype).eps
    torch.testing.assert_close(ours, theirs, atol=4 * tolerance, rtol=tolerance)


def test_alibi_is_added_after_the_scale():
    q, k, v = (random(1, 2, 5, 4, seed=seed) for seed in range(3))
    found = attention(q, k, v, encoding=Alibi(), q_positions=range(3, 8), k_positions=range(3, 8))
    for head, slope in enumerate((1 / 16, 1 / 256)):
        rows, _ = slowly(q[0, head], k[0, head], v[0, head], lambda i, j, s=slope: -s * abs(i - j))
        np.testing.assert_allclose(found[0, head], rows, atol=1e-13)


def test_attention_with_rotary_is_that_of_llama():
    config = LlamaConfig(
        hidden_size=32,
        num_attention_heads=4,
        num_key_value_heads=2,
        attn_implementation="eager",
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
    )
    torch.manual_seed(0)
    module, x = LlamaAttention(config, layer_idx=0).eval(), torch.randn(2, 6, 32)
    torch.nn.init.eye_(module.o_proj.weight)
    mask = torch.tensor(causal_mask(range(6), range(6)))
    turns = LlamaRotaryEmbedding(config)(x, torch.arange(6)[None])
    hidden = torch.where(mask, 0.0, -torch.inf)
    theirs, their_weights = module(x, position_embeddings=turns, attention_mask=hidden)
    w = (getattr(module, name).weight.T for name in ("q_proj", "k_proj", "v_proj"))
    options = {"positions": range(6), "mask": mask, "return_weights": True}
    ours, weights = attend(x, *w, num_heads=4, encoding=Rotary(layout="half_split"), **options)
    torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(weights, their_weights, atol=1e-6, rtol=1e-5)


class CallRecorder(Encoding):
    """Write down which door is passed, with what."""

    def __init__(self):
        self.passed = []

    def at_input(self, x, positions):
        self.passed.append(("at_input", x.shape, positions.tolist()))
        return x + 1

    def at_query(self, q, positions):
        self.passed.append(("at_query", q.shape, positions.tolist()))
        return q

    def at_key(self, k, positions):
        self.passed.append(("at_key", k.shape, positions.tolist()))
        return k

    def scale(self, head_dim):
        self.passed.append(("scale", head_dim))
        return 0.0

    def at_scores(self, scores, q, k, q_positions, k_positions):
        shapes = (q.shape, k.shape, q_positions.tolist(), k_positions.tolist())
        self.passed.append(("at_scores", scores.shape, *shapes))
        assert not scores.any()
        return scores

    def at_values(self, output, weights, q_positions, k_positions):
        self.passed.append(("at_values", output.shape, weights.shape))
        return -output


def test_every_door_is_passed_once_and_in_order():
    encoding, x = CallRecorder(), random(1, 3, 8)
    w_q, w_k, w_v = W[0], W[1][:, :4], W[2][:, :4]
    found = attend(x, w_q, w_k, w_v, num_heads=4, encoding=encoding, positions=[5, 6, 7])
    assert encoding.passed == [
        ("at_input", (1, 3, 8), [5, 6, 7]),
        ("at_query", (1, 4, 3, 2), [5, 6, 7]),
        ("at_key", (1, 2, 3, 2), [5, 6, 7]),
        ("scale", 2),
        ("at_scores", (1, 4, 3, 3), (1, 4, 3, 2), (1, 4, 3, 2), [5, 6, 7], [5, 6, 7]),
        ("at_values", (1, 4, 3, 2), (1, 4, 3, 3)),
    ]
    values = np.repeat(((x + 1) @ w_v).mean(axis=1).reshape(2, 2), 2, axis=0)
    np.testing.assert_allclose(found, -np.broadcast_to(values.ravel(), (1, 3, 8)))


@pytest.mark.parametrize("dtype", [np.float16, torch.float16])
def test_scores_of_halves_may_be_larger_than_a_half(dtype):
    ones = torch.ones if isinstance(dtype, torch.dtype) else np.ones
    q = 64 * ones((1, 1, 2, 64), dtype=dtype)  # q·k is 262,144, four times the largest half
    _, weights = attention(q, q, q, encoding=NoPosition(), return_weights=True, **places(2))
    assert weights.dtype == dtype
    assert np.array_equal(np.asarray(weights), np.full((1, 1, 2, 2), 0.5))


@KINDS
@pytest.mark.parametrize("size", [1.0, 1e4])
def test_softmax_is_that_of_torch_and_overflows_nothing(kind, size):
    scores = random(3, 4, 5) * size
    scores[0, 1, 2] = -np.inf
    expected = torch.tensor(scores).softmax(-1)
    np.testing.assert_allclose(softmax(kind(scores)), expected, rtol=1e-12)
    assert softmax(kind(np.full((2, 3), -np.inf))).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert tuple(softmax(kind(np.zeros((2, 0)))).shape) == (2, 0)


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize("encoding", [Rotary(), Alibi()])
@pytest.mark.parametrize("batch", [[1], [1, 2]], ids=["one row", "a row for each sentence"])
def test_a_window_is_a_mask(encoding, batch):
    positions = np.multiply.outer(batch, np.arange(9))
    q, k, v = (random(2, 2, 9, 4, seed=seed) for seed in range(3))
    options = {"q_positions": positions, "k_positions": positions, "encoding": encoding}
    apart = positions[:, None, :, None] - positions[:, None, None, :]
    causal = np.tri(9, dtype=bool)
    for mask, near in ((None, np.abs(apart) < 5), (causal, causal & (apart < 5))):
        found = attention(q, k, v, mask=mask, window=5, **options)
        np.testing.assert_allclose(found, attention(q, k, v, mask=near, **options), atol=1e-14)


@KINDS
def test_a_temperature_divides_queries_and_no_bias(kind):
    q, k, v = (random(2, 2, 5, 4, seed=seed) for seed in range(3))
    positions = {"q_positions": np.add.outer([3, 5], np.arange(5)), "k_positions": range(5)}
    encoding = T5(kind(random(8, 2)), max_distance=20)
    by_place = 2.0 ** (positions["q_positions"][:, None, :, None] - 5)
    for temperature, by in ((0.5, 0.5), (lambda p: 2.0 ** (p - 5), by_place)):
        options = {"encoding": encoding, **positions}
        found = attention(*map(kind, (q, k, v)), temperature=temperature, **options)
        wanted = attention(*map(kind, (q / by, k, v)), **options)
        np.testing.assert_allclose(found, wanted, atol=1e-13)


# ---------------------------------------------------------------- cache


def test_the_cache_holds_keys_that_have_passed_their_door():
    cache, x = KeyValueCache(), random(1, 1, D_MODEL)
    attend(x, *W, num_heads=1, encoding=Rotary(), positions=[3], cache=cache)
    np.testing.assert_allclose(cache.keys, Rotary().at_key((x @ W[1])[:, None], [3]))
    np.testing.assert_allclose(cache.values, (x @ W[2])[:, None])


@KINDS
def test_the_cache_has_its_own_positions_for_each_sentence(kind):
    x, *w = map(kind, (random(2, 4, D_MODEL), *W))
    positions, cache = kind(np.arange(4) + np.array([[0], [3]])), KeyValueCache()
    options = {"num_heads": HEADS, "encoding": Alibi(), "mask": causal_mask}
    whole = attend(x, *w, positions=positions, **options)
    here = positions[:, :2]
    attend(x[:, :2], *w, positions=here, cache=cache, **options)
    here += 2  # the caller counts on in its own array
    found = attend(x[:, 2:], *w, positions=here, cache=cache, **options)
    np.testing.assert_allclose(found, whole[:, 2:], atol=1e-13)


@pytest.mark.parametrize("frequencies", [dynamic, phi], ids=["dynamic NTK", "LongRoPE"])
def test_frequencies_that_follow_the_length_make_cached_keys_wrong(frequencies):
    """Keys were rotated when the text was shorter."""
    x, cache = random(1, 8, D_MODEL), KeyValueCache()
    for length in range(1, 9):
        options = {"num_heads": HEADS, "encoding": stretched(frequencies(length))}
        token = x[:, length - 1 : length]
        last = attend(token, *W, positions=[length - 1], cache=cache, **options)
        whole = attend(x[:, :length], *W, positions=range(length), **options)
        difference = np.abs(last[:, 0] - whole[:, -1]).max()
        assert bool(difference < 1e-13) is (length <= 6), length


def test_a_failed_step_leaves_the_cache_as_it_was():
    cache, x = KeyValueCache(), random(1, 2, D_MODEL)
    options = {"num_heads": HEADS, "encoding": Rotary(), "cache": cache}
    attend(x, *W, positions=[0, 1], **options)
    for sentences, positions, mask in (
        (x, [2, 3], np.ones((2, 3), bool)),
        (np.repeat(x, 2, axis=0), [2, 3], None),
        (x[:, :1], [[2, 3]], None),
    ):
        with pytest.raises(ValueError, match=r"mask|dimensions|positions"):
            attend(sentences, *W, positions=positions, mask=mask, **options)
        assert cache.positions.tolist() == [0, 1]
        assert cache.keys.shape[2] == cache.values.shape[2] == 2
