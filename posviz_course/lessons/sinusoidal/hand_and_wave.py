"""A wave is the height of a rotating hand: two columns of a table, and the hand they belong to."""

import numpy as np
from matplotlib.figure import Figure

from posviz.pictures.knobs import Integer
from posviz.pictures.parts import Curve, circle, legend_above, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

FURTHEST = 40  # tokens
ALONG = np.linspace(0, FURTHEST, 401)
FREQUENCY = 0.5  # of the hand, in radians per token


class HandAndWave(Picture):
    """A rotating hand: its height is a sine, and its reach to the right is a cosine."""

    size = (8.0, 3.7)
    paper_size = (3.3, 2.1)

    position = Integer(10, low=0, high=FURTHEST, play=True)

    def compute(self) -> Arrays:
        """Return the hand and the threads to its two coordinates, also as points of both waves."""
        angle = self.position * FREQUENCY
        x, y = np.cos(angle), np.sin(angle)
        beside = self.position - 0.35, self.position + 0.35
        swept = np.linspace(0, angle % (2 * np.pi), 60)
        return self.arrays(
            angle=angle,
            hand=([0, x], [0, y]),
            tip=([x], [y]),
            arc=(0.4 * np.cos(swept), 0.4 * np.sin(swept)),  # of the last rotation alone
            height=([x, x], [0, y]),
            reach=([0, x], [0, 0]),
            bars=[([at, at], [0, value]) for at, value in zip(beside, (y, x), strict=True)],
            dots=[([self.position], [value]) for value in (y, x)],
        )

    def draw(self, figure: Figure) -> list:
        """The hand at left, with its height and its reach; both as waves at right."""
        dial, waves = figure.subplots(1, 2, width_ratios=(2, 3))
        circle(dial)
        dial.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
        dial.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1), title="the hand")
        waves.set(xlabel="position (tokens)", xlim=(-1, FURTHEST + 1), ylim=(-1.2, 1.2))
        waves.set(yticks=(-1, 0, 1), title="two columns of the table")
        zero(dial, waves)
        sine, cosine = np.sin(FREQUENCY * ALONG), np.cos(FREQUENCY * ALONG)
        named = [
            *waves.plot(ALONG, sine, "C0-", label="height of the hand: sine"),
            *waves.plot(ALONG, cosine, "C1--", label="reach to the right: cosine"),
        ]
        legend_above(figure, named, columnspacing=1.2)
        thick = {"stroke": 2.2, "zorder": 3}
        return [
            Curve(dial, "C6:", "arc"),
            Curve(dial, "C6-", "hand", stroke=1.6),
            Curve(dial, "C0-", "height", **thick),
            Curve(dial, "C1-", "reach", **thick),
            Curve(dial, "C6o", "tip", zorder=4),
            Curve(waves, "C0-", "bars[0]", **thick),
            Curve(waves, "C1-", "bars[1]", **thick),
            *(Curve(waves, f"C{i}o", f"dots[{i}]", marks=1.4, zorder=5) for i in (0, 1)),
        ]

    def caption(self, arrays: Arrays) -> str:
        (x,), (y,) = arrays.tip
        return (
            f"At position {arrays.position} the hand has rotated by {arrays.angle:.2f} radians: "
            f"its height is {signed(y, '.2f')}, and its reach is {signed(x, '.2f')}."
        )
