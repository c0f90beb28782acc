"""PaTH against products of matrices, one by one."""

import numpy as np
import pytest
import torch

from posviz.attention import attend
from posviz.encodings.doors import NoPosition
from posviz.encodings.path import PaTH, Reflecting, householder, path_scores
from posviz.masks import causal_mask
from tests.every_encoding import D_MODEL, HEAD_DIM, HEADS, random

KINDS = pytest.mark.parametrize("kind", [np.asarray, torch.tensor], ids=["NumPy", "torch"])
LEN = 9
Q, K, W = (random(2, LEN, 5, seed=seed) for seed in range(3))
W = W / np.linalg.norm(W, axis=-1, keepdims=True)
BETA = 2 / (1 + np.exp(-random(2, LEN, seed=3)))
X = random(2, 6, D_MODEL)
PROJECTIONS = [random(D_MODEL, D_MODEL, seed=seed) / 2 for seed in (4, 5, 6)]
CAUSAL = {"num_heads": HEADS, "positions": range(6), "mask": causal_mask(range(6), range(6))}


def slowly(q, k, w, beta, i, j):
    """k_jᵀ H_{j+1} ⋯ H_i q_i, matrix by matrix."""
    product = np.eye(len(q[i]))
    for t in range(j + 1, i + 1):
        product = product @ (np.eye(len(w[t])) - beta[t] * np.outer(w[t], w[t]))
    return k[j] @ product @ q[i]


@KINDS
@pytest.mark.parametrize("q_len", [LEN, 4, 1, 0])
def test_scores_are_products_of_all_reflections_between(kind, q_len):
    found = path_scores(kind(Q[:, LEN - q_len :]), *map(kind, (K, W, BETA)))
    assert tuple(found.shape) == (2, q_len, LEN)
    for b, i, j in np.ndindex(2, q_len, LEN):
        token = LEN - q_len + i
        wanted = slowly(Q[b], K[b], W[b], BETA[b], token, j)
        assert float(found[b, i, j]) == pytest.approx(wanted, abs=1e-12)


@KINDS
def test_without_strength_it_is_the_plain_product_bit_by_bit(kind):
    found = path_scores(*map(kind, (Q, K, W, 0 * BETA)))
    np.testing.assert_array_equal(found, kind(Q) @ kind(K).mT)


def test_a_reflection_twice_is_none():
    """β = 2 mirrors: two tokens with the same w undo each other, and only whether they are even
    is seen, which no rotation by distance can do."""
    w = np.broadcast_to(np.array([1.0, 0, 0, 0, 0]), (LEN, 5))
    q = k = np.broadcast_to(w[0], (LEN, 5))
    found = path_scores(q, k, w, np.full(LEN, 2.0))
    i, j = np.tril_indices(LEN)
    np.testing.assert_array_equal(found[i, j], (-1.0) ** (i - j))


@KINDS
def test_householder_matrices(kind):
    w, beta = W[0, :3], np.array([0.0, 1.0, 2.0])
    found = np.asarray(householder(kind(w), kind(beta)))
    np.testing.assert_array_equal(found[0], np.eye(5))
    np.testing.assert_allclose(found[1] @ w[1], 0, atol=1e-15)
    np.testing.assert_allclose(found[2] @ found[2].T, np.eye(5), atol=1e-15)
    np.testing.assert_allclose(found[2] @ w[2], -w[2], atol=1e-15)


def test_no_reflection_makes_a_query_longer():
    """All factors lie in −1 … 1, so that hundreds of them stay small."""
    q, k, w = (random(400, 16, seed=seed) for seed in range(3))
    w = w / np.linalg.norm(w, axis=-1, keepdims=True)
    found = path_scores(q, k, w, np.full(400, 1.9))
    bound = np.linalg.norm(q, axis=-1)[:, None] * np.linalg.norm(k, axis=-1)
    assert (np.abs(found) <= bound * (1 + 1e-12)).all()
    assert found[399, 3] == pytest.approx(slowly(q, k, w, np.full(400, 1.9), 399, 3), abs=1e-12)


def test_gradients_agree_with_numbers():
    arrays = [torch.tensor(x[:1, :4], requires_grad=True) for x in (Q, K, W, BETA)]
    assert torch.autograd.gradcheck(path_scores, arrays)


@KINDS
def test_beta_0_is_no_position(kind):
    """σ(−1000) is 0 in float64."""
    encoding = PaTH(
        kind(random(D_MODEL, HEAD_DIM)), kind(np.zeros((D_MODEL, 1))), kind(np.array([-1000.0]))
    )
    options = CAUSAL | {"mask": kind(CAUSAL["mask"])}
    arrays = [kind(X), *map(kind, PROJECTIONS)]
    found = attend(*arrays, encoding=encoding, **options)
    np.testing.assert_array_equal(found, attend(*arrays, encoding=NoPosition(), **options))


