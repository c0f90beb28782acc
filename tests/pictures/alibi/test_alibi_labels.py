"""Words in lesson 08's pictures: legends, titles and ticks against what they name."""

from fractions import Fraction

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D

from posviz.engine.style import style_context
from posviz.pictures.alibi.alibi_scores import AlibiScores
from posviz.pictures.alibi.alibi_slopes import AlibiSlopes
from posviz.pictures.alibi.weight_by_distance import WeightByDistance
from tests.pictures.alibi.test_alibi_pictures import crossing, slopes_of, weights_of
from tests.pictures.by_hand import softmax


def colour(name):
    """C0 is whichever colour the style has for it."""
    with style_context():
        return to_rgba(name)


def look(line):
    return colour(line.get_color()), line.get_linestyle(), line.get_marker()


def entries(figure):
    """The legend's labels, in order, and beside each what stands there."""
    [legend] = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    return dict(zip(labels, legend.legend_handles, strict=True))


def lines_in(figure):
    """For each legend entry that is a line: the points of all lines that look like it."""
    drawn = [line for axes in figure.axes for line in axes.lines if len(line.get_xydata())]
    return {
        label: [np.array(line.get_xydata()) for line in drawn if look(line) == look(entry)]
        for label, entry in entries(figure).items()
        if isinstance(entry, Line2D)
    }


def titled(figure):
    return {axes.get_title(loc="left"): axes for axes in figure.axes}


def coloured(axes, name):
    """Points of the lines of a colour in an axes."""
    return [line.get_xydata() for line in axes.lines if colour(line.get_color()) == colour(name)]


def assert_ticks_stand_where_they_say(axis, number=float):
    """The text of each tick that is in sight is the number of its place."""
    axis.get_figure(root=True).draw_without_rendering()
    low, high = sorted(axis.get_view_interval())
    told = [(tick.label1.get_text(), tick.get_loc()) for tick in axis.get_major_ticks()]
    told = [(number(text), place) for text, place in told if low <= place <= high]
    assert len(told) > 1
    assert [n for n, _ in told] == pytest.approx([place for _, place in told])


def plain(text):
    return float(text.replace("−", "-").replace(",", ""))


def points(*values):
    return pytest.approx(np.array(values, dtype=float))


def test_legend_and_ticks_of_slopes():
    slopes = slopes_of(12)[1]
    figure = AlibiSlopes(num_heads=12, head=10).figure()
    found = {label: dict(*each) for label, each in lines_in(figure).items()}
    assert found == {
        "power of two": pytest.approx({h: slopes[h - 1] for h in range(1, 9)}),
        "from twice the power": pytest.approx({h: slopes[h - 1] for h in range(9, 13)}),
        "2^(−8h/n)": pytest.approx({h: 2 ** (-8 * h / 12) for h in range(1, 13)}),
        "chosen head": pytest.approx({10: slopes[9]}),
    }
    named = titled(figure)
    assert_ticks_stand_where_they_say(named["slopes"].yaxis, lambda text: float(Fraction(text)))
    [image] = named["one head’s bias"].images
    assert image.get_array()[7, 4] == pytest.approx(-3 * slopes[9])
    assert image.get_clim() == (-8, 0)
    assert_ticks_stand_where_they_say(image.colorbar.ax.yaxis, plain)


@pytest.mark.parametrize("show", ["factor", "weight"])
def test_legend_bars_and_ticks_of_windows(show):
    figure = WeightByDistance(num_heads=5, head=3, one_in=40, furthest=16, show=show).figure()
    rows = [weights_of(slope, 4000) for slope in slopes_of(5)[1]]
    ends = {
        "weight": [crossing(row, 1 / 40) for row in rows],
        "factor": [crossing([w / row[0] for w in row], 1 / 40) for row in rows],
    }
    reach, row = ends[show], rows[2] if show == "weight" else [w / rows[2][0] for w in rows[2]]
    found, named = lines_in(figure), titled(figure)
    line, bar = found.pop("chosen head")
    assert line == points([0, row[0]], [16, row[16]])
    assert bar == points([0, 3], [reach[2], 3])
    assert found == {
        "threshold": [points([0, 1 / 40], [1, 1 / 40])],
        "end by factor": [points(*zip(ends["factor"], range(1, 6), strict=True))],
        "end by weight": [points(*zip(ends["weight"], range(1, 6), strict=True))],
    }
    every, windows = named["every head"], named["how far they look"]
    assert every.get_ylabel().startswith(f"{show}{',' if show == 'weight' else ' e^'}")
    [window] = every.patches
    assert window.get_facecolor() == entries(figure)["window"].get_facecolor()
    assert (window.get_x(), window.get_width()) == pytest.approx((0, reach[2]))
    [thin] = coloured(windows, "C6")
    thin = thin.reshape(5, 3, 2)[:, :2]
    assert thin == points(*([[0, h], [reach[h - 1], h]] for h in range(1, 6)))
    assert_ticks_stand_where_they_say(every.yaxis)
    assert_ticks_stand_where_they_say(windows.xaxis)


def test_legend_and_titles_of_scores():
    """At such a content no score leaves the colours, so that the maps tell the weights."""
    figure = AlibiScores(content=0.4, head=4, seq_len=12, distance=9).figure()
    named = titled(figure)
    images = [named[title].images[0] for title in ("scores without", "with ALiBi")]
    maps = [image.get_array().filled(0) for image in images]
    assert abs(np.stack(maps)).max() < 5
    behind = np.tri(12, dtype=bool)
    apart = np.subtract.outer(np.arange(12), np.arange(12))
    assert (maps[1] - maps[0])[behind] == pytest.approx(-apart[behind] / 16)
    assert maps[0][11, 11 - 9] == pytest.approx(8 * 0.4)
    weights = {
        "without ALiBi": softmax(maps[0][-1, ::-1]),
        "with ALiBi": softmax(maps[1][-1, ::-1]),
        "bias alone": softmax([-distance / 16 for distance in range(12)]),
    }
    found, row = lines_in(figure), named["weights of the last query"]
    assert found.pop("planted key") == [points([9, 0], [9, 1])]
    for label, [line] in found.items():
        expected = [(d, w) for d, w in enumerate(weights[label]) for _ in range(2)]
        assert line == points(*expected)
        marks = coloured(row, entries(figure)[label].get_color())[1:]
        assert marks == ([points([9, weights[label][9]])] if label != "bias alone" else [])
    assert [*found] == [*weights]
    assert_ticks_stand_where_they_say(row.yaxis)
    assert_ticks_stand_where_they_say(images[0].colorbar.ax.xaxis, plain)
