"""The score of a query and a key that are identical, by distance, before and after a method."""

import functools

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.lessons.stretching._methods import METHODS, mean_cosines, outline, stretched
from posviz.pictures.knobs import choice, even, log
from posviz.pictures.parts import Curve, Other, Rule, legend_above, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

TRAINED, MOST = 4096, 65_536  # tokens
# Where the ranges begin whose means are shown: wide enough that fast pairs cancel out.
STARTS = np.unique(np.geomspace(1, MOST, 120)[:-1].astype(int))


class ScoreCurve(Picture):
    """What stretching does to the score, near the query and far away."""

    size = (8.0, 4.0)

    method = choice("NTK", options=METHODS[1:])
    factor = log(4, low=1, high=MOST // TRAINED, play=True, label="factor s")
    head_dim = even(128, low=32, high=256)

    def compute(self) -> Arrays:
        """Return before and after a method the mean score of each range, and what lies around it.

        Scores are shares of that at distance 0. near: the scores at distance 1; far: the means
        over the last half of the longer text.
        """
        longer = round(self.factor * TRAINED)
        before = _scores("none", self.head_dim, 1.0)
        found = [before, _scores(self.method, self.head_dim, self.factor)]
        counts = np.diff(STARTS, append=MOST + 1)
        return self.arrays(
            means=[(STARTS, np.add.reduceat(scores, STARTS) / counts) for scores in found],
            areas=[{"xy": outline(STARTS, *_extremes(scores))} for scores in found],
            longer=longer,
            near=[scores[1] for scores in found],
            far=[scores[longer // 2 + 1 : longer + 1].mean() for scores in found],
        )

    def draw(self, figure: Figure) -> list:
        """The mean of each range as a line, and what lies around it; distances are logarithmic."""
        axes = figure.subplots()
        zero(axes)
        light = {"alpha": 0.25, "lw": 0}
        band = axes.axvspan(
            0.5, TRAINED, facecolor="C6", zorder=0, label="trained distances", **light
        )
        fills = [axes.fill([], [], facecolor=c, alpha=0.25, animated=True)[0] for c in ("C1", "C0")]
        before = Curve(axes, "C1--", "means[0]", "before")
        after = Curve(axes, "C0-", "means[1]", "after", stroke=1.3)
        end = Rule(axes, {"color": "C6", "linestyle": ":"}, "longer", "longer text ends")
        axes.set(xscale="log", xlim=(0.9, 1.1 * MOST), xlabel="distance (tokens)")
        axes.set(ylim=(-0.62, 1.05), yticks=(-0.5, 0, 0.5, 1), ylabel="score / score at 0")
        axes.xaxis.set_major_locator(LogLocator(numticks=7))
        axes.xaxis.set_minor_locator(NullLocator())
        legend_above(figure, [before, after, band, end], narrow=2, columnspacing=1.4)
        areas = [Other(fill, f"areas[{at}]") for at, fill in enumerate(fills)]
        return [*areas, end, before, after]

    def caption(self, arrays: Arrays) -> str:
        """What the method does to the neighbour's score, and to those far away."""
        far = [signed(mean, "z.3f") for mean in arrays.far]
        return (
            f"{arrays.method}, factor {arrays.factor:g}: the neighbour's score goes from "
            f"{arrays.near[0]:.3f} to {arrays.near[1]:.3f}, the mean beyond "
            f"{arrays.longer // 2:,} tokens from {far[0]} to {far[1]}."
        )


@functools.lru_cache(maxsize=4)
def _scores(method, head_dim, factor):
    """The score at each distance, as a share of that at 0."""
    frequencies = stretched(method, head_dim, 10_000.0, TRAINED, factor)
    return mean_cosines(frequencies.inv_freq, MOST + 1)


def _extremes(scores):
    """The lowest and the highest score of each range."""
    return (extreme.reduceat(scores, STARTS) for extreme in (np.minimum, np.maximum))
