"""A learned table while it is trained: what its rows come to have in common."""

import functools
from collections.abc import Mapping

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

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
from posviz.models.small import table_snapshots
from posviz.pictures.knobs import integer, switch
from posviz.pictures.parts import Curve, Limits, Other, legend_above, whole, with_room, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN, SIGNED
from posviz.wording import signed

LOWEST = -0.55  # the axis of the mean cosine ends here unless a mean is lower


class LearnedTable(Picture):
    """A learned table while it is trained: cosines of its rows, their path, means by offset.

    `snapshots` holds a table [rows, d_model] for each step, as a training run or {0: table} gives
    it. Without it the picture shows the run of lesson 03.
    """

    size = (8.0, 3.3)
    paper_size = (3.3, 3.3)

    progress = integer(100, low=0, high=100, play=True, label="training (%)")
    centred = switch(False, label="subtract mean")

    def __init__(self, snapshots=None, **knobs):
        super().__init__(**knobs)
        shipped = table_snapshots()
        tables = shipped if snapshots is None else checked(snapshots)
        same = tables.keys() == shipped.keys() and all(
            is_same(table, shipped[step]) for step, table in tables.items()
        )
        self._data = () if same else ("snapshots",)
        self._steps = sorted(tables)
        self._tables = [tables[step] for step in self._steps]
        # All are seen in the plane of the last one: else the path would jump and flip.
        self._plane, _ = principal_plane(self._tables[-1])
        self._view = functools.lru_cache(maxsize=32)(self._computed)  # Play comes back

    def compute(self) -> Arrays:
        """Return the nearest snapshot's cosines, path and means by offset, and the first's."""
        steps = np.array(self._steps, dtype=float)
        wanted = steps[0] + self.progress / 100 * (steps[-1] - steps[0])
        index = int(np.abs(steps - wanted).argmin())
        cosines, means, path = self._view(index, self.centred)
        before = self._view(0, self.centred)[1]
        lowest = LOWEST if min(means.min(), before.min()) >= LOWEST else -1.05
        return self.arrays(
            cosines=cosines,
            image={"data": cosines},
            means=means,
            now=(np.arange(len(means)), means),
            before=(np.arange(len(means)), before),
            ends={"ylim": (lowest, 1.05)},
            path=path,
            dots={"offsets": path},
            joined=path[:JOINED].T,
            first=path[:1].T,
            last=path[-1:].T,
            step=self._steps[index],
            steps=self._steps[-1],
        )

    def _path(self, table):
        return (table - table.mean(axis=0)) @ self._plane

    def _computed(self, index, centred):
        """Cosines of the rows drawn, their means by offset, and the path of the rows drawn."""
        rows = unit_rows(self._tables[index], centred)
        drawn = slice(None, None, stride_of(len(rows)))
        path = self._path(self._tables[index])[drawn]
        return rows[drawn] @ rows[drawn].T, means_by_offset(rows), path

    def draw(self, figure: Figure) -> list:
        """Cosines of all rows, the path in the plane where the last table is widest, the means."""
        cosines, path, means = three_panels(figure)
        rows = len(self._tables[0])
        edge, positions = edge_of(rows), np.arange(0, rows, stride_of(rows))
        look = {"cmap": SIGNED, "vmin": -1, "vmax": 1, "aspect": "equal", "animated": True}
        image = cosines.imshow([[0]], extent=(-0.5, edge, edge, -0.5), **look)
        colour_bar(image, ticks=(-1, 0, 1))
        cosines.set(title="cosine of two rows", xlabel="position (tokens)")
        cosines.set_ylabel("position (tokens)")
        whole(cosines.xaxis, cosines.yaxis, most=3, fewest=2, steps=None)
        room = 0.15 * rows  # leaves out the ends of the map, which fade on a dark or a white page
        look = {"cmap": PLAIN, "vmin": -room, "vmax": rows + room, "animated": True}
        look |= {"c": positions, "s": 0.4 * rcParams["lines.markersize"] ** 2}
        dots = path.scatter(0 * positions, 0 * positions, **look)
        limit = 1.08 * max(np.abs(self._path(table)).max() for table in self._tables) or 1
        path.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal")
        path.set(title="rows as points", xlabel="component 1", ylabel="component 2")
        for axis in (path.xaxis, path.yaxis):
            axis.set_major_locator(MaxNLocator(4, steps=(1, 2, 5, 10), symmetric=True))
        zero(means)
        means.set(xlim=with_room(0, rows // 2), ylim=(LOWEST, 1.05), yticks=(-0.5, 0, 0.5, 1))
        means.set(xlabel="offset (tokens)", title="mean cosine")
        whole(means.xaxis, most=3, fewest=2, steps=None)
        line = Curve(path, "C6-", "joined", stroke=1 / 2)
        marks = [
            Curve(path, "C1s", "first", "position 0"),
            Curve(path, "C0^", "last", f"position {positions[-1]:,}"),
        ]
        if len(self._tables) > 1:
            marks.append(Curve(means, "C6--", "before", "first snapshot", stroke=1 / 1.5))
        marks.append(Curve(means, "C0-", "now", "now" if len(self._tables) > 1 else "mean cosine"))
        legend_above(figure, marks, narrow=2, columnspacing=1.2)
        return [Other(image, "image"), line, Other(dots, "dots"), *marks, Limits(means, "ends")]

    def caption(self, arrays: Arrays) -> str:
        """How similar neighbours are, and rows half the table apart."""
        when = f"At step {arrays.step:,} of {arrays.steps:,}, " * (arrays.steps > 0)
        rows = "neighbours without the mean row" if arrays.centred else "neighbouring rows"
        far = len(arrays.means) - 1
        said = (
            f"{when}{rows} have a mean cosine of "
            f"{signed(arrays.means[1], 'z.2f')}, and rows {far:,} apart "
            f"{signed(arrays.means[far], 'z.2f')}."
        )
        return said[0].upper() + said[1:]


def checked(snapshots):
    """The snapshots as {step: table}, float64 copies; else the error names the argument."""
    steps = snapshots.keys() if isinstance(snapshots, Mapping) else ()
    if not steps or not all(isinstance(step, int | np.integer) and step >= 0 for step in steps):
        raise ValueError("snapshots must be a dict {step: table}, with whole steps from 0 on")
    tables = {int(step): as_table(x, f"snapshots[{step}]") for step, x in snapshots.items()}
    if len({table.shape for table in tables.values()}) > 1:
        raise ValueError("the tables of the snapshots must have one shape")
    return tables
