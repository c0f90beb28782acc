"""Shaw's relative positions against loops and transformers."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert as wav2vec2_bert

from posviz import Shaw, offsets, shaw_index, shaw_key_scores, shaw_values
from posviz.attention import attention
from tests.every_encoding import random


def row(i, j, k):
    """The row of w_clip(j − i, k), where w starts at −k."""
    return max(-k, min(k, j - i)) + k


def test_rows_run_from_the_farthest_behind_to_the_farthest_ahead():
    apart = offsets([5], range(11))
    assert shaw_index(apart, 3).tolist() == [[0, 0, 0, 1, 2, 3, 4, 5, 6, 6, 6]]
    assert shaw_index(apart, 3, ahead=1).tolist() == [[0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4]]
    assert shaw_index([10**6, -(10**6)], 10).tolist() == [0, 20]


def test_key_scores_and_values_are_sums_over_rows():
    q, weights, table = random(2, 3, 4, 6), random(2, 3, 4, 5, seed=1), random(3, 6, seed=2)
    index = shaw_index(offsets(range(4), range(5)), 1)
    scores, values = shaw_key_scores(q, table, index), shaw_values(weights, table, index)
    for b, h, i in np.ndindex(2, 3, 4):
        rows = [table[row(i, j, 1)] for j in range(5)]
        np.testing.assert_allclose(scores[b, h, i], [q[b, h, i] @ r for r in rows], atol=1e-13)
        np.testing.assert_allclose(values[b, h, i], weights[b, h, i] @ rows, atol=1e-13)


@pytest.mark.parametrize(("length", "k", "ahead"), [(9, 2, 5), (20, 64, 8), (5, 3, 3)])
def test_key_scores_are_those_of_transformers(length, k, ahead):
    """Its key side has a reach of its own for each direction."""
    q, table = torch.tensor(random(2, 6, length, 6)), torch.tensor(random(k + 1 + ahead, 6))
    positions = torch.arange(1000, 1000 + length)
    scores = torch.zeros(2, 6, length, length, dtype=torch.float64)
    ours = Shaw(key_table=table, ahead=None if k == ahead else ahead)
    found = ours.at_scores(scores, q, None, positions, positions)
    module = SimpleNamespace(
        scaling=6**-0.5,
        left_max_position_embeddings=k,
        right_max_position_embeddings=ahead,
        distance_embedding=torch.nn.Embedding.from_pretrained(table),
    )
    _, expected = wav2vec2_bert._apply_relative_key_position_encoding(module, q, q)
    torch.testing.assert_close(found, expected)


def test_both_doors_are_attention_with_a_vector_for_every_pair():
    """What the method saves is made here: keys and values differ for every query."""
    q, k, v = (random(2, 3, 5, 4, seed=i) for i in range(3))
    keys, values = (random(5, 4, seed=i) for i in (3, 4))
    positions = np.array([[0, 0, 1, 2, 3], [7, 8, 12, 13, 11]])
    options = {"q_positions": positions, "k_positions": positions}
    found = attention(q, k, v, encoding=Shaw(keys, values), **options)
    for b, h, i in np.ndindex(2, 3, 5):
        rows = [row(positions[b, i], positions[b, j], 2) for j in range(5)]
        powers = np.exp((k[b, h] + keys[rows]) @ q[b, h, i] / 2)
        expected = powers / powers.sum() @ (v[b, h] + values[rows])
        np.testing.assert_allclose(found[b, h, i], expected, atol=1e-13)


def test_one_table_is_enough():
    table, q, scores = random(3, 4), random(1, 2, 3, 4), random(1, 2, 3, 3)
    assert Shaw(value_table=table).at_scores(scores, q, q, range(3), range(3)) is scores
    assert Shaw(key_table=table).at_values(q, scores, range(3), range(3)) is q
