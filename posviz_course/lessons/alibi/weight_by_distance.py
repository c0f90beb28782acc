"""What ALiBi leaves of a weight with distance, and how far each head looks."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from posviz.encodings.alibi import alibi_slopes
from posviz.pictures.knobs import Integer, LogInteger
from posviz.pictures.parts import (
    Curve,
    EndName,
    Limits,
    Other,
    PointName,
    Rule,
    broken,
    whole,
    wide,
)
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import number
from posviz_course.lessons.alibi.alibi_slopes import slope_words

SLOPES = alibi_slopes(8)
HEADS = np.arange(1, len(SLOPES) + 1)
LOWEST = 1e-7  # where a line ends, below the axis


class WeightByDistance(Picture):
    """Each head of ALiBi looks twice as far as the head before."""

    size = (9.0, 4.0)

    head = Integer(1, low=1, high=len(SLOPES), play=True)
    one_in = LogInteger(1000, low=10, high=1_000_000, label="under one in")

    def compute(self) -> Arrays:
        """Return the windows [heads] in tokens, and lines and bars as x and y.

        A window ends where the factor falls under 1/one_in.
        """
        windows, chosen = np.log(self.one_in) / SLOPES, self.head - 1
        reach = windows[chosen]
        shown_to = max(128, 1.05 * reach)  # the chosen head's end is on the axis
        ends = np.minimum(-np.log(LOWEST) / SLOPES, shown_to)
        lines = np.stack([[0 * ends, ends], [1 + 0 * ends, np.exp(-SLOPES * ends)]])
        bars = np.stack([[0 * HEADS, windows], [HEADS, HEADS]])
        return self.arrays(
            windows=windows,
            slope=SLOPES[chosen],
            lines=broken(lines.T),
            line=lines[:, :, chosen],
            threshold=1 / self.one_in,
            crossing=([reach], [1 / self.one_in]),
            window={"width": reach},
            bars=broken(bars.T),
            bar=bars[:, :, chosen],
            ends=(windows, HEADS),
            reach=reach,
            across={"xlim": (-0.01 * shown_to, shown_to)},
        )

    def draw(self, figure: Figure) -> list:
        """A line for each head at left, and at right how far each of them looks."""
        left, right = figure.subplots(1, 2, width_ratios=(1.4 if wide(figure) else 1, 1))
        left.set(
            title="yellow: effective span", ylabel="factor e^(−slope · distance)", xlim=(-40, 4096)
        )
        draw_weight_axis(left)
        whole(left.xaxis, most=4)
        right.set_xscale("symlog", linthresh=1, linscale=0.3)
        right.set(title="span of each head", xlabel="distance (tokens)", ylabel="head")
        right.set(xlim=(-0.15, 6000), ylim=(len(SLOPES) + 0.7, 0.3))
        right.set_xticks((1, 10, 100, 1000))
        right.xaxis.set_minor_locator(NullLocator())
        whole(right.yaxis, most=8)
        pale = {"facecolor": "C4", "alpha": 0.25, "linewidth": 0, "animated": True}
        window = left.axvspan(0, 0, label="effective span", **pale)
        dashed, flat = {"color": "C2", "ls": "--"}, {"solid_capstyle": "butt"}
        threshold = Rule(left, dashed, "threshold", "threshold", upright=False)
        every = Curve(left, "C6", "lines", stroke=0.5)
        chosen = Curve(left, "C0", "line", "chosen head", stroke=1.6)
        bars = [
            Curve(right, "C6", "bars", **flat),
            Curve(right, "C0", "bar", stroke=2.5, **flat),
            Curve(right, "C1o", "ends", "end of a span", marks=0.6),
        ]
        ink = rcParams["text.color"]
        names = [
            Curve(left, "o", "crossing", color=ink),
            PointName(left, ink, lambda a: (*a.crossing, f"{number(a.reach)} tokens", True)),
            EndName(left, "C2", _at_right, size="small"),
        ]
        fits = Limits(left, "across")
        return [fits, Other(window, "window"), threshold, every, chosen, *names, *bars]

    def caption(self, arrays: Arrays) -> str:
        slope, threshold = slope_words(arrays.slope), f"1/{arrays.one_in:,}"
        return (
            f"Head {arrays.head}, with the slope {slope}, looks {number(arrays.reach)} tokens "
            f"back, where its factor falls under {threshold}."
        )


def _at_right(arrays):
    """The threshold's name, at its right end."""
    return arrays.across["xlim"][1:], [arrays.threshold], f"threshold 1/{arrays.one_in:,}", False


def draw_weight_axis(axes):
    """Weights upwards on a logarithmic axis, distance to the right."""
    axes.set(yscale="log", ylim=(5e-7, 1.6), xlabel="distance (tokens)")
    axes.set_yticks((1, 1e-2, 1e-4, 1e-6))
    axes.yaxis.set_minor_locator(NullLocator())
