"""The numbers in lesson 08's picture of scores with contents: what ALiBi leaves of a far key."""

import itertools
import math

import numpy as np
import pytest

from posviz.lessons.alibi.alibi_scores import AlibiScores, _vectors
from tests.lessons.by_hand import (
    assert_curve_covers,
    assert_grey_only_ahead,
    drawn,
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


@pytest.mark.parametrize(
    "knobs",
    [
        {"seq_len": 8, "head": 8, "content": 5.0, "distance": 1},
        {"seq_len": 513, "head": 3, "content": 1.5, "distance": 200},
    ],
)
def test_maps_and_weights_are_those_of_all_scores(knobs):
    picture = AlibiScores(**knobs)
    arrays, parts = drawn(picture)
    first, _, second, _, *lines, _, _, _, _ = parts
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


def test_the_planted_key_scores_eight_times_the_content():
    q, k = _vectors(4096, 1000, 7)
    scores = [product(q[-1], key) / 8 for key in k]
    assert scores[-1001] == pytest.approx(8)
    others = np.delete(scores, -1001)
    assert others.std() == pytest.approx(math.sqrt(product(q[-1], q[-1]) / 64), rel=0.05)
    assert abs(others).max() < 8


def test_content_beats_distance_in_flat_heads_alone():
    kept = [AlibiScores(head=head).compute().planted[1] for head in range(1, 9)]
    assert kept[:6] == sorted(kept[:6])  # beyond them all that is left is chance
    assert kept[0] < 0.01 < 0.9 < kept[-1]


def test_the_error_in_the_caption_is_that_of_scores_beyond_the_colours():
    """A score of about −255 is rounded by up to 7.6e-6 in float32, one within ±5 by 2.4e-7."""
    told = AlibiScores(head=1, seq_len=512, where="torch CPU").compute().error
    assert 7e-6 < told < 1e-4
