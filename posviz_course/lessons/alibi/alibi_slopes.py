"""The slopes of all heads, and the bias that one of them subtracts."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from posviz.encodings.alibi import alibi_bias, alibi_slopes
from posviz.encodings.relative import offsets
from posviz.pictures.knobs import Integer
from posviz.pictures.parts import Curve, Limits, Map, Other, PointName, greyed, whole, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.wording import number

MOST_HEADS, TOKENS = 128, 16  # BLOOM has 112 heads
LOWEST = -8.0  # of the colours: e to this is 1/2981


class AlibiSlopes(Picture):
    """Each head of ALiBi has its own slope: steep heads look near, and flat heads look far."""

    size = (9.0, 4.0)

    num_heads = Integer(8, low=1, high=MOST_HEADS)
    head = Integer(1, low=1, high=MOST_HEADS, until=lambda p: p.num_heads, play=True)

    def compute(self) -> Arrays:
        """Return heads and slopes by where they come from, and the bias of the head [len, len]."""
        slopes, heads = alibi_slopes(self.num_heads), np.arange(1, self.num_heads + 1)
        power = 2 ** (self.num_heads.bit_length() - 1)
        apart = offsets(np.arange(TOKENS), np.arange(TOKENS))
        slope = slopes[self.head - 1]
        bias = np.maximum(alibi_bias(np.array([slope]), apart)[0], LOWEST)
        return self.arrays(
            slopes=slopes,
            of_power=(heads[:power], slopes[:power]),
            of_twice=(heads[power:], slopes[power:]),
            chosen=([self.head], [slope]),
            slope=slope,
            power=power,
            bias=np.where(apart < 0, np.nan, bias),
            ends={"xlim": (0.8 - 0.04 * len(heads), 1.04 * len(heads) + 0.2)},
        )

    def draw(self, figure: Figure) -> list:
        """The slopes at left, on a logarithmic axis; at right the bias of one head."""
        points, matrix = figure.subplots(1, 2, width_ratios=(1.25, 1))
        edge = {"markeredgewidth": 0.8 * rcParams["lines.linewidth"]}
        ring = {"color": rcParams["text.color"], "marks": 1.8, "markerfacecolor": "none"}
        slopes = [
            Curve(points, "C0o", "of_power", marks=0.9, **edge),
            Curve(points, "C1s", "of_twice", marks=0.9, **edge),
            Curve(points, "o", "chosen", **ring, **edge),
            PointName(points, ring["color"], _chosen, size="large"),
            PointName(points, "C1", _twice),
        ]
        points.set(title="slope of each head", xlabel="head", ylabel="slope (per token)")
        points.set_yscale("log", base=2)
        points.set(xlim=(0, MOST_HEADS), ylim=(2**-8.6, 2**0.8))
        powers = 2 ** np.arange(0, 9, 1 if wide(figure) else 2)
        points.set_yticks(1 / powers, ["1", *(f"1/{power}" for power in powers[1:])])
        points.yaxis.set_minor_locator(NullLocator())
        whole(points.xaxis, most=8)
        points.grid(axis="y")
        props = {"cmap": greyed(PLAIN), "limits": (LOWEST, 0), "aspect": "equal"}
        bias = Map(matrix, "bias", most=(TOKENS, TOKENS), **props)
        bar = figure.colorbar(
            bias.image, ax=matrix, location="right" if wide(figure) else "bottom", extend="min"
        )
        bar.set_label("bias (grey: future)")
        bar.set_ticks((-8, -4, 0))
        title = matrix.set_title("bias of head 128", animated=True)
        matrix.set(xlabel="key (position)", ylabel="query (position)")
        whole(matrix.xaxis, matrix.yaxis, most=3, steps=None)
        return [
            Limits(points, "ends"),
            *slopes,
            bias,
            Other(title, lambda a: {"text": f"bias of head {a.head}"}),
        ]

    def caption(self, arrays: Arrays) -> str:
        last, power = TOKENS - 1, arrays.power
        more = f"; heads above {power} have slopes of {2 * power} heads"
        more = more if power < arrays.num_heads else ""
        return (
            f"Head {arrays.head} of {arrays.num_heads} has the slope {slope_words(arrays.slope)}, "
            f"so it subtracts {number(last * arrays.slope, 4)} from a key {last} tokens back{more}."
        )


def _chosen(arrays):
    """The chosen slope, on the side where no other is."""
    return *arrays.chosen, slope_words(arrays.slope), arrays.head <= arrays.num_heads / 2


def _twice(arrays):
    """Where the slopes beyond a power of two come from, at the first of them."""
    heads, slopes = arrays.of_twice
    return heads[:1], slopes[:1], f"from {2 * arrays.power} heads", True


def slope_words(slope):
    """A slope as 1/256 where that is exact, and otherwise to four digits."""
    inverse = 1 / slope
    return f"1/{inverse:.0f}" if float(inverse).is_integer() else number(slope, 4)
