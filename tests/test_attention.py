"""Attention against loops and other libraries."""

import math
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

from posviz.arrays import devices, to_device, to_numpy
from posviz.attention import attend, attention
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import Encoding, NoPosition
from posviz.encodings.rotary import Rotary
from posviz.masks import causal_mask
from tests.every_encoding import ENCODINGS, RELATIVE, random

every_encoding = pytest.mark.parametrize("name", ENCODINGS)


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
@pytest.mark.parametrize("device", [name for name, missing in devices().items() if not missing][1:])
def test_numpy_and_torch_agree(name, device):
    x, weights = random(2, 5, 8), weights_of_projections()
    mask = causal_mask(range(5), range(5))
    options = {"num_heads": 2, "positions": range(5), "mask": mask}
    ours = attend(x, *weights, encoding=ENCODINGS[name](np.asarray), **options)
    tensors = [to_device(w, device) for w in (x, *weights)]
    options["encoding"] = ENCODINGS[name](lambda array: to_device(array, device))
    theirs = attend(*tensors, **options)
    assert (theirs.dtype, theirs.device) == (tensors[0].dtype, tensors[0].device)
    tolerance = 500 * torch.finfo(theirs.dtype).eps  # MPS has no float64
    np.testing.assert_allclose(to_numpy(theirs), ours, atol=tolerance)
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        coarse = attend(*(w.to(dtype) for w in tensors), **options)
        assert coarse.dtype == dtype
        torch.testing.assert_close(
            coarse.to(theirs.dtype), theirs, atol=16 * torch.finfo(dtype).eps, rtol=0.05
        )


@pytest.mark.parametrize("dtype", [np.float16, torch.float16])
def test_scores_of_halves_may_be_larger_than_a_half(dtype):
    ones = torch.ones if isinstance(dtype, torch.dtype) else np.ones
    q = 64 * ones((1, 1, 2, 64), dtype=dtype)  # q·k is 262,144, four times the largest half
    places = {"q_positions": range(2), "k_positions": range(2)}
    _, weights = attention(q, q, q, encoding=NoPosition(), return_weights=True, **places)
    assert weights.dtype == dtype
    assert np.array_equal(np.asarray(weights), np.full((1, 1, 2, 2), 0.5))


@pytest.mark.sampled(quick=2)
@every_encoding
def test_gradients_flow_and_stay_finite_where_everything_is_masked(name):
    encoding = ENCODINGS[name](torch.tensor)
    x = torch.tensor(random(1, 3, 8), requires_grad=True)
    weights = [torch.tensor(w, requires_grad=True) for w in weights_of_projections()]
    mask = torch.tensor([[False, False, False], [True, True, False], [True, True, True]])

    def run(*arrays):
        return attend(*arrays, num_heads=2, encoding=encoding, positions=range(3), mask=mask)

    assert not run(x, *weights)[0, 0].any()
    assert torch.autograd.gradcheck(run, (x, *weights), fast_mode=True)


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
@pytest.mark.parametrize("mask", [None, np.tri(3, dtype=bool)], ids=["no mask", "causal"])
def test_what_an_encoding_keeps_is_not_written_to(kind, mask):
    class Kept(Encoding):
        """Scores that do not come from queries and keys, and a look at those that do."""

        table = kind(random(1, 1, 3, 3))

        def at_scores(self, scores, q, k, q_positions, k_positions):
            self.seen, self.copy = scores, scores.tolist()
            return self.table

    encoding, q = Kept(), kind(random(1, 1, 3, 4, seed=1))
    before, places = encoding.table.tolist(), {"q_positions": range(3), "k_positions": range(3)}
    attention(q, q, q, encoding=encoding, mask=None if mask is None else kind(mask), **places)
    assert encoding.table.tolist() == before
    assert encoding.seen.tolist() == encoding.copy


@pytest.mark.parametrize("name", [name for name in RELATIVE if name != "dynamic NTK"])
def test_forward_derivatives_agree_with_backward_ones(name):
    encoding, q = ENCODINGS[name](torch.tensor), torch.tensor(random(1, 2, 3, 4))
    places = {"q_positions": range(3), "k_positions": range(3)}

    def run(q):
        return attention(q, q, q, encoding=encoding, **places)

    forward = torch.func.jacfwd(run)(q)
    torch.testing.assert_close(forward, torch.autograd.functional.jacobian(run, q))


@pytest.mark.slow("a process")
def test_numpy_works_where_torch_is_blocked():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import numpy as np, posviz\n"
        "from posviz.attention import attention\n"
        "q, p = np.ones((1, 1, 2, 4)), range(2)\n"
        "print(attention(q, q, q, encoding=posviz.Rotary(), q_positions=p, k_positions=p).sum())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "8.0\n"
