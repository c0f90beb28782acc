"""PoPE against sums over dimensions and x_transformers."""

import math

import numpy as np
import pytest
import torch
from x_transformers.x_transformers import PolarEmbedding, apply_polar_pos_emb

from posviz import PoPE, apply_pope
from posviz.attention import attention
from tests.every_encoding import HEAD_DIM, HEADS, random

Q, K = (random(1, HEADS, 5, HEAD_DIM, seed=seed) for seed in range(2))
DELTA = -1 - random(HEADS, HEAD_DIM, seed=2) / 3


def scores(encoding, q=Q, k=K):
    return encoding.at_query(q, range(5)) @ encoding.at_key(k, range(5)).mT


def test_scores_are_sums_of_cosines_of_the_distance():
    found = scores(PoPE(DELTA))
    lengths = [np.log(1 + np.exp(x)) for x in (Q, K)]
    for h, t, s in np.ndindex(HEADS, 5, 5):
        wanted = sum(
            lengths[0][0, h, t, c]
            * lengths[1][0, h, s, c]
            * math.cos((s - t) * 10_000 ** (-c / HEAD_DIM) + DELTA[h, c])
            for c in range(HEAD_DIM)
        )
        assert found[0, h, t, s] == pytest.approx(wanted, abs=1e-13)


def test_scores_are_those_of_x_transformers():
    torch.manual_seed(0)
    theirs = PolarEmbedding(HEAD_DIM, HEADS)
    torch.nn.init.uniform_(theirs.learned_bias, -2 * math.pi, 0)
    freqs, bias = theirs(torch.arange(5.0))
    q, k = torch.tensor(Q).float(), torch.tensor(K).float()
    wanted = apply_polar_pos_emb(q, freqs) @ apply_polar_pos_emb(k, freqs + bias).mT
    found = scores(PoPE(theirs.learned_bias.detach()[:, 0]), q, k)
    torch.testing.assert_close(found, wanted.detach(), atol=1e-5, rtol=1e-5)


def test_delta_is_clipped_to_a_full_rotation_back():
    outside = np.array([[0.5, -7.0, -1.0, 0.0]] * HEADS)
    inside = np.array([[0.0, -2 * np.pi, -1.0, 0.0]] * HEADS)
    np.testing.assert_array_equal(scores(PoPE(outside)), scores(PoPE(inside)))


def test_scores_are_divided_by_the_root_of_head_dim_before_it_doubled():
    places = {"q_positions": range(5), "k_positions": range(5), "return_weights": True}
    _, weights = attention(Q, K, K, encoding=PoPE(), **places)
    powers = np.exp(scores(PoPE()) / np.sqrt(HEAD_DIM))
    np.testing.assert_allclose(weights, powers / powers.sum(-1, keepdims=True), atol=1e-13)


def test_very_negative_numbers_vanish_and_large_ones_overflow_nothing():
    with np.errstate(all="raise", under="ignore"):
        found = apply_pope(np.array([[-1000.0, 1000.0]]), np.zeros((1, 2)))
    assert found.tolist() == [[0, 0, 1000, 0]]
