"""What ALiBi leaves of a weight with distance, and how far each head looks."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

from posviz.encodings.alibi import alibi_slopes
from posviz.lessons.alibi.alibi_slopes import MOST_HEADS, slope_words
from posviz.pictures.knobs import choice, integer, log_integer
from posviz.pictures.parts import Curve, Limits, Other, Rule, broken, legend_above, whole, wide
from posviz.pictures.picture import Arrays, Picture

LOWEST = 1e-7  # where a line ends, below the axis
SHOWN = {  # label of the axis
    "factor": "factor e^(−slope · distance)",
    "weight": "weight, equal scores",
}
TICKS = {1: "1", 1e-2: "0.01", 1e-4: "1e-4", 1e-6: "1e-6"}


class WeightByDistance(Picture):
    """How far each head of ALiBi looks: straight lines on a logarithmic axis."""

    size = (9.0, 4.0)
    paper_size = (3.3, 2.5)
    combined = (("head", "one_in"), ("show", "furthest"))

    num_heads = integer(8, low=1, high=MOST_HEADS)
    head = integer(1, low=1, high=MOST_HEADS, until=lambda p: p.num_heads, play=True)
    one_in = log_integer(1000, low=10, high=1_000_000, label="under one in")
    furthest = log_integer(128, low=16, high=4096, label="axis up to")
    show = choice("factor", options=tuple(SHOWN), redraw=True)

    def compute(self) -> Arrays:
        """Return the windows [2, heads] in tokens, and lines and bars [x and y, 2, heads].

        A window ends where the factor (row 0) or the weight (row 1) falls under 1/one_in; it
        is 0 where that lies below it at every distance. reach: that of the chosen head
        in what is shown.
        """
        slopes = alibi_slopes(self.num_heads)
        starts = np.stack([np.ones_like(slopes), -np.expm1(-slopes)])
        windows = np.maximum(np.log(starts * self.one_in), 0) / slopes
        shown = list(SHOWN).index(self.show)
        ends = np.minimum(np.log(starts[shown] / LOWEST) / slopes, self.furthest)
        heights = np.stack([starts[shown], starts[shown] * np.exp(-slopes * ends)])
        heads = np.arange(1, self.num_heads + 1)
        head = self.held("head")
        return self.arrays(
            lines=np.stack([[0 * ends, ends], heights]),
            windows=windows,
            reach=windows[shown, head - 1],
            bars=np.stack([[0 * heads, windows[shown]], [heads, heads]]),
            heads=heads,
            slope=slopes[head - 1],
        )

    def draw(self, figure: Figure) -> list:
        """A line for each head at left, and at right how far each of them looks."""
        left, right = figure.subplots(1, 2, width_ratios=(1.4 if wide(figure) else 1, 1))
        lines, bars = _draw_lines(left, SHOWN[self.show]), _draw_windows(right)
        window, threshold, _, chosen, *_ = lines
        legend = [chosen, threshold, window.artist, *bars[2:4]]
        legend_above(figure, legend, narrow=3, columnspacing=1, handlelength=1.6)
        return [*lines, *bars]

    def caption(self, arrays: Arrays) -> str:
        """Where the factor and the weight of the head fall under the threshold, and of all."""
        num_heads, (factor, weight) = arrays.windows.shape[1], arrays.windows[:, arrays.head - 1]
        clamped = " (the last there is)" * bool(arrays.beyond)
        beyond = bool(arrays.reach > arrays.furthest)
        told = (
            f"Head {arrays.head}{clamped} of {num_heads}, slope {slope_words(arrays.slope)}: the "
            f"factor falls under 1/{arrays.one_in:,} at {_distance_text(factor)} tokens, and the "
            "weight itself (equal scores, long text) "
            + (f"at {_distance_text(weight)} tokens" if weight else "is nowhere above it")
            + f" ({arrays.show}: beyond the axis)" * beyond
        )
        if num_heads == 1:
            return f"{told}."
        return (
            f"{told}; over all heads that is {_range(arrays.windows[0])} and "
            f"{_range(arrays.windows[1])}."
        )


def _range(windows):
    """From the shortest window to the longest, in words."""
    if not windows.any():
        return "never"
    reached = windows[windows > 0]
    never = len(windows) - len(reached)
    told = f" ({never} {'head' if never == 1 else 'heads'} never)" * (never > 0)
    return f"{_distance_text(reached.min())} … {_distance_text(reached.max())}{told}"


def _distance_text(distance):
    return f"{distance:.2f}" if distance < 100 else f"{distance:.1f}"


def _draw_lines(axes, label):
    """A thin line for each head and a bold one, the threshold, and the window it ends."""
    axes.set(title="every head", ylabel=label, xlim=(-40, 4096))
    draw_weight_axis(axes)
    whole(axes.xaxis, most=4)
    high = {"transform": axes.get_xaxis_transform(), "animated": True, "label": "window"}
    patch = axes.add_patch(Rectangle((0, 0), 0, 1, facecolor="C4", alpha=0.25, lw=0, **high))
    dashed, dot = {"color": "C2", "ls": "--"}, {"color": rcParams["text.color"]}
    return [
        Other(patch, lambda a: {"width": a.reach}),
        Rule(axes, dashed, lambda a: 1 / a.one_in, "threshold", upright=False),
        Curve(axes, "C6", lambda a: broken(a.lines.T), stroke=0.5),
        Curve(axes, "C0", lambda a: a.lines[:, :, a.head - 1], "chosen head", stroke=1.6),
        Curve(axes, "o", lambda a: _above(a.reach, 1 / a.one_in), **dot),
        Limits(axes, lambda a: {"xlim": (-0.01 * a.furthest, a.furthest)}),
    ]


def _above(distance, height):
    """A point, unless it is at no distance."""
    return ([distance], [height]) if distance else ([], [])


def draw_weight_axis(axes):
    """Weights upwards on a logarithmic axis, distance to the right."""
    axes.set(yscale="log", ylim=(5e-7, 1.6), xlabel="distance (tokens)")
    axes.set_yticks(list(TICKS), list(TICKS.values()))
    axes.yaxis.set_minor_locator(NullLocator())


def _draw_windows(axes):
    """A bar for each head and a bold one, with marks where factor and weight are too small."""
    flat = {"solid_capstyle": "butt"}
    parts = [
        Curve(axes, "C6", lambda a: broken(a.bars.T), **flat),
        Curve(axes, "C0", lambda a: ([0, a.reach], [a.head] * 2), stroke=2.5, **flat),
        Curve(axes, "C1o", lambda a: (a.windows[0], a.heads), "end by factor", marks=0.6),
        Curve(axes, "C3s", lambda a: (a.windows[1], a.heads), "end by weight", marks=0.6),
        Limits(axes, lambda a: {"ylim": (len(a.heads) + 0.7, 0.3)}),
    ]
    axes.set_xscale("symlog", linthresh=1, linscale=0.3)
    axes.set(title="how far they look", xlabel="distance (tokens)", ylabel="head")
    axes.set(xlim=(-0.15, 6000), ylim=(MOST_HEADS + 0.7, 0.3))
    axes.set_xticks((0, 10, 100, 1000), ("0", "10", "100", "1000"))
    axes.xaxis.set_minor_locator(NullLocator())
    whole(axes.yaxis, most=8)
    return parts
