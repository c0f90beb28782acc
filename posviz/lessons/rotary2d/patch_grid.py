"""Which patches look alike to attention when only their place differs."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from posviz.arrays import to_device, to_numpy
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.encodings.rotary2d import axial_angles, mixed_angles, raster
from posviz.pictures.knobs import choice, device, integer, log
from posviz.pictures.parts import Curve, Limits, Map, legend_above, on_colours, whole
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

LARGEST = 32  # patches along a side
# Of each direction in the image: (rows, columns) of one step, and how it is drawn.
DIRECTIONS = {
    "→ row": ((0, 1), "-"),
    "↓ column": ((1, 0), "--"),
    "↘ diagonal": ((1, 1), "-."),
    "↗ diagonal": ((-1, 1), ":"),
}
AROUND = np.array([[-0.5, 0.5, 0.5, -0.5, -0.5], [-0.5, -0.5, 0.5, 0.5, -0.5]])  # a patch


class _Base(log):
    """The base: idle where the pairs have one frequency, which is 1 with every base."""

    def idle(self, picture: Any) -> str:
        alone = picture.head_dim == 4 and picture.encoding in ("axial", "mixed")
        return "with head_dim 4 each axis has one frequency, 1" if alone else ""


class PatchGrid(Picture):
    """Scores of identical patches: only their place in the image differs."""

    size = (8.0, 3.9)

    row = integer(5, low=0, high=13, until=lambda p: p.grid - 1, play=True)
    column = integer(8, low=0, high=13, until=lambda p: p.grid - 1, play=True)
    encoding = choice("axial", options=("raster", "axial", "mixed", "mixed, equal"))
    head_dim = choice(64, options=(4, 8, 16, 32, 64, 128))
    base = _Base(10, low=2, high=100_000, more=True)
    grid = integer(14, low=4, high=LARGEST, label="grid (patches)", more=True)
    where = device(more=True)

    def compute(self) -> Arrays:
        """Return the query's scores with every patch, [grid, grid], in float32; its own is 1.

        All queries and keys are vectors of ones, so a score is the mean cosine of the angles.
        """
        here = self.row, self.column
        patches = to_device(np.ones((self.grid**2, self.head_dim), np.float32), self.where)
        rotated = apply_rotary(patches, self._angles(*raster(self.grid, self.grid).T))
        query = rotated[self.row * self.grid + self.column]
        scores = to_numpy(rotated @ query).reshape(self.grid, self.grid) / self.head_dim
        most, least = 1.04 * (self.grid - 1), -1.1 if scores.min() < -0.35 else -0.4
        return self.arrays(
            scores=scores,
            outline=AROUND + np.array([[self.column], [self.row]]),
            along=[_along(scores, here, step) for step, _ in DIRECTIONS.values()],
            limits={"xlim": (-most, most), "ylim": (least, 1.1)},
        )

    def _angles(self, rows, columns):
        """Angles of each pair of each patch, [patches, head_dim/2]."""
        if self.encoding == "raster":
            inv_freq = rotary_frequencies(self.head_dim, self.base)
            return rotary_angles(rows * self.grid + columns, inv_freq)
        if self.encoding == "axial":
            return axial_angles(rows, columns, self.head_dim, base=self.base)
        if self.encoding == "mixed, equal":
            both = rotary_frequencies(self.head_dim, self.base)
            return mixed_angles(rows, columns, np.stack([both, both]))
        speeds = np.tile(rotary_frequencies(self.head_dim // 2, self.base), 2)  # as axial has them
        towards = np.random.default_rng(1).uniform(0, 2 * np.pi, len(speeds))
        return mixed_angles(rows, columns, speeds * np.stack([np.cos(towards), np.sin(towards)]))

    def draw(self, figure: Figure) -> list:
        """The map at left, its query outlined; at right the same scores against steps."""
        chart, steps = figure.subplots(1, 2)
        scores = Map(chart, "scores", most=(LARGEST, LARGEST), aspect="equal")
        figure.colorbar(scores.image, ax=chart, ticks=(-1, 0, 1), shrink=0.8)
        query = on_colours(chart, "outline", stroke=2.5, solid_joinstyle="miter")
        chart.set(xlabel="column (patches)", ylabel="row (patches)")
        lines = [
            Curve(steps, f"C{i}{style}", f"along[{i}]", label)
            for i, (label, (_, style)) in enumerate(DIRECTIONS.items())
        ]
        steps.set(xlabel="steps from the query", ylabel="score", ylim=(-1.1, 1.1))
        steps.set(yticks=(-1, 0, 1), xlim=(-LARGEST, LARGEST))
        whole(chart.xaxis, chart.yaxis, steps.xaxis, most=4, steps=None)
        legend_above(figure, lines, columnspacing=1.0)
        return [scores, *query, Limits(steps, "limits"), *lines]

    def caption(self, arrays: Arrays) -> str:
        """The scores of two neighbours, and how many patches pass for the query itself."""
        scores, row, column = arrays.scores, arrays.row, arrays.column
        last = len(scores) - 1
        beside = scores[row, column + 1 if column < last else column - 1]
        below = scores[row + 1 if row < last else row - 1, column]
        twins = (scores > 1 - 1e-5).sum() - 1  # float32 rounds at 1e-7
        return (
            f"{arrays.encoding.capitalize()}: the patch beside the query at ({row}, {column}) "
            f"scores {signed(beside, '.2f')}, the one {'below' if row < last else 'above'} "
            f"{signed(below, '.2f')}, and {twins} others score exactly 1."
        )


def _along(scores, here, step):
    """Steps along a direction, both ways, as far as the image goes, and the scores there."""
    count = np.arange(1 - len(scores), len(scores))
    rows, columns = (at + by * count for at, by in zip(here, step, strict=True))
    inside = (np.minimum(rows, columns) >= 0) & (np.maximum(rows, columns) < len(scores))
    return count[inside], scores[rows[inside], columns[inside]]
