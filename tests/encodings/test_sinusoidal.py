"""The sinusoidal table against loops, printed tables and other libraries."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.models.detr.modeling_detr import DetrSinePositionEmbedding
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.vit_mae.modeling_vit_mae import build_2d_sinusoidal_position_embedding
from transformers.models.xlm.modeling_xlm import create_sinusoidal_embeddings

from posviz.encodings.doors import doors
from posviz.encodings.rotary2d import raster
from posviz.encodings.sinusoidal import (
    Sinusoidal,
    shift_matrix,
    sinusoidal,
    sinusoidal_on_grid,
)

STYLES = [
    {"layout": layout, "frequencies": frequencies}
    for layout in ("interleaved", "concatenated")
    for frequencies in ("paper", "tensor2tensor")
]
DIMS = st.integers(2, 32).map(lambda pairs: 2 * pairs)


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


@pytest.mark.parametrize("style", STYLES)
@given(
    positions=st.lists(st.integers(-1000, 100_000), max_size=4),
    d_model=DIMS,
    base=st.floats(2, 1e6),
)
def test_table_number_by_number(style, positions, d_model, base):
    expected = [slowly(p, d_model, base, **style) for p in positions]
    found = sinusoidal(positions, d_model, base=base, **style)
    np.testing.assert_allclose(found, np.reshape(expected, (-1, d_model)), atol=1e-9)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("positions", "tolerance"),
    [
        (np.arange(700), 1e-12),
        (torch.arange(300), 1e-6),
        (np.arange(-150, 150, dtype=np.float32), 1e-6),
        (np.arange(100_000, 100_257) + 0.25, 1e-9),
        (torch.arange(256, dtype=torch.float16), 1e-3),
        (np.arange(400).astype(np.uint8), 1e-12),
    ],
    ids=["NumPy", "torch", "float32", "fractions", "float16", "not a run: it wraps around"],
)
def test_a_long_run_number_by_number(style, positions, tolerance):
    expected = [slowly(float(p), 6, 10_000.0, **style) for p in positions]
    found = sinusoidal(positions, 6, **style)
    np.testing.assert_allclose(np.asarray(found), expected, atol=tolerance)


def test_rows_of_the_printed_table():
    """d_model 512, position 3, dimensions 0 to 7: sin and cos of 3, 2.8939, 2.7915, 2.6928."""
    printed = [0.141120, -0.989992, 0.245085, -0.969501, 0.342782, -0.939415, 0.433643, -0.901085]
    np.testing.assert_allclose(sinusoidal([3], 512)[0, :8], printed, atol=5e-7)


def test_interleaved_is_the_table_of_xlm():
    theirs = create_sinusoidal_embeddings(50, 16, torch.empty(50, 16))
    np.testing.assert_allclose(sinusoidal(range(50), 16), theirs, atol=1e-6)


def test_concatenated_is_the_table_of_marian():
    theirs = MarianSinusoidalPositionalEmbedding(50, 16).create_weight()
    found = sinusoidal(range(50), 16, layout="concatenated")
    np.testing.assert_allclose(found, theirs, atol=1e-6)


def test_tensor2tensor_is_the_table_of_m2m100():
    theirs = M2M100SinusoidalPositionalEmbedding.get_embedding(50, 16)
    found = sinusoidal(range(50), 16, layout="concatenated", frequencies="tensor2tensor")
    np.testing.assert_allclose(found, theirs, atol=1e-5)


@pytest.mark.parametrize("first", ["row", "column"])
def test_on_a_grid_it_is_the_table_of_mae(first):
    rows, columns = raster(5, 7).T
    theirs = build_2d_sinusoidal_position_embedding(5, 7, 24)
    if first == "column":
        theirs = theirs.roll(12, -1)
    found = sinusoidal_on_grid(rows, columns, 24, first=first)
    np.testing.assert_allclose(found, theirs, atol=1e-6)


def test_on_a_grid_that_counts_from_one_it_is_the_table_of_detr():
    theirs = DetrSinePositionEmbedding(12)((1, 3, 5, 7), "cpu", torch.float32)
    rows, columns = torch.tensor(raster(5, 7)).T + 1
    found = sinusoidal_on_grid(rows, columns, 24, layout="interleaved")
    torch.testing.assert_close(found, theirs[0].flatten(1).T, atol=1e-5, rtol=0)


@given(d_model=DIMS, positions=st.lists(st.integers(0, 10**6), min_size=1, max_size=5))
def test_every_row_has_norm_root_of_half_d_model(d_model, positions):
    norms = np.linalg.norm(sinusoidal(positions, d_model), axis=-1)
    np.testing.assert_allclose(norms, math.sqrt(d_model / 2), rtol=1e-14)


@pytest.mark.parametrize(
    ("d_model", "similarity"), [(512, 0.9731), (64, 0.9662), (8, 0.8838), (4, 0.7701), (2, 0.5403)]
)
def test_similarity_of_neighbours_is_the_mean_cosine(d_model, similarity):
    rows = sinusoidal([700, 701], d_model)
    found = rows[0] @ rows[1] / (d_model / 2)
    cosines = [math.cos(10_000 ** (-2 * i / d_model)) for i in range(d_model // 2)]
    assert found == pytest.approx(math.fsum(cosines) / len(cosines), abs=1e-12)
    assert found == pytest.approx(similarity, abs=5e-5)


@pytest.mark.sampled(quick=2)
@pytest.mark.parametrize("style", STYLES)
@given(p=st.integers(0, 5000), offset=st.integers(-500, 500), d_model=DIMS)
def test_a_shift_is_one_rotation_for_all_positions(style, p, offset, d_model):
    matrix = shift_matrix(offset, d_model, **style)
    before, after = sinusoidal([p, p + offset], d_model, **style)
    np.testing.assert_allclose(matrix @ before, after, atol=1e-11)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(d_model), atol=1e-14)


def test_the_shift_turns_a_sine_and_cosine_pair_clockwise():
    sine, cosine = math.sin(1), math.cos(1)
    np.testing.assert_allclose(shift_matrix(1, 2), [[cosine, sine], [-sine, cosine]])


def test_shifts_in_batches_and_in_torch():
    found = shift_matrix(torch.tensor([1, 2]), 4)
    assert found.dtype == torch.float64
    np.testing.assert_allclose(found[1], shift_matrix(2, 4), atol=1e-15)


@pytest.mark.parametrize("style", STYLES)
def test_numpy_and_torch_agree(style):
    ours = sinusoidal(np.arange(2000.0).reshape(4, 500), 12, **style)
    theirs = sinusoidal(torch.arange(2000.0, dtype=torch.float64).reshape(4, 500), 12, **style)
    assert theirs.shape == ours.shape == (4, 500, 12)
    np.testing.assert_allclose(theirs, ours, atol=1e-12)


@pytest.mark.parametrize(
    ("positions", "dtype"),
    [
        (range(2), np.float64),
        (np.arange(2), np.float64),
        (np.arange(2, dtype=np.float16), np.float16),
        (torch.arange(2), torch.float32),
        (torch.arange(2, dtype=torch.bfloat16), torch.bfloat16),
    ],
)
def test_dtype_of_the_table(positions, dtype):
    assert sinusoidal(positions, 4).dtype == dtype


def test_angles_do_not_lose_precision_in_float32():
    found = sinusoidal(torch.tensor([1_000_003]), 8)
    expected = slowly(1_000_003, 8, 10_000.0, "interleaved", "paper")
    np.testing.assert_allclose(found[0], expected, atol=1e-7)


def test_gradients_reach_the_positions():
    position = torch.tensor([2.0], requires_grad=True)
    sinusoidal(position, 2)[0, 0].backward()
    assert position.grad.item() == pytest.approx(math.cos(2.0))


@pytest.mark.parametrize("positions", [np.arange(3), np.array([[0, 1, 2], [0, 0, 1]])])
def test_the_encoding_is_added_at_the_input(positions):
    encoding = Sinusoidal(base=100.0, layout="concatenated")
    x = np.random.default_rng(0).normal(size=(2, 3, 8))
    table = [slowly(p, 8, 100.0, "concatenated", "paper") for p in positions.ravel()]
    expected = x + np.reshape(table, (*positions.shape, 8))
    np.testing.assert_allclose(encoding.at_input(x, positions), expected)
    as_tensor = encoding.at_input(torch.tensor(x), positions)
    np.testing.assert_allclose(as_tensor, expected)
    assert encoding.at_input(torch.tensor(x).half(), positions).dtype == torch.float16
    assert doors(encoding) == ("at_input",)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sinusoidal([0], 5), ValueError, "d_model must be even"),
        (lambda: sinusoidal([0], 4.0), TypeError, "d_model must be an integer"),
        (lambda: sinusoidal([0], 4, base=1), ValueError, "base must be above 1"),
        (lambda: sinusoidal([0], 4, layout="half_split"), ValueError, "layout must be one of"),
        (lambda: sinusoidal([0], 4, frequencies="x"), ValueError, "frequencies must be one of"),
        (lambda: sinusoidal([np.nan], 4), ValueError, "positions must be finite"),
        (lambda: sinusoidal("0", 4), TypeError, "positions must be real numbers"),
        (lambda: sinusoidal(range(1000), 10**12), ValueError, "positions × d_model: an array"),
        (lambda: shift_matrix(1, 5), ValueError, "d_model must be even"),
        (lambda: sinusoidal_on_grid([0], [0], 6), ValueError, "d_model must be divisible by 4"),
        (lambda: sinusoidal_on_grid([0], [0, 1], 8), ValueError, "rows and columns must share"),
        (lambda: sinusoidal_on_grid([0], [0], 8, first="x"), ValueError, "first must be one of"),
        (lambda: shift_matrix(np.nan, 4), ValueError, "offset must be finite"),
        (lambda: shift_matrix(1, 10**7), ValueError, "d_model × d_model: an array of"),
        (lambda: Sinusoidal(base=1), ValueError, "base must be above 1"),
        (lambda: Sinusoidal(layout="x"), ValueError, "layout must be one of"),
        (lambda: Sinusoidal(frequencies="x"), ValueError, "frequencies must be one of"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_forward_derivatives_reach_each_of_many_positions():
    positions = torch.arange(300, dtype=torch.float64)
    directions = torch.tensor(np.random.default_rng(0).normal(size=300))
    _, found = torch.func.jvp(lambda p: sinusoidal(p, 2), (positions,), (directions,))
    expected = torch.stack([positions.cos(), -positions.sin()], dim=-1) * directions[:, None]
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("positions", [range(3), [3], [[0, 1], [2, 3]]])
def test_every_token_has_its_position(positions):
    with pytest.raises(ValueError, match=r"positions must be \[2\] or \[1, 2\]"):
        Sinusoidal().at_input(np.ones((1, 2, 4)), positions)
