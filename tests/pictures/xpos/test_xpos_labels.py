"""Words in lesson 09's pictures: legends, units, limits and ticks against what they name."""

import math

import numpy as np
import pytest
import torch

from posviz.pictures.xpos.blockwise_mask import BlockwiseMask
from posviz.pictures.xpos.xpos_curves import XposCurves
from posviz.pictures.xpos.xpos_decay import XposDecay
from posviz.pictures.xpos.xpos_overflow import XposOverflow
from tests.pictures.alibi.test_alibi_labels import (
    assert_ticks_stand_where_they_say,
    coloured,
    entries,
    lines_in,
    plain,
    points,
)
from tests.pictures.by_hand import caption_of, product
from tests.pictures.xpos.test_xpos_pictures import scores_at, vectors_of, zetas
from tests.pictures.xpos.test_xpos_reach_pictures import FORMATS, keys_seen, reach_of


def test_legend_rows_and_half_line_of_the_decay():
    figure = XposDecay(head_dim=16, pair=3, scale_base=100).figure()
    zeta, (heat, curves, bar) = zetas(16, 0.4), figure.axes
    found = lines_in(figure)
    [half_life] = found.pop("half-life")
    assert 10 ** half_life[:, 0] == points(*(100 * math.log(0.5) / math.log(z) for z in zeta))
    assert half_life[:, 1].tolist() == list(range(8))
    for label, pair in (("fastest pair", 0), ("chosen pair", 3), ("slowest pair", 7)):
        [line] = found.pop(label)
        assert line[::40, 1] == points(*(zeta[pair] ** (10**x / 100) for x in line[::40, 0]))
    assert not found
    assert coloured(curves, "C6") == [points([0, 0.5], [1, 0.5])]
    for colour in ("white", "black"):
        assert coloured(heat, colour) == [points([0, 3], [1, 3])]
    assert (heat.get_ylabel(), curves.get_ylabel()) == ("pair", "factor")
    assert heat.images[0].get_clim() == (0, 1)
    assert_ticks_stand_where_they_say(bar.yaxis)
    assert_ticks_stand_where_they_say(curves.xaxis, lambda text: math.log10(plain(text)))


@pytest.mark.parametrize(
    ("content", "unit", "third"),
    [
        ("all alike", "score / score at 0", "decay alone"),
        ("random", "score / √head_dim", "xPos ± deviation"),
    ],
)
def test_legend_unit_and_marks_of_the_curves(content, unit, third):
    picture = XposCurves(content=content, distance=300)
    figure, (q, k) = picture.figure(), vectors_of(picture)[0]
    [axes], found = figure.axes, lines_in(figure)
    divided = {"score / score at 0": product(q, k), "score / √head_dim": math.sqrt(64)}
    assert axes.get_ylabel() == unit
    marks = {line.get_color(): line.get_xydata() for line in axes.lines if line.get_marker() == "o"}
    for place, label in enumerate(("RoPE", "xPos")):
        [curve] = found.pop(label)
        assert curve[0, 1] * divided[unit] == pytest.approx(product(q, k))
        for distance in (0, 300, 2000):
            expected = scores_at(picture, distance)[place]
            assert curve[distance] == points(distance, expected)
        mark = marks.pop(entries(figure)[label].get_color())
        assert mark == points([300, scores_at(picture, 300)[place]])
    assert not marks
    assert found.pop("swing beyond 1,024") == []  # a handle of the legend alone
    assert_ticks_stand_where_they_say(axes.xaxis, plain)
    [[x, y]] = [line[300] for line in found.pop(third)]
    factors = [z ** (300 / 512) for z in zetas(64, 0.4)]
    squares = math.fsum(f * f for f in factors) / 32
    expected = math.fsum(factors) / 32 if content == "all alike" else math.sqrt(squares)
    assert (x, y) == pytest.approx((300, expected))
    assert not found
    assert_ticks_stand_where_they_say(axes.yaxis, plain)


@pytest.mark.slow("half a second")
@pytest.mark.parametrize("dtype", FORMATS)
def test_legend_limit_and_bars_of_the_overflow(dtype):
    picture = XposOverflow(dtype=dtype, position=3000)
    figure, limit = picture.figure(), math.log10(torch.finfo(getattr(torch, dtype)).max)
    (axes, meter), found = figure.axes, lines_in(figure)
    curve, bar = found.pop("scale of a key")  # the bar of its format has its colour
    digits = math.log10(3.5) / 512
    assert curve[200, 1] == pytest.approx(min(digits * curve[200, 0], 2 * limit))
    assert found.pop("the position") == [points([3000, 3000 * digits])]
    assert found == {f"end of {dtype}": [points([reach_of(picture, dtype), limit])]}
    names = {text.get_text(): text.get_position()[1] for text in meter.get_yticklabels()}
    assert bar[:, 1].tolist() == [names[dtype]] * 2
    filled = {line.get_ydata()[0]: line.get_xdata()[1] for line in meter.lines[: len(names)]}
    assert filled == {
        names[name]: pytest.approx(3000 / reach_of(picture, name)) for name in FORMATS
    }
    assert meter.lines[len(names)].get_xydata() == points([1, 0], [1, 1])
    [band], [line] = axes.patches, coloured(axes, "C6")[:1]
    top = axes.get_ylim()[1]
    assert (band.get_y(), band.get_y() + band.get_height()) == pytest.approx((limit, top))
    assert line == points([0, limit], [1, limit])
    assert band.get_hatch() == entries(figure)["overflow"].get_hatch()
    assert_ticks_stand_where_they_say(axes.yaxis, lambda text: int(text[len("$10^{") : -len("}$")]))
    assert_ticks_stand_where_they_say(meter.xaxis, lambda text: int(text[:-1]) / 100)


@pytest.mark.parametrize("dtype", FORMATS)
def test_the_caption_tells_the_largest_number_of_each_format(dtype):
    told = (
        caption_of(XposOverflow(dtype=dtype)).split(f"{dtype} holds numbers up to ")[1].split()[0]
    )
    assert told == f"{torch.finfo(getattr(torch, dtype)).max:.3g}"


def test_legend_of_the_mask_names_colours_and_counts():
    figure = BlockwiseMask(query=13, block=4, seq_len=18).figure()
    (matrix, counts), patches, found = figure.axes, entries(figure), lines_in(figure)
    seen = [keys_seen(query, 4) for query in range(18)]
    found = {label: each[0] for label, each in found.items() if len(each) == 1}
    assert found.pop("2 × block") == points([8, 0], [8, 1])
    assert found == {
        "blockwise": points(*((len(keys), query) for query, keys in enumerate(seen))),
        "plain causal": points(*((query + 1, query) for query in range(18))),
    }
    [mark] = coloured(counts, patches["blockwise"].get_color())[1:]
    assert mark == points([len(seen[13]), 13])
    colours = matrix.images[0].to_rgba(matrix.images[0].get_array())
    for query, key in np.ndindex(18, 18):
        kind = "cut off" if key not in seen[query] else "block before"
        kind = "own block" if query // 4 == key // 4 else kind
        colour = matrix.get_facecolor() if key > query else patches[kind].get_facecolor()
        assert tuple(colours[query, key]) == colour
    shades = [sum(patches[kind].get_facecolor()[:3]) for kind in ("own block", "block before")]
    assert shades == sorted(shades)  # the own block is the darker
    assert matrix.get_ylim() == (17.5, -0.5)
    assert [matrix.get_xlabel(), matrix.get_ylabel()] == ["key (position)", "query (position)"]
