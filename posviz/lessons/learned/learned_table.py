"""A learned table while it is trained: what its rows come to have in common."""

import functools
import numbers
from collections.abc import Mapping

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from posviz.lessons.learned._tables import (
    as_table,
    colour_bar,
    edge_of,
    means_by_offset,
    one_in,
    principal_plane,
    stride_of,
    three_panels,
    toy_snapshots,
    unit_rows,
)
from posviz.pictures.knobs import integer, switch
from posviz.pictures.parts import Curve, Limits, Other, legend_above, whole, with_room, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN, SIGNED
from posviz.wording import quoted, signed

LOWEST = -0.55  # the axis of the mean cosine ends here unless a mean is lower


class LearnedTable(Picture):
    """A learned table while it is trained: cosines of its rows, their path, means by offset.

    `snapshots` holds a table [rows, d_model] for each step, as a training run or {0: table} gives
    it. Without it the picture shows a toy: see `toy_snapshots`.
    """

    size = (8.0, 3.3)
    paper_size = (3.3, 3.3)
    combined = (("progress", "centred"),)

    progress = integer(100, low=0, high=100, play=True, label="training (%)")
    centred = switch(False, label="subtract mean")

    def __init__(self, snapshots=None, **knobs):
        super().__init__(**knobs)
        self._data = () if snapshots is None else ("snapshots",)
        self._name = "A toy table" if snapshots is None else "A table"
        self._training = _Training(toy_snapshots() if snapshots is None else checked(snapshots))
        self._view = functools.lru_cache(maxsize=32)(self._training.view)  # Play comes back

    def compute(self) -> Arrays:
        """Return the nearest snapshot's cosines, path and means by offset, and the first's."""
        training = self._training
        index = training.nearest(self.progress / 100)
        cosines, means, path = self._view(index, self.centred)
        before = self._view(0, self.centred)[1]
        return self.arrays(
            cosines=cosines,
            means=means,
            before=before,
            lowest=LOWEST if min(means.min(), before.min()) >= LOWEST else -1.05,
            path=path,
            shares=training.shares,
            steps=training.steps,
            step=training.steps[index],
            shape=training.tables[0].shape,
        )

    def draw(self, figure: Figure) -> list:
        """Cosines of all rows, the path in the plane where the last table is widest, the means."""
        cosines, path, means = three_panels(figure)
        rows = len(self._training.tables[0])
        edge = edge_of(rows)
        look = {"cmap": SIGNED, "vmin": -1, "vmax": 1, "aspect": "equal", "animated": True}
        image = cosines.imshow([[0]], extent=(-0.5, edge, edge, -0.5), **look)
        colour_bar(image, ticks=(-1, 0, 1))
        cosines.set(title="cosine of two rows", xlabel="position (tokens)")
        cosines.set_ylabel("position (tokens)")
        whole(cosines.xaxis, cosines.yaxis, most=3, fewest=2, steps=None)
        line, dots, *ends = _draw_path(path, rows, self._training.reach)
        zero(means)
        thin, first = {"stroke": 1 / 1.5}, "first snapshot"
        before = Curve(means, "C6--", lambda a: _by_offset(a.before), first, **thin)
        now = Curve(means, "C0-", lambda a: _by_offset(a.means), "now")
        half = rows // 2
        means.set(xlim=with_room(0, half), ylim=(LOWEST, 1.05), yticks=(-0.5, 0, 0.5, 1))
        means.set(xlabel="offset (tokens)", title="mean by offset")
        whole(means.xaxis, most=3, fewest=2, steps=None)
        legend_above(figure, [*ends, before, now], narrow=2, columnspacing=1.2)
        return [
            Other(image, lambda a: {"data": a.cosines}),
            *(line, dots, *ends, before, now),
            Limits(means, lambda a: {"ylim": (a.lowest, 1.05)}),
        ]

    def caption(self, arrays: Arrays) -> str:
        """The step, neighbours and far rows then and at the start, and what was left out."""
        rows, columns = arrays.shape
        far = len(arrays.means) - 1
        mean = ", the mean row subtracted," if arrays.centred else ""
        before, only = f" ({signed(arrays.before[1], 'z.2f')} at step {arrays.steps[0]:,})", ""
        if len(arrays.steps) == 1:
            before, only = "", ", the only snapshot"
        drawn = one_in(rows, "row")
        return (
            f"{self._name} of {rows:,} rows × {columns:,} columns at step {arrays.step:,} of "
            f"{arrays.steps[-1]:,}{only}: the mean cosine of neighbours{mean} is "
            f"{signed(arrays.means[1], 'z.2f')}{before}, of rows {far:,} apart "
            f"{signed(arrays.means[far], 'z.2f')}, and the plane of the path holds "
            f"{arrays.shares[:2].sum():.0%} of the last table’s variance{drawn}."
        )