@KINDS
@pytest.mark.parametrize("w_heads", [1, 2])
def test_w_is_made_1_long_and_heads_may_share_it(kind, w_heads):
    dims = D_MODEL // HEADS
    w_w, w_beta = random(D_MODEL, w_heads * dims, seed=7), random(D_MODEL, w_heads, seed=8)
    encoding = PaTH(kind(w_w), kind(w_beta))
    _, weights = attend(
        kind(X),
        *map(kind, PROJECTIONS),
        encoding=encoding,
        return_weights=True,
        **CAUSAL | {"mask": kind(CAUSAL["mask"])},
    )
    q, k = ((X[0] @ w).reshape(6, HEADS, dims) for w in PROJECTIONS[:2])
    made = (X[0] @ w_w).reshape(6, w_heads, dims)
    made = made / np.linalg.norm(made, axis=-1, keepdims=True)
    beta = 2 / (1 + np.exp(-(X[0] @ w_beta)))
    for h, i in np.ndindex(HEADS, 6):
        own = h * w_heads // HEADS
        tokens = (q[:, h], k[:, h], made[:, own], beta[:, own])
        powers = np.exp([slowly(*tokens, i, j) / np.sqrt(HEAD_DIM) for j in range(i + 1)])
        np.testing.assert_allclose(weights[0, h, i, : i + 1], powers / powers.sum(), atol=1e-13)


@KINDS
def test_neighbouring_heads_share_a_reflection(kind):
    q, k = (kind(random(1, 4, 6, 3, seed=seed)) for seed in (1, 2))
    w, beta = random(1, 2, 6, 3, seed=3), 1 + random(1, 2, 6, seed=4) / 9
    own = [0, 0, 1, 1]
    shared, each = Reflecting(kind(w), kind(beta)), Reflecting(kind(w[:, own]), kind(beta[:, own]))
    found, wanted = (made.at_scores(q @ k.mT, q, k, None, None) for made in (shared, each))
    np.testing.assert_array_equal(found, wanted)


def test_a_token_of_zeros_reflects_nothing_and_has_a_gradient():
    x = torch.zeros(1, 3, D_MODEL, dtype=torch.float64, requires_grad=True)
    encoding = PaTH(torch.tensor(random(D_MODEL, D_MODEL)), torch.tensor(random(D_MODEL, HEADS)))
    made, _ = encoding.for_input(x, range(3), None)
    assert not made.w.any()
    [gradient] = torch.autograd.grad(made.w.sum(), x)
    assert gradient.isfinite().all()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: path_scores(Q, K[:, :3], W, BETA), ValueError, r"q must be .*got q \(2, 9, 5\)"),
        (lambda: path_scores(Q, K[:, :3], W[:, :3], BETA[:, :3]), ValueError, "no shorter"),
        (lambda: path_scores(Q, K, W, BETA[:, :3]), ValueError, r"beta \(2, 3\)"),
        (lambda: path_scores(Q, K, W, torch.tensor(BETA)), TypeError, "cannot be mixed"),
        (lambda: householder(W, BETA[0]), ValueError, r"w must be \[..., head_dim\] and beta"),
        (lambda: PaTH(random(8, 8), random(7, 2)), ValueError, r"w_w must be .* got \(8, 8\), \(7"),
        (lambda: PaTH(random(8, 8), random(8, 3)), ValueError, "w_w must be"),
        (lambda: PaTH(random(8, 8), random(8, 2), random(3)), ValueError, r"and \(3,\)"),
        (
            lambda: attend(X, *PROJECTIONS, encoding=PaTH(random(7, 8), random(7, 2)), **CAUSAL),
            ValueError,
            "w_w must have the 8 rows of x's d_model, got 7",
        ),
        (
            lambda: attend(X, *PROJECTIONS, encoding=PaTH(random(8, 12), random(8, 4)), **CAUSAL),
            ValueError,
            r"w must be \[2, w_heads, 6, 4\], where w_heads divides 2, .*\(2, 4, 6, 3",
        ),
        (
            lambda: Reflecting(W[None], BETA[None]).at_scores(
                0 * Q[:, None], *[Q[:, None]] * 2, 0, 0
            ),
            ValueError,
            r"w must be \[2, w_heads, 9, 5\]",
        ),
        (
            lambda: Reflecting(W[None, :, :2, :], BETA[None, :, :2]).at_scores(
                np.zeros((1, 2, 9, 2)), Q[None], K[None, :, :2], range(9), range(2)
            ),
            ValueError,
            r"for at most as many queries as keys, got shape \(1, 2, 2, 5\) for 9 queries",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
