"""The parts that pictures are drawn of: each makes its artists once and knows what moves them.

`draw` returns a list of parts, and `Picture.update` moves each to the arrays. What a part shows
is given where the part is made: the name of one of the arrays, "rows" or "rows[0]", or a function
of all of them.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import Colormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from posviz.pictures.dense_line import DenseLine
from posviz.pictures.drawing import Arrays
from posviz.pictures.style import SIGNED, WIDE

SEVERAL_PAIRS = range(4, 513)  # widths for which a base matters: none changes pair 0
Show: TypeAlias = str | Callable[..., Any]  # the name of one of the arrays, or a function of them


def _of(show: Show) -> Callable[[Arrays], Any]:
    """Return a function of the arrays: the given one, or one that reads an array by its name."""
    if callable(show):
        return show
    name, _, place = show.removesuffix("]").partition("[")
    if place:
        return lambda arrays: getattr(arrays, name)[int(place)]
    return attrgetter(name)


# ---------------------------------------------------------------- what moves


class Curve:
    """A line or marks through the x and y that `show` returns; fmt is matplotlib's, as "C0o-"."""

    def __init__(self, axes, fmt, show: Show, label=None, *, stroke=1.0, marks=1.0, **more):
        (self.line,) = axes.plot([], [], fmt, label=label, animated=True, **more)
        scale(self.line, stroke, marks)
        self.show = _of(show)

    def move(self, arrays: Arrays) -> None:
        set_data(self.line, *self.show(arrays))


def set_data(line: Line2D, x: Any, y: Any) -> None:
    """Set the data if they differ, because an unchanged line is not drawn again."""
    pairs = zip(line.get_data(orig=True), (x, y), strict=True)
    if not all(np.array_equal(old, new, equal_nan=True) for old, new in pairs):
        line.set_data(x, y)


class Dense(Curve):
    """A curve that may oscillate faster than the pixels; props: keywords of matplotlib."""

    def __init__(self, axes, props: dict, show: Show, label=None):
        self.line = axes.add_line(DenseLine([], [], label=label, animated=True, **props))
        self.show = _of(show)


class Rule:
    """An upright or a level line at the value that `show` returns."""

    def __init__(self, axes, props, show: Show, label=None, *, upright=True):
        make = axes.axvline if upright else axes.axhline
        # 1 is valid on logarithmic axes, too.
        self.line = make(1, label=label, animated=True, **props)
        self.set = self.line.set_xdata if upright else self.line.set_ydata
        self.show = _of(show)

    def move(self, arrays: Arrays) -> None:
        self.set([self.show(arrays)] * 2)


class Background:
    """A part of the axes themselves: set only when it changes, since drawing them takes long.

    setter: is given what `show` returns.
    """

    def __init__(self, setter: Callable, show: Show):
        self.setter, self.show, self.last = setter, _of(show), None

    def move(self, arrays: Arrays) -> None:
        if (value := self.show(arrays)) != self.last:
            self.last = value
            self.setter(value)


class Limits(Background):
    """The ends of axes, as keywords of `Axes.set`."""

    def __init__(self, axes, show: Show):
        super().__init__(lambda limits: _set_limits(axes, **limits), show)


def _set_limits(axes, **limits):
    """Set those that differ: an axis whose limits are set is drawn anew."""
    axes.set(**{n: ends for n, ends in limits.items() if getattr(axes, f"get_{n}")() != ends})


