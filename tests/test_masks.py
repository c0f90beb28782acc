"""Masks entry by entry."""

import math

import numpy as np
import pytest
import torch

from posviz import blockwise_causal_mask, causal_mask, chunked_causal_mask


@pytest.mark.parametrize("kind", [list, np.array, torch.tensor])
@pytest.mark.parametrize("block", [1, 3, 5])
def test_masks_entry_by_entry(kind, block):
    q, k = [-5, 0, 2, 7, 12], [-3, 0, 1, 2, 6, 9, 30]
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
    for mask in (causal_mask, lambda *p: blockwise_causal_mask(*p, 9)):
        assert mask(positions, positions).shape == (2, 1, 3, 3)
        assert mask(positions, positions)[1, 0].tolist() == np.tri(3, dtype=bool).tolist()
