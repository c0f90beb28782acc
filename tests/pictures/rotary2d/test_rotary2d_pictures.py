"""The numbers in lesson 07's pictures: scores of patches, two hands, and sections of M-RoPE."""

import cmath
import itertools
import math
import re

import numpy as np
import pytest

from posviz.pictures.parts import Curve
from posviz.pictures.rotary2d.mrope_sections import MropeSections
from posviz.pictures.rotary2d.patch_grid import PatchGrid
from posviz.pictures.rotary2d.two_hands import TwoHands
from tests.pictures.by_hand import caption_of, drawn, every_setting, frequencies

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
        (0, 0, 4, 4, 2),
        (13, 13, 32, 128, 100_000),
        (13, 2, 9, 8, 100),
        (7, 0, 8, 16, 10_000),
        (6, 6, 8, 16, 100),
        (1, 13, 12, 32, 3.5),
    ],
)
def test_scores_and_their_words_are_those_of_a_loop(encoding, row, column, grid, head_dim, base):
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
    check_words(picture, here, expected)


def check_words(picture, here, expected):
    caption, (row, column), grid = caption_of(picture), here, picture.grid
    clamped = " (the nearest there is)" * (here != (picture.row, picture.column))
    assert f": for the query at row {row}, column {column}{clamped} of {grid} × {grid}," in caption
    side, right = ("left", column - 1) if column == grid - 1 else ("right", column + 1)
    place, below = ("above", row - 1) if row == grid - 1 else ("below", row + 1)
    far = f", {grid} steps away," if picture.encoding == "raster" else ""
    words = f"the patch to the {side} scores (.*), the one {place}{far} (.*), and"
    beside, under, twins = re.search(rf"{words} (\w+) other patch", caption).groups()
    assert float(beside) == pytest.approx(expected[row, right], abs=6e-5)
    assert float(under) == pytest.approx(expected[below, column], abs=6e-5)
    count = sum(score > 1 - 1e-5 for score in expected.flat) - 1
    assert twins == (str(count) if count else "no")
    assert caption.endswith("1, as the query itself does (NumPy, float32).")


@pytest.mark.parametrize(
    ("row", "column", "twins"), [(5, 8, 13), (0, 0, 0), (13, 12, 1), (3, 0, 3)]
)
def test_equal_frequencies_see_the_sum_alone(row, column, twins):
    picture = PatchGrid(row=row, column=column, encoding="mixed, equal")
    scores = picture.compute().scores
    for place in itertools.product(range(14), repeat=2):
        assert (scores[place] > 0.99999) == (sum(place) == row + column)
    number = f"and {twins or 'no'} other {'patch scores' if twins == 1 else 'patches score'} 1,"
    assert number in caption_of(picture)
    for encoding in ENCODINGS[:3]:
        assert ", and no other patches score 1," in caption_of(PatchGrid(encoding=encoding))


def test_axial_is_a_sum_over_the_axes_and_mixed_is_not():
    for encoding, added in (("axial", True), ("mixed", False), ("mixed, equal", False)):
        scores = PatchGrid(encoding=encoding).compute().scores.astype(float)
        differences = np.diff(np.diff(scores, axis=0), axis=1)
        assert (np.abs(differences).max() < 1e-6) == added
        assert added or np.abs(differences).max() > 0.05


def test_another_device_scores_alike():
    for encoding in ENCODINGS:
        picture = PatchGrid(encoding=encoding, where="torch CPU")
        arrays = picture.compute()
        np.testing.assert_allclose(arrays.scores, scores_of(picture), rtol=0, atol=2e-6)
        assert picture.caption(arrays).endswith("(torch CPU, float32).")


def test_the_query_is_outlined_and_lines_run_through_it():
    arrays, (scores, *parts) = drawn(PatchGrid(row=13, column=3, grid=10))
    for part in parts[:2]:
        assert set(map(tuple, part.line.get_xydata())) == set(
            itertools.product((2.5, 3.5), (8.5, 9.5))
        )
    for part, along in zip(parts[3:], arrays.along, strict=True):
        line = part.line
        assert np.array_equal(line.get_data(), along)
        assert line.get_ydata()[line.get_xdata() == 0] == pytest.approx(1, abs=1e-6)
    assert np.array_equal(scores.image.get_array(), arrays.scores)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("head_dim", [4, 8])
