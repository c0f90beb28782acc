"""A sinusoidal and a learned table of one size, side by side."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

from posviz.encodings.sinusoidal import sinusoidal
from posviz.lessons.learned._tables import (
    JOINED,
    as_table,
    colour_bar,
    edge_of,
    is_same,
    means_by_offset,
    principal_plane,
    stride_of,
    three_panels,
    unit_rows,
)
from posviz.models.real import trained_table
from posviz.models.small import table_snapshots
from posviz.pictures.knobs import choice, log
from posviz.pictures.parts import Curve, Other, legend_above, whole, with_room
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN, SIGNED
from posviz.wording import signed

FLOOR = 1e-6  # of the power; what is weaker is drawn as this
TOKENS, CYCLES = "position (tokens)", "cycles per table"


class Side(NamedTuple):
    """What a comparison shows of one table: a panel, a curve, and the words of the caption."""

    panel: np.ndarray
    curve: tuple
    words: str
    around: tuple = ((), ())


def _similarity(table):
    """Cosines of the rows drawn; by offset their mean, and the lowest and highest of all pairs."""
    stride = stride_of(len(table))
    rows = unit_rows(table)[::stride]
    cosines, means = rows @ rows.T, means_by_offset(rows)
    diagonals = [np.diagonal(cosines, offset) for offset in range(len(means))]
    offsets = stride * np.arange(len(means))
    low, high = ([end(diagonal) for diagonal in diagonals] for end in (np.min, np.max))
    around = np.concatenate([offsets, [np.nan], offsets]), np.concatenate([low, [np.nan], high])
    return Side(cosines, (offsets, means), signed(means[1], "z.2f"), around)


def _values(table):
    """The values of the rows drawn, in units of their root mean square, and each row's norm."""
    norms, stride = np.linalg.norm(table, axis=-1), stride_of(len(table))
    curve = np.arange(len(table))[::stride], (norms / (norms.mean() or 1))[::stride]
    low, high = norms.min(), norms.max()
    words = f"{low:.2f}" if np.ptp(norms) < 1e-9 * high else f"{low:.2f} to {high:.2f}"
    return Side(_drawn(table / (np.sqrt(np.mean(table**2)) or 1)), curve, words)


def _path(table):
    """The rows drawn in their principal plane, in units of their mean distance from the mean."""
    centred = table - table.mean(axis=0)
    plane, shares = principal_plane(table)
    path = centred @ plane / (np.sqrt(np.square(centred).sum() / len(table)) or 1)
    curve = _counted(shares.cumsum()[:16])
    return Side(path[:: stride_of(len(path))], curve, f"{shares[:2].sum():.0%}")


def _spectrum(table):
    """Each column's power by frequency, as shares; and all columns' together."""
    power = np.square(np.abs(np.fft.rfft(table - table.mean(axis=0), axis=0)))[1:]
    total = power.sum(axis=-1) / (power.sum() or 1)
    columns = power / np.where(power.sum(axis=0) > 0, power.sum(axis=0), 1)
    half = int(np.searchsorted(np.cumsum(total), 0.5)) + 1
    panel = _drawn(np.log10(np.maximum(columns, FLOOR)))
    return Side(panel, _counted(np.maximum(total, FLOOR)), str(half))


def _drawn(image):
    """At most as many rows and columns as are drawn."""
    return image[:: stride_of(image.shape[0]), :: stride_of(image.shape[1])]


def _counted(values):
    """Values over 1, 2, 3, …"""
    return np.arange(1, len(values) + 1), values


class View(NamedTuple):
    """A comparison: what it computes of a table, its axes, its colours, what the caption says."""

    side: Callable[[np.ndarray], Side]
    labels: tuple[str, str, str, str]  # across and up; what the curves show, over what
    words: str
    ends: tuple[float, ...] = ()  # of the colours


VIEWS = {
    "similarity": View(
        _similarity,
        (TOKENS, TOKENS, "cosine", "offset (tokens)"),
        "The mean cosine of neighbouring rows is",
        (-1, 1),
    ),
    "values": View(
        _values,
        ("dimension", TOKENS, "norm / mean norm", TOKENS),
        "The norm of a row is",
        (-2, 2),
    ),
    "path": View(
        _path,
        ("component 1", "component 2", "variance held", "components"),
        "The share of the variance that two components hold is",
    ),
    "spectrum": View(
        _spectrum,
        ("dimension", CYCLES, "share of power", CYCLES),
        "The number of cycles per table up to which half of the power lies is",
        (-6, 0),
    ),
}


TABLES = {"lesson 03": lambda: [*table_snapshots().values()][-1], "MiniLM": trained_table}


class _Learned(choice):
    """Which table of the course: idle where a reader's own stands in for it."""

    def idle(self, picture: Any) -> str:
        return "a table was given" if picture._data else ""


