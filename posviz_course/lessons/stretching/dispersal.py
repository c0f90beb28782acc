"""How the best key's weight thins out as a row grows, and what sharper scores do about it."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.stretching import yarn
from posviz.pictures.knobs import Log, Real
from posviz.pictures.parts import Curve, EndName, Rule, legend_above
from posviz.pictures.picture import Arrays, Picture

TRAINED, MOST = 4096, 1_000_000  # tokens
KEYS = np.unique(np.geomspace(1, MOST, 961).astype(int))


class Dispersal(Picture):
    """Among ever more keys the best one loses its weight, later if scores are made larger."""

    size = (8.0, 3.4)

    margin = Real(8, low=0, high=20, step=0.1, play=True, label="margin δ")
    factor = Log(4, low=1, high=64, label="factor s")

    def compute(self) -> Arrays:
        """Return by rule the weight of the best key in rows of KEYS, and at the longer length.

        Its score is `margin` above all others, which are equal; a² is the square of YaRN's factor.
        """
        longer = round(self.factor * TRAINED)
        sharper = yarn(128, self.factor, original_max_seq_len=TRAINED).attention_factor ** 2
        margins = (self.margin, sharper * self.margin)
        return self.arrays(
            curves=[(KEYS, weight(margin, KEYS)) for margin in margins],
            ends=[([longer], [weight(margin, longer)]) for margin in margins],
            before=weight(self.margin, TRAINED),
            longer=longer,
        )

    def draw(self, figure: Figure) -> list:
        """A line for each rule over the trained lengths, and a mark where the longer text ends."""
        axes = figure.subplots()
        grey: dict = {"facecolor": "C6", "alpha": 0.25, "lw": 0, "label": "trained lengths"}
        band = axes.axvspan(0.5, TRAINED, **grey)
        end = Rule(axes, {"color": "C6", "linestyle": ":"}, "longer", "longer text")
        curves = [
            Curve(axes, "C1-", "curves[0]"),
            Curve(axes, "C0--", "curves[1]"),
            EndName(axes, "C1", lambda a: (*a.ends[0], "as they are ", a.ends[0][1][0] < 0.1)),
            EndName(axes, "C0", lambda a: (*a.ends[1], "  × a²", True), ha="left"),
        ]
        marks = [
            Curve(axes, fmt, f"ends[{at}]", marks=1.2) for at, fmt in enumerate(("C1o", "C0D"))
        ]
        axes.set(xscale="log", xlim=(0.8, 1.25 * MOST), xlabel="number of keys, n")
        axes.set(ylim=(-0.03, 1.05), yticks=(0, 0.5, 1), ylabel="weight of the best key")
        axes.xaxis.set_major_locator(LogLocator(numticks=5))
        axes.xaxis.set_minor_locator(NullLocator())
        legend_above(figure, [band, end])
        return [end, *curves, *marks]

    def caption(self, arrays: Arrays) -> str:
        plain, sharper = (weight for _, [weight] in arrays.ends)
        return (
            f"A key that scores {arrays.margin:g} above all others has the weight "
            f"{arrays.before:.3f} among {TRAINED:,}; among {arrays.longer:,}: plain "
            f"{plain:.3f}, a² {sharper:.3f}."
        )


def weight(margin, keys):
    """Return the weight of one key whose score is ``margin`` above those of all others, [...]."""
    return 1 / (1 + (keys - 1) * np.exp(-margin))
