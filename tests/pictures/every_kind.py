"""A picture with every kind of artist that the browser draws by itself, all of them moving."""

import itertools
from types import SimpleNamespace

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Circle, FancyArrowPatch

from posviz.pictures.knobs import Integer
from posviz.pictures.picture import Picture

MOVING = {"animated": True}


class EveryKind(Picture):
    """Every kind of artist at once."""

    size = (9.0, 6.0)

    position = Integer(5, low=0, high=100, play=True)

    def compute(self):
        return SimpleNamespace(
            random=np.random.default_rng(self.position).random((60, 3)), position=self.position
        )

    def draw(self, figure):
        axes = figure.subplots(3, 3)
        for place in axes.flat:
            place.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
        makers = (_points, _curves, _arrows, _cells, _areas, _texts, _strokes, _snapped, _at_rest)
        return [move for make, place in zip(makers, axes.flat, strict=True) for move in make(place)]

    def update(self, artists, arrays):
        for move in artists:
            move(arrays.random)

    def caption(self, arrays):
        return f"Draw {arrays.position}: the mean is {arrays.random.mean():.3f}."


def _points(axes):
    """Markers: of many colours, half transparent, filled and open, square (snapped) and round."""
    axes.grid(True)
    scatter = axes.scatter([0] * 60, [0] * 60, c=np.zeros(60), vmin=0, vmax=1, alpha=0.6, **MOVING)
    (squares,) = axes.plot([], [], "s--", mfc="w", ms=7, lw=2, color="C3", **MOVING)
    (crosses,) = axes.plot([], [], "x", ms=9, color="C2", **MOVING)
    yield lambda r: scatter.set_offsets(r[:, :2])
    yield lambda r: scatter.set_array(r[:, 2])
    yield lambda r: squares.set_data(np.sort(r[:8, 0]), r[:8, 1])
    yield lambda r: crosses.set_data(r[8:16, 0], r[8:16, 1])


def _curves(axes):
    """Lines: with gaps, outside the axes, unclipped, dashed, in many colours."""
    lines = LineCollection([], array=[], linewidths=(1, 3), clim=(0, 1), **MOVING)
    axes.add_collection(lines)
    styles = itertools.product(("-", "--", "-.", ":"), ("butt", "projecting"))
    curves = [
        axes.plot([], [], style, lw=4, dash_capstyle=cap, solid_joinstyle="miter", **MOVING)[0]
        for style, cap in styles
    ]
    (gaps,) = axes.plot([], [], lw=1, clip_on=False, **MOVING)
    yield lambda r: lines.set_segments(r[:40, :2].reshape(10, 4, 2))
    yield lambda r: lines.set_array(r[:10, 2])
    for i, curve in enumerate(curves):
        yield lambda r, i=i, curve=curve: curve.set_data(np.linspace(0, 1, 6), 2 * r[i : i + 6, 0])
    yield lambda r: gaps.set_data(r[:9, 0] * 1.02, np.where(r[:9, 1] < 0.2, np.nan, r[:9, 1]))


def _arrows(axes):
    """Arrows of three kinds."""
    patch = FancyArrowPatch((0, 0), (1, 1), mutation_scale=20, color="C2", **MOVING)
    axes.add_patch(patch)
    arrow = {"arrowstyle": "->", "connectionstyle": "arc3,rad=.3"}
    note = axes.annotate("here", (0.5, 0.5), (0.7, 0.9), arrowprops=arrow, **MOVING)
    straight = {"angles": "xy", "scale_units": "xy", "scale": 1}
    quiver = axes.quiver([0.5] * 3, [0.5] * 3, [0] * 3, [0] * 3, color="C1", **straight, **MOVING)
    yield lambda r: patch.set_positions(r[0, :2], r[1, :2])
    yield lambda r: setattr(note, "xy", r[2, :2])
    yield lambda r: quiver.set_UVC(r[:3, 0] - 0.5, r[:3, 1] - 0.5)


