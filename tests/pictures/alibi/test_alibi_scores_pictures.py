"""The numbers in lesson 08's picture of scores with contents: what ALiBi leaves of a far key."""

import itertools
import math
import re

import numpy as np
import pytest

from posviz.pictures.alibi.alibi_scores import AlibiScores, _vectors
from tests.pictures.by_hand import (
    assert_curve_covers,
    assert_grey_only_ahead,
    caption_of,
    drawn,
    every_setting,
    product,
    softmax,
)


def scores_of(picture):
    """Every score [len, len] without ALiBi and with it, and how far back the planted key is."""
    seq_len = picture.seq_len
    back = min(picture.distance, seq_len - 1)
    q, k = _vectors(seq_len, back, picture.seed)
    scores = picture.content * (q @ k.T) / 8  # √64
    apart = np.subtract.outer(np.arange(seq_len), np.arange(seq_len))
    return scores, scores - 2.0**-picture.head * apart, back


def reduced(scores):
    """The mean of each cell's scores on or before the diagonal, cell by cell."""
    width = next(width for width in range(1, len(scores) + 1) if width * 512 >= len(scores))
    starts, seen = range(0, len(scores), width), np.tri(len(scores), dtype=bool)
    cells = np.full((len(starts), len(starts)), np.nan)
    for (i, row), (j, column) in itertools.product(enumerate(starts), repeat=2):
        block = np.s_[row : row + width, column : column + width]
        if j <= i:
            cells[i, j] = scores[block][seen[block]].mean()
    return cells


@pytest.mark.slow("seconds")
@pytest.mark.sampled(quick=2)
@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"seq_len": 8, "head": 8, "content": 5.0, "distance": 1},
        {"seq_len": 512, "head": 6, "seed": 3},
        {"seq_len": 513, "head": 1, "content": 0.0},
        {"seq_len": 1300, "head": 8, "content": 2.5, "distance": 900},
    ],
)
def test_maps_and_weights_are_those_of_all_scores(knobs):
    picture = AlibiScores(**knobs)
    arrays, parts = drawn(picture)
    first, ring, second, other_ring, *lines, without, with_alibi, planted, _ = parts
    *both, back = scores_of(picture)
    for shown, part, scores in zip(arrays.maps, (first, second), both, strict=True):
        image = part.image
        cells = reduced(scores)
        np.testing.assert_allclose(shown, np.clip(cells, -5, 5), atol=1e-10)
        assert_grey_only_ahead(image, np.isnan(cells))
        assert np.array_equal(image.get_array().filled(np.nan), shown, equal_nan=True)
        assert max(shown.shape) <= 512
    last = [2.0**-picture.head * -distance for distance in range(picture.seq_len)]
    rows = [softmax(row) for row in (both[0][-1, ::-1], both[1][-1, ::-1], last)]
    for curve, weights in zip(lines, rows, strict=True):
        assert_curve_covers(curve.line.get_data(), 0, np.maximum(weights, 1e-7))
    assert arrays.planted == pytest.approx([weights[back] for weights in rows], rel=1e-9)
    for mark, weights in zip((without, with_alibi), rows[:2], strict=True):
        assert mark.line.get_xydata()[0] == pytest.approx((back, weights[back]), rel=1e-9)
    assert list(planted.line.get_xdata()) == [back, back]
    for mark in (ring, other_ring):
        assert tuple(mark.line.get_xydata()[0]) == (picture.seq_len - 1 - back, picture.seq_len - 1)


def test_the_planted_key_scores_eight_times_the_content_and_others_as_chance_has_it():
    q, k = _vectors(4096, 1000, 7)
    scores = [product(q[-1], key) / 8 for key in k]
    assert scores[-1001] == pytest.approx(8)
    others = np.delete(scores, -1001)
    assert others.std() == pytest.approx(math.sqrt(product(q[-1], q[-1]) / 64), rel=0.05)
    assert abs(others).max() < 8


