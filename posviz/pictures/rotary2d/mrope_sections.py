"""Which pairs follow the time, which the row, which the column: M-RoPE."""

from types import SimpleNamespace

import numpy as np
from matplotlib.ticker import NullLocator

from posviz.encodings.frequencies import rotary_frequencies, wavelengths
from posviz.encodings.rotary2d import mrope_angles
from posviz.engine.knobs import choice, integer, log
from posviz.engine.picture import Picture
from posviz.pictures.parts import Curve, legend_above
from posviz.wording import tokens

PAIRS = 64  # head_dim 128, as the models have it
# (time, row, column), and whether they take turns.
ARRANGEMENTS = {
    "16, 24, 24 contiguous (Qwen2-VL)": ((16, 24, 24), False),
    "24, 20, 20 interleaved (Qwen3-VL)": ((24, 20, 20), True),
    "24, 20, 20 contiguous": ((24, 20, 20), False),
}
AXES = {"time": "o", "row": "s", "column": "^"}
FLOOR = 1e-8  # radians; below it the axis is linear down to 0


class MropeSections(Picture):
    """M-RoPE: each pair of a head follows the time, the row or the column."""

    size = (8.0, 4.1)
    paper_size = (3.3, 2.9)
    moves = ("column", "row")

    column = integer(1, low=0, high=100, play=True)
    row = integer(10, low=0, high=100, play=True)
    time = integer(100, low=0, high=1000)
    sections = choice(next(iter(ARRANGEMENTS)), options=tuple(ARRANGEMENTS))
    base = log(1_000_000, low=10_000, high=10_000_000)

    def compute(self):
        """Return each pair's axis, found by asking which one turns it, wavelength and angle."""
        sections, interleaved = ARRANGEMENTS[self.sections]
        inv_freq = rotary_frequencies(2 * PAIRS, self.base)
        present = np.array([self.time, self.row, self.column])
        # As if for four tokens: one step along each axis alone, and where we are.
        tokens = np.concatenate([np.eye(3), present[:, None]], axis=1)
        turned = mrope_angles(tokens, inv_freq, sections, interleaved=interleaved)
        return SimpleNamespace(
            axis=turned[:3].argmax(axis=0),
            wavelengths=wavelengths(inv_freq),
            angles=turned[3],
            present=present,
            sections=self.sections,
        )

    def draw(self, figure):
        """Wavelengths above, angles below, on the same axis of pairs; one marker for each axis."""
        waves, angles = figure.subplots(2, 1, sharex=True)
        marks = _marks(waves, lambda a: a.wavelengths)
        below = _marks(angles, lambda a: a.angles)
        waves.set(yscale="log", ylim=(2, 2e8), yticks=(1e1, 1e3, 1e5, 1e7))
        waves.set_ylabel("wavelength\n(tokens)")
        angles.axhline(2 * np.pi, color="C6", linestyle="--", zorder=0)
        angles.set_yscale("symlog", linthresh=FLOOR, linscale=0.5)
        angles.set(ylim=(-FLOOR, 3e4), yticks=(0, 1e-6, 1e-3, 1, 1e3))
        angles.set(xlabel="pair", ylabel="angle\n(radians)", xlim=(-1, PAIRS))
        for axes in (waves, angles):
            axes.yaxis.set_minor_locator(NullLocator())
        angles.text(PAIRS - 1, 1.4e1, "one turn", ha="right", va="bottom", size="small", zorder=0)
        legend_above(figure, marks)
        return [*marks, *below]

    def caption(self, arrays):
        """The wavelengths that each axis has, and how far its fastest pair has turned."""
        words = []
        for i, (name, position) in enumerate(zip(AXES, arrays.present, strict=True)):
            pairs = arrays.axis == i
            waves, fastest = arrays.wavelengths[pairs], arrays.angles[pairs].max()
            words.append(
                f"{name} {position} turns pairs of wavelength {tokens(waves[0])} to "
                f"{tokens(waves[-1])} tokens by at most {fastest:.4g}"
            )
        return f"{arrays.sections}: {'; '.join(words)} radians."


def _marks(axes, values):
    """One kind of mark for each axis, over the pairs that follow it."""
    return [
        Curve(axes, f"C{i}{mark}", lambda a, i=i: _of_axis(i, a.axis, values(a)), name, marks=0.6)
        for i, (name, mark) in enumerate(AXES.items())
    ]


def _of_axis(number, axis, values):
    pairs = np.flatnonzero(axis == number)
    return pairs, values[pairs]
