"""Inkling's bias against loops, transformers and x_transformers."""

import numpy as np
import pytest
import torch
from transformers.models.inkling.modeling_inkling import InklingRelativeLogits
from x_transformers.x_transformers import RelativeProjPositionalBias

from posviz.attention import attend
from posviz.encodings.inkling import Inkling, inkling_bias
from posviz.encodings.relative import offsets
from posviz.masks import causal_mask
from tests.every_encoding import D_MODEL, HEADS, random

KINDS = pytest.mark.parametrize("kind", [np.asarray, torch.tensor], ids=["NumPy", "torch"])
X, W_R, BANK = random(2, 6, D_MODEL), random(D_MODEL, HEADS * 3, seed=1), random(3, 4, seed=2)
STATES = random(2, HEADS, 6, 3, seed=3)


@KINDS
def test_curve_by_curve(kind):
    apart = offsets([3, 7, 5], [2, 3, 5, 7, 9])
    found = inkling_bias(kind(STATES[:, :, :3]), kind(BANK), kind(apart))
    for b, h, i, j in np.ndindex(2, HEADS, 3, 5):
        seen = 0 <= apart[i, j] < 4
        wanted = STATES[b, h, i] @ BANK[:, apart[i, j]] if seen else 0
        assert float(found[b, h, i, j]) == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize("extent", [3, 20])
def test_the_bias_is_that_of_transformers(extent):
    theirs = InklingRelativeLogits(3, extent).double()
    torch.nn.init.normal_(theirs.proj)
    states = torch.tensor(STATES)
    q, k = torch.arange(3, 9), torch.arange(9)
    ours = inkling_bias(states, theirs.proj, offsets(q, k))
    torch.testing.assert_close(ours, theirs(states.transpose(1, 2), q, k), atol=1e-14, rtol=0)


def test_the_bias_is_that_of_x_transformers():
    torch.manual_seed(0)
    theirs, x = RelativeProjPositionalBias(D_MODEL, HEADS, 3, 4).double(), torch.tensor(X)
    linear = theirs.to_distance_weights[0]
    torch.nn.init.zeros_(linear.bias)  # Inkling's projections have none
    made, carried = Inkling(linear.weight.T, theirs.distance_bank).for_input(x, range(6), None)
    assert carried is None
    zeros = torch.zeros(2, HEADS, 6, 6).double()
    found = made.at_scores(zeros, None, None, range(6), range(6))
    torch.testing.assert_close(found, theirs(x), atol=1e-13, rtol=0)


@pytest.mark.parametrize("places", [torch.arange(6), torch.tensor([range(6), range(3, 9)])])
def test_pair_by_pair_it_is_the_same_bias(places):
    made, _ = Inkling(*map(torch.tensor, (W_R, BANK))).for_input(torch.tensor(X), places, None)
    zeros = torch.zeros(2, HEADS, 6, 6).double()
    whole = made.at_scores(zeros, None, None, places, places)
    pair = made.bias_of_pair(zeros, None, places, places)
    for b, h, i, j in np.ndindex(2, HEADS, 6, 6):
        index = map(torch.tensor, (b, h, i, j))
        assert float(pair(*index)) == pytest.approx(float(whole[b, h, i, j]), abs=1e-14)


def test_tokens_that_ask_alike_have_one_bias_by_distance():
    """With one curve, and a last dimension of 1 that all tokens share, it is a learned table."""
    x = X.copy()
    x[..., -1] = 1
    w_r = np.zeros((D_MODEL, HEADS))
    w_r[-1] = 1
    bank = random(1, 6)
    w = [np.zeros((D_MODEL, D_MODEL))] * 2 + [random(D_MODEL, D_MODEL)]
    _, weights = attend(
        x,
        *w,
        num_heads=HEADS,
        encoding=Inkling(w_r, bank),
        positions=range(6),
        mask=causal_mask(range(6), range(6)),
        return_weights=True,
    )
    for i in range(6):
        powers = np.exp(bank[0, : i + 1][::-1])
        np.testing.assert_allclose(weights[1, 1, i, : i + 1], powers / powers.sum(), atol=1e-14)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: inkling_bias(STATES, BANK[:2], [[0]] * 6),
            ValueError,
            r"states must be .* 2\] and",
        ),
        (lambda: inkling_bias(STATES, BANK, [[[0]] * 6] * 3), ValueError, r"and \(3, 6, 1\)"),
        (lambda: inkling_bias(STATES, BANK, [[0]]), ValueError, r"and \(1, 1\)"),
        (lambda: inkling_bias(STATES, BANK, [[0.5]] * 6), TypeError, "offsets must be integers"),
        (
            lambda: inkling_bias(STATES, BANK[0], [[0]] * 6),
            ValueError,
            r"bank must be \[d_rel, ext",
        ),
        (lambda: Inkling(W_R, BANK[:, :0]), ValueError, r"bank must be .* got shape \(3, 0\)"),
        (lambda: Inkling(W_R[:, :4], BANK), ValueError, r"w_r must be \[d_model, heads·3\]"),
        (lambda: Inkling(W_R, BANK.astype("f4")), TypeError, "bank: float32"),
        (
            lambda: Inkling(W_R[:7], BANK).for_input(X, range(6), None),
            ValueError,
            "w_r must have the 8 rows of x's d_model, got 7",
        ),
        (
            lambda: attend(
                X, *[random(8, 8)] * 3, num_heads=4, encoding=Inkling(W_R, BANK), positions=range(6)
            ),
            ValueError,
            r"states must be \[2, 4, 6, d_rel\], as many heads and queries as q, got shape",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
