"""The pairs as clocks: each hand turns at its own true frequency."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies, wavelengths
from posviz.pictures.knobs import even, integer, log
from posviz.pictures.parts import SEVERAL_PAIRS, Background, Curve, Other, broken, wide
from posviz.pictures.picture import Arrays, Picture

CLOCKS = 8
ACROSS = 4  # clocks in a row
PITCH = (2.6, 2.9)  # between centres; a dial has radius 1


class WavelengthClocks(Picture):
    """One clock per pair: across is its sine column, up is its cosine column."""

    size = (8.0, 4.3)
    paper_size = (3.3, 2.3)

    position = integer(700, low=0, high=1000, play=True)
    d_model = even(16, low=2, high=512)
    base = log(10_000, low=10, high=1_000_000, when={"d_model": SEVERAL_PAIRS})

    def compute(self) -> Arrays:
        """Return up to eight pairs spread over all, their wavelengths, angles and hands.

        A hand leads from its clock's centre to its tip, [pairs, 2, 2].
        """
        inv_freq = rotary_frequencies(self.d_model, self.base)
        pairs = np.unique(np.linspace(0, len(inv_freq) - 1, CLOCKS).round().astype(int))
        angles, centres = rotary_angles(self.position, inv_freq[pairs]), _centres(len(pairs))
        tips = centres + 0.9 * np.stack([np.sin(angles), np.cos(angles)], axis=-1)
        return self.arrays(
            pairs=pairs,
            wavelengths=wavelengths(inv_freq[pairs]),
            angles=angles,
            centres=centres,
            hands=np.stack([centres, tips], axis=1),
            count=len(inv_freq),
        )

    def draw(self, figure: Figure) -> list:
        """Eight dials in two rows of one axes; texts lie below what moves and so are drawn once."""
        axes = figure.subplots()
        lowest, last = -PITCH[1] - 2.25, PITCH[0] * (ACROSS - 1)
        axes.set(xlim=(-1.3, last + 1.3), ylim=(lowest, 1.05), aspect="equal")
        axes.set_axis_off()
        size = "medium" if wide(figure) else "small"
        below: dict[str, Any] = {"ha": "center", "size": size, "zorder": 0}
        legend = "across: sine column     up: cosine column     λ: tokens per turn"
        axes.text(last / 2, lowest, legend, va="bottom", **below)
        (dials,) = axes.plot([], [], color="C6", linewidth=rcParams["lines.linewidth"] / 2)
        labels = [axes.text(0, 0, "", va="top", **below) for _ in range(CLOCKS)]
        wedges = PolyCollection([], facecolor="C0", alpha=0.4, animated=True)
        axes.add_collection(wedges, autolim=False)
        return [
            Background(
                lambda clocks: _label(dials, labels, clocks),
                lambda a: list(zip(a.pairs, a.wavelengths, strict=True)),
            ),
            Other(wedges, lambda a: {"verts": _swept(a.centres, a.angles)}),
            Curve(axes, "C0-", lambda a: broken(a.hands), stroke=2),
            Curve(axes, "C1o", lambda a: a.hands[:, 1].T, marks=1.5),
        ]

    def caption(self, arrays: Arrays) -> str:
        """How often the fastest and the slowest clock have turned."""
        turns = arrays.position / arrays.wavelengths
        return (
            f"At position {arrays.position} pair 0 has turned {turns[0]:.2f} times; the slowest, "
            f"pair {arrays.pairs[-1]} with λ = {arrays.wavelengths[-1]:,.2f} tokens, "
            f"{turns[-1]:.4f} times; {len(arrays.pairs)} of {arrays.count} pairs are shown."
        )


def _centres(count):
    """Where the dials stand, row by row, [count, 2]; a few of them stand in the middle."""
    clock = np.arange(count)
    column = clock % ACROSS + max(ACROSS - count, 0) / 2
    return np.stack([column * PITCH[0], -(clock // ACROSS) * PITCH[1]], axis=-1)


def _label(dials, labels, clocks):
    """Draw a dial for each of the clocks (pair, wavelength), and write what it is below it."""
    centres, turn = _centres(len(clocks)), np.linspace(0, 2 * np.pi, 73)
    dials.set_data(*broken(centres[:, None] + np.stack([np.sin(turn), np.cos(turn)], axis=-1)))
    for label in labels:
        label.set_text("")
    for label, (x, y), (pair, wavelength) in zip(labels, centres, clocks, strict=False):
        label.set(text=f"pair {pair}\nλ = {_wavelength_text(wavelength)}", position=(x, y - 1.15))


def _wavelength_text(wavelength):
    """A wavelength to three digits or to the token: 6.28, 62.8, 47,117."""
    digits = max(0, 2 - int(np.log10(wavelength)))
    return f"{wavelength:,.{digits}f}"


def _swept(centres, angles):
    """The part of the present turn that each hand has swept, from twelve o'clock."""
    turn = np.linspace(0, 1, 40) * (angles % (2 * np.pi))[:, None]
    arcs = np.stack([np.sin(turn), np.cos(turn)], axis=-1) * 0.9
    return np.concatenate([np.zeros((len(centres), 1, 2)), arcs], axis=1) + centres[:, None]
