"""From a binary counter to clock hands: the same positions, digit by digit."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from posviz.pictures.knobs import integer
from posviz.pictures.parts import Curve, Other, broken
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

BITS = np.array([3, 2, 1, 0])  # the highest bit at the left, as numbers are written
ROWS = 2**BITS.size
PERIODS = 2 ** (BITS + 1)  # bit i repeats after 2^(i+1) positions
DIALS = np.array([(0, 0), (2.8, 0), (0, -3.1), (2.8, -3.1)])  # centres; the radius is 1


class CounterToClock(Picture):
    """Binary counter, smooth counter, clock hands."""

    size = (8.0, 4.2)
    paper_size = (3.3, 2.5)

    position = integer(11, low=0, high=2 * ROWS - 1, play=True)

    def compute(self) -> Arrays:
        """Return the row that is reached, where the hands point and their tips lie, both [4, 2]."""
        angles = _angles(self.position)
        hands = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
        tips = DIALS + 0.9 * hands
        return self.arrays(row=self.position % ROWS, hands=hands, tips=tips)

    def draw(self, figure: Figure) -> list:
        """Two tables at rest under a moving marker, and a dial for each bit."""
        binary, smooth, dials = figure.subplots(1, 3, width_ratios=(1, 1, 1.6))
        counted = np.arange(ROWS)[:, None]
        digits = counted >> BITS & 1
        _table(binary, digits, "binary")
        for (y, x), digit in np.ndenumerate(digits):
            color = "black" if digit else "white"  # on the colour map, so the same in both themes
            binary.text(x, y, str(digit), ha="center", va="center", color=color, size="small")
        _table(smooth, _smooth(np.sin(_angles(counted))), "smooth")
        binary.set_ylabel("position (tokens)")
        smooth.tick_params(labelleft=False)
        dials.set(xlim=(-1.2, 4.0), ylim=(-5.6, 1.1), aspect="equal", title="clock hands")
        dials.set_axis_off()
        for bit, (x, y) in zip(BITS, DIALS, strict=True):
            dials.add_patch(Wedge((x, y), 1, 90, 270, facecolor="C6", alpha=0.3))
            dials.add_patch(Wedge((x, y), 1, 0, 360, facecolor="none", edgecolor="C6"))
            dials.text(x, y - 1.2, f"bit {bit}", ha="center", va="top")
        dials.text(1.4, -5.5, "shaded half: digit 1", ha="center", va="bottom")
        # Above the texts, which so stay in the background.
        hands = [
            Curve(dials, "C0-", lambda a: broken(np.stack([DIALS, a.tips], axis=1)), zorder=4),
            Curve(dials, "C1o", lambda a: a.tips.T, zorder=4),
        ]
        return [*_markers(binary), *_markers(smooth), *hands]

    def caption(self, arrays: Arrays) -> str:
        """The digits and the smooth digits of the position."""
        digits = f"{arrays.row:0{BITS.size}b}"
        smooth = ", ".join(f"{digit:.2f}" for digit in _smooth(arrays.hands[:, 0]))
        again = f", the same as position {arrays.row}" if arrays.row < arrays.position else ""
        return (
            f"Position {arrays.position} reads {digits}{again}; the smooth digits {smooth} "
            "round to it."
        )


def _angles(position):
    """A hand's angle in the middle of the token, so that smooth digits round to the binary ones."""
    return 2 * np.pi * (position + 0.5) / PERIODS


def _smooth(sine):
    return (1 - sine) / 2


def _table(axes, values, title):
    axes.imshow(values, cmap=PLAIN, vmin=0, vmax=1)
    axes.set(title=title, xlabel="bit", yticks=range(0, ROWS, 3))
    axes.set_xticks(range(BITS.size), BITS)


def _markers(axes):
    """An outline, black on white: it lies on the colour map, so it is the same in both themes."""
    width = rcParams["lines.linewidth"]
    look = {"facecolor": "none", "zorder": 5, "animated": True}
    spans = [
        axes.axhspan(-0.5, 0.5, edgecolor=color, linewidth=thick * width, **look)
        for color, thick in (("white", 2.5), ("black", 1))
    ]
    return [Other(span, lambda a: {"y": a.row - 0.5}) for span in spans]
