"""Three ways to write a position: the integer, the integer over the length, sine and cosine."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import Integer
from posviz.pictures.parts import Curve, PointName, Ring
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

SHORT = 16  # tokens in the shorter sentence
WAYS = {  # of writing a position, and the ticks of its panel
    "integer: grows": (0, 20, 40, 60, 80),
    "share: differs": (0, 0.5, 1),
    "sin, cos: stay": (-1, 0, 1),
}


class WhyNotIntegers(Picture):
    """Integers grow, shares of the length differ between sentences, and waves stay."""

    size = (8.0, 3.4)
    paper_size = (3.3, 1.9)

    length = Integer(48, low=SHORT, high=64, play=True, label="longer sentence")
    position = Integer(8, low=0, high=SHORT - 1)

    def compute(self) -> Arrays:
        """Return both sentences' codes as lines: integer, share, sine, cosine; and the rings."""
        lines = [
            (np.arange(length), code)
            for length in (self.length, SHORT)
            for code in _codes(np.arange(length))
        ]
        rings = [([self.position], [codes[self.position]]) for _, codes in lines]
        return self.arrays(lines=lines, rings=rings)

    def draw(self, figure: Figure) -> list:
        """A panel for each way, with a ring on each code of the marked position."""
        panels, lines, rings = figure.subplots(1, 3), [], []
        for axes, (way, ticks) in zip(panels, WAYS.items(), strict=True):
            room = 0.1 * (ticks[-1] - ticks[0])
            axes.set(title=way, xlim=(-3, 66), ylim=(ticks[0] - room, ticks[-1] + room))
            axes.set(xticks=(0, 30, 60), yticks=ticks)
        for number in range(8):
            sentence, code = divmod(number, 4)  # the shorter lies over the longer, and is wider
            axes, fmt = panels[min(code, 2)], f"C{sentence}{':' if code == 3 else '-'}"
            lines.append(Curve(axes, fmt, f"lines[{number}]", stroke=1 + sentence))
            ring = {"edge": 1 / 4, "marks": 1 + sentence}
            rings.append(Ring(axes, f"C{sentence}o", f"rings[{number}]", **ring))
        panels[2].text(2, -0.15, "sin", va="top")
        panels[2].text(18, -0.7, "cos", ha="right")
        panels[0].set(ylabel="what is written", ylim=(-6, 78))  # with room for a name
        panels[1].set_xlabel("position (tokens)")
        names = [PointName(panels[0], f"C{i}", _name(i)) for i in (0, 1)]
        return [*lines, *rings, *names]

    def caption(self, arrays: Arrays) -> str:
        _, share, sine, cosine, _, other, *_ = (code for _, [code] in arrays.rings)
        return (
            f"Position {arrays.position} over the length is {share:.2f} and {other:.2f}; its sine "
            f"and cosine, {signed(sine, '.2f')} and {signed(cosine, '.2f')}, are the same in both "
            "sentences."
        )


def _name(sentence):
    """The length of a sentence, at the end of its line: of the longer one above it."""

    def show(arrays):
        x, y = arrays.lines[4 * sentence]
        return x, y, f"{len(x)} tokens", sentence == 0

    return show


def _codes(positions):
    """Positions as integers, as shares of the length, as sine and cosine of 62.8 tokens' period."""
    return [positions, positions / len(positions), *sinusoidal(positions, 8)[:, 2:4].T]