def test_a_longer_text_grows_at_its_start():
    for short, long in zip(_vectors(8, 5, 1), _vectors(300, 5, 1), strict=True):
        assert np.array_equal(short, long[-8:])


@pytest.mark.slow("seconds")
@pytest.mark.parametrize(("seq_len", "width"), [(64, 1), (1300, 3), (4096, 8)])
def test_a_cell_lies_over_the_tokens_it_is_the_mean_of(seq_len, width):
    arrays, (without, _, with_alibi, *_) = drawn(AlibiScores(seq_len=seq_len))
    for part, scores in zip((without, with_alibi), arrays.maps, strict=True):
        end = width * len(scores) - 0.5
        assert part.image.get_extent() == [-0.5, end, end, -0.5]
        assert part.axes.get_xlim() == (-0.5, seq_len - 0.5)
    caption = caption_of(AlibiScores(seq_len=seq_len))
    assert (f"a cell is the mean over {width} × {width} pairs not ahead" in caption) == (width > 1)
    assert ("the lowest and highest of 400 ranges" in caption) == (seq_len > 400)


def test_the_caption_says_what_the_bias_takes_and_what_weight_is_left():
    for picture in every_setting(AlibiScores, seq_len=100, where="NumPy"):
        *both, back = scores_of(picture)
        caption = caption_of(picture)
        without, kept = (softmax(scores[-1])[-1 - back] for scores in both)
        if picture.content:
            score, lost = re.search(r"scores ([\d.]+), of .* takes ([\d.e-]+),", caption).groups()
            assert float(score) == pytest.approx(8 * picture.content, abs=0.051)
        else:
            assert "scores 0 like every key, whatever the seed, and head" in caption
            lost = re.search(r"takes ([\d.e-]+),", caption).group(1)
        assert float(lost) == pytest.approx(2.0**-picture.head * back, rel=1e-3)
        words = r"its weight is ([\d.e-]+) with ALiBi and ([\d.e-]+) without"
        told = [float(number) for number in re.search(words, caption).groups()]
        assert told == pytest.approx([kept, without], rel=0.06, abs=6e-4 if kept > 1e-3 else 0)
        assert ("(the farthest there is)" in caption) == (picture.distance > 99)
        assert f" head {picture.head} of 8 (slope 1/{2**picture.head}) " in caption


def test_content_beats_distance_in_flat_heads_alone():
    kept = [AlibiScores(head=head).compute().planted[1] for head in range(1, 9)]
    assert kept[:6] == sorted(kept[:6])  # beyond them all that is left is chance
    assert kept[0] < 0.01 < 0.9 < kept[-1]
    assert "weight is 0 (it underflows) with" in caption_of(
        AlibiScores(head=1, seq_len=4096, distance=4000)
    )


@pytest.mark.parametrize("seq_len", [100, 1300])
def test_another_device_owns_up_to_its_rounding(seq_len):
    knobs = {"seq_len": seq_len, "distance": 40, "head": 5}
    exact, picture = AlibiScores(**knobs).compute(), AlibiScores(**knobs, where="torch CPU")
    arrays = picture.compute()
    assert exact.error is None
    assert 0 < arrays.error < 1e-4
    for one, other in zip(arrays.maps, exact.maps, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=arrays.error * (1 + 1e-6))
    assert arrays.planted == pytest.approx(exact.planted, abs=arrays.error * (1 + 1e-6))
    words = "torch CPU computed in float32 and differs from NumPy’s float64 by at most"
    assert f"; {words} {arrays.error:.1e}." in picture.caption(arrays)


def test_the_difference_that_is_told_is_that_of_scores_beyond_the_colours_too():
    """A score of about −255 is rounded by up to 7.6e-6 in float32, one within ±5 by 2.4e-7."""
    told = AlibiScores(head=1, seq_len=512, where="torch CPU").compute().error
    assert 7e-6 < told < 1e-4
