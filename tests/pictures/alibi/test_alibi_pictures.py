"""The numbers in lesson 08's pictures of what ALiBi adds: slopes, biases and windows."""

import math
import re

import numpy as np
import pytest

from posviz.pictures.alibi.alibi_slopes import AlibiSlopes
from posviz.pictures.alibi.weight_by_distance import WeightByDistance
from tests.pictures.by_hand import (
    assert_grey_only_ahead,
    caption_of,
    drawn,
    every_setting,
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


@pytest.mark.parametrize("num_heads", range(1, 17))
def test_slopes_stand_in_the_released_order_beside_the_formula(num_heads):
    power, slopes = slopes_of(num_heads)
    _, (*slopes_drawn, _, _) = drawn(AlibiSlopes(num_heads=num_heads, head=num_heads))
    points = [dict(zip(*part.line.get_data(), strict=True)) for part in slopes_drawn]
    first, rest, formula, chosen = points
    numbered = dict(enumerate(slopes, start=1))
    assert first == pytest.approx({h: numbered[h] for h in numbered if h <= power})
    assert rest == pytest.approx({h: numbered[h] for h in numbered if h > power})
    assert chosen == pytest.approx({num_heads: slopes[-1]})
    expected = {h: math.exp2(-8 * h / num_heads) for h in numbered}
    differ = {h: y for h, y in expected.items() if abs(math.log(y / numbered[h])) > 1e-6}
    assert formula == pytest.approx(differ)
    assert bool(differ) == (num_heads != power)


def test_twelve_heads_have_the_slopes_of_eight_and_four_of_sixteen():
    arrays = AlibiSlopes(num_heads=12).compute()
    assert arrays.slopes[[0, 8]] == pytest.approx((0.5, 0.7071067811865476))
    assert arrays.slopes[11] == pytest.approx(0.08838834764831849)
    assert arrays.power == 8


@pytest.mark.slow("seconds")
def test_the_bias_is_that_of_a_loop_and_keys_ahead_are_grey():
    for picture in every_setting(AlibiSlopes):
        _, (*_, bias, _) = drawn(picture)
        shown, seq_len = bias.image.get_array(), picture.seq_len
        head = min(picture.head, picture.num_heads)
        slope = slopes_of(picture.num_heads)[1][head - 1]
        assert shown.shape == (seq_len, seq_len)
        behind = [(i, j) for i in range(seq_len) for j in range(i + 1)]
        expected = [max(-slope * (i - j), -8) for i, j in behind]
        np.testing.assert_allclose([shown[pair] for pair in behind], expected, atol=1e-12)
        assert_grey_only_ahead(bias.image, ~np.tri(seq_len, dtype=bool))
        assert bias.image.get_extent() == [-0.5, seq_len - 0.5, seq_len - 0.5, -0.5]


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
            rest, twice = slopes[power:], slopes_of(2 * power)[1]
            assert set(rest) <= set(twice)
            taken = f"{len(rest)} {'is' if len(rest) == 1 else 'are'} taken from {2 * power} heads"
            assert f" heads, and {taken}, " in caption
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


@pytest.mark.slow("seconds")
def test_lines_go_through_each_weight_and_marks_stand_at_the_windows():
    for picture in every_setting(WeightByDistance):
        arrays, (window, *parts) = drawn(picture)
        lines = (part.line for part in parts if hasattr(part, "line"))
        threshold, heads, bold, crossing, _, bar, *marks = lines
        slopes = slopes_of(picture.num_heads)[1]
        shown, chosen = picture.show == "weight", min(picture.head, picture.num_heads)
        x, y = (np.reshape(part, (-1, 3)) for part in heads.get_data())
        assert np.isnan(x[:, 2]).all()
        for line, slope in zip(zip(x, y, strict=True), slopes, strict=True):
            first = weights_of(slope, 8_000)[0] if shown else 1
            assert line[0][0] == 0
            for far, height in zip(*(part[:2] for part in line), strict=True):
                assert height == pytest.approx(first * math.exp(-slope * far), rel=1e-9)
            assert line[0][1] == picture.furthest or line[1][1] < 2e-7
        at = np.stack([x, y])[:, chosen - 1, :2]
        assert np.array_equal(np.stack(bold.get_data()), at)
        reach = arrays.windows[int(shown), chosen - 1]
        assert window.artist.get_width() == bar.get_xdata()[1] == reach
        assert list(bar.get_ydata()) == [chosen, chosen]
        place = ([], []) if reach == 0 else ([reach], [1 / picture.one_in])
        assert tuple(map(list, crossing.get_data())) == place
        assert set(threshold.get_ydata()) == {1 / picture.one_in}
        for mark, window in zip(marks, arrays.windows, strict=True):
            assert list(mark.get_xdata()) == list(window)
            assert list(mark.get_ydata()) == list(range(1, picture.num_heads + 1))


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"head": 16}, "Head 8 (the last there is) of 8, slope 1/256: "),
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
