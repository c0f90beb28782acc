"""How far a base lets a key that is like the query score above others: a sum of cosines."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.frequencies import rotary_frequencies
from posviz.lessons.stretching._methods import mean_cosines, outline
from posviz.pictures.knobs import even, log
from posviz.pictures.parts import Background, Curve, Other, legend_above, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

FURTHEST, MOST_PAIRS = 65_536, 128
# Where the ranges begin of which the lowest and highest are shown.
STARTS = np.unique(np.geomspace(1, FURTHEST, 240)[:-1].astype(int))


class BaseForContext(Picture):
    """How far a base reaches: until the sum of all cosines is first below 0."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.6)

    base = log(10_000, low=10, high=1_000_000, play=True)
    head_dim = even(128, low=32, high=2 * MOST_PAIRS)

    def compute(self) -> Arrays:
        """Return B(m), the lowest and highest of each range of m.

        B(m) = Σ cos(m · inv_freq), m in tokens. first: the first m with B(m) < 0, or 0; reached:
        the last before it; here: B(m) at these two.

        Source: Men et al. 2024, "Base of RoPE Bounds Context Length".
        """
        pairs = self.head_dim // 2
        inv_freq = rotary_frequencies(self.head_dim, self.base)
        sums = pairs * mean_cosines(inv_freq, FURTHEST + 1)
        first = int((sums < 0).argmax())
        reached = first - 1 if first else FURTHEST
        return self.arrays(
            low=np.minimum.reduceat(sums, STARTS),
            high=np.maximum.reduceat(sums, STARTS),
            first=first,
            reached=reached,
            here=sums[[first, reached]],
            pairs=pairs,
        )

    def draw(self, figure: Figure) -> list:
        """The lowest of each range as a line below the rest, and where it first crosses 0."""
        axes = figure.subplots()
        zero(axes)
        grey: dict[str, Any] = {"facecolor": "C6", "alpha": 0.25, "lw": 0, "label": "never below 0"}
        band = Rectangle((0.5, 0), 1, 1, transform=axes.get_xaxis_transform(), **grey)
        axes.add_patch(band).set_animated(True)
        (area,) = axes.fill([], [], facecolor="C0", alpha=0.25, animated=True)
        low = Curve(axes, "C0-", lambda a: (STARTS, a.low), "lowest nearby")
        mark = Curve(axes, "C3X", _first, "first below 0", marks=2)
        axes.set(xscale="log", xlim=(0.9, 1.1 * FURTHEST), xlabel="distance m (tokens)")
        axes.set(ylabel="B(m), sum of cos(m ω)")
        _fit(axes, MOST_PAIRS)
        axes.xaxis.set_major_locator(LogLocator(numticks=7))
        axes.xaxis.set_minor_locator(NullLocator())
        legend_above(figure, [low, band, mark], narrow=2, columnspacing=1.4)
        return [
            Background(lambda pairs: _fit(axes, pairs), lambda a: a.pairs),
            Other(band, lambda a: {"width": a.reached}),
            Other(area, lambda a: {"xy": outline(STARTS, a.low, a.high)}),
            low,
            mark,
        ]

    def caption(self, arrays: Arrays) -> str:
        """Up to where the sum is never below 0, and what that is worth."""
        pairs = f"Base {arrays.base:,.10g}, {arrays.pairs} pairs: "
        if not arrays.first:
            return f"{pairs}B(m) is never below 0 up to {FURTHEST:,} tokens, the end of the axis."
        below, above = (signed(value, ".2f") for value in arrays.here)
        return (
            f"{pairs}B(m), the sum of cos(m ω), is first below 0 at m = {arrays.first:,} ({below}, "
            f"and {above} one token before); from there on a key like the query can score below "
            "a random one, so a longer context needs a larger base, which is no guarantee."
        )


def _fit(axes, pairs):
    """Fit the axis to the sum, which is at most the number of pairs."""
    axes.set(ylim=(-0.85 * pairs, 1.05 * pairs), yticks=pairs * np.array([-0.5, 0, 0.5, 1]))


def _first(arrays):
    """The point where the sum is first below 0, if it is."""
    return ([arrays.first], [0]) if arrays.first else ([], [])
