"""The numbers in lesson 07's pictures: scores of patches, two hands, and sections of M-RoPE."""

import cmath
import itertools
import math

import numpy as np
import pytest

from posviz.lessons.rotary2d.mrope_sections import MropeSections
from posviz.lessons.rotary2d.patch_grid import PatchGrid
from posviz.lessons.rotary2d.two_hands import TwoHands
from tests.lessons.by_hand import every_setting, frequencies

# ---------------------------------------------------------------- patch grid

ENCODINGS = ["raster", "axial", "mixed", "mixed, equal"]
STEPS = [(0, 1), (1, 0), (1, 1), (-1, 1)]  # row, column: → ↓ ↘ ↗


def angles_of(picture, row, column):
    """How far each pair of one patch has turned."""
    head_dim, base = picture.head_dim, picture.base
    if picture.encoding == "raster":
        return [(row * picture.grid + column) * speed for speed in frequencies(head_dim, base)]
    if picture.encoding == "mixed, equal":
        return [(row + column) * speed for speed in frequencies(head_dim, base)]
    speeds = frequencies(head_dim // 2, base)
    if picture.encoding == "axial":
        return [column * speed for speed in speeds] + [row * speed for speed in speeds]
    towards = np.random.default_rng(1).uniform(0, 2 * math.pi, head_dim // 2)
    return [
        column * speed * math.cos(angle) + row * speed * math.sin(angle)
        for speed, angle in zip(speeds * 2, towards, strict=True)
    ]


def scores_of(picture):
    """The scores [grid, grid] of the query with each patch: mean cosines of angles between them."""
    row, column = min(picture.row, picture.grid - 1), min(picture.column, picture.grid - 1)
    query, scores = angles_of(picture, row, column), np.empty((picture.grid, picture.grid))
    for place in itertools.product(range(picture.grid), repeat=2):
        between = np.subtract(angles_of(picture, *place), query)
        scores[place] = np.cos(between).mean()
    return scores


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("row", "column", "grid", "head_dim", "base"),
    [
        (5, 8, 14, 64, 10),
        (13, 2, 9, 8, 100),
        (1, 13, 12, 32, 3.5),
    ],
)
def test_scores_of_patches_are_those_of_a_loop(encoding, row, column, grid, head_dim, base):
    picture = PatchGrid(
        row=row, column=column, encoding=encoding, grid=grid, head_dim=head_dim, base=base
    )
    arrays, expected = picture.compute(), scores_of(picture)
    assert arrays.scores.dtype == np.float32
    np.testing.assert_allclose(arrays.scores, expected, rtol=0, atol=2e-6)
    here = min(row, grid - 1), min(column, grid - 1)
    for (count, values), (down, across) in zip(arrays.along, STEPS, strict=True):
        inside = {
            i: expected[here[0] + i * down, here[1] + i * across]
            for i in range(1 - grid, grid)
            if 0 <= here[0] + i * down < grid and 0 <= here[1] + i * across < grid
        }
        assert count.tolist() == list(inside)
        np.testing.assert_allclose(values, list(inside.values()), rtol=0, atol=2e-6)


@pytest.mark.parametrize(
    ("row", "column", "twins"), [(5, 8, 13), (0, 0, 0), (13, 12, 1), (3, 0, 3)]
)
def test_equal_frequencies_see_the_sum_alone(row, column, twins):
    picture = PatchGrid(row=row, column=column, encoding="mixed, equal")
    scores = picture.compute().scores
    equal = {place for place in np.ndindex(14, 14) if scores[place] > 0.99999}
    assert equal == {place for place in np.ndindex(14, 14) if sum(place) == row + column}
    assert len(equal) == twins + 1


def test_axial_is_a_sum_over_the_axes_and_mixed_is_not():
    for encoding, added in (("axial", True), ("mixed", False), ("mixed, equal", False)):
        scores = PatchGrid(encoding=encoding).compute().scores.astype(float)
        differences = np.diff(np.diff(scores, axis=0), axis=1)
        assert (np.abs(differences).max() < 1e-6) == added
        assert added or np.abs(differences).max() > 0.05


# ---------------------------------------------------------------- two hands


def hands_of(picture):
    """(column's, row's) radians per patch, for each hand of the pair."""
    speed = picture.base ** (-2 * picture.pair / 32)  # half of 64 dimensions for each axis
    if picture.kind == "axial":
        return [(speed, 0), (0, speed)]
    if picture.kind == "mixed, equal":
        return [(speed, speed)]
    towards = cmath.rect(speed, math.radians(picture.direction))
    return [(towards.real, towards.imag)]


def test_shares_and_scores_are_those_of_a_loop():
    for picture in every_setting(TwoHands):
        arrays, hands = picture.compute(), hands_of(picture)
        shares = [(across * picture.column, down * picture.row) for across, down in hands]
        np.testing.assert_allclose(arrays.shares, shares, rtol=0, atol=1e-12)
        for row, column in itertools.product(range(16), repeat=2):
            cosines = [
                math.cos((column - picture.column) * across + (row - picture.row) * down)
                for across, down in hands
            ]
            score = sum(cosines) / len(cosines)
            assert arrays.scores[row, column] == pytest.approx(score, abs=1e-12)


# ---------------------------------------------------------------- M-RoPE

AXES = {  # of each pair: 0 time, 1 row, 2 column
    "16, 24, 24 contiguous (Qwen2-VL)": [0] * 16 + [1] * 24 + [2] * 24,
    "24, 20, 20 interleaved (Qwen3-VL)": [0, 1, 2] * 20 + [0] * 4,
    "24, 20, 20 contiguous": [0] * 24 + [1] * 20 + [2] * 20,
}


def test_every_pair_follows_its_axis():
    for picture in every_setting(MropeSections):
        arrays, axes = picture.compute(), AXES[picture.sections]
        where = picture.time, picture.row, picture.column
        assert arrays.axis.tolist() == axes
        for pair, axis in enumerate(axes):
            speed = picture.base ** (-pair / 64)
            assert arrays.wavelengths[pair] == pytest.approx(math.tau / speed)
            assert arrays.angles[pair] == pytest.approx(where[axis] * speed)
