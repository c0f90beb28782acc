"""The area that a dense line is painted as, against discs along the line and Agg's own strokes."""

import itertools

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from posviz.pictures.dense_line import FINE, DenseLine, stroke

RNG = np.random.default_rng(5)
LINES = {
    "zigzag": (np.arange(0, 60, 5), 20 * (np.arange(12) % 2)),
    "upright": (np.repeat(np.arange(0, 30, 3), 2), 8 * RNG.standard_normal(20)),
    "spike": ([0, 10, 10, 10, 20], [0, 0, 25, 0, 0]),
}


def reached(points, column, radius):
    """The lowest and highest that discs reach at a column, one after the other along the line."""
    found = []
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        along = np.linspace(0, 1, 2 + int(50 * np.hypot(x1 - x0, y1 - y0) / radius))
        x, y = x0 + along * (x1 - x0), y0 + along * (y1 - y0)
        near = abs(x - column) <= radius
        half = np.sqrt(radius**2 - (x[near] - column) ** 2)
        found += [*(y[near] - half), *(y[near] + half)]
    return min(found, default=np.inf), max(found, default=-np.inf)


@pytest.mark.parametrize(("name", "radius"), [("zigzag", 0.6), ("upright", 3), ("spike", 3)])
def test_the_area_is_that_of_a_round_pen(name, radius):
    points = np.column_stack(LINES[name]).astype(float)
    columns, low, high = stroke(*points.T, radius)
    assert (np.diff(columns) <= radius / FINE + 1e-9).all()
    ends = points[0, 0] - radius, points[-1, 0] + radius
    assert (columns[0], columns[-1]) == pytest.approx(ends, abs=0.1 * radius)
    for column, lowest, highest in zip(columns, low, high, strict=True):
        most_low, most_high = reached(points, column, 1.01 * radius)
        least_low, least_high = reached(points, column, (1 - 1 / FINE) * radius)
        assert most_low <= lowest <= least_low + 1e-6
        assert least_high - 1e-6 <= highest <= most_high


def painted(kind, x, y, **look):
    """Levels of grey [200, 500] of a line on white, one pixel a unit; the axes end at 400."""
    figure = Figure(figsize=(5, 2), dpi=100)
    axes = figure.add_axes((0, 0, 0.8, 1), xlim=(0, 400), ylim=(0, 200))
    axes.axis("off")
    axes.add_line(kind(x, y, **{"color": "black", "linewidth": 2} | look))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., 0].astype(int)


WAVES = np.linspace(20, 380, 60), 100 + 60 * np.sin(np.arange(60) / 3)
TURNS = np.linspace(20, 380, 720), np.tile([40, 160], 360)
ROUND = {"solid_capstyle": "round", "solid_joinstyle": "round"}


def test_a_line_of_few_turns_looks_as_agg_strokes_it():
    apart = abs(painted(DenseLine, *WAVES) - painted(Line2D, *WAVES, **ROUND))
    assert painted(Line2D, *WAVES).min() < 50
    assert apart.max() < 80
    assert apart.mean() < 0.5


def test_where_turns_are_dense_the_area_is_full():
    inside = painted(DenseLine, *TURNS)[42:158, 22:378]
    assert inside.max() == 0
    faint = painted(DenseLine, *TURNS, alpha=0.5)[42:158, 22:378]
    assert (faint.min(), faint.max()) == pytest.approx((127, 127), abs=1)


def test_dashes_stay_where_they_have_room():
    dashed = painted(DenseLine, *WAVES, linestyle="--")
    assert np.array_equal(dashed, painted(Line2D, *WAVES, linestyle="--"))
    assert not np.array_equal(dashed, painted(DenseLine, *WAVES))
    closed = painted(DenseLine, *TURNS, linestyle="--")
    assert np.array_equal(closed, painted(DenseLine, *TURNS))


def test_what_lies_beyond_the_axes_is_cut_off():
    x, y = TURNS
    assert painted(DenseLine, x - 200, 100 * (y - 100))[:, :175].max() == 0
    assert painted(DenseLine, x + 400, y).min() == 255
