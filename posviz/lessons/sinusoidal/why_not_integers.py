"""Three ways to write a position: the integer, the integer over the length, sine and cosine."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import integer
from posviz.pictures.parts import Curve, Ring, legend_above
from posviz.pictures.picture import Arrays, Picture

SHORT = 16  # tokens in the shorter sentence
LONGEST = 64
D_MODEL, PAIR = 8, slice(2, 4)  # the pair that turns once in 62.8 tokens
SENTENCES = ("the longer sentence", f"a sentence of {SHORT} tokens")
WAYS = {  # of writing a position: columns of the codes, ticks
    "pos": ([0], (0, 20, 40, 60)),
    "pos / length": ([1], (0, 0.5, 1)),
    "sin and cos": ([2, 3], (-1, 0, 1)),
}


class WhyNotIntegers(Picture):
    """Why not the integer, and why not the integer over the length."""

    size = (8.0, 3.4)
    paper_size = (3.3, 1.9)

    length = integer(48, low=SHORT, high=LONGEST, play=True, label="longer sentence")
    position = integer(8, low=0, high=SHORT - 1)

    def compute(self) -> Arrays:
        """Return both sentences' codes, each [len, 4]: integer, share, sine and cosine."""
        return self.arrays(codes=[_codes(self.length), _codes(SHORT)])

    def draw(self, figure: Figure) -> list:
        """A panel for each way, with a ring on each code of the marked position."""
        panels = figure.subplots(1, len(WAYS))
        parts = []
        for axes, (way, (columns, ticks)) in zip(panels, WAYS.items(), strict=True):
            room = 0.1 * (ticks[-1] - ticks[0])
            axes.set(title=way, xlim=(-3, LONGEST + 2), ylim=(ticks[0] - room, ticks[-1] + room))
            axes.set(xticks=(0, 30, 60), yticks=ticks)
            parts += [_line(axes, i, column) for i in range(2) for column in columns]
            parts += [_rings(axes, i, columns) for i in range(2)]
        panels[0].set_ylabel("code")
        panels[1].set_xlabel("position (tokens)")
        legend_above(figure, parts[:2])
        return parts

    def caption(self, arrays: Arrays) -> str:
        """The marked position's three codes in both sentences."""
        (_, long, *wave), (_, short, *same) = (code[arrays.position] for code in arrays.codes)
        change = "the same" if wave == same else "different"
        return (
            f"Token {arrays.position} of {arrays.length} and of {SHORT}: the integer is "
            f"{arrays.position} in both but grows to {arrays.length - 1}; over the length it is "
            f"{long:.4f} and {short:.4f}; sine and cosine are {wave[0]:.4f}, {wave[1]:.4f}, "
            f"{change} in both and never beyond 1."
        )


def _codes(length):
    positions = np.arange(length)
    wave = sinusoidal(positions, D_MODEL)[:, PAIR]
    return np.column_stack([positions, positions / length, wave])


def _line(axes, sentence, column):
    """A column of a sentence's codes; the shorter sentence lies over the longer, and is wider."""
    return Curve(
        axes,
        f"C{sentence}{':' if column == 3 else '-'}",
        lambda a: (np.arange(len(a.codes[sentence])), a.codes[sentence][:, column]),
        SENTENCES[sentence],
        stroke=1 + sentence,
    )


def _rings(axes, sentence, columns):
    return Ring(
        axes,
        f"C{sentence}o",
        lambda a: ([a.position] * len(columns), a.codes[sentence][a.position, columns]),
        edge=1 / 4,
        marks=(1, 1.7)[sentence],
    )
