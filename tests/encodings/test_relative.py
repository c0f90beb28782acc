"""The offset is query position − key position."""

import numpy as np
import pytest
import torch

from posviz.encodings.relative import offsets


def test_looking_back_is_positive():
    assert offsets([0, 1, 2], [0, 1]).tolist() == [[0, -1], [1, 0], [2, 1]]


def test_batches_of_positions():
    found = offsets(np.array([[0, 1], [5, 7]]), np.array([1, 2, 3]))
    assert found.tolist() == [[[-1, -2, -3], [0, -1, -2]], [[4, 3, 2], [6, 5, 4]]]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8])
def test_no_integer_wraps_around(dtype):
    positions = np.array([0, 100], dtype=dtype)
    assert offsets(positions, positions).tolist() == [[0, -100], [100, 0]]
    assert offsets(-positions.astype(np.int8), positions).tolist() == [[0, -100], [-100, -200]]


def test_torch_and_lists():
    found = offsets(torch.tensor([1.5, 2.0]), [0, 1])
    assert isinstance(found, torch.Tensor)
    assert found.tolist() == [[1.5, 0.5], [2.0, 1.0]]


@pytest.mark.parametrize(
    ("q", "k", "error", "name"),
    [
        (3, [1], ValueError, "q_positions"),
        ([1], 3, ValueError, "k_positions"),
        ([np.nan], [1], ValueError, "q_positions"),
        (["a"], [1], TypeError, "q_positions"),
        ([1], torch.tensor([1]), TypeError, "k_positions"),
        (np.broadcast_to(1, 10**9), np.broadcast_to(1, 10**9), ValueError, "q_positions ×"),
    ],
)
def test_bad_positions_are_named(q, k, error, name):
    with pytest.raises(error, match=name):
        offsets(q, k)
