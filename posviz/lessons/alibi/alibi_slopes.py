"""The slopes of all heads, and the bias that one of them subtracts."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from posviz.encodings.alibi import alibi_bias, alibi_slopes
from posviz.encodings.relative import offsets
from posviz.pictures.knobs import integer
from posviz.pictures.parts import Curve, Limits, Map, greyed, legend_above, whole, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

MOST_HEADS, LONGEST = 16, 64
LOWEST = -8.0  # of the colours: e to this is 1/2981
BLANK = np.nan  # a key ahead has no bias, and is grey
TICKS = {1: "1", 1 / 4: "1/4", 1 / 16: "1/16", 1 / 64: "1/64", 1 / 256: "1/256"}


class AlibiSlopes(Picture):
    """ALiBi’s slopes, one for each head, and the bias that one of them makes."""

    size = (9.0, 4.0)
    paper_size = (3.3, 2.5)
    combined = (("num_heads", "head"),)

    num_heads = integer(8, low=1, high=MOST_HEADS)
    head = integer(1, low=1, high=MOST_HEADS, until=lambda p: p.num_heads, play=True)
    seq_len = integer(16, low=4, high=LONGEST, label="tokens")

    def compute(self) -> Arrays:
        """Return slopes and the formula's [num_heads], and the bias of the head [len, len].

        first: which slopes are those of a power of two; differs: which are not the formula's.
        """
        slopes, head = alibi_slopes(self.num_heads), self.held("head")
        formula = 2.0 ** (-8 * np.arange(1, self.num_heads + 1) / self.num_heads)
        power = 2 ** (self.num_heads.bit_length() - 1)
        apart = offsets(np.arange(self.seq_len), np.arange(self.seq_len))
        bias = alibi_bias(slopes[head - 1 : head], apart)[0]
        return self.arrays(
            slopes=slopes,
            formula=formula,
            differs=~np.isclose(slopes, formula, rtol=1e-9),
            power=power,
            first=np.arange(self.num_heads) < power,
            slope=slopes[head - 1],
            farthest=float(bias[-1, 0]),
            bias=np.where(apart < 0, BLANK, np.maximum(bias, LOWEST)),
        )

    def draw(self, figure: Figure) -> list:
        """The slopes at left, on a logarithmic axis; at right the bias of one head."""
        points, matrix = figure.subplots(1, 2, width_ratios=(1.25, 1))
        slopes = _draw_slopes(points)
        look = {"cmap": greyed(PLAIN), "limits": (LOWEST, 0), "aspect": "equal"}
        bias = Map(matrix, lambda a: a.bias, most=(LONGEST, LONGEST), **look)
        bar: dict[str, Any] = {"extend": "min", "ticks": (-8, -4, 0), "label": "bias (grey: ahead)"}
        side = "right" if wide(figure) else "bottom"
        figure.colorbar(bias.image, ax=matrix, location=side, **bar)
        matrix.set(title="one head’s bias", xlabel="key (position)", ylabel="query (position)")
        whole(matrix.xaxis, matrix.yaxis, most=3, steps=None)
        legend_above(figure, slopes, narrow=2)
        return [*slopes, bias, Limits(points, lambda a: {"xlim": _margins(len(a.slopes))})]

    def caption(self, arrays: Arrays) -> str:
        """The slope, the bias at the far end, and where the slopes come from."""
        num_heads, last = len(arrays.slopes), len(arrays.bias) - 1
        slope, power = arrays.slope, arrays.power
        clamped = " (the last there is)" * bool(arrays.beyond)
        ends = f" (colours end at −{-LOWEST:g})" * (arrays.farthest < LOWEST)
        told = (
            f"Head {arrays.head}{clamped} of {num_heads} has the slope {slope_words(slope)}, and "
            f"its bias at {last} tokens is −{-arrays.farthest:.4g}{ends}"
        )
        if num_heads == power:
            return f"{told}; {num_heads} is a power of two: all slopes are 2^(−8h/{num_heads})."
        rest = num_heads - power
        return (
            f"{told}; {num_heads} is no power of two: {power} slopes are those of {power} heads, "
            f"and {rest} {'is' if rest == 1 else 'are'} taken from {2 * power} heads, so that "
            f"head {power + 1} is the steepest."
        )


def slope_words(slope):
    """A slope as 1/256 where that is exact, and otherwise to four digits."""
    part = 1 / slope
    return f"1/{part:.0f}" if float(part).is_integer() else f"{slope:.4g}"


def _draw_slopes(axes):
    """Slopes of a power of two, those of its double, the formula where it differs, the chosen."""
    edge = {"markeredgewidth": 0.8 * rcParams["lines.linewidth"]}
    full, hollow = {"marks": 0.9, **edge}, {"markerfacecolor": "none", **edge}
    ring = {"color": rcParams["text.color"], "marks": 1.8, **hollow}
    slopes = [
        Curve(axes, "C0o", lambda a: _some(a.slopes, a.first), "power of two", **full),
        Curve(axes, "C1s", lambda a: _some(a.slopes, ~a.first), "from twice the power", **full),
        Curve(axes, "C2D", lambda a: _some(a.formula, a.differs), "2^(−8h/n)", marks=0.8, **hollow),
        Curve(axes, "o", lambda a: ([a.head], [a.slope]), "chosen head", **ring),
    ]
    axes.set(title="slopes", xlabel="head", ylabel="slope (per token)")
    axes.set_yscale("log", base=2)
    axes.set(xlim=_margins(MOST_HEADS), ylim=(2**-8.6, 2**0.4))
    axes.set_yticks(list(TICKS), list(TICKS.values()))
    axes.yaxis.set_minor_locator(NullLocator())
    whole(axes.xaxis, most=8)
    axes.grid(axis="y")
    return slopes


def _some(of_heads, which):
    return 1 + np.flatnonzero(which), of_heads[which]


def _margins(num_heads):
    """Ends of the axis of heads."""
    return 1 - 0.04 * num_heads - 0.2, num_heads + 0.04 * num_heads + 0.2
