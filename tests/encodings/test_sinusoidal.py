"""The sinusoidal table against loops, printed tables and other libraries."""

import math

import numpy as np
import pytest
import torch
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding

from posviz import Sinusoidal, shift_matrix, sinusoidal
from tests.every_encoding import random

STYLES = [
    {"layout": layout, "frequencies": frequencies}
    for layout in ("interleaved", "concatenated")
    for frequencies in ("paper", "tensor2tensor")
]
each_style = pytest.mark.parametrize("style", STYLES, ids=lambda style: " ".join(style.values()))


def slowly(position, d_model, base, layout, frequencies):
    """One row, one number at a time."""
    pairs = d_model // 2
    row = [0.0] * d_model
    for i in range(pairs):
        exponent = 2 * i / d_model if frequencies == "paper" else i / (pairs - 1)
        angle = position / base**exponent
        sine, cosine = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + pairs)
        row[sine], row[cosine] = math.sin(angle), math.cos(angle)
    return row


@each_style
@pytest.mark.parametrize("base", [100.0, 10_000.0])
def test_the_table_is_a_loop_over_positions_and_dimensions(style, base):
    positions = [*range(-3, 300), 0.25, 131_072, 1_000_003]
    expected = [slowly(position, 6, base, **style) for position in positions]
    np.testing.assert_allclose(sinusoidal(positions, 6, base=base, **style), expected, atol=1e-9)


def test_rows_of_the_printed_table():
    """d_model 512, position 3, dimensions 0 to 7: sin and cos of 3, 2.8939, 2.7915, 2.6928."""
    printed = [0.141120, -0.989992, 0.245085, -0.969501, 0.342782, -0.939415, 0.433643, -0.901085]
    np.testing.assert_allclose(sinusoidal([3], 512)[0, :8], printed, atol=5e-7)


def test_tensor2tensor_is_the_table_of_m2m100():
    theirs = M2M100SinusoidalPositionalEmbedding.get_embedding(50, 16)
    found = sinusoidal(range(50), 16, layout="concatenated", frequencies="tensor2tensor")
    np.testing.assert_allclose(found, theirs, atol=1e-5)


@pytest.mark.parametrize(
    ("d_model", "similarity"), [(512, 0.9731), (64, 0.9662), (8, 0.8838), (4, 0.7701), (2, 0.5403)]
)
def test_similarity_of_neighbours_is_the_mean_cosine(d_model, similarity):
    rows = sinusoidal([700, 701], d_model)
    found = rows[0] @ rows[1] / (d_model / 2)
    cosines = [math.cos(10_000 ** (-2 * i / d_model)) for i in range(d_model // 2)]
    assert found == pytest.approx(math.fsum(cosines) / len(cosines), abs=1e-12)
    assert found == pytest.approx(similarity, abs=5e-5)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=-1), math.sqrt(d_model / 2), rtol=1e-14)


@each_style
@pytest.mark.parametrize("offset", [1, 500, -37])
def test_a_shift_is_one_rotation_for_all_positions(style, offset):
    matrix = shift_matrix(offset, 12, **style)
    before, after = (sinusoidal(np.array([37, 5000]) + x, 12, **style) for x in (0, offset))
    np.testing.assert_allclose(before @ matrix.T, after, atol=1e-11)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(12), atol=1e-14)


def test_a_shift_rotates_a_pair_of_sine_and_cosine_clockwise():
    sine, cosine = math.sin(1), math.cos(1)
    np.testing.assert_allclose(shift_matrix(1, 2), [[cosine, sine], [-sine, cosine]])


@pytest.mark.parametrize(
    ("positions", "dtype"),
    [
        (range(2), np.float64),
        (np.arange(2, dtype=np.float16), np.float16),
        (torch.arange(2), torch.float32),
        (torch.arange(2, dtype=torch.bfloat16), torch.bfloat16),
    ],
    ids=str,
)
def test_the_dtype_of_the_table_is_that_of_the_positions(positions, dtype):
    assert sinusoidal(positions, 4).dtype == dtype


@pytest.mark.parametrize("positions", [[0, 1, 2], [[0, 1, 2], [0, 0, 1]]], ids=str)
def test_the_encoding_is_added_at_the_input(positions):
    x, settings = random(2, 3, 8), {"base": 100.0, "layout": "concatenated"}
    table = [slowly(p, 8, 100.0, "concatenated", "paper") for p in np.ravel(positions)]
    expected = x + np.reshape(table, (*np.shape(positions), 8))
    np.testing.assert_allclose(Sinusoidal(**settings).at_input(x, positions), expected)
