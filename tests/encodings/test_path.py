"""PaTH against products of matrices, one by one."""

import numpy as np
import pytest
import torch

from posviz import NoPosition, PaTH, attend, causal_mask, path_bias
from tests.every_encoding import D_MODEL, HEAD_DIM, HEADS, random

LEN = 9
Q, K, W = (random(2, LEN, 5, seed=seed) for seed in range(3))
W = W / np.linalg.norm(W, axis=-1, keepdims=True)
BETA = 2 / (1 + np.exp(-random(2, LEN, seed=3)))
X = random(2, 6, D_MODEL)
PROJECTIONS = [random(D_MODEL, D_MODEL, seed=seed) / 2 for seed in (4, 5, 6)]
CAUSAL = {"num_heads": HEADS, "positions": range(6), "mask": causal_mask}


def slowly(q, k, w, beta, i, j):
    """k_jᵀ H_{j+1} ⋯ H_i q_i, matrix by matrix."""
    product = np.eye(len(q[i]))
    for t in range(j + 1, i + 1):
        product = product @ (np.eye(len(w[t])) - beta[t] * np.outer(w[t], w[t]))
    return k[j] @ product @ q[i]


@pytest.mark.parametrize("q_len", [LEN, 4])
def test_scores_are_products_of_all_reflections_between(q_len):
    q = Q[:, LEN - q_len :]
    found = q @ K.mT + path_bias(q, K, W, BETA)
    assert found.shape == (2, q_len, LEN)
    for b, i, j in np.ndindex(2, q_len, LEN):
        wanted = slowly(Q[b], K[b], W[b], BETA[b], LEN - q_len + i, j)
        assert found[b, i, j] == pytest.approx(wanted, abs=1e-12)


def test_a_reflection_twice_is_none():
    """β = 2 mirrors, so two tokens with the same w undo each other; no rotation can do that."""
    w = np.broadcast_to(np.array([1.0, 0, 0, 0, 0]), (LEN, 5))
    found = w @ w.T + path_bias(w, w, w, np.full(LEN, 2.0))
    i, j = np.tril_indices(LEN)
    np.testing.assert_array_equal(found[i, j], (-1.0) ** (i - j))


def test_beta_of_zero_is_no_position():
    """σ(−1000) is 0 in float64."""
    encoding = PaTH(random(D_MODEL, HEAD_DIM), np.zeros((D_MODEL, 1)), np.array([-1000.0]))
    found = attend(X, *PROJECTIONS, encoding=encoding, **CAUSAL)
    plain = attend(X, *PROJECTIONS, encoding=NoPosition(), **CAUSAL)
    np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize("w_heads", [1, 2, 4])
def test_w_has_norm_one_and_neighbouring_heads_may_share_it(w_heads):
    w_w, w_beta = random(D_MODEL, 2 * w_heads, seed=7), random(D_MODEL, w_heads, seed=8)
    options = {"encoding": PaTH(w_w, w_beta), "return_weights": True, **CAUSAL, "num_heads": 4}
    _, weights = attend(X, *PROJECTIONS, **options)
    q, k = ((X[0] @ w).reshape(6, 4, 2) for w in PROJECTIONS[:2])
    made = (X[0] @ w_w).reshape(6, w_heads, 2)
    made = made / np.linalg.norm(made, axis=-1, keepdims=True)
    beta = 2 / (1 + np.exp(-(X[0] @ w_beta)))
    for h, i in np.ndindex(4, 6):
        own = h * w_heads // 4
        tokens = (q[:, h], k[:, h], made[:, own], beta[:, own])
        powers = np.exp([slowly(*tokens, i, j) / np.sqrt(2) for j in range(i + 1)])
        np.testing.assert_allclose(weights[0, h, i, : i + 1], powers / powers.sum(), atol=1e-13)


def test_a_token_of_zeros_reflects_nothing_and_has_a_gradient():
    x = torch.zeros(1, 3, D_MODEL, dtype=torch.float64, requires_grad=True)
    encoding = PaTH(torch.tensor(random(D_MODEL, D_MODEL)), torch.tensor(random(D_MODEL, HEADS)))
    w = map(torch.tensor, PROJECTIONS)
    found = attend(x, *w, num_heads=HEADS, encoding=encoding, positions=range(3))
    assert not found.any()
    [gradient] = torch.autograd.grad(found.sum(), x)
    assert gradient.isfinite().all()
