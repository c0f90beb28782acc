"""FoX against loops, ALiBi and x_transformers."""

import numpy as np
import pytest
import torch
from x_transformers.x_transformers import DataDependentAlibi

from posviz.attention import attend, attention
from posviz.encodings.alibi import Alibi, alibi_bias, alibi_slopes
from posviz.encodings.fox import Forgetting, FoX, fox_bias, log_forget_gates
from posviz.encodings.relative import offsets
from posviz.masks import causal_mask
from tests.every_encoding import D_MODEL, HEAD_DIM, HEADS, random

KINDS = pytest.mark.parametrize("kind", [np.asarray, torch.tensor], ids=["NumPy", "torch"])
X, W_F, B_F = random(2, 6, D_MODEL), random(D_MODEL, HEADS, seed=1), random(HEADS, seed=2)
CAUSAL = causal_mask(range(6), range(6))


@KINDS
def test_gate_by_gate(kind):
    found = log_forget_gates(kind(X), kind(W_F), kind(B_F))
    for b, h, t in np.ndindex(2, HEADS, 6):
        gate = 1 / (1 + np.exp(-(X[b, t] @ W_F[:, h] + B_F[h])))
        assert float(found[b, h, t]) == pytest.approx(np.log(gate), rel=1e-12)


@KINDS
@pytest.mark.parametrize("q_len", [None, 6, 2, 0])
def test_a_query_adds_the_gates_after_the_key_up_to_its_own(kind, q_len):
    gates = np.log([[0.5, 0.9, 0.1, 0.7, 0.2, 0.6]] * 2)
    found, first = fox_bias(kind(gates), q_len), 0 if q_len is None else 6 - q_len
    assert tuple(found.shape) == (2, 6 - first, 6)
    for i in range(first, 6):
        for j in range(i + 1):
            wanted = sum(gates[0, j + 1 : i + 1])
            assert float(found[0, i - first, j]) == pytest.approx(wanted, abs=1e-14)


def test_the_bias_is_that_of_x_transformers():
    torch.manual_seed(0)
    theirs = DataDependentAlibi(D_MODEL, HEADS).double()
    linear, x = theirs.to_forget_gates[0], torch.tensor(X)
    ours = fox_bias(log_forget_gates(x, linear.weight.T, linear.bias))
    torch.testing.assert_close(ours, theirs(x), atol=1e-13, rtol=0)


@KINDS
@pytest.mark.parametrize("heads", [2, 8])
def test_constant_gates_are_alibi(kind, heads):
    """A gate of e^−slope, whatever the input: the same weights."""
    q, k, v = (kind(random(1, heads, 40, 4, seed=seed)) for seed in range(3))
    gates = np.broadcast_to(-alibi_slopes(heads)[None, :, None], (1, heads, 40))
    options = {"q_positions": range(40), "k_positions": range(40), "return_weights": True}
    options["mask"] = kind(np.tri(40, dtype=bool))
    found, weights = attention(q, k, v, encoding=Forgetting(kind(gates.copy())), **options)
    output, alibi = attention(q, k, v, encoding=Alibi(), **options)
    np.testing.assert_allclose(weights, alibi, atol=1e-14, rtol=0)
    np.testing.assert_allclose(found, output, atol=1e-13, rtol=0)


def test_slopes_that_are_powers_of_two_are_summed_without_rounding():
    gates = np.broadcast_to(-alibi_slopes(8)[:, None], (8, 300))
    bias, wanted = fox_bias(gates), alibi_bias(alibi_slopes(8), offsets(range(300), range(300)))
    np.testing.assert_array_equal(np.tril(bias), np.tril(wanted))


def test_a_bias_alone_makes_constant_gates():
    """σ(b) = 2^−1 … : with w_f = 0 no token is told from another, and the slope is −ln σ(b)."""
    b_f = -np.log(np.expm1(alibi_slopes(HEADS)))
    options = {"num_heads": HEADS, "positions": range(6), "mask": CAUSAL}
    w = [random(D_MODEL, D_MODEL, seed=seed) for seed in (3, 4, 5)]
    found = attend(X, *w, encoding=FoX(0 * W_F, b_f), **options)
    np.testing.assert_allclose(found, attend(X, *w, encoding=Alibi(), **options), atol=1e-13)


def test_pair_by_pair_it_is_the_same_bias():
    made, _ = FoX(*map(torch.tensor, (W_F, B_F))).for_input(torch.tensor(X), range(6), None)
    q, k = torch.zeros(2, HEADS, 4, HEAD_DIM), torch.zeros(2, HEADS, 6, HEAD_DIM)
    whole = made.at_scores(torch.zeros(2, HEADS, 4, 6).double(), q, None, None, None)
    pair = made.bias_of_pair(q, k, None, None)
    for b, h, i, j in np.ndindex(2, HEADS, 4, 6):
        assert float(pair(b, h, i, j)) == pytest.approx(float(whole[b, h, i, j]), abs=1e-14)


