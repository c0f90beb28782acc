"""What scores see of rows and columns, and the encodings at their doors."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posviz.attention import KeyValueCache, attend
from posviz.encodings.doors import doors
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import Rotary, apply_rotary
from posviz.encodings.rotary2d import (
    AxialRotary,
    MixedRotary,
    MRotary,
    axial_angles,
    centres,
    first_mixed_frequencies,
    mixed_angles,
    mrope_angles,
    pixtral_frequencies,
    raster,
)
from posviz.attention.masks import causal_mask

GRID = raster(4, 5)
TEXT = np.repeat(np.arange(20)[:, None], 3, axis=1)
VIDEO = TEXT + np.array([0, 1, 2])
Q, K = np.random.default_rng(3).normal(size=(2, 1, 8))
FREQUENCIES = np.random.default_rng(4).normal(size=(2, 4))
EQUAL = np.stack([rotary_frequencies(8)] * 2)


def axial(rows, columns):
    return axial_angles(rows, columns, 8)


def mixed(rows, columns):
    return mixed_angles(rows, columns, FREQUENCIES)


def equal(rows, columns):
    return mixed_angles(rows, columns, EQUAL)


def mrope(rows, columns):
    rows = np.asarray(rows)
    return mrope_angles([0 * rows, rows, columns], rotary_frequencies(8), (1, 2, 1))


def score(angles, query, key):
    """Return q·k for a query and a key at their (row, column)."""
    turned = (
        apply_rotary(x, angles([place[0]], [place[1]])) for x, place in ((Q, query), (K, key))
    )
    return np.vdot(*turned)


PLACE = st.tuples(st.floats(-300, 300), st.floats(-300, 300))


@pytest.mark.parametrize("angles", [axial, mixed, mrope])
@given(query=PLACE, key=PLACE, shift=PLACE)
def test_shifting_the_whole_image_changes_no_score(angles, query, key, shift):
    moved = (np.add(place, shift) for place in (query, key))
    assert score(angles, *moved) == pytest.approx(score(angles, query, key), abs=1e-9)


def second_difference(angles):
    """Return how much the column changes the effect of a row: 0 for f(row) + g(column)."""
    near, far = (2, 3), (5, 7)
    corners = itertools.product((near[0], far[0]), (near[1], far[1]))
    return np.dot([1, -1, -1, 1], [score(angles, corner, (0, 0)) for corner in corners])


def test_axial_scores_know_no_diagonal_and_mixed_ones_do():
    assert abs(second_difference(axial)) < 1e-12
    assert abs(second_difference(mrope)) < 1e-12
    assert abs(second_difference(mixed)) > 0.1


@given(row=st.integers(-9, 9), column=st.integers(-9, 9), step=st.integers(-9, 9))
def test_equal_frequencies_see_only_the_sum(row, column, step):
    other = (row + step, column - step)
    assert score(equal, other, (0, 0)) == pytest.approx(score(equal, (row, column), (0, 0)))


def test_offsets_that_collide_when_frequencies_are_equal():
    places = [(0, 0), (1, -1), (5, -5)]
    for angles, kinds in ((equal, 1), (axial, 3), (mixed, 3)):
        assert len({round(score(angles, place, (0, 0)), 9) for place in places}) == kinds


def test_the_sign_of_the_offset():
    """A query one column on is a query at position 1 of ordinary RoPE, in the first half."""
    inv_freq = np.concatenate([rotary_frequencies(4), np.zeros(2)])
    expected = apply_rotary(Q, rotary_angles([1], inv_freq)) @ K.T
    assert score(axial, (6, 3), (6, 2)) == pytest.approx(expected.item(), abs=1e-12)
    assert score(axial, (6, 2), (6, 3)) != pytest.approx(expected.item(), abs=1e-3)


@pytest.mark.parametrize("interleaved", [False, True])
def test_text_is_ordinary_rope(interleaved):
    x = np.random.default_rng(0).normal(size=(2, 3, 20, 14))
    ours = MRotary(TEXT, (3, 2, 2), interleaved=interleaved).at_query(x, range(20))
    np.testing.assert_allclose(ours, Rotary().at_query(x, range(20)), atol=1e-12)


def encodings(kind=np.asarray, heads=2):
    each = np.random.default_rng(5).normal(size=(2, heads, 6))
    return {
        "axial": AxialRotary(kind(GRID), base=100.0, first="row", layout="half_split"),
        "mixed": MixedRotary(kind(GRID), kind(each[:, 0])),
        "mixed by head": MixedRotary(kind(GRID), kind(each)),
        "multimodal": MRotary(kind(VIDEO), (2, 2, 2), interleaved=True),
    }


each_encoding = pytest.mark.parametrize("name", list(encodings()))


def angles_by_hand(name, head):
    rows, columns = GRID.T
    if name == "axial":
        return axial_angles(rows, columns, 12, base=100.0, first="row")
    if name == "multimodal":
        inv_freq = rotary_frequencies(12)
        return mrope_angles(VIDEO.T, inv_freq, (2, 2, 2), interleaved=True)
    frequencies = encodings()[name].frequencies
    return mixed_angles(rows, columns, frequencies[:, head] if "head" in name else frequencies)


@each_encoding
@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_each_token_turns_by_its_own_coordinates(name, kind):
    encoding = encodings(kind)[name]
    assert doors(encoding) == ("at_query", "at_key")
    x, places = np.random.default_rng(0).normal(size=(2, 2, 3, 12)), [[0, 7, 19], [7, 3, 3]]
    for door in (encoding.at_query, encoding.at_key):
        found = door(kind(x), kind(places))
        for b, head, token in np.ndindex(2, 2, 3):
            angles = angles_by_hand(name, head)[places[b][token]]
            expected = apply_rotary(x[b, head, token], angles, layout=encoding.layout)
            np.testing.assert_allclose(found[b, head, token], expected, atol=1e-12)


@each_encoding
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_every_precision_comes_back_as_it_came(name, dtype):
    x = torch.tensor(np.random.default_rng(0).normal(size=(1, 2, 20, 12))).to(dtype)
    found = encodings()[name].at_query(x, torch.arange(20))
    assert found.dtype == dtype
    expected = encodings()[name].at_query(x.double().numpy(), range(20))
    np.testing.assert_allclose(found.double(), expected, rtol=torch.finfo(dtype).eps, atol=1e-6)


@each_encoding
@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_a_cache_changes_nothing(name, kind):
    encoding, cache = encodings(kind)[name], KeyValueCache()
    x, *weights = (kind(np.random.default_rng(i).normal(size=(24, 24))) for i in range(4))
    x, positions = x[None, :20], kind(np.arange(20))
    mask = causal_mask(positions, positions)
    options = {"num_heads": 2, "encoding": encoding}
    whole = attend(x, *weights, positions=positions, mask=mask, **options)
    for start, end in ((0, 9), (9, 19), (19, 20)):
        part = {"positions": positions[start:end], "mask": mask[start:end, :end], "cache": cache}
        found = attend(x[:, start:end], *weights, **part, **options)
        np.testing.assert_allclose(found, whole[:, start:end], atol=1e-12)


@pytest.mark.parametrize("shape", [(2, 4), (2, 3, 4)])
def test_gradients_reach_the_frequencies_and_fractional_coordinates(shape):
    frequencies, rows, columns = (
        torch.tensor(np.random.default_rng(i).normal(size=size), requires_grad=True)
        for i, size in enumerate((shape, 5, 5))
    )
    assert torch.autograd.gradcheck(mixed_angles, (rows, columns, frequencies))
    places = torch.tensor(GRID)

    def turned(values):
        x = torch.ones(1, 3, 2, 8, dtype=torch.float64)
        return MixedRotary(places, values).at_query(x, torch.tensor([3, 17]))

    assert torch.autograd.gradcheck(turned, frequencies)


X = np.ones((1, 2, 1, 8))
ZERO = torch.tensor([0])


def ready_for(x):
    return MixedRotary(GRID, torch.ones((2, 2, 4)).double()).prepared(x, ZERO)


THW = np.ones((3, 4))
WHOLE = torch.tensor(GRID)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: centres(0, 3), ValueError, "height must be at least 1, got 0"),
        (lambda: pixtral_frequencies(6), ValueError, "head_dim must be divisible by 4"),
        (lambda: first_mixed_frequencies(6, [0]), ValueError, "head_dim must be divisible by 4"),
        (lambda: first_mixed_frequencies(8, 0), ValueError, r"directions must be \[heads\]"),
        (lambda: raster(0, 3), ValueError, "height must be at least 1, got 0"),
        (lambda: raster(3, 2.5), TypeError, "width must be an integer"),
        (lambda: raster(10**6, 10**6), ValueError, "height × width: an array of"),
        (lambda: axial_angles([0], [0, 1], 8), ValueError, "rows and columns must share a shape"),
        (lambda: axial_angles([0], [0], 6), ValueError, "head_dim must be divisible by 4.* got 6"),
        (lambda: axial_angles([0], [0], 8, first="x"), ValueError, "first must be one of 'column'"),
        (lambda: axial_angles([0], [0], 8, base=1), ValueError, "base must be above 1"),
        (lambda: axial_angles([np.nan], [0], 8), ValueError, "rows must be finite"),
        (lambda: axial_angles([0], ["a"], 8), TypeError, "columns must be real numbers"),
        (
            lambda: mixed_angles([0], [0], [1.0, 2.0]),
            ValueError,
            r"frequencies must .* \(2,\)",
        ),
        (lambda: mixed_angles([0], [0], np.ones((3, 4))), ValueError, "frequencies must be"),
        (lambda: mixed_angles(0, 0, FREQUENCIES), ValueError, r"must be \[..., len\], got single"),
        (lambda: mixed_angles([0], [0], EQUAL * np.inf), ValueError, "frequencies must be finite"),
        (
            lambda: mixed_angles(np.zeros(10**6), np.zeros(10**6), np.ones((2, 100, 100))),
            ValueError,
            "rows × frequencies: an array of",
        ),
        (
            lambda: mrope_angles(np.zeros((3, 10**6)), np.ones(10**6), (10**6, 0, 0)),
            ValueError,
            "positions_thw × pairs: an array of",
        ),
        (lambda: mrope_angles(THW, [1.0], (1, 0)), ValueError, "sections must be three counts"),
        (lambda: mrope_angles(THW, [1.0], 5), TypeError, "sections must be three counts of pairs"),
        (lambda: mrope_angles(THW, [], (0, 0, 0)), ValueError, "sections must count at least one"),
        (lambda: mrope_angles(THW, [1.0], (2, 0, -1)), ValueError, "sections must be at least 0"),
        (lambda: mrope_angles(THW, [1.0], (1, 1, 0)), ValueError, r"inv_freq must be \[2\], as"),
        (lambda: mrope_angles(THW[:2], [1.0], (1, 0, 0)), ValueError, r"must be \[3, ...\], got"),
        (
            lambda: mrope_angles(THW, np.ones(10), (2, 4, 4), interleaved=True),
            ValueError,
            r"sections must let axes take turns, .* got \(2, 4, 4\)",
        ),
        (
            lambda: AxialRotary(THW),
            ValueError,
            r"must be \(row, column\) of each token",
        ),
        (lambda: MixedRotary(GRID[0], EQUAL), ValueError, "coordinates must be"),
        (lambda: MRotary(GRID, (1, 1, 1)), ValueError, r"must be \(time, row, column\) of each"),
        (lambda: AxialRotary(GRID, layout="x"), ValueError, "layout must be one of"),
        (lambda: AxialRotary(GRID, base=0), ValueError, "base must be above 1"),
        (lambda: AxialRotary(GRID, first="x"), ValueError, "first must be one of"),
        (lambda: MixedRotary(GRID, EQUAL[0]), ValueError, "frequencies must be"),
        (lambda: MRotary(TEXT, 5), TypeError, "sections must be three counts of pairs, got 5"),
        (lambda: MRotary(TEXT, (0, 0, 0)), ValueError, "sections must count .* one pair, got"),
        (lambda: MRotary(TEXT, (10**15, 0, 0)), ValueError, "sections: an array of"),
        (lambda: MRotary(TEXT, (1, 1)), ValueError, "sections must be three counts"),
        (
            lambda: AxialRotary(GRID).at_query(X, [20]),
            IndexError,
            "positions must be .* 19 .*20$",
        ),
        (
            lambda: AxialRotary(GRID).at_key(X, [-1]),
            IndexError,
            "positions must be .* 19 .*-1$",
        ),
        (lambda: AxialRotary(GRID).at_key(X, [0.5]), TypeError, "positions must be integers"),
        (lambda: AxialRotary(WHOLE).at_key(X, [0]), TypeError, "coordinates must be a NumPy array"),
        (lambda: AxialRotary(GRID).at_query(X[..., :6], [0]), ValueError, "head_dim must be divis"),
        (
            lambda: MRotary(TEXT, (4, 2, 2)).at_query(X, [0]),
            ValueError,
            r"sections must add up to at most 4 pairs, .* head_dim 8, got \(4, 2, 2\)",
        ),
        (
            lambda: MixedRotary(GRID, np.ones((2, 3, 4))).at_query(X, [0]),
            ValueError,
            r"frequencies must be \[2, 4\] or, .* \[2, 2, 4\], got shape \(2, 3, 4\)",
        ),
        (
            lambda: MixedRotary(GRID, np.ones((2, 2, 4))).at_key(X[:, :1], [0]),
            ValueError,
            r"for each of 1 heads, queries and keys alike, \[2, 1, 4\], got shape \(2, 2, 4\)",
        ),
        (
            lambda: MixedRotary(GRID, np.ones((2, 2, 4))).at_query_and_key(X, X[:, :1], [0]),
            ValueError,
            r"for each of 1 heads, queries and keys alike",
        ),
        (
            lambda: ready_for(torch.tensor(X)).at_key(torch.tensor(X[:, :1]), ZERO),
            ValueError,
            r"for each of 1 heads, queries and keys alike",
        ),
        (
            lambda: MixedRotary(GRID, np.ones((2, 5))).at_key(X, [0]),
            ValueError,
            r"frequencies must be \[2, 4\] or, .* got shape \(2, 5\)",
        ),
        (
            lambda: MixedRotary(GRID, torch.tensor(EQUAL)).at_query(X, [0]),
            TypeError,
            "frequencies must be a NumPy array",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
