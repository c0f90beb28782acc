"""How the best key's weight thins out as a row grows, and what sharper scores do about it."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.stretching import yarn
from posviz.pictures.knobs import log, log_integer, real
from posviz.pictures.parts import Curve, Other, Rule, legend_above
from posviz.pictures.picture import Arrays, Picture

MOST = 1_000_000
KEYS = np.unique(np.geomspace(1, MOST, 961).astype(int))
# Of each rule its line, and its mark at the end of the longer text.
LOOKS = {"plain": ("C0-", "o"), "a²": ("C1--", "D")}


class Dispersal(Picture):
    """One best key among ever more others: its weight, as it is and with sharper scores."""

    size = (8.0, 3.4)

    margin = real(8, low=0, high=20, step=0.1, play=True, label="margin δ")
    length = log_integer(4096, low=256, high=128_000, label="trained length L")
    factor = log(4, low=1, high=64, label="factor s")

    def compute(self) -> Arrays:
        """Return by rule the weight of the best key in rows of KEYS, and at the longer length.

        Its score is `margin` above all others, which are equal; a² is the square of YaRN's factor.
        """
        longer = round(self.factor * self.length)
        sharper = yarn(128, self.factor, original_max_seq_len=self.length).attention_factor ** 2
        margins = (self.margin, sharper * self.margin)
        return self.arrays(
            curves=[(KEYS, weight(margin, KEYS)) for margin in margins],
            ends=[([longer], [weight(margin, longer)]) for margin in margins],
            before=weight(self.margin, self.length),
            longer=longer,
            band={"width": self.length - 0.5},
        )

    def draw(self, figure: Figure) -> list:
        """A line for each rule over the trained lengths, and a mark where the longer text ends."""
        axes = figure.subplots()
        grey = {"facecolor": "C6", "alpha": 0.25, "lw": 0, "label": "trained lengths"}
        band = axes.axvspan(0.5, 1.5, animated=True, **grey)
        end = Rule(axes, {"color": "C6", "linestyle": ":"}, "longer", "longer text")
        curves = [
            Curve(axes, line, f"curves[{at}]", name)
            for at, (name, (line, _)) in enumerate(LOOKS.items())
        ]
        marks = [
            Curve(axes, line[:2] + mark, f"ends[{at}]", marks=1.2)
            for at, (line, mark) in enumerate(LOOKS.values())
        ]
        axes.set(xscale="log", xlim=(0.8, 1.25 * MOST), xlabel="keys in the row, n")
        axes.set(ylim=(-0.03, 1.05), yticks=(0, 0.5, 1), ylabel="weight of the best key")
        axes.xaxis.set_major_locator(LogLocator(numticks=8))
        axes.xaxis.set_minor_locator(NullLocator())
        legend_above(figure, [*curves, band, end], narrow=3, columnspacing=1.2, handlelength=2.2)
        return [Other(band, "band"), end, *curves, *marks]

    def caption(self, arrays: Arrays) -> str:
        plain, sharper = (weight for _, [weight] in arrays.ends)
        return (
            f"A key that scores {arrays.margin:g} above all others has the weight "
            f"{arrays.before:.3f} among {arrays.length:,}; among {arrays.longer:,}: plain "
            f"{plain:.3f}, a² {sharper:.3f}."
        )


def weight(margin, keys):
    """Return the weight of one key whose score is ``margin`` above those of all others, [...]."""
    return 1 / (1 + (keys - 1) * np.exp(-margin))
