"""The mathematics of lesson 07's pictures, beside slow loops."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from posviz import MropeSections, PatchGrid, SumOfWaves, TwoHands
from posviz_course.models.archive import photograph
from tests.lessons.by_hand import every_setting, frequencies


def angles_of(picture, row, column):
    """The angle of each pair of one patch."""
    head_dim, base = picture.head_dim, 10
    if picture.encoding == "raster":
        return [(row * 14 + column) * speed for speed in frequencies(head_dim, base)]
    if picture.encoding == "one frequency":
        return [(row + column) * speed for speed in frequencies(head_dim, base)]
    speeds = frequencies(head_dim // 2, base)
    if picture.encoding == "axial":
        return [column * speed for speed in speeds] + [row * speed for speed in speeds]
    ends = (0, 360) if picture.encoding == "mixed" else (30, 60)
    towards = map(math.radians, np.random.default_rng(1).uniform(*ends, head_dim // 2))
    return [
        column * speed * math.cos(angle) + row * speed * math.sin(angle)
        for speed, angle in zip(speeds * 2, towards, strict=True)
    ]


@pytest.mark.parametrize(
    "encoding", ["raster", "axial", "mixed", "mixed, near 45°", "one frequency"]
)
@pytest.mark.parametrize("place", [(1, 13, 16), (5, 8, 64)])
def test_scores_of_patches_are_those_of_a_loop(encoding, place):
    setting = dict(zip(("row", "column", "head_dim"), place, strict=True))
    picture = PatchGrid(encoding=encoding, **setting)
    arrays, expected = picture.compute(), np.empty((14, 14))
    query = angles_of(picture, picture.row, picture.column)
    for patch in np.ndindex(expected.shape):
        expected[patch] = np.cos(np.subtract(angles_of(picture, *patch), query)).mean()
    np.testing.assert_allclose(arrays.scores, expected, rtol=0, atol=2e-6)
    side = 12
    for row, column in np.ndindex(expected.shape):
        light = 0.2 + 0.8 * max(expected[row, column], 0)
        pixel = arrays.lit[row * side + side // 2, column * side + side // 2]
        stored = photograph()[row * side + side // 2, column * side + side // 2]
        assert pixel == pytest.approx(stored * light, abs=3e-6)


def test_axial_scores_make_a_cross_for_each_query_and_width():
    for head_dim in PatchGrid.knobs()["head_dim"].options:
        for row, column in itertools.product(range(0, 14, 3), repeat=2):
            scores = PatchGrid(row=row, column=column, head_dim=head_dim).compute().scores
            rows, columns = abs(np.indices((14, 14)) - [[[row]], [[column]]])
            arms = scores[(rows == 0) | (columns == 0)]
            assert arms.min() > scores[(rows > 2) & (columns > 2)].max()


def test_a_reader_s_angles_draw_their_scores():
    def by_column(rows, columns, head_dim, base):
        return np.outer(columns, [1.0] * (head_dim // 2))

    found = PatchGrid(by_column, row=2, column=5).compute().scores
    np.testing.assert_allclose(found, [[math.cos(5 - c) for c in range(14)]] * 14, atol=1e-9)
    picture = PatchGrid(lambda *_: ...)
    arrays = picture.compute()
    assert (arrays.scores == 1).all()
    assert picture.caption(arrays).startswith("Your function returns no angles yet")


@pytest.mark.parametrize(("x", "y", "patch"), [(-0.4, 167.4, (13, 0)), (66, 60, (5, 5))])
def test_query_follows_the_pointer(x, y, patch):
    knobs = PatchGrid().dragged(x, y)
    assert (knobs["row"], knobs["column"]) == patch


@pytest.mark.parametrize(("encoding", "waves"), [("axial", 5), ("mixed", 32), ("one frequency", 9)])
def test_mean_of_all_waves_is_the_score_of_equal_vectors(encoding, waves):
    picture = SumOfWaves(encoding=encoding, waves=waves)
    arrays, patches = picture.compute(), [(13, 13), (0, 26), (20, 3)]
    grid = SimpleNamespace(encoding=encoding, head_dim=64)
    speeds = [math.hypot(*pair) for pair in zip(*arrays.dots[1], strict=True)]
    assert speeds == pytest.approx(sorted(speeds, reverse=True))
    for row, column in patches:
        angles = angles_of(grid, row - 13, column - 13)
        by_size = sorted(zip(*fastest_first(grid, angles), strict=True))[:waves]
        cosines = [math.cos(angle) for *_, angle in by_size]
        assert arrays.last[row, column] == pytest.approx(cosines[-1], abs=1e-9)
        assert arrays.score[row, column] == pytest.approx(np.mean(cosines), abs=1e-9)


def fastest_first(grid, angles):
    """By which pairs are sorted: the speed and the place in the encoding; and their angles."""
    steps = zip(angles_of(grid, 1, 0), angles_of(grid, 0, 1), strict=True)
    speeds = [-round(math.hypot(*step), 9) for step in steps]
    return speeds, range(len(speeds)), angles


def test_a_click_on_a_dot_adds_all_waves_up_to_it():
    picture = SumOfWaves(encoding="mixed", waves=1)
    for number, dot in enumerate(picture.compute().dots[0].T, start=1):
        assert picture.dragged(*dot) == {"waves": number}


def test_scores_of_hands_are_those_of_a_loop():
    for picture in every_setting(TwoHands, count=4):
        arrays = picture.compute()
        speed = picture.base ** (-2 * 2 / 32)  # half of 64 dimensions for each axis
        towards = math.radians(picture.direction)
        mixed = [(math.cos(towards), math.sin(towards))]
        hands = [(1, 0), (0, 1)] if picture.kind == "axial" else mixed
        for row, column in itertools.product(range(0, 14, 5), repeat=2):
            steps = column - picture.column, row - picture.row
            cosines = [math.cos(speed * np.dot(steps, hand)) for hand in hands]
            score = sum(cosines) / len(cosines)
            assert arrays.scores[row, column] == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    ("sections", "axes"),  # of each pair: 0 time, 1 row, 2 column
    [
        ("16, 24, 24 contiguous (Qwen2-VL)", [0] * 16 + [1] * 24 + [2] * 24),
        ("24, 20, 20 interleaved (Qwen3-VL)", [0, 1, 2] * 20 + [0] * 4),
    ],
)
def test_every_pair_follows_its_axis(sections, axes):
    picture = MropeSections(sections=sections, time=7, row=11, column=13)
    arrays, where = picture.compute(), (7, 11, 13)
    assert arrays.axis.tolist() == axes
    expected = [where[axis] * 1_000_000 ** (-pair / 64) for pair, axis in enumerate(axes)]
    np.testing.assert_allclose(arrays.angles, expected)
