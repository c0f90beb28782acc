"""Which pairs follow the time, which the row, which the column: M-RoPE."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.rotary2d import mrope_angles
from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Curve, Other, Ring, Rule, broken, legend_above, wide
from posviz.pictures.picture import Arrays, Picture

PAIRS, ACROSS = 64, 8  # head_dim 128, as the models have it, and dials in a line
DIALS = np.stack([np.arange(PAIRS) % ACROSS, np.arange(PAIRS) // ACROSS], axis=-1)
# (time, row, column), and whether they alternate.
ARRANGEMENTS = {
    "16, 24, 24 contiguous (Qwen2-VL)": ((16, 24, 24), False),
    "24, 20, 20 interleaved (Qwen3-VL)": ((24, 20, 20), True),
}
AXES = {"time": "o", "row": "s", "column": "^"}


class MropeSections(Picture):
    """M-RoPE: each pair of a head follows the time, the row or the column."""

    size = (8.0, 4.2)

    column = Integer(20, low=0, high=100, play=True)
    row = Integer(10, low=0, high=100, play=True)
    time = Integer(100, low=0, high=1000)
    sections = Choice(next(iter(ARRANGEMENTS)), options=tuple(ARRANGEMENTS))

    def compute(self) -> Arrays:
        """Return each pair's axis, found by asking which one rotates it, and its angle, [pairs]."""
        sections, interleaved = ARRANGEMENTS[self.sections]
        inv_freq = rotary_frequencies(2 * PAIRS, 1_000_000)
        # As if for four tokens: one step along each axis alone, and where we are.
        tokens = np.hstack([np.eye(3), [[self.time], [self.row], [self.column]]])
        *steps, angles = mrope_angles(tokens, inv_freq, sections, interleaved=interleaved)
        axis = np.argmax(steps, axis=0)
        # A hand points right at angle 0 and rotates counter-clockwise; y grows downwards here.
        tips = DIALS + 0.35 * np.stack([np.cos(angles), -np.sin(angles)], axis=-1)
        return self.arrays(
            axis=axis,
            angles=angles,
            rims=[DIALS[axis == i].T for i in range(3)],
            hands=broken(np.stack([DIALS, tips], axis=1)),
            place=([self.column], [self.row]),
            title={"text": f"time {self.time}"},
        )

    def draw(self, figure: Figure) -> list:
        """The token in its image at left; at right a dial for each pair, marked by its axis."""
        image, dials = figure.subplots(1, 2, width_ratios=(1, 1.6))
        image.set(xlim=(-0.5, 100.5), ylim=(100.5, -0.5), aspect="equal")
        image.set(xticks=(0, 50, 100), yticks=(0, 50, 100))
        image.set_xlabel("column", color="C2")
        image.set_ylabel("row", color="C1")
        time = image.set_title("", color="C0", animated=True)
        dials.set(xlim=(-0.7, ACROSS - 0.3), ylim=(PAIRS // ACROSS - 0.3, -0.7), aspect="equal")
        dials.set(xticks=(), ylabel="pair", title="fast above, slow below")
        dials.set_yticks(range(PAIRS // ACROSS), labels=range(0, PAIRS, ACROSS))
        dials.tick_params(left=False)
        dials.spines[:].set_visible(False)
        props = {"edge": 0.3, "marks": 3.2 if wide(figure) else 2}
        rims = [
            Ring(dials, f"C{i}{mark}", f"rims[{i}]", name, **props)
            for i, (name, mark) in enumerate(AXES.items())
        ]
        legend_above(figure, rims)
        ink = {"color": rcParams["text.color"]}
        return [
            Other(time, "title"),
            Rule(image, {"color": "C1"}, "row", upright=False),
            Rule(image, {"color": "C2"}, "column"),
            Curve(image, "s", "place", marks=2, **ink),
            *rims,
            Curve(dials, "-", "hands", stroke=1.4, **ink),
        ]

    def caption(self, arrays: Arrays) -> str:
        time, row, column = (arrays.angles[arrays.axis == i].max() for i in range(3))
        return (
            f"Column {arrays.column} rotates its fastest pair by {column:.2g} radians, row "
            f"{arrays.row} its own by {row:.2g}, and time {arrays.time} its own by {time:.4g}."
        )
