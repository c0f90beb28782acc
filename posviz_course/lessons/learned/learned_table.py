"""A learned table while it is trained: what its rows come to have in common."""

import functools
from collections.abc import Mapping

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from posviz.pictures.knobs import Integer, Switch
from posviz.pictures.parts import (
    Curve,
    Limits,
    Map,
    Other,
    inches,
    legend_above,
    whole,
    wide,
    with_room,
    zero,
)
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.wording import signed
from posviz_course.models.small import table_snapshots

LOWEST = -0.55  # the axis of the mean cosine ends here unless a mean is lower
JOINED = 48  # rows that the line of a path joins: of more one sees nothing


class LearnedTable(Picture):
    """Training makes near rows of a learned table similar.

    `snapshots` holds a table [rows, d_model] for each step, as a training run or {0: table} gives
    it. Without it the picture shows the run of lesson 03.
    """

    size = (8.0, 4.4)
    paper_size = (3.3, 3.3)

    progress = Integer(100, low=0, high=100, play=True, label="training (%)")
    centred = Switch(False, label="subtract mean")

    def __init__(self, snapshots=None, **knobs):
        super().__init__(**knobs)
        self.given_data = () if snapshots is None else ("snapshots",)
        tables = table_snapshots() if snapshots is None else checked(snapshots)
        self._steps = sorted(tables)
        self._tables = [tables[step] for step in self._steps]
        # All are seen in the plane of the last one: else the path would jump and flip.
        plane = principal_plane(self._tables[-1])
        self._paths = [(table - table.mean(axis=0)) @ plane for table in self._tables]
        self._view = functools.lru_cache(maxsize=32)(self._computed)  # Play comes back

    def compute(self) -> Arrays:
        """Return the nearest snapshot's cosines, path and means by offset, and the first's."""
        steps = np.array(self._steps, dtype=float)
        wanted = steps[0] + self.progress / 100 * (steps[-1] - steps[0])
        index = int(np.abs(steps - wanted).argmin())
        cosines, means = self._view(index, self.centred)
        _, before = self._view(0, self.centred)
        path = self._paths[index]
        lowest = LOWEST if min(means.min(), before.min()) >= LOWEST else -1.05
        return self.arrays(
            cosines=cosines,
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

    def _computed(self, index, centred):
        """Cosines of all rows, and their means at each offset up to half the table."""
        rows = unit_rows(self._tables[index], centred)
        cosines = rows @ rows.T
        return cosines, np.array([cosines.diagonal(at).mean() for at in range(len(rows) // 2 + 1)])

    def draw(self, figure: Figure) -> list:
        """Cosines of all rows, the path in the plane where the last table is widest, the means."""
        width, height = inches(figure)
        if width > 2 * height:  # three squares in a row
            panels = figure.subplot_mosaic("abc")
            panels["c"].set_box_aspect(1)
        elif wide(figure):  # the map is as tall as both others
            panels = figure.subplot_mosaic("ab;ac", width_ratios=(1.2, 1))
        else:
            panels = figure.subplot_mosaic("ab;cc", height_ratios=(1.8, 1))
        cosines, path, means = (panels[name] for name in "abc")
        rows = len(self._tables[0])
        colours = Map(cosines, "cosines", most=(rows, rows), aspect="equal")
        bar = cosines.inset_axes((1.05, 0, 0.06, 1))  # as tall as the map
        figure.colorbar(colours.image, cax=bar, ticks=(-1, 0, 1))
        cosines.set(title="cosine of two rows", xlabel="position (tokens)")
        cosines.set_ylabel("position (tokens)")
        whole(cosines.xaxis, cosines.yaxis, most=3, fewest=2, steps=None)
        room = 0.15 * rows  # leaves out the ends of the map, which fade on a dark or a white page
        props: dict = {"cmap": PLAIN, "vmin": -room, "vmax": rows + room, "animated": True}
        props |= {"c": np.arange(rows), "s": 0.4 * rcParams["lines.markersize"] ** 2}
        dots = path.scatter(np.zeros(rows), np.zeros(rows), **props)
        limit = 1.08 * np.abs(self._paths).max() or 1
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
            Curve(path, "C1s", "first", "position 0", marks=1.3),
            Curve(path, "C0^", "last", f"position {rows - 1:,}", marks=1.6),
        ]
        if len(self._tables) > 1:
            marks.append(Curve(means, "C6--", "before", "first snapshot", stroke=1 / 1.5))
        marks.append(Curve(means, "C0-", "now", "now" if len(self._tables) > 1 else "mean cosine"))
        legend_above(figure, marks, narrow=2, columnspacing=1.2)
        return [colours, line, Other(dots, "dots"), *marks, Limits(means, "ends")]

    def caption(self, arrays: Arrays) -> str:
        when = f"At step {arrays.step:,} of {arrays.steps:,}, " if arrays.steps else "The "
        rows = "neighbours without the mean row" if arrays.centred else "neighbouring rows"
        far = len(arrays.means) - 1
        return (
            f"{when}{rows} have a mean cosine of {signed(arrays.means[1], 'z.2f')}, and rows "
            f"{far:,} apart {signed(arrays.means[far], 'z.2f')}."
        )


def checked(snapshots) -> dict[int, np.ndarray]:
    """The snapshots as {step: table}, in float64; ValueError where they are none."""
    if not isinstance(snapshots, Mapping) or not snapshots:
        raise ValueError("snapshots must be a dict {step: table}")
    tables = {int(step): np.array(table, float) for step, table in snapshots.items()}
    shapes = {table.shape for table in tables.values()}
    if len(shapes) > 1 or len(shape := shapes.pop()) != 2 or shape[0] < 4 or shape[1] < 2:
        raise ValueError("snapshots must have one shape, [rows, d_model], 4 rows and 2 columns")
    return tables


def principal_plane(table):
    """The first two principal components of the rows, [d_model, 2].

    Signs are fixed by the first row, so that they do not depend on the machine.
    """
    centred = table - table.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    plane = directions[:, :-3:-1]
    return plane * np.where(centred[0] @ plane > 0, -1, 1)


def unit_rows(table, centred=False):
    """Rows of length 1, after subtracting their mean row if `centred`; a row of zeros stays."""
    table = table - table.mean(axis=0) if centred else table
    norms = np.linalg.norm(table, axis=-1, keepdims=True)
    return table / np.where(norms > 0, norms, 1)
