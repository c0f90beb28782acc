"""A black box: what it makes of one unit vector, at one position and at those around it."""

import numpy as np
from matplotlib.figure import Figure

from posviz.pictures.knobs import Integer
from posviz.pictures.layouts import beside
from posviz.pictures.parts import Curve, Limits, Other, Ring, broken, legend_above, whole, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed
from posviz_course.lessons.rotary_code._boxes import COUNT, box, reference

HEAD_DIM = 8
DIMENSIONS = np.arange(HEAD_DIM)
PAGE = 50  # positions that the axis shows at a time
LARGEST = 599
NOTHING = 1e-9  # an output as small as this is 0


class MysteryBox(Picture):
    """Does this black box rotate a unit vector as RoPE does?"""

    size = (8.6, 3.6)
    paper_size = (3.3, 3.4)

    box = Integer(1, low=1, high=COUNT, label="black box")
    position = Integer(30, low=0, high=LARGEST, play=True)
    vector = Integer(2, low=0, high=HEAD_DIM - 1, label="unit vector")

    def compute(self) -> Arrays:
        """Return the outputs of the box, [positions, head_dim], and those of RoPE, as x and y."""
        first = self.position // PAGE * PAGE
        page = np.arange(first, first + PAGE)
        x = np.tile(np.eye(HEAD_DIM)[self.vector], (PAGE, 1))
        right, outputs = reference(x, page), box(self.box)(x, page)
        now, others = outputs[self.position - first], DIMENSIONS[self.vector != DIMENSIONS]
        others = others[np.abs(outputs[:, others]).max(axis=0) > NOTHING]
        paths = [_paths(page, outputs[:, kept]) for kept in ([self.vector], others)]
        moved = DIMENSIONS[np.abs(right).max(axis=0) > NOTHING]
        moved = moved[moved != self.vector]
        stems = [_stems(kept, now[kept]) for kept in ([self.vector], others)]
        return self.arrays(
            now=now,
            lit={"x": self.vector - 0.4},
            stems=stems,
            paths=paths,
            ends=[(np.full(len(k), self.position), now[k]) for k in ([self.vector], others)],
            rings=(DIMENSIONS, right[self.position - first]),
            right=[_paths(page, right[:, kept]) for kept in ([self.vector], moved)],
            shown={"xlim": (first - 1.5, first + PAGE - 0.25)},
        )

    def draw(self, figure: Figure) -> list:
        """The outputs at one position, and beside them those of a page of positions."""
        here, around = beside(figure, (1, 1.6))
        zero(here, around)
        pale: dict = {"facecolor": "C4", "alpha": 0.3, "linewidth": 0, "animated": True}
        lit = here.axvspan(0, 0.8, label="input", **pale)
        for axes in (here, around):
            axes.set(ylabel="output", ylim=(-1.4, 1.4), yticks=(-1, 0, 1))
        here.set(title="bars: the box, rings: RoPE", xlabel="dimension")
        here.set_xlim(-0.6, HEAD_DIM - 0.4)
        around.set(title="dotted: RoPE", xlabel="position (tokens)")
        around.set_xlim(LARGEST - PAGE - 0.5, LARGEST + 0.75)
        whole(here.xaxis, most=8, steps=None)
        whole(around.xaxis)
        flat = {"solid_capstyle": "butt"}
        right = [Curve(around, f"C{i}:", f"right[{i}]", stroke=1.4) for i in (0, 1)]
        stems = [Curve(here, f"C{i}-", f"stems[{i}]", stroke=5, **flat) for i in (0, 1)]
        rings = Ring(here, "C6o", "rings", edge=0.25, marks=1.8)
        own = Curve(around, "C0-", "paths[0]", "same dimension")
        other = Curve(around, "C1--", "paths[1]", "other dimensions")
        ends = [Curve(around, f"C{i}o", f"ends[{i}]", marks=1.3) for i in (0, 1)]
        legend_above(figure, [lit, own, other], narrow=2, columnspacing=1.2)
        fits = Limits(around, "shown")
        return [Other(lit, "lit"), *stems, rings, *right, own, other, *ends, fits]

    def caption(self, arrays: Arrays) -> str:
        columns = np.flatnonzero(np.abs(arrays.now) > NOTHING)
        parts = [f"{signed(arrays.now[i], '.3f')} in dimension {i}" for i in columns]
        return (
            f"Unit vector {arrays.vector} becomes {' and '.join(parts)}, at position "
            f"{arrays.position} of box {arrays.box}."
        )


def _paths(page, outputs):
    """Each column of the outputs over its positions, as one line with gaps."""
    return broken(np.array(np.broadcast_arrays(page[:, None], outputs)).T)


def _stems(dimensions, values):
    """A stem from 0 to each value, as one line with gaps."""
    return broken(np.array([[dimensions, dimensions], [0 * values, values]]).T)
