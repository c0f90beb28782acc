"""The numbers in lesson 07's pictures: slopes, windows, and weights with ALiBi and without."""

import itertools
import math
import re

import numpy as np
import pytest

from posviz.pictures.alibi.alibi_scores import AlibiScores, _vectors
from posviz.pictures.alibi.alibi_slopes import AlibiSlopes
from posviz.pictures.alibi.weight_by_distance import WeightByDistance
from tests.pictures.by_hand import (
    assert_curve_covers,
    caption_of,
    drawn,
    every_setting,
    product,
    softmax,
)


def slopes_of(num_heads):
    """Doubling, as the released code does: from a table for half as many heads."""
    power = 1
    while 2 * power <= num_heads:
        power *= 2
    slopes = [math.exp2(-8 * head / power) for head in range(1, power + 1)]
    twice = [math.exp2(-4 * head / power) for head in range(1, 2 * power + 1)]
    return power, slopes + twice[::2][: num_heads - power]


# ---------------------------------------------------------------- slopes and bias


@pytest.mark.parametrize("num_heads", range(1, 33))
def test_slopes_stand_in_the_released_order_beside_the_formula(num_heads):
    power, slopes = slopes_of(num_heads)
    _, artists = drawn(AlibiSlopes(num_heads=num_heads, head=num_heads))
    points = [dict(zip(*line.get_data(), strict=True)) for line in artists.lines]
    first, between, formula, chosen = points
    numbered = dict(enumerate(slopes, start=1))
    assert first == pytest.approx({h: numbered[h] for h in numbered if h <= power})
    assert between == pytest.approx({h: numbered[h] for h in numbered if h > power})
    assert chosen == pytest.approx({num_heads: slopes[-1]})
    expected = {h: math.exp2(-8 * h / num_heads) for h in numbered}
    differ = {h: y for h, y in expected.items() if abs(math.log(y / numbered[h])) > 1e-6}
    assert formula == pytest.approx(differ)
    assert bool(differ) == (num_heads != power)


def test_twelve_heads_have_the_slopes_of_eight_and_four_between():
    arrays = AlibiSlopes(num_heads=12).compute()
    assert arrays.slopes[[0, 8]] == pytest.approx((0.5, 0.7071067811865476))
    assert arrays.slopes[11] == pytest.approx(0.08838834764831849)
    assert arrays.power == 8


def test_the_bias_is_that_of_a_loop_and_keys_ahead_are_grey():
    for picture in every_setting(AlibiSlopes):
        _, artists = drawn(picture)
        shown, seq_len = artists.image.get_array(), picture.seq_len
        head = min(picture.head, picture.num_heads)
        slope = slopes_of(picture.num_heads)[1][head - 1]
        assert shown.shape == (seq_len, seq_len)
        behind = [(i, j) for i in range(seq_len) for j in range(i + 1)]
        expected = [max(-slope * (i - j), -8) for i, j in behind]
        np.testing.assert_allclose([shown[pair] for pair in behind], expected, atol=1e-12)
        assert np.all(shown[np.triu_indices(seq_len, 1)] < artists.image.get_clim()[0])
        assert artists.image.get_extent() == [-0.5, seq_len - 0.5, seq_len - 0.5, -0.5]


def test_the_caption_of_slopes_tells_slope_bias_and_rule():
    for picture in every_setting(AlibiSlopes):
        n, (power, slopes) = picture.num_heads, slopes_of(picture.num_heads)
        head, last = min(picture.head, n), picture.seq_len - 1
        slope, caption = slopes[head - 1], caption_of(picture)
        words = r"slope (?:1/)?([\d.]+), and its bias at (\d+) tokens is -([\d.]+)"
        told, far, bias = re.search(words, caption).groups()
        told = 1 / float(told) if "slope 1/" in caption else float(told)
        assert (told, float(bias)) == pytest.approx((slope, slope * last), rel=1e-3)
        assert int(far) == last
        assert ("colours end at -8" in caption) == (slope * last > 8)
        assert f"Head {head}{' (the last there is)' * (picture.head > n)} of {n} has" in caption
        if n == power:
            assert caption.endswith(f"; {n} is a power of two: all slopes are 2^(-8h/{n}).")
        else:
            steepest = slopes.index(max(slopes)) + 1
            assert f"{n} is no power of two: {power} slopes are those of {power} heads" in caption
            assert f"and {n - power} lie" in caption
            assert caption.endswith(f"so that head {steepest} is the steepest.")


# ---------------------------------------------------------------- weight against distance


def weights_of(slope, count):
    """What the softmax makes of equal scores and a long row, one token at a time."""
    powers = [math.exp(-slope * distance) for distance in range(count)]
    total = math.fsum(powers)
    return [power / total for power in powers]


def crossing(values, threshold):
    """The distance at which a row falls under a threshold, between tokens in its logarithm."""
    after = next(i for i, value in enumerate(values) if value < threshold)
    if after == 0:
        return 0
    high, low = (math.log(values[i]) for i in (after - 1, after))
    return after - 1 + (high - math.log(threshold)) / (high - low)


def test_the_audited_windows_of_eight_heads():
    factor, weight = WeightByDistance().compute().windows
    assert (factor[0], factor[-1]) == pytest.approx((13.8, 1768.4), abs=0.05)
    assert (weight[0], weight[-1]) == pytest.approx((11.95, 348.3), abs=0.05)
    caption = caption_of(WeightByDistance())
    assert "falls under 1/1,000 at 13.82 tokens" in caption
    assert caption.endswith("over all heads that is 13.82 … 1768.4 and 11.95 … 348.3.")


