"""How far a base lets a key that is like the query score above others: a sum of cosines."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.frequencies import rotary_frequencies
from posviz.lessons.stretching._methods import mean_cosines, outline
from posviz.pictures.knobs import even, log
from posviz.pictures.parts import Background, Curve, Other, legend_above, zero
from posviz.pictures.picture import Arrays, Picture

FURTHEST = 65_536
# Where the ranges begin of which the lowest and highest are shown.
STARTS = np.unique(np.geomspace(1, FURTHEST, 240)[:-1].astype(int))


class BaseForContext(Picture):
    """How far a base reaches: until the sum of all cosines is first below 0."""

    size = (8.0, 4.0)

    base = log(10_000, low=10, high=1_000_000, play=True)
    head_dim = even(128, low=32, high=256)

    def compute(self) -> Arrays:
        """Return B(m) = Σ cos(m · inv_freq), the lowest and highest of each range of m in tokens.

        first: the first m with B(m) < 0, or 0; reached: the last before it.

        Source: Men et al. 2024, "Base of RoPE Bounds Context Length".
        """
        pairs = self.head_dim // 2
        inv_freq = rotary_frequencies(self.head_dim, self.base)
        sums = pairs * mean_cosines(inv_freq, FURTHEST + 1)
        low, high = (extreme.reduceat(sums, STARTS) for extreme in (np.minimum, np.maximum))
        first = int((sums < 0).argmax())
        reached = first - 1 if first else FURTHEST
        return self.arrays(
            first=first,
            reached=reached,
            here=sums[[first, reached]],
            pairs=pairs,
            low=(STARTS, low),
            area={"xy": outline(STARTS, low, high)},
            band={"width": reached},
            mark=([first], [0]) if first else ([], []),
        )

    def draw(self, figure: Figure) -> list:
        """The lowest of each range as a line below the rest, and where it first crosses 0."""
        axes = figure.subplots()
        zero(axes)
        light = {"alpha": 0.25, "animated": True}
        band = axes.axvspan(0.5, 1.5, facecolor="C6", lw=0, label="never below 0", **light)
        (area,) = axes.fill([], [], facecolor="C0", **light)
        low = Curve(axes, "C0-", "low", "lowest nearby")
        mark = Curve(axes, "C3X", "mark", "first below 0", marks=2)
        axes.set(xscale="log", xlim=(0.9, 1.1 * FURTHEST), xlabel="distance m (tokens)")
        axes.set(ylabel="B(m), sum of cos(m ω)")
        axes.xaxis.set_major_locator(LogLocator(numticks=7))
        axes.xaxis.set_minor_locator(NullLocator())

        def fit(pairs):  # the sum is at most the number of pairs
            axes.set(ylim=(-0.85 * pairs, 1.05 * pairs), yticks=pairs * np.array([-0.5, 0, 0.5, 1]))

        fit(127)  # which has the widest labels, such as −63.5
        legend_above(figure, [low, band, mark], narrow=2, columnspacing=1.4)
        return [Background(fit, "pairs"), Other(band, "band"), Other(area, "area"), low, mark]

    def caption(self, arrays: Arrays) -> str:
        """Up to where the sum is never below 0."""
        start = f"Base {arrays.base:,.10g}, {arrays.pairs} pairs: "
        if not arrays.first:
            return f"{start}the sum of cosines is never below 0 up to {FURTHEST:,} tokens."
        return (
            f"{start}at {arrays.first:,} tokens the sum of cosines is first below 0, so a similar "
            "key scores below a random one."
        )
