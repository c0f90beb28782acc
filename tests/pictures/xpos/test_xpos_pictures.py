"""The factors and curves of lesson 09's pictures, against formulas and the audited numbers."""

import math
import re

import numpy as np
import pytest

from posviz.engine.style import style_context
from posviz.pictures.xpos.xpos_curves import XposCurves
from posviz.pictures.xpos.xpos_decay import XposDecay
from tests.pictures.by_hand import (
    caption_of,
    drawn,
    every_setting,
    frequencies,
    product,
    turned,
)


def each_drawn(kind, **kept):
    """Pictures of a kind, their arrays, and one figure's artists moved from each to the next."""
    made: dict = {}
    for picture in every_setting(kind, count=8, **kept):
        redrawn = str([getattr(picture, n) for n, knob in picture.knobs().items() if knob.redraw])
        if redrawn not in made:
            made[redrawn] = picture.build()[1]
        arrays = picture.compute()
        with style_context():
            picture.update(made[redrawn], arrays)
        yield picture, arrays, made[redrawn]


def zetas(head_dim, gamma):
    return [(2 * i / head_dim + gamma) / (1 + gamma) for i in range(head_dim // 2)]


# ---------------------------------------------------------------- decay

ALONG = [10 ** (5 * column / 240) for column in range(241)]


def test_the_map_has_every_factor_and_the_curves_three_of_its_rows():
    for picture, arrays, (factors, _, *lines, _, _) in each_drawn(XposDecay):
        zeta, pair = zetas(picture.head_dim, picture.gamma), arrays.pair
        expected = [[z ** (n / picture.scale_base) for n in ALONG] for z in zeta]
        shown = factors.image.get_array()
        np.testing.assert_allclose(shown, expected, rtol=1e-9, atol=1e-300)
        assert pair == min(picture.pair, len(zeta) - 1)
        for curve, row in zip(lines, (0, -1, pair), strict=True):
            np.testing.assert_allclose(curve.line.get_xdata(), np.log10(ALONG), atol=1e-12)
            assert np.array_equal(curve.line.get_ydata(), shown[row])
        assert [row.get_ydata() for row in factors.markers] == [[pair] * 2] * 2


def test_columns_of_the_map_stand_at_the_distances_of_the_curves():
    _, (factors, *_, mark) = drawn(XposDecay())
    left, right, bottom, top = factors.image.get_extent()
    middles = left + (np.arange(241) + 0.5) * (right - left) / 241
    np.testing.assert_allclose(middles, np.log10(ALONG), atol=1e-12)
    assert (bottom, top) == (63.5, -0.5)
    axes = mark.line.axes
    labels = [float(label.get_text().replace(",", "")) for label in axes.get_xticklabels()]
    np.testing.assert_allclose(np.log10(labels), axes.get_xticks())


@pytest.mark.slow("seconds")
def test_half_of_the_factor_is_left_at_the_half_life():
    for picture, _, (_, half, *_, in_map, on_curve) in each_drawn(XposDecay):
        powers, pairs = half.line.get_data()
        assert pairs.tolist() == list(range(picture.head_dim // 2))
        for power, zeta in zip(powers, zetas(picture.head_dim, picture.gamma), strict=True):
            assert zeta ** (10**power / picture.scale_base) == pytest.approx(0.5)
        pair = min(picture.pair, len(powers) - 1)
        marks = [mark.line.get_xydata().tolist() for mark in (in_map, on_curve)]
        assert marks == [[[powers[pair], pair]], [[powers[pair], 0.5]]]


def test_the_caption_has_the_audited_factors():
    without = [caption_of(XposDecay(scale_base=1, head_dim=16, pair=pair)) for pair in (0, 1)]
    assert "ζ = 0.2857 and multiplies its part of the score by 1.3e-11 at distance 20" in without[0]
    assert " by 3.0e-09 at distance 20 and " in without[1]
    assert "less than 1e-300 at distance 512" in caption_of(
        XposDecay(pair=0, scale_base=1, gamma=0.1)
    )
    assert caption_of(XposDecay(pair=0)).startswith(
        "Pair 0 of 0 … 63 has ζ = 0.2857 and multiplies its part of the score by 0.952 at distance "
        "20 and 0.286 at distance 512; it halves every 283 tokens, "
    )


def test_the_caption_tells_of_each_pair():
    for picture in every_setting(XposDecay, count=16):
        zeta, caption = zetas(picture.head_dim, picture.gamma), caption_of(picture)
        pair, last = min(picture.pair, len(zeta) - 1), len(zeta) - 1
        clamped = " (the last)" if picture.pair > last else ""
        assert caption.startswith(f"Pair {pair}{clamped} of 0 … {last} has ζ = {zeta[pair]:.4f} ")
        for distance in (20, 512):
            [said] = re.findall(rf"(\S+) at distance {distance}", caption)
            factor = zeta[pair] ** (distance / picture.scale_base)
            if said == "1e-300":
                assert factor < 1e-300
            else:
                assert float(said) == pytest.approx(factor, rel=0.05)
        halves = [
            float(number.replace(",", ""))
            for number in re.findall(r"every ([\d.,]+) tokens", caption)
        ]
        for half, which in zip(halves, (pair, 0, last), strict=True):
            expected = picture.scale_base * math.log(2) / -math.log(zeta[which])
            assert half == pytest.approx(expected, rel=0.01, abs=0.005)
        expected = picture.scale_base * math.log(2) / -math.log(zeta[pair])
        off = not -5 / 480 <= math.log10(expected) <= 5 + 5 / 480
        assert (" (off the axis)" in caption) == off


# ---------------------------------------------------------------- curves


def vectors_of(picture):
    """q and k, and by what their score is divided on the axis."""
    if picture.content == "all alike":
        return np.array([[1, 0] * 32] * 2), 32
    return np.random.default_rng(3).standard_normal((2, 64)), 8


def scores_at(picture, distance):
    """The scores of RoPE and xPos, with plane trigonometry."""
    (q, k), unit = vectors_of(picture)
    at_distance = turned(q, distance, picture.base)
    rope = product(at_distance, k) / unit
    zeta = np.repeat(zetas(64, picture.gamma), 2)
    return rope, product(at_distance * zeta ** (distance / picture.scale_base), k) / unit


def test_both_curves_are_those_of_turned_queries():
    for picture, arrays, parts in each_drawn(XposCurves):
        curves, marks, rule = parts[0:8:4], parts[3:8:4], parts[8]
        for curve, scores in zip(curves, arrays.scores, strict=True):
            assert np.array_equal(curve.line.get_data(), (range(2049), scores))
        for distance in (0, 1, 77, 1024, 2048, picture.distance):
            expected = scores_at(picture, distance)
            np.testing.assert_allclose(arrays.scores[:, distance], expected, atol=1e-10)
        expected = scores_at(picture, picture.distance)
        assert rule.line.get_xdata() == [picture.distance] * 2
        for mark, score in zip(marks, expected, strict=True):
            assert mark.line.get_xdata() == [picture.distance]
            assert mark.line.get_ydata() == pytest.approx([score], abs=1e-10)


def test_nothing_leaves_the_axis():
    for _, arrays, (rope, *_) in each_drawn(XposCurves):
        low, high = rope.line.axes.get_ylim()
        assert low < arrays.scores.min()
        assert arrays.scores.max() < high


def test_the_decay_alone_bounds_the_score_of_xpos():
    for picture, arrays, (*_, curve) in each_drawn(XposCurves, content="all alike"):
        distances, decay = curve.line.get_data()
        assert distances.tolist() == list(range(2049))
        for distance in (0, 1, 500, 2048):
            factors = [z ** (distance / picture.scale_base) for z in zetas(64, picture.gamma)]
            assert decay[distance] == pytest.approx(math.fsum(factors) / 32, abs=1e-12)
        assert (abs(arrays.scores[1]) <= decay + 1e-12).all()


def test_random_scores_deviate_as_drawn():
    picture = XposCurves(content="random", scale_base=300)
    x, decay = drawn(picture)[1][-1].line.get_data()
    assert np.array_equal(x[:2049], x[2050:])
    assert np.isnan([x[2049], decay[2049]]).all()
    assert np.array_equal(decay[2050:], -decay[:2049])
    q, k = np.random.default_rng(0).standard_normal((2, 20_000, 64))
    for distance in (0, 300, 1500):
        zeta = np.repeat(zetas(64, 0.4), 2) ** (distance / 300)
        turned_q = np.array(turned(q.T, distance)).T
        assert (turned_q * zeta * k).sum(1).std() / 8 == pytest.approx(decay[distance], rel=0.02)


def test_the_caption_has_both_scores_and_both_swings():
    for picture in every_setting(XposCurves, count=8):
        (q, k), unit = vectors_of(picture)
        parts = np.zeros((2049, 32))
        for i, speed in enumerate(frequencies(64, picture.base)):
            turn = np.exp(1j * speed * np.arange(2049))
            pair = complex(q[2 * i], q[2 * i + 1]) * complex(k[2 * i], -k[2 * i + 1])
            parts[:, i] = (turn * pair).real
        fading = np.power.outer(zetas(64, picture.gamma), np.arange(2049) / picture.scale_base).T
        curves = [parts.sum(1), (parts * fading).sum(1)]
        rope, xpos = (curve[picture.distance] / unit for curve in curves)
        swings = [(max(curve[1025:]) - min(curve[1025:])) / unit for curve in curves]
        what = "times that at 0" if picture.content == "all alike" else "times √head_dim"
        numbers = re.findall(r"-?\d+\.\d+", caption_of(picture))
        assert [float(number) for number in numbers] == [
            *(pytest.approx(score, abs=0.00051) for score in (rope, xpos)),
            *(pytest.approx(swing, abs=0.0051) for swing in swings),
        ]
        assert f" at distance {picture.distance:,} the score of RoPE is " in caption_of(picture)
        assert what in caption_of(picture)


def test_the_bars_are_as_high_as_the_swings_and_named_so():
    for _, arrays, parts in each_drawn(XposCurves):
        for scores, bar, name in zip(arrays.scores, parts[1:8:4], parts[2:8:4], strict=True):
            far = [scores[n] for n in range(1025, 2049)]
            (left, low), (right, high) = bar.line.get_xydata()
            assert 2048 < left == right == name.artist.get_position()[0]
            assert (low, high) == pytest.approx((min(far), max(far)))
            assert name.artist.get_text() == f"{max(far) - min(far):.2f}"
            assert name.artist.get_color() == bar.line.get_color()


def test_the_decay_calms_the_waves():
    swings = [each[1] - each[0] for each in XposCurves().compute().ends]
    assert swings == pytest.approx([0.50, 0.12], abs=0.005)


@pytest.mark.slow("seconds")
def test_the_first_sight_is_the_deepest_valley_of_rope():
    curve = [scores_at(XposCurves(), distance)[0] for distance in range(2049)]
    assert XposCurves().distance == min(range(2049), key=curve.__getitem__)
    assert " RoPE is -0.103 and that of xPos 0.085 times that at 0; " in caption_of(XposCurves())


def test_a_score_that_is_gone_has_no_sign():
    said = [caption_of(XposCurves(content="random", scale_base=1, distance=n)) for n in (512, 1713)]
    assert all(" that of xPos 0.000 times " in caption for caption in said)