class Map:
    """A matrix as colours, row 0 on top, in axes that fit it; one row of it may be marked.

    most: rows and columns of the largest that will be shown, for which the layout leaves room;
    across: the ends of x, if columns are no whole numbers.
    """

    def __init__(
        self, axes, show: Show, *, most, cmap=SIGNED, limits=(-1, 1), row=None, across=None, **more
    ):
        low, high = limits
        self.image = axes.imshow(
            np.zeros((2, 2)), cmap=cmap, vmin=low, vmax=high, animated=True, **more
        )
        # Black on white lies on the map's own colours, so it is the same in both themes.
        self.markers = [axes.axhline(0, color=c, animated=True) for c in ("white", "black") if row]
        if row:
            self.markers[0].set_linewidth(2 * self.markers[1].get_linewidth())
        self.axes, self.show = axes, _of(show)
        self.row = _of(row or "row")
        self.across, self.shown = across, np.zeros(0)
        self._fit(most)
        self.fitted: tuple = ()  # so that the first move fits the axes to the matrix

    def _fit(self, size):
        """Axes have to be drawn anew."""
        down, right = size[0] - 0.5, size[1] - 0.5
        across = self.across or (-0.5, right)
        self.image.set_extent((*across, down, -0.5))
        _set_limits(self.axes, xlim=across, ylim=(down, -0.5))
        self.fitted = size

    def move(self, arrays: Arrays) -> None:
        """Colour the matrix, and fit the axes if its shape has changed."""
        values = self.show(arrays)
        if values.shape != self.fitted:
            self._fit(values.shape)
        if not _is_same(values, self.shown):  # a large one takes long to be sent
            self.image.set_data(values)
            self.shown = values
        for marker in self.markers:
            marker.set_ydata([self.row(arrays)] * 2)


def _is_same(new: np.ndarray, old: np.ndarray) -> bool:
    """Whether they are one array, or equal bit by bit, so that NaN equals NaN."""
    alike = new.shape == old.shape and new.dtype == old.dtype
    return new is old or (alike and new.tobytes() == old.tobytes())


class Ring(Curve):
    """Hollow marks; the width of their edge is a multiple of the style's marker size."""

    def __init__(self, axes, fmt, show: Show, label=None, *, edge, marks=1.0, **more):
        super().__init__(axes, fmt, show, label, marks=marks, markerfacecolor="none", **more)
        self.line.set_markeredgewidth(edge * rcParams["lines.markersize"])


class Other:
    """Any other artist, moved by the keywords of its `set` that `show` returns."""

    def __init__(self, artist, show: Show):
        self.artist, self.show = artist, _of(show)

    def move(self, arrays: Arrays) -> None:
        self.artist.set(**self.show(arrays))


def on_colours(axes: Axes, show: Show, fmt: str = "k-", stroke: float = 2.0, **more) -> list[Curve]:
    """Two curves, a black one over a wider white one; the same in both themes."""
    return [Curve(axes, "w-", show, stroke=stroke, **more), Curve(axes, fmt, show, **more)]


def row_outline(matrix: np.ndarray, row: int) -> tuple[list[float], np.ndarray]:
    """The outline of a row of a map, as x and y."""
    left, right = -0.5, len(matrix.T) - 0.5
    return [left, right, right, left, left], row + np.array([-0.5, -0.5, 0.5, 0.5, -0.5])


class Text(Other):
    """A text that `show` returns, for which the layout leaves no room of its own."""

    def __init__(self, axes, x, y, show: Show, **props):
        text = axes.text(x, y, "", animated=True, in_layout=False, **props)
        read = _of(show)
        super().__init__(text, lambda arrays: {"text": read(arrays)})


class EndName:
    """A curve's name at its last point in the axes; show: x, y, name, whether above the point."""

    def __init__(self, axes, color, show: Show, **props):
        props = {"ha": "right"} | props | {"color": color, "animated": True, "in_layout": False}
        props |= {"textcoords": "offset points", "annotation_clip": False, "parse_math": False}
        self.text = axes.annotate("", (1, 1), (0, 0), **props)
        self.show, self.gap = _of(show), 0.4 * rcParams["font.size"]

    def move(self, arrays: Arrays) -> None:
        x, y, name, above = self.show(arrays)
        low, high = self.text.axes.get_ylim()
        inside = [*np.flatnonzero((low <= np.array(y)) & (np.array(y) <= high))]
        side = {"va": "bottom", "y": self.gap} if above else {"va": "top", "y": -self.gap}
        self.text.set(text=name if inside else "", **side)
        self.text.xy = (x[inside[-1]], y[inside[-1]]) if inside else (1, 1)