class SinusoidalBesideLearned(Picture):
    """A sinusoidal beside a learned table: similarity, values, path and spectrum.

    `table` [rows, d_model] is any learned table, and stands in for those of the course. The
    sinusoidal one has as many rows and columns, one column fewer where their number is odd.
    """

    size = (8.0, 3.3)
    paper_size = (3.3, 3.3)

    base = log(10_000, low=10, high=1_000_000, play=True)
    compare = choice("similarity", options=tuple(VIEWS), redraw=True)
    learned = _Learned("lesson 03", options=tuple(TABLES), redraw=True, label="learned table")

    def __init__(self, table=None, **knobs):
        own = None if table is None else as_table(table, "table")
        for name, course in TABLES.items():
            if own is not None and is_same(own, course()):  # a page has it, too
                knobs["learned"], own = name, None
        super().__init__(**knobs)
        self._data = () if own is None else ("table",)
        self._own = own
        self._sides: dict = {}  # the learned table's: the base does not move it

    def compute(self) -> Arrays:
        """Return what is compared, of the sinusoidal table and of the learned one."""
        rows, columns = self._table().shape
        fixed = sinusoidal(np.arange(rows), columns - columns % 2, base=self.base)
        sides = VIEWS[self.compare].side(fixed), self._learned()
        return self.arrays(
            sides=sides,
            images=[{"data": side.panel} for side in sides],
            paths=[side.panel.T for side in sides],
            joined=[side.panel[:JOINED].T for side in sides],
            first=[side.panel[:1].T for side in sides],
            curves=[side.curve for side in sides],
            around=sides[1].around,
        )

    def _table(self):
        return TABLES[self.learned]() if self._own is None else self._own

    def _learned(self):
        key = self.learned, self.compare
        if key not in self._sides:
            self._sides[key] = VIEWS[self.compare].side(self._table())
        return self._sides[key]

    def draw(self, figure: Figure) -> list:
        """A panel for each table, with the same range, and a third with a curve for each."""
        *panels, curves = three_panels(figure)
        view, learned = VIEWS[self.compare], self._learned()
        draw = self._draw_path if self.compare == "path" else self._draw_image
        tables = [draw(axes, i) for i, axes in enumerate(panels)]
        panels[0].set(title="sinusoidal", xlabel=view.labels[0], ylabel=view.labels[1])
        panels[1].set(title="learned", xlabel=view.labels[0])
        if view.ends:
            bar = colour_bar(
                tables[1][0].artist, ticks=(view.ends[0], sum(view.ends) / 2, view.ends[1])
            )
            if self.compare == "spectrum":
                bar.set_ticklabels(("1e−6", "0.001", "1"))
        marker = "o" if self.compare == "path" else ""
        lines = [
            Curve(curves, f"C0{marker}-", "curves[0]", "sinusoidal", marks=1 / 2),
            Curve(curves, f"C1{marker}--", "curves[1]", "learned", marks=1 / 2),
        ]
        if self.compare == "similarity":
            lines.append(Curve(curves, "C1:", "around", "learned: range", stroke=1 / 1.5))
        _set_curves(curves, self.compare, *learned.curve)
        legend_above(figure, [*lines, *tables[0][2:]], narrow=2)
        return [*tables[0], *tables[1], *lines]

    def _draw_path(self, axes, i):
        """The path of table i, with a mark at position 0; the learned one's sets the range."""
        limit = 1.05 * max(1.5, np.abs(self._learned().panel).max())
        axes.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(4, symmetric=True, integer=True))
        return [
            Curve(axes, f"C{i}.", f"paths[{i}]", marks=0.6),
            Curve(axes, f"C{i}-", f"joined[{i}]", stroke=1 / 2),
            Curve(axes, "C2s", f"first[{i}]", "position 0"),
        ]

    def _draw_image(self, axes, i):
        """The panel of table i as an image whose cells may stand for several rows and columns."""
        (rows, columns), (low, high) = self._table().shape, VIEWS[self.compare].ends
        position, dimension = edge_of(rows), edge_of(columns)
        extent = {
            "similarity": (-0.5, position, position, -0.5),
            "values": (-0.5, dimension, position, -0.5),
            "spectrum": (-0.5, dimension, edge_of(rows // 2) + 1, 0.5),
        }[self.compare]
        image = axes.imshow([[0]], vmin=low, vmax=high, extent=extent, animated=True)
        image.set_cmap(PLAIN if self.compare == "spectrum" else SIGNED)
        if self.compare == "spectrum":
            axes.invert_yaxis()
        axes.set_box_aspect(1)
        whole(axes.xaxis, axes.yaxis, most=3, fewest=2, steps=None)
        return [Other(image, f"images[{i}]")]

    def caption(self, arrays: Arrays) -> str:
        """The same number of both tables."""
        fixed, learned = arrays.sides
        return (
            f"{VIEWS[arrays.compare].words} {fixed.words} in the sinusoidal table and "
            f"{learned.words} in the learned one."
        )


def _set_curves(axes, compare, x, y):
    """The axes of the third panel, by the curve of the learned table."""
    last = x[-1]
    axes.set(title=VIEWS[compare].labels[2], xlabel=VIEWS[compare].labels[3])
    if compare == "spectrum":
        axes.set(xscale="log", yscale="log", xlim=(0.9, 1.1 * last), ylim=(FLOOR / 2, 2))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_yticks((1e-6, 1e-3, 1), ("1e−6", "0.001", "1"))
        return
    low = {"similarity": -1.05}.get(compare, 0)
    axes.set(
        xlim=with_room(0, last), ylim=(low, max(2, 1.05 * max(y)) if compare == "values" else 1.05)
    )
    whole(axes.xaxis, most=3, fewest=2, steps=None)
