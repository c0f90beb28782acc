"""CoPE against loops and x_transformers."""

import numpy as np
import pytest
import torch
from x_transformers import x_transformers

from posviz import CoPE, NoPosition, cope_bias, cope_gates, cope_positions, offsets
from posviz.attention import attention
from tests.every_encoding import random

Q, K = random(2, 3, 7, 4), random(2, 3, 7, 4, seed=1)
APART = offsets(range(7), range(7))
PLACES = {"q_positions": range(7), "k_positions": range(7)}


def test_positions_are_counted_key_by_key():
    scores = Q @ K.mT / 2
    gates = cope_gates(scores, APART)
    found = cope_positions(gates)
    for i, j in zip(*np.tril_indices(7), strict=True):
        wanted = sum(1 / (1 + np.exp(-scores[0, 1, i, k])) for k in range(j, i + 1))
        assert found[0, 1, i, j] == pytest.approx(wanted, abs=1e-14)
    assert not gates[..., APART < 0].any()


def test_the_score_between_two_rows_is_mixed_and_beyond_the_last_is_its():
    q, table = np.ones((1, 1, 2)), np.array([[1.0, 0], [3, 0], [0, 7]])
    found = cope_bias(q, table, np.array([[[0.0, 0.25, 1.0, 1.5, 2.0, 9.0]]]))
    assert found.tolist() == [[[1, 1.5, 3, 5, 7, 7]]]


@pytest.mark.parametrize("rows", [2, 9])
def test_the_bias_is_that_of_x_transformers(rows):
    """There hidden keys come with the lowest score, so that their gates are 0."""
    theirs = x_transformers.CoPE(4, 3, rows).double()
    torch.nn.init.normal_(theirs.pos_emb)
    q, scores = torch.tensor(Q), torch.tensor(Q @ K.mT / 2)
    causal = torch.ones(7, 7, dtype=torch.bool).tril()
    hidden = scores.masked_fill(~causal, -torch.finfo(torch.float64).max)
    with torch.no_grad():
        wanted = theirs(q, hidden)
    encoding = CoPE(theirs.pos_emb.detach())
    ours = encoding.at_scores(scores, q, torch.tensor(K), range(7), range(7)) - scores
    torch.testing.assert_close(ours[..., causal], wanted[..., causal], atol=1e-13, rtol=0)


def test_a_table_of_equal_rows_is_no_position():
    """Every key gets the same q·e: softmax sees no difference."""
    table = np.tile(random(4, seed=3), (5, 1))
    found = attention(Q, K, K, encoding=CoPE(table), **PLACES)
    plain = attention(Q, K, K, encoding=NoPosition(), **PLACES)
    np.testing.assert_allclose(found, plain, atol=1e-13)


def test_keys_that_only_a_mask_hides_are_counted():
    scores, mask, table = Q @ K.mT / 2, np.arange(7) != 2, random(9, 4, seed=3)
    options = {"encoding": CoPE(table), "mask": mask, "return_weights": True}
    _, weights = attention(Q, K, K, **options, **PLACES)
    bias = cope_bias(Q, table, cope_positions(cope_gates(scores, APART)))
    powers = np.exp(scores + bias) * mask
    np.testing.assert_allclose(weights, powers / powers.sum(-1, keepdims=True), atol=1e-13)


def test_large_scores_overflow_nothing():
    with np.errstate(all="raise", under="ignore"):
        gates = cope_gates(np.array([[1000.0, -1000.0]]), np.zeros((1, 2)))
    assert gates.tolist() == [[1, 0]]
