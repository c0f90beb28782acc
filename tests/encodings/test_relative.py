"""The offset is query position − key position."""

import numpy as np
import torch

from posviz import offsets


def test_looking_back_is_positive():
    assert offsets([0, 1, 2], [0, 1]).tolist() == [[0, -1], [1, 0], [2, 1]]


def test_each_sentence_has_positions_of_its_own():
    found = offsets(np.array([[0, 1], [5, 7]]), np.array([1, 2, 3]))
    assert found.tolist() == [[[-1, -2, -3], [0, -1, -2]], [[4, 3, 2], [6, 5, 4]]]


def test_lists_and_numpy_arrays_follow_a_tensor():
    for q, k in (([3], torch.tensor([1, 2])), (torch.tensor([3]), np.array([1, 2]))):
        found = offsets(q, k)
        assert isinstance(found, torch.Tensor)
        assert found.tolist() == [[2, 1]]


def test_fractions_stay_fractions():
    assert offsets([1.5, 2.0], [0, 1]).tolist() == [[1.5, 0.5], [2.0, 1.0]]
