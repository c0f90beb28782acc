"""Masks entry by entry, and a softmax that stays finite."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posviz.attention import softmax
from posviz.masks import (
    blockwise_causal_mask,
    causal_mask,
    chunked_causal_mask,
    padding_mask,
)


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


POSITIONS = st.lists(st.integers(-5, 12), min_size=1, max_size=5)


@pytest.mark.parametrize("kind", [list, np.array, torch.tensor])
@given(q=POSITIONS, k=POSITIONS, block=st.integers(1, 5))
def test_masks_entry_by_entry(kind, q, k, block):
    causal = causal_mask(kind(q), kind(k))
    blockwise = blockwise_causal_mask(kind(q), kind(k), block)
    chunked = chunked_causal_mask(kind(q), kind(k), block)
    for i, j in np.ndindex(len(q), len(k)):
        blocks_back = math.floor(q[i] / block) - math.floor(k[j] / block)
        assert bool(causal[i, j]) == (k[j] <= q[i])
        assert bool(blockwise[i, j]) == (k[j] <= q[i] and blocks_back in (0, 1))
        assert bool(chunked[i, j]) == (k[j] <= q[i] and blocks_back == 0)


def test_masks_of_batches_leave_room_for_the_heads():
    positions = np.array([[0, 1, 2], [-1, 0, 1]])
    assert causal_mask(positions, positions).shape == (2, 1, 3, 3)
    assert blockwise_causal_mask(positions, positions, 2).shape == (2, 1, 3, 3)
    assert causal_mask(positions, positions)[1, 0].tolist() == np.tri(3, dtype=bool).tolist()


def test_padding_hides_what_stands_left_of_a_sentence():
    mask = padding_mask([1, 3, 0], 3)
    assert mask[:, 0, 0].tolist() == [[False, False, True], [True] * 3, [False] * 3]
    assert isinstance(padding_mask(torch.tensor([1]), 3), torch.Tensor)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("size", [1.0, 1e4])
def test_softmax_neither_overflows_nor_sums_to_anything_but_one(dtype, size):
    scores = torch.tensor(random(3, 4, 5) * size).to(dtype)
    scores[0, 1, 2] = -torch.inf
    found = softmax(scores)
    torch.testing.assert_close(found, scores.softmax(-1))
    np.testing.assert_allclose(softmax(scores.numpy()), found, rtol=1e-5)


def test_softmax_of_nothing_to_look_at_is_zero():
    assert softmax(np.full((2, 3), -np.inf)).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert softmax(np.zeros((2, 0))).shape == (2, 0)


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_blocks_may_be_longer_than_small_integers_count(kind):
    positions = kind([0, 100, 127])
    positions = positions.astype(np.int8) if kind is np.array else positions.to(torch.int8)
    for block in (300, 2**63 - 1):
        found = blockwise_causal_mask(positions[2:], positions, block)
        assert found.tolist() == [[True, True, True]]


def test_a_sentence_may_be_empty():
    assert padding_mask([0, 0], 0).shape == (2, 1, 1, 0)
