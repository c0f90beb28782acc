"""What ALiBi leaves of a weight with distance, and how far each head looks."""

from types import SimpleNamespace

import numpy as np
from matplotlib import rcParams
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, NullLocator

from posviz.encodings.alibi import alibi_slopes
from posviz.engine.knobs import choice, integer, log
from posviz.engine.picture import Picture
from posviz.pictures.alibi.alibi_slopes import MOST_HEADS, slope_words

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

    num_heads = integer(8, low=1, high=MOST_HEADS)
    head = integer(1, low=1, high=MOST_HEADS, play=True)
    one_in = log(1000, low=10, high=1_000_000, label="under one in")
    furthest = log(128, low=16, high=4096, label="axis up to")
    show = choice("factor", options=tuple(SHOWN), redraw=True)

    def compute(self):
        """Return the ends of each line, and the windows of all heads [2, num_heads] in tokens.

        A window ends where the factor (row 0) or the weight (row 1) falls under 1/one_in; it
        is 0 where that lies below it at every distance.
        """
        slopes, furthest = alibi_slopes(self.num_heads), float(int(self.furthest))
        starts = np.stack([np.ones_like(slopes), -np.expm1(-slopes)])
        windows = np.maximum(np.log(starts * int(self.one_in)), 0) / slopes
        shown = list(SHOWN).index(self.show)
        ends = np.minimum(np.log(starts[shown] / LOWEST) / slopes, furthest)
        heights = np.stack([starts[shown], starts[shown] * np.exp(-slopes * ends)])
        head = min(self.head, self.num_heads)
        return SimpleNamespace(
            lines=(np.stack([0 * ends, ends]), heights),
            windows=windows,
            shown=shown,
            head=head,
            asked=self.head,
            slope=slopes[head - 1],
            one_in=int(self.one_in),
            furthest=furthest,
        )

    def draw(self, figure):
        """A line for each head at left, and at right how far each of them looks."""
        wide = figure.get_size_inches()[0] > 5
        lines, windows = figure.subplots(1, 2, width_ratios=(1.4 if wide else 1, 1))
        artists = SimpleNamespace(axes=(lines, windows), shape=None)
        _draw_lines(lines, artists, SHOWN[self.show])
        _draw_windows(windows, artists)
        figure.legend(
            handles=[artists.chosen, artists.threshold, artists.window, *artists.marks],
            loc="outside upper center",
            ncols=5 if wide else 3,
            columnspacing=1,
            handlelength=1.6,
        )
        return artists

    def update(self, artists, arrays):
        """Move lines, window and marks; the axes only for other ends."""
        num_heads, shown = arrays.windows.shape[1], arrays.shown
        if artists.shape != (num_heads, arrays.furthest):
            artists.shape = (num_heads, arrays.furthest)
            artists.axes[0].set_xlim(-0.01 * arrays.furthest, arrays.furthest)
            artists.axes[1].set_ylim(num_heads + 0.7, 0.3)
        here, heads = arrays.head - 1, np.arange(1, num_heads + 1)
        artists.heads.set_data(*(_with_gaps(x) for x in arrays.lines))
        artists.chosen.set_data(*(x[:, here] for x in arrays.lines))
        artists.threshold.set_ydata([1 / arrays.one_in] * 2)
        reach = arrays.windows[shown]
        artists.window.set_width(reach[here])
        crossing = ([reach[here]], [1 / arrays.one_in]) if reach[here] else ([], [])
        artists.crossing.set_data(*crossing)
        artists.bars.set_data(_with_gaps(np.stack([0 * reach, reach])), _with_gaps([heads] * 2))
        artists.bar.set_data([0, reach[here]], [arrays.head] * 2)
        for mark, window in zip(artists.marks, arrays.windows, strict=True):
            mark.set_data(window, heads)

    def caption(self, arrays):
        """Where the factor and the weight of the head fall under the threshold, and of all."""
        num_heads, (factor, weight) = arrays.windows.shape[1], arrays.windows[:, arrays.head - 1]
        clamped = " (the last there is)" * (arrays.asked > arrays.head)
        beyond = bool(arrays.windows[arrays.shown, arrays.head - 1] > arrays.furthest)
        told = (
            f"Head {arrays.head}{clamped} of {num_heads}, slope {slope_words(arrays.slope)}: the "
            f"factor falls under 1/{arrays.one_in:,} at {_tokens(factor)} tokens, and the "
            "weight itself (equal scores, long text) "
            + (f"at {_tokens(weight)} tokens" if weight else "is nowhere above it")
            + f" ({self.show}: beyond the axis)" * beyond
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
    return f"{_tokens(reached.min())} … {_tokens(reached.max())}{told}"


def _tokens(distance):
    return f"{distance:.2f}" if distance < 100 else f"{distance:.1f}"


def _with_gaps(ends):
    """Many lines as one: from each first end to its second, then a gap."""
    first, second = ends
    return np.stack([first, second, np.full(len(first), np.nan)], axis=-1).ravel()


def _draw_lines(axes, artists, label):
    """A thin line for each head and a bold one, the threshold, and the window it ends."""
    artists.window = axes.add_patch(
        Rectangle(
            (0, 0),
            0,
            1,
            transform=axes.get_xaxis_transform(),
            facecolor="C4",
            alpha=0.25,
            lw=0,
            label="window",
            animated=True,
        )
    )
    artists.threshold = axes.axhline(1, color="C2", ls="--", label="threshold", animated=True)
    artists.heads = axes.plot([], [], color="C6", animated=True)[0]
    artists.heads.set_linewidth(0.5 * artists.heads.get_linewidth())
    artists.chosen = axes.plot([], [], color="C0", label="chosen head", animated=True)[0]
    artists.chosen.set_linewidth(1.6 * artists.chosen.get_linewidth())
    artists.crossing = axes.plot([], [], "o", color=rcParams["text.color"], animated=True)[0]
    axes.set(title="every head", ylabel=label, xlim=(-40, 4096))
    draw_weight_axis(axes)
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=(1, 2, 5, 10), integer=True))


def draw_weight_axis(axes):
    """Weights upwards on a logarithmic axis, distance to the right."""
    axes.set(yscale="log", ylim=(5e-7, 1.6), xlabel="distance (tokens)")
    axes.set_yticks(list(TICKS), list(TICKS.values()))
    axes.yaxis.set_minor_locator(NullLocator())


def _draw_windows(axes, artists):
    """A bar for each head and a bold one, with marks where factor and weight are too small."""
    artists.bars = axes.plot([], [], color="C6", animated=True)[0]
    artists.bar = axes.plot([], [], color="C0", animated=True)[0]
    for line, width in ((artists.bars, 1), (artists.bar, 2.5)):
        line.set(linewidth=width * line.get_linewidth(), solid_capstyle="butt")
    looks = (("C1o", "end by factor"), ("C3s", "end by weight"))
    artists.marks = [
        axes.plot([], [], look, label=label, animated=True)[0] for look, label in looks
    ]
    for mark in artists.marks:
        mark.set_markersize(0.6 * mark.get_markersize())
    axes.set_xscale("symlog", linthresh=1, linscale=0.3)
    axes.set(title="how far they look", xlabel="distance (tokens)", ylabel="head")
    axes.set(xlim=(-0.15, 6000), ylim=(MOST_HEADS + 0.7, 0.3))
    axes.set_xticks((0, 10, 100, 1000), ("0", "10", "100", "1000"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(MaxNLocator(8, steps=(1, 2, 5, 10), integer=True, min_n_ticks=1))
