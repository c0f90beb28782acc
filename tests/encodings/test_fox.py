"""FoX against loops, ALiBi and x_transformers."""

import numpy as np
import pytest
import torch
from x_transformers.x_transformers import DataDependentAlibi

from posviz import Alibi, FoX, alibi_slopes, attend, causal_mask, fox_bias, log_forget_gates
from tests.every_encoding import D_MODEL, HEADS, random

X, W_F, B_F = random(2, 6, D_MODEL), random(D_MODEL, HEADS, seed=1), random(HEADS, seed=2)


def test_gates_are_logarithms_of_sigmoids():
    found = log_forget_gates(X, W_F, B_F)
    for b, h, t in np.ndindex(2, HEADS, 6):
        gate = 1 / (1 + np.exp(-(X[b, t] @ W_F[:, h] + B_F[h])))
        assert found[b, h, t] == pytest.approx(np.log(gate), rel=1e-12)


@pytest.mark.parametrize("q_len", [None, 2])
def test_a_query_adds_the_gates_after_the_key_up_to_its_own(q_len):
    gates = np.log([[0.5, 0.9, 0.1, 0.7, 0.2, 0.6]] * 2)
    found, first = fox_bias(gates, q_len), 0 if q_len is None else 6 - q_len
    assert found.shape == (2, 6 - first, 6)
    for i in range(first, 6):
        for j in range(i + 1):
            wanted = sum(gates[0, j + 1 : i + 1])
            assert found[0, i - first, j] == pytest.approx(wanted, abs=1e-14)


def test_the_bias_is_that_of_x_transformers():
    torch.manual_seed(0)
    theirs, x = DataDependentAlibi(D_MODEL, HEADS).double(), torch.tensor(X)
    linear = theirs.to_forget_gates[0]
    ours = fox_bias(log_forget_gates(x, linear.weight.T, linear.bias))
    torch.testing.assert_close(ours, theirs(x), atol=1e-13, rtol=0)


def test_gates_that_are_constant_are_alibi():
    """A gate of e^−slope, whatever the input: with w_f = 0 only the bias makes it."""
    b_f = -np.log(np.expm1(alibi_slopes(HEADS)))
    options = {"num_heads": HEADS, "positions": range(6), "mask": causal_mask}
    w = [random(D_MODEL, D_MODEL, seed=seed) for seed in (3, 4, 5)]
    found = attend(X, *w, encoding=FoX(0 * W_F, b_f), **options)
    np.testing.assert_allclose(found, attend(X, *w, encoding=Alibi(), **options), atol=1e-13)


def test_gates_that_are_shut_forget_all_before_and_overflow_nothing():
    with np.errstate(all="raise", under="ignore"):
        gates = log_forget_gates(np.array([[[1.0], [-1.0], [1.0]]]), np.array([[1000.0]]))
    assert gates.tolist() == [[[0, -1000, 0]]]
    assert fox_bias(gates)[0, 0, 1:, 0].tolist() == [-1000, -1000]


def test_many_gates_of_halves_are_summed_in_float32():
    x = torch.ones(1, 3000, 1, dtype=torch.bfloat16)
    gates = log_forget_gates(x, torch.tensor([[-1.0]], dtype=torch.bfloat16))
    assert gates.dtype == torch.float32
    slope = float(np.log1p(np.exp(1.0)))
    assert float(fox_bias(gates)[0, 0, -1, 0]) == pytest.approx(-2999 * slope, rel=1e-5)