class PointName(EndName):
    """Words at a point, towards the middle of the axes; show as for `EndName`."""

    def move(self, arrays: Arrays) -> None:
        super().move(arrays)
        axes = self.text.axes
        across, _ = (axes.transData - axes.transAxes).transform(self.text.xy)
        self.text.set(ha="left" if across < 0.5 else "right", text=f" {self.text.get_text()} ")


# ---------------------------------------------------------------- what stands


def scale(line: Line2D, stroke: float = 1.0, marks: float = 1.0) -> None:
    """Multiply a line's width and its marker size by these factors."""
    line.set(linewidth=stroke * line.get_linewidth(), markersize=marks * line.get_markersize())


def inches(figure: Figure) -> np.ndarray:
    """Width and height; of a part of a figure, too."""
    return np.array(figure.bbox.size) / figure.dpi


def wide(figure: Figure) -> bool:
    """Whether panels fit beside each other, whose letters may be larger than in a notebook."""
    return inches(figure)[0] > WIDE * max(1, rcParams["font.size"] / 11)


def whole(
    *axes: Axis, most: int = 5, fewest: int = 1, steps: Sequence[int] | None = (1, 2, 5, 10)
) -> None:
    """Put ticks at whole numbers."""
    for axis in axes:
        locator = MaxNLocator(most, integer=True, min_n_ticks=fewest, steps=steps)
        axis.set_major_locator(locator)


def zero(*panels: Axes) -> None:
    """A thin grey level line at 0."""
    for axes in panels:
        axes.axhline(0, color="C6", linewidth=rcParams["axes.linewidth"])


def circle(axes: Axes, radius: float = 1.0) -> None:
    """A thin grey circle around the origin."""
    turn = np.linspace(0, 2 * np.pi, 181)
    thin = {"color": "C6", "linewidth": rcParams["axes.linewidth"]}
    axes.plot(radius * np.cos(turn), radius * np.sin(turn), **thin)


def legend_above(figure: Figure, parts: Iterable, narrow: int | None = None, **more) -> None:
    """One legend for all panels, above them; of parts, or of matplotlib's own handles.

    narrow: the number of columns where there is no room for one row.
    """
    handles = [getattr(part, "line", part) for part in parts]
    ncols = narrow if narrow and not wide(figure) else len(handles)
    rim = (
        72
        * rcParams["figure.constrained_layout.h_pad"]
        / FontProperties(size=rcParams["legend.fontsize"]).get_size_in_points()
    )
    look = {"loc": "outside upper center", "ncols": ncols, "borderaxespad": rim}
    figure.legend(handles=handles, **look | more)


def legend_over(axes: Axes, **more) -> None:
    """A legend of one panel, over its upper edge; below what moves, so that it is drawn once."""
    over = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
    axes.legend(**over, **more).set_zorder(1)


def greyed(cmap: str, where: str = "bad") -> Colormap:
    """A colour map on which cells without a number, or those under the lowest, are grey."""
    return colormaps[cmap].with_extremes(**{where: rcParams["grid.color"]})


# ---------------------------------------------------------------- what they show


def with_room(first: float, last: float, share: float = 0.02) -> tuple[float, float]:
    """The ends of an axis with a little room on both sides: a share of what lies between."""
    room = share * (last - first)
    return first - room, last + room


def broken(strokes: np.ndarray) -> np.ndarray:
    """Strokes [count, points, 2] as the x and y of one line, with a gap after each."""
    gap = np.full((len(strokes), 1, 2), np.nan)
    return np.concatenate([strokes, gap], axis=1).reshape(-1, 2).T