def test_the_base_is_idle_where_it_changes_nothing(encoding, head_dim):
    pictures = [PatchGrid(encoding=encoding, head_dim=head_dim, base=base) for base in (10, 1000)]
    scores = [picture.compute().scores for picture in pictures]
    idle = {bool(picture.knobs()["base"].idle(picture)) for picture in pictures}
    assert idle == {np.array_equal(*scores)}


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
    for picture in every_setting(TwoHands, count=24):
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


def test_the_caption_adds_the_shares_up():
    for picture in [*every_setting(TwoHands, count=24), TwoHands(kind="mixed", direction=45)]:
        caption, hands = caption_of(picture), hands_of(picture)
        row, column, pair = picture.row, picture.column, picture.pair
        assert f" at row {row}, column {column}: pair {pair} is turned by " in caption
        (f0, _), (_, f1) = hands[0], hands[-1]
        terms = rf"{column} × (\S+) \+ {row} × (\S+) = (\S+) radians"
        expected = [f0, f1, column * f0 + row * f1]
        if picture.kind == "axial":
            terms = (
                rf"by the column, {column} × (\S+) = (\S+) radians, and pair {16 + pair} "
                rf"by the row, {row} × (\S+) = (\S+) radians"
            )
            expected = [f0, column * f0, f1, row * f1]
        found = [float(number) for number in re.search(terms, caption).groups()]
        np.testing.assert_allclose(found, expected, rtol=6e-4, atol=6e-5)
        equal = picture.kind == "mixed, equal" or (picture.kind, picture.direction) == ("mixed", 45)
        assert ("patches with the same row + column turn it alike" in caption) == equal


@pytest.mark.sampled(quick=4)
@pytest.mark.parametrize("kind", ["axial", "mixed", "mixed, equal"])
@pytest.mark.parametrize(("pair", "direction"), [(0, 0), (2, 30), (15, 180), (5, 115)])
def test_hands_point_and_lines_keep_their_angle(kind, pair, direction):
    picture = TwoHands(kind=kind, pair=pair, direction=direction, row=11, column=3)
    _, parts = drawn(picture)
    hands, lines = hands_of(picture), [part.line for part in parts if isinstance(part, Curve)]
    drawn_hands, families, mark = lines[:3], [lines[5:7], lines[7:9]], lines[9]
    shown = drawn_hands[:2] if kind == "axial" else drawn_hands[2:]
    for hand in drawn_hands:
        assert len(hand.get_xdata()) == 2 * (hand in shown)
    for i, (hand, (across, down)) in enumerate(zip(shown, hands, strict=True)):
        angle = 3 * across + 11 * down
        assert complex(*hand.get_xydata()[1]) == pytest.approx(cmath.rect(1, angle), abs=1e-9)
        for line in families[i]:
            ends = line.get_xydata().reshape(-1, 3, 2)
            assert len(ends) > 2 * 16 * math.hypot(across, down) / math.tau
            assert np.isnan(ends[:, 2]).all()
            for column, row in ends[:, :2].reshape(-1, 2):
                turns = (column * across + row * down - angle) / math.tau
                assert turns == pytest.approx(round(turns), abs=1e-9)
            middle = ends[:, :2].mean(axis=1)
            assert (np.abs(middle - (3, 11)).sum(axis=1) < 1e-9).sum() == 1
    for line in itertools.chain(*families[len(hands) :]):
        assert len(line.get_xdata()) == 0
    assert mark.get_data() == ((3,), (11,))


@pytest.mark.parametrize("kind", ["axial", "mixed", "mixed, equal"])
def test_arcs_are_the_shares_and_on_one_hand_follow_each_other(kind):
    picture = TwoHands(kind=kind, direction=115, row=11, column=3)
    hands = hands_of(picture)
    by_column, by_row = 3 * hands[0][0], 11 * hands[-1][1]
    begin = 0 if kind == "axial" else by_column
    ends = [(0, by_column), (begin, begin + by_row)]
    for arc, angles in zip(picture.compute().arcs, ends, strict=True):
        for point, angle in zip(np.transpose(arc)[[0, -1]], angles, strict=True):
            apart = cmath.phase(complex(*point) / cmath.rect(1, angle))
            assert apart == pytest.approx(0, abs=1e-9)


