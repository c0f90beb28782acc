"""The score of equal contents and the first zero of its sum, against sums of cosines one by one."""

import math

import numpy as np
import pytest

from posviz.pictures.stretching import base_for_context, score_curve
from posviz.pictures.stretching._methods import METHODS
from posviz.pictures.stretching.base_for_context import BaseForContext
from posviz.pictures.stretching.score_curve import ScoreCurve
from tests.pictures.alibi.test_alibi_labels import lines_in, points
from tests.pictures.by_hand import caption_of, frequencies
from tests.pictures.stretching.test_turns_in_training import theirs

SETTING = (32, 1e4, 4096, 3.0)


def summed(speeds, distance):
    return math.fsum(math.cos(distance * speed) for speed in speeds)


def in_ranges(speeds, starts, last):
    """By range the lowest, mean and highest mean of cosines, of those that begin at ``starts``."""
    distances = np.arange(last + 1)
    values = sum(np.cos(distances * speed) for speed in speeds) / len(speeds)
    return [
        (part.min(), part.mean(), part.max()) for part in np.split(values, starts)[1:] if len(part)
    ]


@pytest.mark.parametrize("method", METHODS[1:])
def test_ranges_of_both_scores_are_those_of_a_sum_of_cosines(method):
    arrays = ScoreCurve(method=method, head_dim=32, factor=3).compute()
    last = score_curve.MOST * score_curve.TRAINED
    for found, name in ((arrays.before, "none"), (arrays.after, method)):
        speeds = theirs(name, *SETTING)
        expected = np.transpose(in_ranges(speeds, score_curve.STARTS, last))
        # Their frequencies are float32: at 65,536 tokens that is an angle of 0.02.
        np.testing.assert_allclose(found[:, :80], expected[:, :80], atol=2e-3)
        np.testing.assert_allclose(found, expected, atol=3e-2)


def test_position_interpolation_is_the_same_curve_further_out():
    arrays = ScoreCurve(method="PI", factor=4).compute()
    speeds = frequencies(128, 1e4)
    assert arrays.said[1] == pytest.approx(summed(speeds, 1 / 4) / 64)
    assert arrays.longer == 16_384


@pytest.mark.parametrize(
    ("method", "near", "far"),
    [
        ("PI", "0.998", "0.062"),
        ("NTK", "0.974", "0.055"),
        ("dynamic NTK", "0.976", "0.148"),
        ("YaRN by index", "0.970", "0.059"),
        ("YaRN by turns", "0.970", "0.060"),
        ("Llama-3", "0.970", "0.059"),
        ("larger base", "0.975", "0.100"),
    ],
)
def test_the_caption_of_the_curve_has_the_audited_scores(method, near, far):
    told = caption_of(ScoreCurve(method=method))
    assert f"next to the query the score goes from 0.970 to {near}; over" in told
    assert f"8,193 … 16,384 tokens back, its mean goes from -0.045 to {far} (over" in told
    assert "(over the last half of the training it was 0.062)" in told
    left_out = told.endswith("; the factor 1.2965 of all scores is left out.")
    assert left_out == method.startswith("YaRN")


def test_the_means_that_are_told_are_those_of_a_loop():
    arrays = ScoreCurve(head_dim=32, factor=1.5).compute()
    distances = np.arange(3073, 6145)
    for mean, base in zip(arrays.said[2:4], (1e4, 1e4 * 1.5 ** (32 / 30)), strict=True):
        speeds = frequencies(32, base)
        expected = sum(np.cos(distances * speed).mean() for speed in speeds) / 16
        assert mean == pytest.approx(expected, abs=1e-9)


def test_legend_of_the_curve():
    figure = ScoreCurve(factor=2).figure()
    arrays, [axes] = ScoreCurve(factor=2).compute(), figure.axes
    found = lines_in(figure)
    for label, values in (("before", arrays.before), ("after", arrays.after)):
        assert found.pop(label) == [points(*zip(score_curve.STARTS, values[1], strict=True))]
    assert found == {"longer text ends": [points([8192, 0], [8192, 1])]}
    areas = [patch.get_xy() for patch in axes.patches[1:]]
    for area, values in zip(areas, (arrays.before, arrays.after), strict=True):
        assert area[: len(values[2]), 1].tolist() == values[2].tolist()
        assert area[len(values[2]) : 2 * len(values[2]), 1].tolist() == values[0][::-1].tolist()
    band = axes.patches[0]
    assert band.get_x() + band.get_width() == 4096


# ---------------------------------------------------------------- base


@pytest.mark.parametrize(
    ("base", "first"), [(100, 59), (500, 171), (1e3, 361), (1e4, 1707), (2.7e4, 4079), (1e5, 7757)]
)
def test_the_first_distance_below_zero_is_that_of_a_loop(base, first):
    arrays = BaseForContext(base=base).compute()
    assert (arrays.first, arrays.reached) == (first, first - 1)
    speeds = frequencies(128, base)
    distances = np.arange(first)
    assert min(sum(np.cos(distances * speed) for speed in speeds)) >= 0
    below, above = summed(speeds, first), summed(speeds, first - 1)
    assert below < 0 <= above
    assert arrays.here == pytest.approx([below, above], abs=1e-8)
    told = caption_of(BaseForContext(base=base))
    assert f"first below 0 at m = {first:,} ({below:.2f}, and {above:.2f} one token" in told


def test_where_the_sum_is_never_below_zero_the_caption_says_so():
    picture = BaseForContext(base=1_000_000, head_dim=256)
    assert (picture.compute().first, picture.compute().reached) == (0, 65_536)
    assert picture.compute().low.min() >= 0
    assert caption_of(picture) == (
        "Base 1,000,000, 128 pairs: B(m) is never below 0 up to 65,536 tokens, the end of the axis."
    )


def test_line_area_and_mark_of_the_base():
    picture = BaseForContext(base=300, head_dim=32)
    figure, starts = picture.figure(), base_for_context.STARTS
    expected = in_ranges(frequencies(32, 300), starts, base_for_context.FURTHEST)
    low, _, high = 16 * np.transpose(expected)
    found, [band, area] = lines_in(figure), figure.axes[0].patches
    [line] = found.pop("lowest nearby")
    assert line[:, 0].tolist() == starts.tolist()
    np.testing.assert_allclose(line[:, 1], low, atol=1e-9)
    np.testing.assert_allclose(area.get_xy()[: len(high), 1], high, atol=1e-9)
    first = picture.compute().first
    assert found == {"first below 0": [points([first, 0])]}
    assert band.get_x() + band.get_width() == first - 0.5


@pytest.mark.parametrize("head_dim", [32, 256])
def test_the_axis_has_the_unit_of_the_caption_and_holds_the_sum(head_dim):
    picture = BaseForContext(head_dim=head_dim)
    [axes], arrays = picture.figure().axes, picture.compute()
    assert axes.get_ylabel() == "B(m), sum of cos(m ω)"
    assert "B(m), the sum of cos(m ω), is first" in picture.caption(arrays)
    bottom, top = axes.get_ylim()
    assert bottom < arrays.low.min() < arrays.high.max() < head_dim / 2 < top
