"""The slopes of all heads, and the bias that one of them subtracts."""

from types import SimpleNamespace

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.ticker import MaxNLocator, NullLocator

from posviz.encodings.alibi import alibi_bias, alibi_slopes
from posviz.encodings.relative import offsets
from posviz.engine.knobs import integer
from posviz.engine.looks import PLAIN
from posviz.engine.picture import Picture

MOST_HEADS, LONGEST = 16, 64
LOWEST = -8.0  # of the colours: e to this is 1/2981
BLANK = np.nan  # a key ahead has no bias, and is grey
TICKS = {1: "1", 1 / 4: "1/4", 1 / 16: "1/16", 1 / 64: "1/64", 1 / 256: "1/256"}


class AlibiSlopes(Picture):
    """ALiBi’s slopes, one for each head, and the bias that one of them makes."""

    size = (9.0, 4.0)
    paper_size = (3.3, 2.5)

    num_heads = integer(8, low=1, high=MOST_HEADS)
    head = integer(1, low=1, high=MOST_HEADS, play=True)
    seq_len = integer(16, low=4, high=LONGEST, label="tokens")

    def compute(self):
        """Return slopes and the formula's [num_heads], and the bias of the head [len, len]."""
        slopes, head = alibi_slopes(self.num_heads), min(self.head, self.num_heads)
        apart = offsets(np.arange(self.seq_len), np.arange(self.seq_len))
        bias = alibi_bias(slopes[head - 1 : head], apart)[0]
        return SimpleNamespace(
            slopes=slopes,
            formula=2.0 ** (-8 * np.arange(1, self.num_heads + 1) / self.num_heads),
            power=2 ** (self.num_heads.bit_length() - 1),
            head=head,
            asked=self.head,
            farthest=float(bias[-1, 0]),
            bias=np.where(apart < 0, BLANK, np.maximum(bias, LOWEST)),
        )

    def draw(self, figure):
        """The slopes at left, on a logarithmic axis; at right the bias of one head."""
        points, matrix = figure.subplots(1, 2, width_ratios=(1.25, 1))
        lines = _draw_points(points)
        grey = rcParams["grid.color"]
        image = matrix.imshow(
            np.zeros((1, 1)),
            cmap=colormaps[PLAIN].with_extremes(bad=grey),
            vmin=LOWEST,
            vmax=0,
            aspect="equal",
            animated=True,
        )
        wide = figure.get_size_inches()[0] > 5
        figure.colorbar(
            image,
            ax=matrix,
            extend="min",
            ticks=(-8, -4, 0),
            label="bias (grey: ahead)",
            location="right" if wide else "bottom",
        )
        edges = (-0.5, LONGEST - 0.5)
        matrix.set(title="one head’s bias", xlabel="key (position)", ylabel="query (position)")
        matrix.set(xlim=edges, ylim=edges[::-1])
        for axis in (matrix.xaxis, matrix.yaxis):
            axis.set_major_locator(MaxNLocator(3, integer=True, min_n_ticks=1))
        figure.legend(handles=lines, loc="outside upper center", ncols=4 if wide else 2)
        return SimpleNamespace(points=points, matrix=matrix, lines=lines, image=image, shape=None)

    def update(self, artists, arrays):
        """Set the points, ring one of them, colour the bias; the axes only for another shape."""
        num_heads, seq_len = len(arrays.slopes), len(arrays.bias)
        if artists.shape != (num_heads, seq_len):
            artists.shape = (num_heads, seq_len)
            artists.points.set_xlim(*_margins(num_heads))
            edges = (-0.5, seq_len - 0.5)
            artists.image.set_extent((*edges, *edges[::-1]))
            artists.matrix.set(xlim=edges, ylim=edges[::-1])
        heads = np.arange(1, num_heads + 1)
        differs = ~np.isclose(arrays.slopes, arrays.formula, rtol=1e-9)
        chosen = heads == arrays.head
        first = heads <= arrays.power
        shown = ((first, arrays.slopes), (~first, arrays.slopes), (differs, arrays.formula))
        for line, (part, y) in zip(artists.lines, (*shown, (chosen, arrays.slopes)), strict=True):
            line.set_data(heads[part], y[part])
        artists.image.set_data(arrays.bias)

    def caption(self, arrays):
        """The slope, the bias at the far end, and where the slopes come from."""
        num_heads, last = len(arrays.slopes), len(arrays.bias) - 1
        slope, power = arrays.slopes[arrays.head - 1], arrays.power
        clamped = " (the last there is)" * (arrays.asked > arrays.head)
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


def _draw_points(axes):
    """Empty points: slopes of a power of two, those of its double, the formula, the chosen head."""
    ink = rcParams["text.color"]
    looks = (  # marker, colour, fill, label, size
        ("o", "C0", "C0", "power of two", 0.9),
        ("s", "C1", "C1", "from twice the power", 0.9),
        ("D", "C2", "none", "2^(−8h/n)", 0.8),
        ("o", ink, "none", "chosen head", 1.8),
    )
    size, width = rcParams["lines.markersize"], 0.8 * rcParams["lines.linewidth"]
    lines = [
        axes.plot([], [], marker, color=colour, label=label, animated=True)[0]
        for marker, colour, _, label, _ in looks
    ]
    for line, (_, _, fill, _, factor) in zip(lines, looks, strict=True):
        line.set(markerfacecolor=fill, markersize=factor * size, markeredgewidth=width)
    axes.set(title="slopes", xlabel="head", ylabel="slope (per token)")
    axes.set_yscale("log", base=2)
    axes.set(xlim=_margins(MOST_HEADS), ylim=(2**-8.6, 2**0.4))
    axes.set_yticks(list(TICKS), list(TICKS.values()))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1, steps=(1, 2, 5, 10)))
    axes.grid(axis="y")
    return lines


def _margins(num_heads):
    """Ends of the axis of heads."""
    return 1 - 0.04 * num_heads - 0.2, num_heads + 0.04 * num_heads + 0.2