# ---------------------------------------------------------------- M-RoPE

AXES = {  # of each pair: 0 time, 1 row, 2 column
    "16, 24, 24 contiguous (Qwen2-VL)": [0] * 16 + [1] * 24 + [2] * 24,
    "24, 20, 20 interleaved (Qwen3-VL)": [0, 1, 2] * 20 + [0] * 4,
    "24, 20, 20 contiguous": [0] * 24 + [1] * 20 + [2] * 20,
}


def test_every_pair_follows_its_axis():
    for picture in every_setting(MropeSections, count=24):
        arrays, axes = picture.compute(), AXES[picture.sections]
        where = picture.time, picture.row, picture.column
        assert arrays.axis.tolist() == axes
        for pair, axis in enumerate(axes):
            speed = picture.base ** (-pair / 64)
            assert arrays.wavelengths[pair] == pytest.approx(math.tau / speed)
            assert arrays.angles[pair] == pytest.approx(where[axis] * speed)
        check_sections(picture, where, axes)


def check_sections(picture, where, axes):
    caption = caption_of(picture)
    assert caption.startswith(f"{picture.sections}: ")
    words = r"(\w+) (\d+) turns pairs of wavelength (\S+) to (\S+) tokens by at most ([\d.e+-]*\d)"
    found = re.findall(words, caption)
    assert [(name, int(place)) for name, place, *_ in found] == [
        *zip(("time", "row", "column"), where, strict=True)
    ]
    for axis, (*_, first, last, angle) in enumerate(found):
        pairs = [pair for pair, its in enumerate(axes) if its == axis]
        waves = [math.tau * picture.base ** (pair / 64) for pair in (pairs[0], pairs[-1])]
        for number, wave in zip((first, last), waves, strict=True):
            rounding = 0.006 if wave < 100 else 0.51
            assert float(number.replace(",", "")) == pytest.approx(wave, rel=0, abs=rounding)
        fastest = where[axis] * picture.base ** (-pairs[0] / 64)
        assert float(angle) == pytest.approx(fastest, rel=6e-4)


# 2π · 1 000 000^(pair/64), where each axis begins: pairs 0, 16, 40; 0, 1, 2; 0, 24, 44.
FASTEST = [["6.28", "199", "35,333"], ["6.28", "7.80", "9.68"], ["6.28", "1,117", "83,788"]]


@pytest.mark.parametrize(("sections", "fastest"), [*zip(AXES, FASTEST, strict=True)])
def test_time_has_the_fast_pairs_unless_they_take_turns(sections, fastest):
    caption = caption_of(MropeSections(sections=sections))
    assert re.findall(r"wavelength (\S+) to", caption) == fastest


@pytest.mark.slow("seconds")
def test_each_axis_has_the_dials_of_its_pairs_and_each_pair_its_hand():
    for sections, axes in AXES.items():
        arrays, (*_, time, row, column, hands) = drawn(MropeSections(sections=sections, column=70))
        for axis, rims in enumerate((time, row, column)):
            dials = [(pair % 8, pair // 8) for pair, its in enumerate(axes) if its == axis]
            assert list(map(tuple, rims.line.get_xydata())) == dials
        for pair, (middle, tip, gap) in enumerate(hands.line.get_xydata().reshape(-1, 3, 2)):
            assert tuple(middle) == (pair % 8, pair // 8)
            assert np.isnan(gap).all()
            right, down = tip - middle  # clockwise from the top
            apart = cmath.phase(complex(-down, right) / cmath.rect(1, arrays.angles[pair]))
            assert apart == pytest.approx(0, abs=1e-9)


def test_the_token_stands_in_its_image():
    picture = MropeSections(time=500, row=7, column=90)
    _, (time, row, column, token, *_) = drawn(picture)
    assert time.artist.get_text() == "time 500"
    assert row.line.get_ydata() == [7, 7]
    assert column.line.get_xdata() == [90, 90]
    assert token.line.get_xydata().tolist() == [[90, 7]]
    assert (token.line.axes.get_xlabel(), token.line.axes.get_ylabel()) == ("column", "row")
    assert token.line.axes.yaxis_inverted()
