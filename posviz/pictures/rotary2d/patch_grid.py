"""Which patches look alike to attention when only their place differs."""

from types import SimpleNamespace

import numpy as np
from matplotlib.ticker import MaxNLocator

from posviz.arrays import to_device, to_numpy
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.encodings.rotary2d import axial_angles, mixed_angles, raster
from posviz.engine.knobs import choice, device, integer, log
from posviz.engine.looks import SIGNED
from posviz.engine.picture import Picture

LARGEST = 32  # patches along a side
FURTHEST = 13  # the query's last row and column: the sides of the usual grid
SEED = 1  # of the directions of mixed pairs
# Of each direction in the image: (rows, columns) of one step, and how it is drawn.
DIRECTIONS = {
    "→ row": ((0, 1), "-"),
    "↓ column": ((1, 0), "--"),
    "↘ diagonal": ((1, 1), "-."),
    "↗ diagonal": ((-1, 1), ":"),
}
SAME = 1 - 1e-5  # float32 rounds at 1e-7, and any real difference is larger


class PatchGrid(Picture):
    """Scores of identical patches: only their place in the image differs."""

    size = (8.0, 3.9)
    paper_size = (3.3, 2.1)
    film = ("row", "column")

    row = integer(5, low=0, high=FURTHEST, play=True)
    column = integer(8, low=0, high=FURTHEST, play=True)
    encoding = choice("axial", options=("raster", "axial", "mixed", "mixed, equal"))
    base = log(10, low=2, high=100_000)
    grid = integer(14, low=4, high=LARGEST, label="grid (patches)")
    head_dim = choice(64, options=(4, 8, 16, 32, 64, 128))
    where = device()

    def compute(self):
        """Return the query's scores with every patch, [grid, grid], in float32; its own is 1.

        All queries and keys are vectors of ones, so a score is the mean cosine of the pairs' turns.
        """
        here = min(self.row, self.grid - 1), min(self.column, self.grid - 1)
        patches = to_device(np.ones((self.grid**2, self.head_dim), np.float32), self.where)
        turned = apply_rotary(patches, self._angles(*raster(self.grid, self.grid).T))
        query = turned[here[0] * self.grid + here[1]]
        scores = to_numpy(turned @ query).reshape(self.grid, self.grid) / self.head_dim
        return SimpleNamespace(
            scores=scores,
            here=here,
            asked=(self.row, self.column),
            along=[_along(scores, here, step) for step, _ in DIRECTIONS.values()],
            encoding=self.encoding,
            where=self.where,
        )

    def _angles(self, rows, columns):
        """How far each pair of each patch has turned, [patches, head_dim/2]."""
        if self.encoding == "raster":
            inv_freq = rotary_frequencies(self.head_dim, self.base)
            return rotary_angles(rows * self.grid + columns, inv_freq)
        if self.encoding == "axial":
            return axial_angles(rows, columns, self.head_dim, base=self.base)
        if self.encoding == "mixed, equal":
            both = rotary_frequencies(self.head_dim, self.base)
            return mixed_angles(rows, columns, np.stack([both, both]))
        speeds = np.tile(rotary_frequencies(self.head_dim // 2, self.base), 2)  # as axial has them
        towards = np.random.default_rng(SEED).uniform(0, 2 * np.pi, len(speeds))
        return mixed_angles(rows, columns, speeds * np.stack([np.cos(towards), np.sin(towards)]))

    def draw(self, figure):
        """The map at left with the query framed; at right the same scores against steps."""
        chart, steps = figure.subplots(1, 2, width_ratios=(1, 1))
        image = chart.imshow(
            np.zeros((2, 2)), cmap=SIGNED, vmin=-1, vmax=1, aspect="equal", animated=True
        )
        figure.colorbar(image, ax=chart, ticks=(-1, 0, 1), shrink=0.8)
        # Black on white lies on the map's own colours, so it is the same in both themes.
        frames = [chart.plot([], [], color=c, animated=True)[0] for c in ("white", "black")]
        frames[0].set_linewidth(2.5 * frames[1].get_linewidth())
        for frame in frames:
            frame.set_solid_joinstyle("miter")
        chart.set(xlabel="column (patches)", ylabel="row (patches)")
        chart.set(xlim=(-0.5, LARGEST - 0.5), ylim=(LARGEST - 0.5, -0.5))
        lines = [
            steps.plot([], [], style, color=f"C{i}", label=label, animated=True)[0]
            for i, (label, (_, style)) in enumerate(DIRECTIONS.items())
        ]
        steps.set(xlabel="steps from the query", ylabel="score", ylim=(-1.1, 1.1))
        steps.set(yticks=(-1, 0, 1), xlim=(-LARGEST, LARGEST))
        for axis in (chart.xaxis, chart.yaxis, steps.xaxis):
            axis.set_major_locator(MaxNLocator(4, integer=True, min_n_ticks=1))
        figure.legend(handles=lines, loc="outside upper center", ncols=4, columnspacing=1.0)
        return SimpleNamespace(
            chart=chart, steps=steps, image=image, frames=frames, lines=lines, shape=None
        )

    def update(self, artists, arrays):
        """Set the axes only when the grid or the depth changed: that costs a full redraw."""
        grid = len(arrays.scores)
        lowest = -1.1 if arrays.scores.min() < -0.35 else -0.4  # seldom is the lower half needed
        if artists.shape != (grid, lowest):
            artists.shape = (grid, lowest)
            artists.image.set_extent((-0.5, grid - 0.5, grid - 0.5, -0.5))
            artists.chart.set(xlim=(-0.5, grid - 0.5), ylim=(grid - 0.5, -0.5))
            artists.steps.set(xlim=(-1.04 * (grid - 1), 1.04 * (grid - 1)), ylim=(lowest, 1.1))
        artists.image.set_data(arrays.scores)
        row, column = arrays.here
        for frame in artists.frames:
            frame.set_data(
                column + np.array([-0.5, 0.5, 0.5, -0.5, -0.5]),
                row + np.array([-0.5, -0.5, 0.5, 0.5, -0.5]),
            )
        for line, along in zip(artists.lines, arrays.along, strict=True):
            line.set_data(*along)

    def caption(self, arrays):
        """The scores of two neighbours, and how many patches pass for the query itself."""
        grid, (row, column) = len(arrays.scores), arrays.here
        clamped = " (the nearest there is)" if arrays.here != arrays.asked else ""
        beside, side = (column + 1, "right") if column + 1 < grid else (column - 1, "left")
        under, place = (row + 1, "below") if row + 1 < grid else (row - 1, "above")
        far = f", {grid} steps away," if arrays.encoding == "raster" else ""
        twins = int((arrays.scores > SAME).sum()) - 1
        return (
            f"{arrays.encoding.capitalize()}: for the query at row {row}, column {column}{clamped} "
            f"of {grid} × {grid}, the patch to the {side} scores {arrays.scores[row, beside]:.4f}, "
            f"the one {place}{far} {arrays.scores[under, column]:.4f}, and {twins or 'no'} other "
            f"{'patch scores' if twins == 1 else 'patches score'} 1, as the query itself does "
            f"({arrays.where}, float32)."
        )


def _along(scores, here, step):
    """Steps along a direction, both ways, as far as the image goes, and the scores there."""
    count = np.arange(1 - len(scores), len(scores))
    rows, columns = (at + by * count for at, by in zip(here, step, strict=True))
    inside = (np.minimum(rows, columns) >= 0) & (np.maximum(rows, columns) < len(scores))
    return count[inside], scores[rows[inside], columns[inside]]