def _cells(axes):
    """Heatmaps: opaque, with holes and values beyond the map, half transparent, cut by a circle."""
    box = {"vmin": 0, "vmax": 1, **MOVING}
    plain = axes.imshow(np.zeros((12, 5)), extent=(0, 0.5, 0, 0.5), **box)
    upside = axes.imshow(np.zeros((5, 12)), extent=(0.5, 1, 0.5, 0), origin="lower", **box)
    clear = axes.imshow(np.zeros((6, 10)), extent=(0, 0.6, 0.4, 1), alpha=0.5, cmap="RdBu", **box)
    cut = axes.imshow(np.zeros((60, 60)), extent=(0.5, 1, 0.5, 1), **box)
    cut.set_clip_path(Circle((0.75, 0.75), 0.2, transform=axes.transData))
    axes.set(xlim=(0, 1), ylim=(0, 1))
    yield lambda r: plain.set_data(r[:, 0].reshape(12, 5))
    yield lambda r: upside.set_data(np.where(r < 0.2, np.nan, 1.2 * r)[:, 1].reshape(5, 12))
    yield lambda r: clear.set_data(r[:, 2].reshape(6, 10))
    yield lambda r: cut.set_data(np.outer(r[:, 0], r[:, 1]))


def _areas(axes):
    """Filled areas: a band, bars, polygons, a polygon cut by a circle."""
    x = np.linspace(0, 1, 20)
    band = axes.fill_between(x, np.zeros(20), alpha=0.4, **MOVING)
    bars = axes.bar([0.1, 0.3, 0.6], [0] * 3, width=0.1, color="C1", edgecolor="k", **MOVING)
    (cut,) = axes.fill([0, 1, 1], [0, 0, 1], color="C4", **MOVING)
    cut.set_clip_path(Circle((0.7, 0.7), 0.2, transform=axes.transData))
    span = axes.axvspan(0, 0.1, alpha=0.3, color="C2", **MOVING)
    yield lambda r: band.set_data(x, r[:20, 0], 0)
    yield lambda r: [bar.set_height(height) for bar, height in zip(bars, r[:3, 2], strict=True)]
    yield lambda r: cut.set_xy(r[:5, :2])
    yield lambda r: span.set_x(r[0, 0])


def _texts(axes):
    """Texts: plain, turned and in a box, several lines, mathematics."""
    box = {"facecolor": "k", "alpha": 0.5}
    turned = axes.text(0.3, 0.7, "", color="w", size=14, rotation=20, bbox=box, **MOVING)
    lines = axes.text(0.9, 0.1, "", ha="right", linespacing=1.5, **MOVING)
    formula = axes.text(0.05, 0.45, "", size=13, **MOVING)
    yield lambda r: turned.set_text(f"max {r.max():.2f}")
    yield lambda r: lines.set_text(f"θ₁ = {r[0, 0]:+.2f} rad\nlevel | — {r[0, 1]:.3f}")
    yield lambda r: formula.set_text(rf"$\theta_i = \frac{{m}}{{b^{{2i/d}}}} = {r[0, 0]:.2f}$")


def _strokes(axes):
    """Outlines: dotted, sketched, with sharp corners, too thin for a pixel."""
    hole = axes.add_patch(Circle((0, 0), 0.2, fill=False, ls=":", lw=3, color="c", **MOVING))
    (sketched,) = axes.plot([], [], **MOVING)
    sketched.set_sketch_params(3, 40, 4)
    (sharp,) = axes.plot([], [], lw=5, solid_joinstyle="miter", color="C5", **MOVING)
    (thin,) = axes.plot([], [], lw=0.4, color="k", **MOVING)
    yield lambda r: hole.set_center(r[3, :2])
    yield lambda r: sketched.set_data([0.1, 0.9], r[:2, 0])
    yield lambda r: sharp.set_data(r[:6, 0], r[:6, 1])
    yield lambda r: thin.set_data(r[:6, 0], r[:6, 1])


def _snapped(axes):
    """Upright and level lines, which Agg moves to whole pixels, and one that is told not to be."""
    level, upright = axes.axhline(0, **MOVING), axes.axvline(0, lw=1, color="k", **MOVING)
    (steps,) = axes.step([], [], lw=1, **MOVING)
    (loose,) = axes.plot([], [], lw=1, snap=False, **MOVING)
    yield lambda r: level.set_ydata([r[0, 0]] * 2)
    yield lambda r: upright.set_xdata([r[1, 0]] * 2)
    yield lambda r: steps.set_data(np.linspace(0, 1, 20), r[:20, 2])
    yield lambda r: loose.set_data([0.2, 0.8], [r[2, 0]] * 2)


def _at_rest(axes):
    """A line below a legend and a grid at rest."""
    axes.set_axisbelow(False)
    axes.grid(True, color="0.3")
    (line,) = axes.plot([], [], lw=6, label="it moves", **MOVING)
    axes.legend(loc="upper right", frameon=True, framealpha=0.7)
    yield lambda r: line.set_data(np.linspace(0, 1, 9), r[:9, 0])
