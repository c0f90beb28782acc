"""The score of a query and a key that are alike against distance, before and after a method."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator, NullLocator

from posviz.lessons.stretching._methods import (
    METHODS,
    TRAINED,
    mean_cosines,
    outline,
    stretched,
    title,
)
from posviz.pictures.knobs import choice, even, log
from posviz.pictures.parts import Curve, Other, Rule, legend_above, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

BASE = 10_000.0
MOST = 16  # times the trained length
# Where the ranges begin whose means are shown: wide enough that fast pairs cancel out.
STARTS = np.unique(np.geomspace(1, MOST * TRAINED, 120)[:-1].astype(int))


class ScoreCurve(Picture):
    """What stretching does to the score, near the query and far away."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.6)

    method = choice("NTK", options=METHODS[1:])
    factor = log(4, low=1, high=MOST, play=True, label="factor s")
    head_dim = even(128, low=32, high=256)

    def compute(self) -> Arrays:
        """Return before and after a method the lowest, mean and highest score of each range.

        Scores are shares of that at distance 0. said: the scores at distance 1, and the means over
        the last half of the longer text and, before, over that of the training.
        """
        setting = self.head_dim, BASE, TRAINED, self.factor
        longer = round(self.factor * TRAINED)
        found = [
            mean_cosines(stretched(method, *setting).inv_freq, MOST * TRAINED + 1)
            for method in ("none", self.method)
        ]
        far = [scores[longer // 2 + 1 : longer + 1].mean() for scores in found]
        trained = found[0][TRAINED // 2 + 1 : TRAINED + 1].mean()
        return self.arrays(
            before=_in_ranges(found[0]),
            after=_in_ranges(found[1]),
            longer=longer,
            said=(*(scores[1] for scores in found), *far, trained),
            attention_factor=stretched(self.method, *setting).attention_factor,
        )

    def draw(self, figure: Figure) -> list:
        """The mean of each range as a line, and what lies around it; distances are logarithmic."""
        axes = figure.subplots()
        zero(axes)
        grey: dict[str, Any] = {"facecolor": "C6", "alpha": 0.25, "lw": 0, "zorder": 0}
        band = Rectangle((0.5, 0), TRAINED - 0.5, 1, label="trained distances", **grey)
        band.set_transform(axes.get_xaxis_transform())
        axes.add_patch(band)
        areas = []
        for colour, values in (("C1", lambda a: a.before), ("C0", lambda a: a.after)):
            (area,) = axes.fill([], [], facecolor=colour, alpha=0.25, animated=True)
            areas.append(
                Other(area, lambda a, of=values: {"xy": outline(STARTS, of(a)[0], of(a)[2])})
            )
        before = Curve(axes, "C1--", lambda a: (STARTS, a.before[1]), "before")
        after = Curve(axes, "C0-", lambda a: (STARTS, a.after[1]), "after", stroke=1.3)
        end = Rule(axes, {"color": "C6", "linestyle": ":"}, lambda a: a.longer, "longer text ends")
        axes.set(xscale="log", xlim=(0.9, 1.1 * MOST * TRAINED), xlabel="distance (tokens)")
        axes.set(ylim=(-0.62, 1.05), yticks=(-0.5, 0, 0.5, 1), ylabel="score / score at 0")
        axes.xaxis.set_major_locator(LogLocator(numticks=7))
        axes.xaxis.set_minor_locator(NullLocator())
        legend_above(figure, [before, after, band, end], narrow=2, columnspacing=1.4)
        return [*areas, end, before, after]

    def caption(self, arrays: Arrays) -> str:
        """What the method does to the neighbour's score, and to those far away."""
        setting = arrays.head_dim, BASE, TRAINED, arrays.factor
        near, far = arrays.said[:2], [signed(mean, "z.3f") for mean in arrays.said[2:]]
        left_out = ""
        if arrays.attention_factor != 1:
            left_out = f"; the factor {arrays.attention_factor**2:.4f} of all scores is left out"
        return (
            f"{title(arrays.method, *setting)} at factor {arrays.factor:g}: next to the query the "
            f"score goes from {near[0]:.3f} to {near[1]:.3f}; over the last half of the longer "
            f"text, {arrays.longer // 2 + 1:,} … {arrays.longer:,} tokens back, its mean goes from "
            f"{far[0]} to {far[1]} (over the last half of the training it was {far[2]}){left_out}."
        )


def _in_ranges(scores):
    """The lowest, the mean and the highest score of each range, [3, ranges]."""
    counts = np.diff(STARTS, append=len(scores))
    sums = np.add.reduceat(scores, STARTS)
    low, high = (extreme.reduceat(scores, STARTS) for extreme in (np.minimum, np.maximum))
    return np.stack([low, sums / counts, high])
