"""From a binary counter to clock hands: the same positions, digit by digit."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from posviz.pictures.knobs import Integer
from posviz.pictures.parts import Curve, Text, broken, on_colours, row_outline
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

BITS = np.array([3, 2, 1, 0])  # the highest bit at the left, as numbers are written
DIGITS = np.arange(2**BITS.size)[:, None] >> BITS & 1
DIALS = np.array([(0, 0), (2.4, 0), (4.8, 0), (7.2, 0)])  # centres; the radius is 1


class CounterToClock(Picture):
    """Clock hands count positions as bits do, but smoothly."""

    size = (8.0, 3.8)
    paper_size = (3.3, 2.5)

    position = Integer(11, low=0, high=2 * len(DIGITS) - 1, play=True)

    def compute(self) -> Arrays:
        """Return the outline of the row that is reached, and hands [4, 2] with their tips."""
        angles, row = _angles(self.position), self.position % len(DIGITS)
        hands = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        tips = DIALS + 0.9 * hands
        return self.arrays(
            row=row,
            outline=row_outline(DIGITS, row),
            hands=hands,
            strokes=broken(np.stack([DIALS, tips], axis=1)),
            tips=tips.T,
        )

    def draw(self, figure: Figure) -> list:
        """Two tables at rest under a moving outline, and a dial for each bit."""
        binary, smooth, dials = figure.subplots(1, 3, width_ratios=(1, 1, 3))
        waves = _smooth(np.sin(_angles(np.arange(len(DIGITS))[:, None])))
        for axes, title, values in ((binary, "binary", DIGITS), (smooth, "smooth", waves)):
            axes.imshow(values, cmap=PLAIN, vmin=0, vmax=1)
            axes.set(title=title, xlabel="bit", yticks=range(0, len(DIGITS), 3))
            axes.set_xticks(range(BITS.size), BITS)
        for (y, x), digit in np.ndenumerate(DIGITS):
            color = "black" if digit else "white"  # on the colour map, so the same in both themes
            binary.text(x, y, str(digit), ha="center", va="center", color=color, size="small")
        binary.set_ylabel("position (tokens)")
        smooth.tick_params(labelleft=False)
        dials.set(xlim=(-1.1, 8.3), ylim=(-4.3, 1.1), aspect="equal", title="clock hands")
        dials.set_axis_off()
        for bit, (x, y) in zip(BITS, DIALS, strict=True):
            dials.add_patch(Wedge((x, y), 1, 180, 360, facecolor="C6", alpha=0.3))
            dials.add_patch(Wedge((x, y), 1, 0, 360, facecolor="none", edgecolor="C6"))
            dials.text(x, y - 1.2, f"bit {bit}", ha="center", va="top")
        dials.text(3.6, -4.2, "the shaded half means digit 1", ha="center", va="bottom")
        outlines = [
            outline
            for axes in (binary, smooth)
            for outline in on_colours(axes, "outline", stroke=2.5, zorder=5)
        ]
        # Above the texts, which so stay in the background.
        hands = Curve(dials, "C0-", "strokes", zorder=4)
        large = {"ha": "center", "va": "top", "size": 2 * rcParams["font.size"], "weight": "bold"}
        digits = [
            Text(dials, x, -2, lambda arrays, bit=bit: f"{arrays.row >> bit & 1}", **large)
            for bit, (x, _) in zip(BITS, DIALS, strict=True)
        ]
        return [*outlines, hands, Curve(dials, "C1o", "tips", zorder=4), *digits]

    def caption(self, arrays: Arrays) -> str:
        smooth = ", ".join(f"{digit:.2f}" for digit in _smooth(arrays.hands[:, 1]))
        bits = " ".join(f"{arrays.row:04b}")
        return (
            f"Bits 3 to 0 of position {arrays.position} are {bits}, and the smooth "
            f"digits {smooth} round to them."
        )


def _angles(position):
    """A hand's angle in the middle of the token, so that smooth digits round to the binary ones."""
    return 2 * np.pi * (position + 0.5) / 2 ** (BITS + 1)


def _smooth(sine):
    return (1 - sine) / 2
