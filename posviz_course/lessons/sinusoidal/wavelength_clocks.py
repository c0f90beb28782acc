"""The pairs as clocks: each hand rotates at its own true frequency."""

from itertools import chain, repeat

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies, wavelengths
from posviz.pictures.knobs import Even, Integer, Log
from posviz.pictures.parts import SEVERAL_PAIRS, Background, Curve, Other, Text, broken, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import number

CLOCKS, ACROSS = 8, 4  # clocks, and how many a row has
PITCH = np.array([2.6, -3.5])  # between centres; a dial has radius 1


class WavelengthClocks(Picture):
    """Each pair is a clock, and later clocks are slower."""

    size = (8.0, 4.5)
    paper_size = (3.3, 2.6)

    position = Integer(700, low=0, high=1000, play=True)
    d_model = Even(16, low=2, high=512)
    base = Log(10_000, low=10, high=1_000_000, when={"d_model": SEVERAL_PAIRS})

    def compute(self) -> Arrays:
        """Return up to eight pairs spread over all as clocks: dials, hands, and what they swept."""
        inv_freq = rotary_frequencies(self.d_model, self.base)
        pairs = np.unique(np.linspace(0, len(inv_freq) - 1, CLOCKS).round().astype(int))
        angles, periods = rotary_angles(self.position, inv_freq), wavelengths(inv_freq)
        clock = np.arange(len(pairs))
        column = clock % ACROSS + max(ACROSS - len(pairs), 0) / 2  # a few are centred
        centres = np.stack([column, clock // ACROSS], axis=-1) * PITCH
        tips = centres + 0.9 * _arc(angles[pairs])
        turn = np.linspace(0, 1, 40) * (angles[pairs] % (2 * np.pi))[:, None]
        swept = np.concatenate([np.zeros((len(pairs), 1, 2)), 0.9 * _arc(turn)], axis=1)
        counts = [
            {
                "text": f"\n\n{self.position / periods[pair]:.2f}",
                "position": (x, y - 1.15),
            }
            for pair, (x, y) in zip(pairs, centres, strict=True)
        ]
        return self.arrays(
            dials=broken(centres[:, None] + _arc(np.linspace(0, 2 * np.pi, 73))),
            labels=[
                (f"pair {pair}\nλ = {_three_digits(periods[pair])}", (x, y - 1.15))
                for pair, (x, y) in zip(pairs, centres, strict=True)
            ],
            swept=swept + centres[:, None],
            hands=broken(np.stack([centres, tips], axis=1)),
            tips=tips.T,
            rotations=self.position / periods[[0, -1]],
            counts=[*counts, *[{"text": ""}] * CLOCKS],
            slowest=periods[-1],
        )

    def draw(self, figure: Figure) -> list:
        """Eight dials in two rows of one axes; texts lie below what moves and so are drawn once."""
        axes, last = figure.subplots(), PITCH[0] * (ACROSS - 1)
        axes.set(xlim=(-1.3, last + 1.3), ylim=(-6.8, 1.05), aspect="equal")
        axes.set_axis_off()
        below: dict = {"ha": "center", "size": "medium" if wide(figure) else "small", "zorder": 0}
        texts = [axes.text(0, 0, "", va="top", **below) for _ in range(CLOCKS)]

        def write(labels):
            empty = repeat(("", (0, 0)))
            for text, (words, place) in zip(texts, chain(labels, empty), strict=False):
                text.set(text=words, position=place)

        moving: dict = below | {"va": "top", "color": "C0", "animated": True, "in_layout": False}
        counts = [Other(axes.text(0, 0, "", **moving), f"counts[{i}]") for i in range(CLOCKS)]
        legend = "across: cosine  up: sine  λ: wavelength  blue: rotations at "
        foot = Text(axes, last / 2, -6.8, lambda a: f"{legend}{a.position}", va="bottom", **below)
        wedges = PolyCollection([], facecolor="C0", alpha=0.4, animated=True)
        axes.add_collection(wedges, autolim=False)
        return [
            Curve(axes, "C6-", "dials", stroke=1 / 2),
            Background(write, "labels"),
            Other(wedges, lambda a: {"verts": a.swept}),
            Curve(axes, "C0-", "hands", stroke=2),
            Curve(axes, "C1o", "tips", marks=1.5),
            *counts,
            foot,
        ]

    def caption(self, arrays: Arrays) -> str:
        fastest, slowest = arrays.rotations
        return (
            f"At position {arrays.position} the fastest pair has rotated {fastest:.2f} times, and "
            f"the slowest, with λ = {_three_digits(arrays.slowest)} tokens, {number(slowest)} "
            "times."
        )


def _arc(angles):
    """Points of the unit circle at these angles, from three o'clock on."""
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def _three_digits(wavelength):
    """A wavelength to three digits or to the token: 6.28, 62.8, 47,117."""
    return f"{wavelength:,.{max(0, 2 - int(np.log10(wavelength)))}f}"
