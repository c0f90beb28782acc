"""Three ways to write a position: the integer, the integer over the length, sine and cosine."""

from types import SimpleNamespace

import numpy as np

from posviz.encodings.sinusoidal import sinusoidal
from posviz.engine.knobs import integer
from posviz.engine.picture import Picture

SHORT = 16  # tokens in the shorter sentence
LONGEST = 64
D_MODEL, COLUMNS = 8, slice(2, 4)  # the pair that turns once in 62.8 tokens


class WhyNotIntegers(Picture):
    """Why not the integer, and why not the integer over the length."""

    size = (8.0, 3.4)
    paper_size = (3.3, 1.9)

    length = integer(48, low=SHORT, high=LONGEST, play=True, label="longer sentence")
    position = integer(8, low=0, high=SHORT - 1)

    def compute(self):
        """Return both sentences' codes, each [len, 1 or 2], for the three ways of writing."""
        return SimpleNamespace(
            position=self.position, codes=[_codes(self.length), _codes(SHORT)], length=self.length
        )

    def draw(self, figure):
        """A panel for each way; the marked position is a vertical line with a dot on each code."""
        panels = figure.subplots(1, 3)
        heads = ("pos", "pos / length", "sin and cos")
        ticks = ((0, 20, 40, 60), (0, 0.5, 1), (-1, 0, 1))
        lines = []
        for axes, head, marks in zip(panels, heads, ticks, strict=True):
            room = 0.1 * (marks[-1] - marks[0])
            axes.set(title=head, xlim=(-3, LONGEST + 2))
            axes.set(xticks=(0, 30, 60), yticks=marks, ylim=(marks[0] - room, marks[-1] + room))
            columns = 2 if axes is panels[2] else 1
            lines.append([_lines(axes, f"C{i}", "-:"[:columns]) for i in range(2)])
        panels[0].set_ylabel("code")
        panels[1].set_xlabel("position (tokens)")
        dots = [[_dot(axes, f"C{i}") for i in range(2)] for axes in panels]
        handles = [lines[0][i][0] for i in range(2)]
        figure.legend(
            handles,
            ["the longer sentence", f"a sentence of {SHORT} tokens"],
            loc="outside upper center",
            ncols=2,
        )
        return SimpleNamespace(lines=lines, dots=dots)

    def update(self, artists, arrays):
        """Lines for both sentences, and their codes at the marked position."""
        for way in range(3):
            for sentence, codes in enumerate(arrays.codes):
                code = codes[way]
                for line, column in zip(artists.lines[way][sentence], code.T, strict=True):
                    line.set_data(np.arange(len(code)), column)
                here = code[arrays.position]
                artists.dots[way][sentence].set_data([arrays.position] * len(here), here)

    def caption(self, arrays):
        """The marked position's three codes in both sentences."""
        (_, long, wave), (_, short, same) = [
            [code[arrays.position] for code in codes] for codes in arrays.codes
        ]
        change = "the same" if np.array_equal(wave, same) else "different"
        return (
            f"Token {arrays.position} of {arrays.length} and of {SHORT}: the integer is "
            f"{arrays.position} in both but grows to {arrays.length - 1}; over the length it is "
            f"{long[0]:.4f} and {short[0]:.4f}; sine and cosine are {wave[0]:.4f}, {wave[1]:.4f}, "
            f"{change} in both and never beyond 1."
        )


def _codes(length):
    positions = np.arange(length)
    wave = sinusoidal(positions, D_MODEL)[:, COLUMNS]
    return [positions[:, None], positions[:, None] / length, wave]


def _lines(axes, color, styles):
    width = 1 if color == "C0" else 2  # the shorter sentence lies over the longer
    lines = [axes.plot([], [], style, color=color, animated=True)[0] for style in styles]
    for line in lines:
        line.set_linewidth(width * line.get_linewidth())
    return lines


def _dot(axes, color):
    dot = axes.plot([], [], "o", color=color, markerfacecolor="none", animated=True)[0]
    size = dot.get_markersize()
    dot.set(markersize=size if color == "C0" else 1.7 * size, markeredgewidth=size / 4)
    return dot
