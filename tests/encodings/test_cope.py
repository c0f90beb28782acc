"""CoPE against loops and x_transformers."""

import numpy as np
import pytest
import torch
from x_transformers import x_transformers

from posviz.attention import attention
from posviz.encodings.cope import CoPE, cope_bias, cope_gates, cope_positions
from posviz.encodings.doors import NoPosition
from posviz.encodings.relative import offsets
from tests.every_encoding import random

KINDS = pytest.mark.parametrize("kind", [np.asarray, torch.tensor], ids=["NumPy", "torch"])
Q, K = random(2, 3, 7, 4), random(2, 3, 7, 4, seed=1)
APART = offsets(range(7), range(7))


@KINDS
def test_positions_are_counted_key_by_key(kind):
    scores = Q @ K.mT / 2
    gates = cope_gates(kind(scores), kind(APART))
    found = cope_positions(gates)
    for i in range(7):
        for j in range(7):
            wanted = sum(1 / (1 + np.exp(-scores[0, 1, i, k])) for k in range(j, i + 1))
            assert float(found[0, 1, i, j]) == pytest.approx(wanted, abs=1e-14)
    assert not np.asarray(gates)[..., APART < 0].any()


def test_gates_of_1_count_distances_from_1():
    ones = np.where(APART >= 0, 1.0, 0.0)
    np.testing.assert_array_equal(cope_positions(ones), np.clip(APART + 1, 0, None))


def test_half_open_gates_count_every_second_token():
    gates = np.where(APART >= 0, 0.5, 0.0)
    np.testing.assert_array_equal(cope_positions(gates), np.clip(APART + 1, 0, None) / 2)


@KINDS
def test_between_two_rows_their_scores_are_mixed(kind):
    q, table = np.ones((1, 1, 2)), np.array([[1.0, 0], [3, 0], [0, 7]])
    places = np.array([[[0.0, 0.25, 1.0, 1.5, 2.0, 9.0]]])
    found = cope_bias(kind(q), kind(table), kind(places))
    assert np.asarray(found).tolist() == [[[1, 1.5, 3, 5, 7, 7]]]


@KINDS
def test_a_nan_stays_with_its_pair(kind):
    places = np.array([[[0.5, np.nan, 1.5]]])
    found = np.asarray(cope_bias(kind(np.ones((1, 1, 2))), kind(random(3, 2)), kind(places)))
    assert np.isnan(found).tolist() == [[[False, True, False]]]


@pytest.mark.parametrize("rows", [2, 4, 9])
def test_the_bias_is_that_of_x_transformers(rows):
    """There hidden keys come with the lowest score, so that their gates are 0."""
    theirs = x_transformers.CoPE(4, 3, rows).double()
    torch.nn.init.normal_(theirs.pos_emb)
    q, scores = torch.tensor(Q), torch.tensor(Q @ K.mT / 2)
    causal = torch.ones(7, 7, dtype=torch.bool).tril()
    hidden = scores.masked_fill(~causal, -torch.finfo(torch.float64).max)
    with torch.no_grad():
        wanted = theirs(q, hidden)
    table = theirs.pos_emb.detach()
    ours = CoPE(table).at_scores(scores, q, torch.tensor(K), range(7), range(7)) - scores
    torch.testing.assert_close(ours[..., causal], wanted[..., causal], atol=1e-13, rtol=0)


@KINDS
def test_a_table_that_is_all_alike_is_no_position(kind):
    """Every key gets the same q·e: softmax sees no difference."""
    table = np.broadcast_to(random(4, seed=3), (5, 4)).copy()
    q, k, v = kind(Q), kind(K), kind(random(2, 3, 7, 4, seed=2))
    places = {"q_positions": range(7), "k_positions": range(7)}
    found = attention(q, k, v, encoding=CoPE(kind(table)), **places)
    plain = attention(q, k, v, encoding=NoPosition(), **places)
    np.testing.assert_allclose(found, plain, atol=1e-13)


def test_sentences_have_positions_of_their_own():
    scores, places = Q @ K.mT / 2, np.array([range(7), [6, 0, 5, 1, 4, 2, 3]])
    encoding = CoPE(random(3, 4, seed=3))
    found = encoding.at_scores(scores, Q, K, places, places)
    for b, own in enumerate(places):
        alone = encoding.at_scores(scores[b : b + 1], Q[b : b + 1], K[b : b + 1], own, own)
        np.testing.assert_allclose(found[b], alone[0], atol=1e-14)


def test_keys_that_only_a_mask_hides_are_counted():
    scores, mask = Q @ K.mT / 2, np.arange(7) != 2
    places = {"q_positions": range(7), "k_positions": range(7)}
    encoding = CoPE(random(9, 4, seed=3))
    _, weights = attention(Q, K, K, encoding=encoding, mask=mask, return_weights=True, **places)
    bias = cope_bias(Q, encoding.table, cope_positions(cope_gates(scores, APART)))
    powers = np.exp(scores + bias) * mask
    np.testing.assert_allclose(weights, powers / powers.sum(-1, keepdims=True), atol=1e-13)


def test_gradients_reach_the_gates_and_the_table():
    table = torch.tensor(random(3, 4, seed=3), requires_grad=True)
    q, k = (torch.tensor(x[:1, :1], requires_grad=True) for x in (Q, K))

    def run(table, q, k):
        return CoPE(table).at_scores(q @ k.mT, q, k, range(7), range(7))

    assert torch.autograd.gradcheck(run, (table, q, k))


def test_where_a_count_is_whole_the_gradient_is_that_of_the_next_row():
    places = torch.tensor([[[1.0]]], dtype=torch.float64, requires_grad=True)
    table = torch.tensor([[1.0], [3.0], [7.0]], dtype=torch.float64)
    cope_bias(torch.ones(1, 1, 1, dtype=torch.float64), table, places).sum().backward()
    assert places.grad.item() == 4


def test_large_scores_overflow_nothing():
    with np.errstate(all="raise", under="ignore"):
        gates = cope_gates(np.array([[1000.0, -1000.0]]), np.zeros((1, 2)))
    assert gates.tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cope_gates(APART, APART), TypeError, "scores must be floating-point"),
        (
            lambda: cope_gates(Q @ K.mT, torch.tensor(APART)),
            TypeError,
            "offsets must be a NumPy array",
        ),
        (
            lambda: cope_gates(Q @ K.mT, APART[:3]),
            ValueError,
            r"offsets must be .* scores \(2, 3, 7, 7\), got shape \(3, 7\)",
        ),
        (lambda: cope_positions(np.float64(1)), ValueError, "got a single number"),
        (lambda: cope_bias(Q, random(5, 3), Q), ValueError, r"table \[rows, head_dim\] and .* 3\)"),
        (lambda: cope_bias(Q, random(5, 4), Q[..., :2, :]), ValueError, "positions"),
        (lambda: cope_bias(Q, random(4), Q), ValueError, r"table must be \[rows, columns\]"),
        (lambda: CoPE(np.zeros((0, 4))), ValueError, r"at least 1 row, got shape \(0, 4\)"),
        (lambda: CoPE(random(4)), ValueError, r"table must be \[rows, columns\]"),
        (
            lambda: CoPE(random(5, 3)).at_scores(Q @ K.mT, Q, K, range(7), range(7)),
            ValueError,
            "table must be as wide as the queries, 4, got 3",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
