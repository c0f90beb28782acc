"""Attention, its masks and its cache, against loops and other libraries."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

from posviz.attention import (
    KeyValueCache,
    attend,
    attention,
    blockwise_causal_mask,
    causal_mask,
    padding_mask,
    softmax,
)
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import Encoding, NoPosition
from posviz.encodings.rotary import Rotary
from posviz.encodings.sinusoidal import Sinusoidal

ENCODINGS = [NoPosition(), Sinusoidal(), Rotary(), Rotary(layout="half_split"), Alibi()]
every_encoding = pytest.mark.parametrize("encoding", ENCODINGS, ids=repr)
RELATIVE = [NoPosition(), Rotary(), Rotary(rotary_dim=2), Alibi()]


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def weights_of_projections(d_model=8, kv_columns=8):
    columns = (d_model, kv_columns, kv_columns)
    return [random(d_model, width, seed=i + 1) / 2 for i, width in enumerate(columns)]


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


# ---------------------------------------------------------------- attention


@given(q_len=st.integers(1, 4), k_len=st.integers(1, 4), heads=st.sampled_from([(2, 2), (4, 2)]))
def test_query_by_query(q_len, k_len, heads):
    q, k, v = (
        random(2, heads[0], q_len, 3),
        random(2, heads[1], k_len, 3),
        random(2, heads[1], k_len, 5),
    )
    mask = random(q_len, k_len, seed=3) > -0.5
    mask[:, 0] = True
    found, weights = attention(
        q,
        k,
        v,
        encoding=NoPosition(),
        q_positions=range(q_len),
        k_positions=range(k_len),
        mask=mask,
        return_weights=True,
    )
    for b, h in np.ndindex(2, heads[0]):
        shared = h * heads[1] // heads[0]
        rows, row_weights = slowly(q[b, h], k[b, shared], v[b, shared], mask=mask)
        np.testing.assert_allclose(found[b, h], rows, atol=1e-12)
        np.testing.assert_allclose(weights[b, h], row_weights, atol=1e-12)


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_without_encoding_it_is_what_torch_does(kv_heads, dtype):
    q = torch.tensor(random(2, 4, 5, 8)).to(dtype)
    k, v = (torch.tensor(random(2, kv_heads, 7, 8, seed=seed)).to(dtype) for seed in (1, 2))
    mask = torch.tensor(random(2, 1, 5, 7, seed=3) > -0.5)
    mask[0, 0, 2] = False  # a query that may look nowhere
    theirs = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, enable_gqa=True
    )
    ours = attention(
        q,
        k,
        v,
        encoding=NoPosition(),
        q_positions=range(5),
        k_positions=range(7),
        mask=mask,
    )
    assert ours.dtype == dtype
    tolerance = 2 * torch.finfo(dtype).eps
    torch.testing.assert_close(ours, theirs, atol=4 * tolerance, rtol=tolerance)


def test_alibi_is_added_after_the_scale():
    q, k, v = (random(1, 2, 5, 4, seed=seed) for seed in range(3))
    found = attention(q, k, v, encoding=Alibi(), q_positions=range(3, 8), k_positions=range(3, 8))
    for head, slope in enumerate((1 / 16, 1 / 256)):
        rows, _ = slowly(q[0, head], k[0, head], v[0, head], lambda i, j, s=slope: -s * abs(i - j))
        np.testing.assert_allclose(found[0, head], rows, atol=1e-13)


def test_with_rotary_it_is_the_attention_of_llama():
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
    mask = causal_mask(range(6), range(6))
    hidden = torch.where(torch.tensor(mask), 0.0, -torch.inf)
    places = LlamaRotaryEmbedding(config)(x, torch.arange(6)[None])
    theirs, their_weights = module(x, position_embeddings=places, attention_mask=hidden)
    w_q, w_k, w_v = (getattr(module, name).weight.T for name in ("q_proj", "k_proj", "v_proj"))
    ours, weights = attend(
        x,
        w_q,
        w_k,
        w_v,
        num_heads=4,
        encoding=Rotary(layout="half_split"),
        positions=range(6),
        mask=mask,
        return_weights=True,
    )
    torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(weights, their_weights, atol=1e-6, rtol=1e-5)


class Recorder(Encoding):
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
    encoding, x = Recorder(), random(1, 3, 8)
    w_q, w_k, w_v = weights_of_projections(kv_columns=4)
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


@every_encoding
def test_numpy_and_torch_agree(encoding):
    x, weights = random(2, 5, 8), weights_of_projections()
    mask = causal_mask(range(5), range(5))
    options = {"num_heads": 2, "encoding": encoding, "positions": range(5), "mask": mask}
    ours = attend(x, *weights, **options)
    tensors = [torch.tensor(w) for w in (x, *weights)]
    theirs = attend(*tensors, **options)
    assert theirs.dtype == torch.float64
    np.testing.assert_allclose(theirs, ours, atol=1e-13)
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        coarse = attend(*(w.to(dtype) for w in tensors), **options)
        assert coarse.dtype == dtype
        torch.testing.assert_close(
            coarse.double(), theirs, atol=16 * torch.finfo(dtype).eps, rtol=0.05
        )


@every_encoding
def test_gradients_flow_and_stay_finite_where_everything_is_masked(encoding):
    x = torch.tensor(random(1, 3, 4), requires_grad=True)
    weights = [torch.tensor(w, requires_grad=True) for w in weights_of_projections(4, 4)]
    mask = torch.tensor([[False, False, False], [True, True, False], [True, True, True]])

    def run(*arrays):
        return attend(*arrays, num_heads=2, encoding=encoding, positions=range(3), mask=mask)

    assert run(x, *weights)[0, 0].tolist() == [0, 0, 0, 0]
    assert torch.autograd.gradcheck(run, (x, *weights))


# ---------------------------------------------------------------- what attention sees


@given(order=st.permutations(range(6)))
def test_without_position_shuffled_tokens_give_shuffled_outputs(order):
    x, weights = random(1, 6, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": NoPosition(), "positions": range(6)}
    plain, shuffled = (attend(rows, *weights, **options) for rows in (x, x[:, order]))
    np.testing.assert_allclose(shuffled, plain[:, order], atol=1e-13)


@pytest.mark.parametrize("encoding", ENCODINGS[1:], ids=repr)
def test_with_position_they_do_not(encoding):
    x, weights = random(1, 6, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": encoding, "positions": range(6)}
    plain, rolled = (attend(rows, *weights, **options) for rows in (x, np.roll(x, 1, axis=1)))
    assert np.abs(rolled - np.roll(plain, 1, axis=1)).max() > 1e-3


def test_alibi_without_a_mask_is_blind_to_reversal():
    """It sees distances, and reversing a sentence keeps them all; a causal mask tells the sides."""
    x, weights = random(1, 6, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": Alibi(), "positions": range(6)}
    for mask, blind in ((None, True), (causal_mask(range(6), range(6)), False)):
        plain, back = (attend(rows, *weights, mask=mask, **options) for rows in (x, x[:, ::-1]))
        assert bool(np.abs(back - plain[:, ::-1]).max() < 1e-13) is blind


@pytest.mark.parametrize("encoding", RELATIVE, ids=repr)
@given(shift=st.integers(-1000, 1000))
def test_relative_encodings_see_no_common_shift(encoding, shift):
    q, k, v = (random(1, 2, 4, 4, seed=seed) for seed in range(3))
    plain, shifted = (
        attention(q, k, v, encoding=encoding, q_positions=places, k_positions=places)
        for places in (range(4), range(shift, shift + 4))
    )
    np.testing.assert_allclose(shifted, plain, atol=1e-10)


@every_encoding
def test_left_padding_changes_nothing_for_the_real_tokens(encoding):
    x, weights = random(2, 5, 8), weights_of_projections()
    lengths = np.array([3, 5])
    positions = np.arange(5) - (5 - lengths)[:, None]
    mask = causal_mask(positions, positions) & padding_mask(lengths, 5)
    options = {"num_heads": 2, "encoding": encoding}
    found = attend(x, *weights, positions=positions, mask=mask, **options)
    for sentence, length in enumerate(lengths):
        alone = attend(
            x[sentence : sentence + 1, -length:],
            *weights,
            positions=range(length),
            mask=causal_mask(range(length), range(length)),
            **options,
        )
        np.testing.assert_allclose(found[sentence, -length:], alone[0], atol=1e-13)


# ---------------------------------------------------------------- cache


@every_encoding
@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
@given(cuts=st.sets(st.integers(1, 5)))
def test_a_cache_gives_the_same_in_any_number_of_steps(encoding, kind, cuts):
    x, *weights = map(kind, (random(2, 6, 8), *weights_of_projections(8, 4)))
    options = {"num_heads": 4, "encoding": encoding}
    whole = attend(x, *weights, positions=range(6), mask=causal_mask(range(6), range(6)), **options)
    cache, edges = KeyValueCache(), [0, *sorted(cuts), 6]
    for start, stop in itertools.pairwise(edges):
        mask = causal_mask(range(start, stop), range(stop))
        step = attend(
            x[:, start:stop],
            *weights,
            positions=range(start, stop),
            mask=mask,
            cache=cache,
            **options,
        )
        np.testing.assert_allclose(step, whole[:, start:stop], atol=1e-13)
    assert cache.positions.tolist() == list(range(6))
    assert tuple(cache.keys.shape) == tuple(cache.values.shape) == (2, 2, 6, 2)


def test_the_cache_holds_keys_that_have_passed_their_door():
    cache, x, weights = KeyValueCache(), random(1, 1, 8), weights_of_projections()
    attend(x, *weights, num_heads=1, encoding=Rotary(), positions=[3], cache=cache)
    turned = Rotary().at_key((x @ weights[1])[:, None], [3])
    np.testing.assert_allclose(cache.keys, turned)
    np.testing.assert_allclose(cache.values, (x @ weights[2])[:, None])


def test_a_failed_step_leaves_the_cache_as_it_was():
    cache, x, weights = KeyValueCache(), random(1, 2, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": Rotary(), "cache": cache}
    attend(x, *weights, positions=[0, 1], **options)
    for sentences, positions, mask in (
        (x, [2, 3], np.ones((2, 3), bool)),
        (np.repeat(x, 2, axis=0), [2, 3], None),
        (x, [[2, 3]], None),
    ):
        with pytest.raises(ValueError, match=r"mask|cache"):
            attend(sentences, *weights, positions=positions, mask=mask, **options)
        assert cache.positions.tolist() == [0, 1]
        assert cache.keys.shape[2] == cache.values.shape[2] == 2


# ---------------------------------------------------------------- masks and softmax


POSITIONS = st.lists(st.integers(-5, 12), min_size=1, max_size=5)


@pytest.mark.parametrize("kind", [list, np.array, torch.tensor])
@given(q=POSITIONS, k=POSITIONS, block=st.integers(1, 5))
def test_masks_entry_by_entry(kind, q, k, block):
    causal = causal_mask(kind(q), kind(k))
    blockwise = blockwise_causal_mask(kind(q), kind(k), block)
    for i, j in np.ndindex(len(q), len(k)):
        blocks_back = math.floor(q[i] / block) - math.floor(k[j] / block)
        assert bool(causal[i, j]) == (k[j] <= q[i])
        assert bool(blockwise[i, j]) == (k[j] <= q[i] and blocks_back in (0, 1))


def test_masks_of_batches_leave_room_for_the_heads():
    positions = np.array([[0, 1, 2], [-1, 0, 1]])
    assert causal_mask(positions, positions).shape == (2, 1, 3, 3)
    assert blockwise_causal_mask(positions, positions, 2).shape == (2, 1, 3, 3)
    assert causal_mask(positions, positions)[1, 0].tolist() == np.tri(3, dtype=bool).tolist()


def test_padding_hides_what_stands_left_of_a_sentence():
    mask = padding_mask([1, 3, 0], 3)
    assert mask[:, 0, 0].tolist() == [[False, False, True], [True] * 3, [False] * 3]
    assert isinstance(padding_mask(torch.tensor([1]), 3), torch.Tensor)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("size", [1.0, 1e4])
def test_softmax_neither_overflows_nor_sums_to_anything_but_one(dtype, size):
    scores = torch.tensor(random(3, 4, 5) * size).to(dtype)
    scores[0, 1, 2] = -torch.inf
    found = softmax(scores)
    torch.testing.assert_close(found, scores.softmax(-1))
    np.testing.assert_allclose(softmax(scores.numpy()), found, rtol=1e-5)


def test_softmax_of_nothing_to_look_at_is_zero():
    assert softmax(np.full((2, 3), -np.inf)).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert softmax(np.zeros((2, 0))).shape == (2, 0)


# ---------------------------------------------------------------- bad input

Q = random(2, 4, 3, 8)
X, W = random(2, 3, 8), random(8, 8)


def attention_with(**changes):
    arguments = {"q": Q, "k": Q, "v": Q, "q_positions": range(3), "k_positions": range(3)}
    return attention(**{"encoding": NoPosition(), **arguments, **changes})


def attend_with(**changes):
    arguments = {"x": X, "w_q": W, "w_k": W, "w_v": W, "num_heads": 2, "positions": range(3)}
    return attend(**{"encoding": NoPosition(), **arguments, **changes})


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"encoding": Sinusoidal()}, ValueError, "Sinusoidal acts only at the input: call attend"),
        ({"encoding": "rope"}, TypeError, "encoding must be an Encoding, .* got 'rope'"),
        ({"encoding": Rotary}, TypeError, "encoding must be an Encoding"),
        ({"q": Q[0]}, ValueError, "q, k and v must be"),
        ({"k": Q[:1], "v": Q[:1]}, ValueError, "must share batch"),
        ({"k": Q[..., :6]}, ValueError, "must share batch"),
        ({"v": Q[:, :, :2]}, ValueError, "must share batch"),
        ({"k": Q[:, :3], "v": Q[:, :3]}, ValueError, "heads of k must divide the heads of q"),
        ({"k": Q[:, :0], "v": Q[:, :0]}, ValueError, "heads of k must divide the heads of q"),
        ({"k": Q.astype(np.float32)}, TypeError, "k: float32"),
        ({"v": torch.tensor(Q)}, TypeError, "NumPy arrays and torch tensors cannot be mixed"),
        ({"q": Q.tolist()}, TypeError, "got list"),
        (
            {"q_positions": range(4)},
            ValueError,
            r"q_positions must be \[3\] or \[2, 3\], got \(4,\)",
        ),
        ({"k_positions": [[0, 1, 2]]}, ValueError, "k_positions must be"),
        ({"k_positions": [0, 1, np.nan]}, ValueError, "k_positions must be finite"),
        ({"q_positions": torch.arange(3)}, TypeError, "q_positions must be a NumPy array"),
        ({"mask": np.ones((3, 3))}, TypeError, "mask must be boolean"),
        ({"mask": np.ones((3, 4), bool)}, ValueError, r"mask must broadcast to \(2, 4, 3, 3\)"),
        ({"mask": np.ones((5, 2, 4, 3, 3), bool)}, ValueError, "mask must broadcast"),
        ({"mask": torch.ones(3, 3, dtype=torch.bool)}, TypeError, "mask must be a NumPy array"),
    ],
)
def test_attention_names_bad_input(changes, error, message):
    with pytest.raises(error, match=message):
        attention_with(**changes)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"encoding": None}, TypeError, "encoding must be an Encoding"),
        ({"x": X[0]}, ValueError, r"x must be \[batch, len, d_model\]"),
        ({"x": X.astype(int)}, TypeError, "x must be floating-point"),
        ({"w_k": W[:7]}, ValueError, r"w_k must be \[8, …\]"),
        ({"w_v": W[0]}, ValueError, r"w_v must be \[8, …\]"),
        ({"num_heads": 3}, ValueError, "num_heads must divide the 8 columns of w_q, got 3"),
        ({"num_heads": 0}, ValueError, "num_heads must be at least 1"),
        ({"num_heads": 2.0}, TypeError, "num_heads must be an integer"),
        ({"w_k": W[:, :4]}, ValueError, "w_k and w_v must have as many columns"),
        ({"w_k": W[:, :6], "w_v": W[:, :6]}, ValueError, "w_k and w_v must have as many columns"),
        ({"w_q": torch.tensor(W)}, TypeError, "cannot be mixed"),
        ({"positions": range(2)}, ValueError, r"positions must be \[3\] or \[2, 3\]"),
        ({"num_heads": 8, "encoding": Rotary()}, ValueError, "must be"),
    ],
)
def test_attend_names_bad_input(changes, error, message):
    with pytest.raises(error, match=message):
        attend_with(**changes)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: causal_mask([np.nan], [0]), ValueError, "q_positions must be finite"),
        (lambda: blockwise_causal_mask([0], [0], 0), ValueError, "block must be at least 1"),
        (lambda: blockwise_causal_mask([0], [0], 1.5), TypeError, "block must be an integer"),
        (lambda: blockwise_causal_mask(["0"], [0], 1), TypeError, "q_positions must be real"),
        (lambda: padding_mask([4], 3), ValueError, r"lengths must be \[batch\] and in 0 … 3"),
        (lambda: padding_mask(2, 3), ValueError, r"lengths must be \[batch\]"),
        (lambda: padding_mask([1.5], 3), TypeError, "lengths must be integers"),
        (lambda: softmax([1.0, 2.0]), TypeError, "scores: expected a NumPy array"),
    ],
)
def test_masks_and_softmax_name_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_scores_that_would_not_fit_in_memory_are_refused_first():
    q = np.broadcast_to(np.float32(1), (1, 8, 10**7, 2))
    positions = range(10**7)
    with pytest.raises(ValueError, match="heads × q_len × k_len: an array of 3 × 1 × 8 ×"):
        attention(q, q, q, encoding=NoPosition(), q_positions=positions, k_positions=positions)
