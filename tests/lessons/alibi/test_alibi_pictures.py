"""The numbers in lesson 08's pictures: how far each head looks, and what it leaves of a far key."""

import math

import numpy as np
import pytest

from posviz.encodings.alibi import alibi_slopes
from posviz.lessons.alibi.alibi_scores import AlibiScores, _vectors
from posviz.lessons.alibi.weight_by_distance import WeightByDistance
from tests.lessons.by_hand import assert_curve_covers, drawn, softmax


def crossing(values, threshold):
    """The distance at which a row falls under a threshold, between tokens in its logarithm."""
    after = next(i for i, value in enumerate(values) if value < threshold)
    if after == 0:
        return 0
    high, low = (math.log(values[i]) for i in (after - 1, after))
    return after - 1 + (high - math.log(threshold)) / (high - low)


@pytest.mark.parametrize("num_heads", [1, 12])
@pytest.mark.parametrize("one_in", [10, 1000])
def test_windows_end_where_rows_of_weights_do(num_heads, one_in):
    windows = WeightByDistance(num_heads=num_heads, one_in=one_in).compute().windows
    for head, slope in enumerate(alibi_slopes(num_heads)):
        factors = [math.exp(-slope * distance) for distance in range(10_000)]
        total = math.fsum(factors)
        expected = [crossing(row, 1 / one_in) for row in (factors, [f / total for f in factors])]
        assert windows[:, head] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "knobs",
    [
        {"seq_len": 8, "head": 8, "content": 5.0, "distance": 1},
        {"seq_len": 513, "head": 3, "content": 1.5, "distance": 200},
    ],
)
def test_maps_and_weights_are_those_of_all_scores(knobs):
    """A cell is the mean over its pairs of tokens, without future keys."""
    picture = AlibiScores(**knobs)
    arrays, parts = drawn(picture)
    seq_len, back = picture.seq_len, picture.distance
    q, k = _vectors(seq_len, back, picture.seed)
    scores = picture.content * (q @ k.T) / 8  # √64
    apart = np.subtract.outer(np.arange(seq_len), np.arange(seq_len))
    biased = scores - 2.0**-picture.head * apart
    width = math.ceil(seq_len / 512)
    for shown, every in zip(arrays.maps, (scores, biased), strict=True):
        assert np.array_equal(np.isnan(shown), ~np.tri(len(shown), dtype=bool))
        for i, j in ((0, 0), (len(shown) - 1, 0), (len(shown) - 1, len(shown) - 1)):
            block = np.s_[i * width : (i + 1) * width, j * width : (j + 1) * width]
            mean = every[block][apart[block] >= 0].mean()
            assert shown[i, j] == pytest.approx(np.clip(mean, -8, 8))
    rows = [softmax(row) for row in (scores[-1, ::-1], biased[-1, ::-1])]
    for curve, weights in zip(parts[4:6], rows, strict=True):
        assert_curve_covers(curve.line.get_data(), 0, np.maximum(weights, 1e-7))
    assert arrays.planted == pytest.approx([weights[back] for weights in rows], rel=1e-9)