@pytest.mark.parametrize("num_heads", [1, 5, 8, 12])
@pytest.mark.parametrize("one_in", [10, 1000, 123_456])
def test_windows_end_where_rows_of_weights_do(num_heads, one_in):
    windows = WeightByDistance(num_heads=num_heads, one_in=one_in).compute().windows
    for head, slope in enumerate(slopes_of(num_heads)[1]):
        weights = weights_of(slope, 10_000)
        factors = [weight / weights[0] for weight in weights]
        expected = [crossing(row, 1 / one_in) for row in (factors, weights)]
        assert windows[:, head] == pytest.approx(expected, rel=1e-9)


def test_lines_go_through_each_weight_and_marks_stand_at_the_windows():
    for picture in every_setting(WeightByDistance):
        arrays, artists = drawn(picture)
        slopes = slopes_of(picture.num_heads)[1]
        shown, chosen = picture.show == "weight", min(picture.head, picture.num_heads)
        x, y = (np.reshape(part, (-1, 3)) for part in artists.heads.get_data())
        assert np.isnan(x[:, 2]).all()
        for line, slope in zip(zip(x, y, strict=True), slopes, strict=True):
            first = weights_of(slope, 8_000)[0] if shown else 1
            assert line[0][0] == 0
            for far, height in zip(*(part[:2] for part in line), strict=True):
                assert height == pytest.approx(first * math.exp(-slope * far), rel=1e-9)
            assert line[0][1] == int(picture.furthest) or line[1][1] < 2e-7
        at = np.stack([x, y])[:, chosen - 1, :2]
        assert np.array_equal(np.stack(artists.chosen.get_data()), at)
        reach = arrays.windows[int(shown), chosen - 1]
        assert artists.window.get_width() == artists.bar.get_xdata()[1] == reach
        assert list(artists.bar.get_ydata()) == [chosen, chosen]
        place = ([], []) if reach == 0 else ([reach], [1 / int(picture.one_in)])
        assert tuple(map(list, artists.crossing.get_data())) == place
        assert set(artists.threshold.get_ydata()) == {1 / int(picture.one_in)}
        for mark, window in zip(artists.marks, arrays.windows, strict=True):
            assert list(mark.get_xdata()) == list(window)
            assert list(mark.get_ydata()) == list(range(1, picture.num_heads + 1))


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"head": 20}, "Head 8 (the last there is) of 8, slope 1/256: "),
        ({"head": 8}, "at 348.3 tokens (factor: beyond the axis); over"),
        ({"head": 8, "show": "weight", "furthest": 349}, "at 348.3 tokens; over"),
        ({"head": 8, "one_in": 10}, "is nowhere above it (factor: beyond the axis); over"),
        ({"one_in": 10}, "that is 4.61 … 589.5 and 1.29 … 3.18 (5 heads never)."),
        ({"num_heads": 1, "one_in": 10, "show": "weight"}, "is nowhere above it."),
        ({"num_heads": 2, "one_in": 50}, "(1 head never)."),
    ],
)
def test_the_caption_of_windows_says_what_is_out_of_sight(knobs, words):
    assert words in caption_of(WeightByDistance(**knobs))


# ---------------------------------------------------------------- content against distance


def scores_of(picture):
    """Every score [len, len] without ALiBi and with it, and how far back the planted key is."""
    seq_len = int(picture.seq_len)
    back = min(int(picture.distance), seq_len - 1)
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
        {},
        {"seq_len": 8, "head": 8, "content": 5.0, "distance": 1},
        {"seq_len": 512, "head": 6, "seed": 3},
        {"seq_len": 513, "head": 1, "content": 0.0},
        {"seq_len": 1300, "head": 8, "content": 2.5, "distance": 900},
    ],
)
def test_maps_and_weights_are_those_of_all_scores(knobs):
    picture = AlibiScores(**knobs)
    arrays, artists = drawn(picture)
    *both, back = scores_of(picture)
    for shown, image, scores in zip(arrays.maps, artists.images, both, strict=True):
        cells = reduced(scores)
        ahead = np.isnan(cells)
        np.testing.assert_allclose(shown[~ahead], np.clip(cells, -5, 5)[~ahead], atol=1e-10)
        assert np.all(shown[ahead] < image.get_clim()[0])
        assert np.array_equal(image.get_array(), shown)
        assert max(shown.shape) <= 512
    last = [2.0**-picture.head * -distance for distance in range(int(picture.seq_len))]
    rows = [softmax(row) for row in (both[0][-1, ::-1], both[1][-1, ::-1], last)]
    for line, weights in zip(artists.lines, rows, strict=True):
        assert_curve_covers(line.get_data(), 0, np.maximum(weights, 1e-7))
    assert arrays.planted == pytest.approx([weights[back] for weights in rows], rel=1e-9)
    for mark, weights in zip(artists.marks, rows[:2], strict=True):
        assert mark.get_xydata()[0] == pytest.approx((back, weights[back]), rel=1e-9)
    assert list(artists.place.get_xdata()) == [back, back]
    for ring in artists.rings:
        assert tuple(ring.get_xydata()[0]) == (picture.seq_len - 1 - back, picture.seq_len - 1)


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


@pytest.mark.parametrize(("seq_len", "width"), [(64, 1), (1300, 3), (4096, 8)])
def test_a_cell_lies_over_the_tokens_it_is_the_mean_of(seq_len, width):
    arrays, artists = drawn(AlibiScores(seq_len=seq_len))
    for axes, image, scores in zip(artists.maps, artists.images, arrays.maps, strict=True):
        end = width * len(scores) - 0.5
        assert image.get_extent() == [-0.5, end, end, -0.5]
        assert axes.get_xlim() == (-0.5, seq_len - 0.5)
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
        assert ("(the farthest there is)" in caption) == (int(picture.distance) > 99)
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