def test_gates_that_are_shut_forget_all_before_and_overflow_nothing():
    with np.errstate(all="raise", under="ignore"):
        open_, shut = log_forget_gates(np.array([[[1.0], [-1.0]]]), np.array([[1000.0]]))[0, 0]
    assert (open_, shut) == (0, -1000)
    q = random(1, 1, 3, HEAD_DIM)
    _, weights = attention(
        q,
        q,
        q,
        encoding=Forgetting(np.array([[[0.0, -1000.0, 0.0]]])),
        q_positions=range(3),
        k_positions=range(3),
        mask=np.tri(3, dtype=bool),
        return_weights=True,
    )
    assert weights[0, 0, 1].tolist() == [0, 1, 0]
    assert weights[0, 0, 2, 0] == 0


def test_many_gates_of_halves_are_summed_in_float32():
    x = torch.ones(1, 3000, 1, dtype=torch.bfloat16)
    gates = log_forget_gates(x, torch.tensor([[-1.0]], dtype=torch.bfloat16))
    assert gates.dtype == torch.float32
    slope = float(np.log1p(np.exp(1.0)))
    assert float(fox_bias(gates)[0, 0, -1, 0]) == pytest.approx(-2999 * slope, rel=1e-5)


def test_a_cache_carries_the_gates_of_halves_in_float32():
    x, encoding = torch.tensor(X).bfloat16(), FoX(torch.tensor(W_F))
    carried = None
    for step in x.split(3, dim=1):
        made, carried = encoding.for_input(step, None, carried)
        assert made.log_gates.dtype == carried.dtype == torch.float32
    torch.testing.assert_close(carried, encoding.for_input(x, None, None)[1])


@pytest.mark.parametrize("dtype", [np.float16, torch.float16, torch.bfloat16])
def test_gates_that_are_halves_are_summed_in_float32(dtype):
    ones = np.ones if dtype is np.float16 else torch.ones
    gates = -ones((1, 1, 3000), dtype=dtype)
    q, zeros = ones((1, 1, 1, 4), dtype=dtype), 0 * ones((1, 1, 1, 3000), dtype=dtype)
    summed = Forgetting(gates).at_scores(zeros, q, None, None, None)
    for bias in (fox_bias(gates, 1), summed):
        assert bias.dtype == dtype
        assert float(bias[0, 0, 0, 0]) == pytest.approx(-2999, rel=2**-8)
    if dtype is not np.float16:
        assert Forgetting(gates).bias_of_pair(q, zeros.mT, None, None)(0, 0, 0, 0) == -2999


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: log_forget_gates(X[0], W_F), ValueError, r"x must be \[batch, len, 8\] .* \(6, 8"),
        (lambda: log_forget_gates(X, W_F[:3]), ValueError, r"x must be \[batch, len, 3\]"),
        (lambda: log_forget_gates(X, W_F, B_F[:1]), ValueError, r"b_f \[heads\] or None, got .*1,"),
        (lambda: log_forget_gates(X, W_F.astype("f4")), TypeError, "w_f: float32"),
        (lambda: fox_bias(np.zeros(3), 4), ValueError, "q_len must be at most the 3 tokens"),
        (lambda: fox_bias(np.zeros(3), 1.5), TypeError, "q_len must be an integer"),
        (lambda: fox_bias(np.float64(1)), ValueError, "got a single number"),
        (
            lambda: fox_bias(np.array([0, -np.inf])),
            ValueError,
            "log_gates must be finite",
        ),
        (lambda: fox_bias(np.arange(3)), TypeError, "log_gates must be floating-point"),
        (lambda: FoX(B_F), ValueError, r"w_f must be \[d_model, heads\]"),
        (lambda: FoX(W_F, B_F.astype("f4")), TypeError, "b_f: float32"),
        (
            lambda: attend(
                X,
                *[random(8, 8)] * 3,
                num_heads=4,
                encoding=FoX(W_F),
                positions=range(6),
            ),
            ValueError,
            r"log_gates must be \[2, 4, 6\], one .* got shape \(2, 2, 6\) for 6 queries",
        ),
        (
            lambda: Forgetting(np.zeros((1, 1, 2))).at_scores(
                np.zeros((1, 1, 3, 2)), None, None, range(3), range(2)
            ),
            ValueError,
            r"for at most as many queries, got shape \(1, 1, 2\) for 3 queries",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
