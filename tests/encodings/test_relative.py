"""The offset is query position − key position."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posviz.encodings import relative
from posviz.encodings.relative import (
    FEW,
    add_bias,
    along_diagonals,
    are_diagonal,
    diagonals,
    is_run,
    offsets,
    pick,
)


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


def test_lists_and_numpy_follow_a_tensor():
    for q, k in (([3], torch.tensor([1, 2])), (torch.tensor([3]), np.array([1, 2]))):
        found = offsets(q, k)
        assert isinstance(found, torch.Tensor)
        assert found.tolist() == [[2, 1]]


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
        (np.ones((2, 1)), np.ones((3, 1)), ValueError, "must share a batch"),
        (np.broadcast_to(1, 10**9), np.broadcast_to(1, 10**9), ValueError, "q_positions ×"),
    ],
)
def test_bad_positions_are_named(q, k, error, name):
    with pytest.raises(error, match=name):
        offsets(q, k)


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
@given(q_len=st.integers(1, 5), k_len=st.integers(1, 5), start=st.integers(-4, 9))
def test_a_number_per_diagonal_says_all(kind, q_len, k_len, start):
    matrix = kind([[start + i - j for j in range(k_len)] for i in range(q_len)])
    assert are_diagonal(matrix)
    values = diagonals(matrix)
    assert values.tolist() == list(range(start + q_len - 1, start - k_len, -1))
    assert along_diagonals(values, k_len).tolist() == matrix.tolist()


@pytest.mark.parametrize("matrix", [[[0, 1], [1, 0], [0, 2]], [[[0, 1], [1, 0]]], [[]]])
def test_other_matrices_are_not_diagonal(matrix):
    assert not are_diagonal(np.array(matrix))


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ([3, 4, 5], True),
        ([7], True),
        ([], False),
        ([1, 3], False),
        ([2, 1], False),
        ([0, 1, 2, 2], False),
        ([[0, 1]], False),
    ],
)
def test_a_run_rises_by_one(positions, expected):
    assert is_run(np.array(positions)) is is_run(torch.tensor(positions)) is expected


def test_floats_of_torch_are_no_run_for_each_may_be_differentiated_by():
    assert is_run(np.array([-0.5, 0.5]))
    assert not is_run(torch.tensor([-0.5, 0.5]))


def test_a_number_of_eight_bits_that_wraps_around_is_no_run():
    assert not is_run(np.array([254, 255, 0, 1], np.uint8))


@pytest.fixture(params=[0, FEW], ids=["runs are sought", "few"])
def few(request, monkeypatch):
    """Whether runs are looked for among few scores, too."""
    monkeypatch.setattr(relative, "FEW", request.param)
    return request.param


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("kind", [np.array, torch.tensor])
@pytest.mark.parametrize(
    ("q", "k"),
    [([2, 3, 4], [0, 1, 2, 3, 4]), ([0, 4], [0, 3, 4]), ([[0, 1], [3, 4]], [[0, 1], [2, 3]])],
    ids=["runs", "gaps", "batches"],
)
def test_a_bias_is_added_entry_by_entry(kind, q, k):
    scores = kind(np.random.default_rng(0).normal(size=(2, 3, np.shape(q)[-1], np.shape(k)[-1])))
    heads = kind([1.0, 10.0, 100.0])[:, None, None]

    def bias(offsets):
        return heads * offsets[..., None, :, :] ** 3

    found, before = add_bias(scores, q, k, bias), scores.tolist()
    for b, h, i, j in np.ndindex(*scores.shape):
        places = [np.broadcast_to(x, (2, np.shape(x)[-1]))[b] for x in (q, k)]
        offset = float(places[0][i] - places[1][j])
        expected = float(scores[b, h, i, j]) + 10**h * offset**3
        assert float(found[b, h, i, j]) == pytest.approx(expected)
    assert scores.tolist() == before, "the scores were written to"


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_runs_ask_for_one_offset_per_diagonal_unless_they_are_few(kind, few):
    asked = []

    def bias(offsets):
        asked.append(tuple(offsets.shape))
        return offsets[..., None, :, :] * kind([1.0])[:, None, None]

    add_bias(kind(np.zeros((1, 1, 3, 5))), range(2, 5), range(5), bias)
    assert asked == [(3, 5) if few else (1, 7)]


@pytest.mark.usefixtures("few")
def test_gradients_reach_each_position():
    q = torch.tensor([5.0, 6.0], dtype=torch.float64, requires_grad=True)
    k = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
    scores = torch.zeros(1, 1, 2, 2, dtype=torch.float64)

    def run(q, k):
        return add_bias(scores, q, k, lambda offsets: offsets[..., None, :, :] ** 2)

    assert torch.autograd.gradcheck(run, (q, k))


@pytest.mark.usefixtures("few")
def test_gradients_reach_the_bias_and_the_scores():
    scores = torch.zeros(1, 2, 3, 3, dtype=torch.float64, requires_grad=True)
    slopes = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)

    def run(scores, slopes):
        def bias(offsets):
            return slopes[:, None, None] * offsets[..., None, :, :]

        return add_bias(scores, range(3), range(3), bias)

    assert torch.autograd.gradcheck(run, (scores, slopes))


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_what_the_index_names_is_picked_for_each_head(kind):
    scores = kind(np.arange(12).reshape(1, 2, 2, 3))  # head h, query i and row r: 6h + 3i + r
    index = kind([[[2, 0], [1, 1]]])[:, None]
    assert pick(scores, index).tolist() == [[[[2, 0], [4, 4]], [[8, 6], [10, 10]]]]
