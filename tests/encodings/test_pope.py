"""PoPE against sums over dimensions, RoPE and x_transformers."""

import math

import numpy as np
import pytest
import torch
from x_transformers.x_transformers import PolarEmbedding, apply_polar_pos_emb

from posviz.attention import attention
from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.pope import PoPE, apply_pope
from posviz.encodings.rotary import apply_rotary
from tests.every_encoding import HEAD_DIM, HEADS, random

KINDS = pytest.mark.parametrize("kind", [np.asarray, torch.tensor], ids=["NumPy", "torch"])
Q, K = (random(1, HEADS, 5, HEAD_DIM, seed=seed) for seed in range(2))
DELTA = -1 - random(HEADS, HEAD_DIM, seed=2) / 3


def scores(encoding, kind, q_positions=range(5), k_positions=range(5)):
    q, k = encoding.at_query(kind(Q), q_positions), encoding.at_key(kind(K), k_positions)
    return q @ k.mT


@KINDS
@pytest.mark.parametrize("delta", [None, DELTA], ids=["no delta", "delta"])
def test_scores_are_sums_of_cosines_of_the_distance(kind, delta):
    found = scores(PoPE(None if delta is None else kind(delta)), kind)
    lengths = [np.log(1 + np.exp(x)) for x in (Q, K)]
    for h, t, s in np.ndindex(HEADS, 5, 5):
        wanted = sum(
            lengths[0][0, h, t, c]
            * lengths[1][0, h, s, c]
            * math.cos((s - t) * 10_000 ** (-c / HEAD_DIM) + (0 if delta is None else delta[h, c]))
            for c in range(HEAD_DIM)
        )
        assert float(found[0, h, t, s]) == pytest.approx(wanted, abs=1e-13)


def test_scores_are_those_of_x_transformers():
    torch.manual_seed(0)
    theirs = PolarEmbedding(HEAD_DIM, HEADS)
    torch.nn.init.uniform_(theirs.learned_bias, -2 * math.pi, 0)
    freqs, bias = theirs(torch.arange(5.0))
    q, k = torch.tensor(Q).float(), torch.tensor(K).float()
    wanted = apply_polar_pos_emb(q, freqs) @ apply_polar_pos_emb(k, freqs + bias).mT
    encoding = PoPE(theirs.learned_bias.detach()[:, 0])
    found = encoding.at_query(q, range(5)) @ encoding.at_key(k, range(5)).mT
    torch.testing.assert_close(found, wanted.detach(), atol=1e-5, rtol=1e-5)


def test_delta_is_clipped_as_in_x_transformers():
    outside = np.array([[0.5, -7.0, -1.0, 0.0]] * HEADS)
    inside = np.array([[0.0, -2 * np.pi, -1.0, 0.0]] * HEADS)
    np.testing.assert_array_equal(
        scores(PoPE(outside), np.asarray), scores(PoPE(inside), np.asarray)
    )


@KINDS
def test_it_is_rope_of_twice_as_many_dimensions_for_lengths_without_direction(kind):
    lengths = np.zeros((1, HEADS, 5, 2 * HEAD_DIM))
    lengths[..., ::2] = np.logaddexp(Q, 0)
    angles = np.arange(5)[:, None] * rotary_frequencies(2 * HEAD_DIM)
    found = PoPE().at_query(kind(Q), range(5))
    np.testing.assert_allclose(found, apply_rotary(lengths, angles), atol=1e-14)
    np.testing.assert_array_equal(found, apply_pope(kind(Q), kind(angles)))


def test_what_a_token_is_turns_nothing():
    """Only lengths differ: the angles of two contents at one place are the same."""
    angles = [
        np.arctan2(y[..., 1::2], y[..., ::2])
        for y in (apply_pope(x, 0.3 + 0 * x[0, 0]) for x in (Q, K))
    ]
    np.testing.assert_allclose(angles[0], angles[1], atol=1e-14)


def test_scores_are_divided_by_the_root_of_head_dim_before_it_doubled():
    places = {"q_positions": range(5), "k_positions": range(5), "return_weights": True}
    _, weights = attention(Q, K, K, encoding=PoPE(), **places)
    powers = np.exp(scores(PoPE(), np.asarray) / np.sqrt(HEAD_DIM))
    np.testing.assert_allclose(weights, powers / powers.sum(-1, keepdims=True), atol=1e-13)


def test_very_negative_numbers_vanish_and_large_ones_overflow_nothing():
    with np.errstate(all="raise", under="ignore"):
        found = apply_pope(np.array([[-1000.0, 1000.0]]), np.zeros((1, 2)))
    assert found.tolist() == [[0, 0, 1000, 0]]


def test_gradients_reach_lengths_and_delta():
    arrays = [torch.tensor(x, requires_grad=True) for x in (Q, K, DELTA)]

    def run(q, k, delta):
        encoding = PoPE(delta)
        return encoding.at_query(q, range(5)) @ encoding.at_key(k, range(5)).mT

    assert torch.autograd.gradcheck(run, arrays)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: apply_pope(Q, Q[0, 0, :, :2]),
            ValueError,
            r"angles must be \[..., len, head_dim\]",
        ),
        (lambda: apply_pope(Q[0, 0, 0], Q[0, 0]), ValueError, "angles must be"),
        (lambda: apply_pope(Q, Q * np.nan), ValueError, "angles must be finite"),
        (lambda: apply_pope(Q.astype(int), Q), TypeError, "x must be floating-point"),
        (lambda: PoPE(base=1), ValueError, "base must be above 1, got 1"),
        (
            lambda: PoPE(DELTA[0]),
            ValueError,
            r"delta must be \[heads, head_dim\], got shape \(4,\)",
        ),
        (
            lambda: PoPE(DELTA[:1]).at_query(Q, range(5)),
            ValueError,
            r"delta must be \[2, 4\], as many heads and as wide as q, got \(1, 4\)",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