class _Training:
    """Tables by step, and the plane they are all seen in: else the path would jump and flip."""

    def __init__(self, tables):
        self.steps = sorted(tables)
        self.tables = [tables[step] for step in self.steps]
        self.plane, variances = principal_plane(self.tables[-1])
        self.shares = variances / (variances.sum() or 1)
        self.reach = max(np.abs(self.path(index)).max() for index in range(len(self.tables)))

    def nearest(self, progress: float) -> int:
        """The index of the snapshot nearest to a part of the steps, 0 to 1."""
        steps = np.array(self.steps, dtype=float)
        return int(np.abs(steps - steps[0] - progress * (steps[-1] - steps[0])).argmin())

    def path(self, index: int) -> np.ndarray:
        """The rows of a snapshot in the plane, [rows, 2]."""
        table = self.tables[index]
        return (table - table.mean(axis=0)) @ self.plane

    def view(self, index: int, centred: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Cosines of the rows drawn, their means by offset, and the path of the rows drawn."""
        rows = unit_rows(self.tables[index], centred)
        drawn = slice(None, None, stride_of(len(rows)))
        return rows[drawn] @ rows[drawn].T, means_by_offset(rows), self.path(index)[drawn]


def checked(snapshots):
    """The snapshots as {step: table}, float64 copies; else the error names the argument."""
    if not isinstance(snapshots, Mapping):
        raise TypeError(f"snapshots must be a dict step -> table, got {type(snapshots).__name__}")
    if not snapshots:
        raise ValueError("snapshots must hold at least one table, got an empty dict")
    for step in snapshots:
        if isinstance(step, bool) or not isinstance(step, numbers.Integral) or step < 0:
            raise TypeError(
                f"snapshots must have whole steps from 0 on as keys, got {quoted(step)}"
            )
    tables = {int(step): as_table(x, f"snapshots[{step}]") for step, x in snapshots.items()}
    shapes = sorted({table.shape for table in tables.values()})
    if len(shapes) > 1:
        raise ValueError(f"snapshots must be of one shape, got {' and '.join(map(str, shapes))}")
    return tables


def _draw_path(axes, rows, reach):
    """The line through all positions, a dot for each, and marks at both ends."""
    line = Curve(axes, "C6-", lambda a: a.path.T, stroke=1 / 2)
    positions = np.arange(0, rows, stride_of(rows))
    room = 0.15 * rows  # leaves out the ends of the map, which fade on a dark or a white page
    look = {"cmap": PLAIN, "vmin": -room, "vmax": rows + room, "animated": True}
    size = 0.4 * rcParams["lines.markersize"] ** 2
    dots = axes.scatter(0 * positions, 0 * positions, c=positions, s=size, **look)
    limit = 1.08 * reach or 1
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal")
    axes.set(title="path", xlabel="component 1", ylabel="component 2")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4, steps=(1, 2, 5, 10), symmetric=True))
    return [
        line,
        Other(dots, lambda a: {"offsets": a.path}),
        Curve(axes, "C1s", lambda a: a.path[:1].T, "position 0"),
        Curve(axes, "C0^", lambda a: a.path[-1:].T, f"position {positions[-1]:,}"),
    ]


def _by_offset(values):
    """Values over the offsets 0, 1, 2, …"""
    return np.arange(len(values)), values
