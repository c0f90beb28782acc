"""What xPos costs: a key grows with its position until no number of its dtype can hold it."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from posviz.encodings.xpos import xpos_scale
from posviz.pictures.knobs import choice, log, log_integer, switch
from posviz.pictures.parts import Curve, Rule, legend_above, whole, wide
from posviz.pictures.picture import Arrays, Picture

LARGEST = {  # log₁₀ of the largest number; NumPy has no bfloat16, of 8 bits in the mantissa
    "float16": np.log10(float(np.finfo(np.float16).max)),
    "bfloat16": np.log10((2 - 2.0**-7) * 2.0**127),
    "float32": np.log10(float(np.finfo(np.float32).max)),
    "float64": np.log10(np.finfo(np.float64).max),
}
POSITIONS = np.geomspace(1, 1_000_000, 361)


class XposOverflow(Picture):
    """How far xPos reaches before its keys overflow."""

    size = (9.0, 3.9)
    paper_size = (3.3, 3.6)

    position = log_integer(10_000, low=1, high=1_000_000, play=True)
    dtype = choice("float32", options=tuple(LARGEST), redraw=True)
    scale_base = log(512, low=1, high=4096, label="scale_base S")
    centred = switch(False)
    gamma = log(0.4, low=0.1, high=10, label="gamma γ", more=True)

    def compute(self) -> Arrays:
        """Return log₁₀ of pair 0's scale at all positions and at the marked one, and the limits.

        reach: by dtype the position where the scale passes its largest number; bars: the share of
        each dtype's range that is used; full: which of them overflow.
        """
        setting = {"gamma": self.gamma, "scale_base": self.scale_base}
        zeta = xpos_scale(self.scale_base, 2, **setting)[0]  # pair 0 has the same in any head_dim
        digits = -np.log10(zeta) / self.scale_base / (2 if self.centred else 1)  # for each token
        reach = {name: limit / digits for name, limit in LARGEST.items()}
        used = self.position / np.array([*reach.values()])
        here, limit, full = digits * self.position, LARGEST[self.dtype], np.flatnonzero(used > 1)
        return self.arrays(
            here=here,
            reach=reach,
            curve=(POSITIONS, np.minimum(digits * POSITIONS, 2 * limit)),
            end=([reach[self.dtype]], [limit]),
            mark=([self.position], [min(here, 1.1 * limit)]),
            bars=[([0, part], [at, at]) for at, part in enumerate(np.minimum(used, 1))],
            full=(1 + 0 * full, full),
        )

    def draw(self, figure: Figure) -> list:
        """The scale against the position, and how much of each dtype's range it has used."""
        if wide(figure):
            upper, meter = figure.subplots(1, 2, width_ratios=(2, 1))
        else:
            upper, meter = figure.subplots(2, 1, height_ratios=(1.8, 1))
        limit = LARGEST[self.dtype]
        upper.set(xscale="log", xlim=(0.9, 1.1e6), ylim=(-0.04 * limit, 1.2 * limit))
        hatched = {"facecolor": "none", "edgecolor": "C6", "hatch": "///"}
        upper.axhspan(limit, 1.2 * limit, **hatched, linewidth=0)
        upper.axhline(limit, color="C6")
        curve = Curve(upper, "C0-", "curve", "scale of a key")
        here = Rule(upper, {"color": "C6", "linestyle": ":"}, "position")
        end = Curve(upper, "C3X", "end", f"end of {self.dtype}", marks=2)
        mark = Curve(upper, "C1o", "mark", "the position", marks=1.3)
        upper.set(xlabel="position of the key (tokens)", ylabel="scale of pair 0")
        upper.xaxis.set_major_locator(LogLocator(numticks=7))
        upper.xaxis.set_minor_locator(NullLocator())
        whole(upper.yaxis, most=4)
        upper.yaxis.set_major_formatter(FuncFormatter(lambda power, _: f"$10^{{{power:.0f}}}$"))
        legend_above(figure, [curve, end, mark, Patch(label="overflow", **hatched)], narrow=2)
        return [curve, end, mark, here, *_draw_meter(meter, self.dtype)]

    def caption(self, arrays: Arrays) -> str:
        """How large the scale is at the position, and where the dtype overflows."""
        scale = f"{10**arrays.here:.3g}" if arrays.here < 300 else f"10^{arrays.here:,.0f}"
        return (
            f"A key at position {arrays.position:,} is multiplied by {scale} in pair 0, and "
            f"{arrays.dtype} overflows from position {np.ceil(arrays.reach[arrays.dtype]):,.0f} on."
        )


def _draw_meter(axes, dtype):
    """A bar for each dtype, empty at 1 and full at its largest number, where a cross ends it."""
    thick = {"linewidth": 1.1 * rcParams["font.size"], "solid_capstyle": "butt"}
    bars = [
        Curve(axes, "C0" if name == dtype else "C6", f"bars[{at}]", **thick)
        for at, name in enumerate(LARGEST)
    ]
    axes.axvline(1, color="C6")
    full = Curve(axes, "C3X", "full", marks=2)
    axes.set(xlim=(0, 1.12), xticks=(0, 0.5, 1), xlabel="share of the range used (log)")
    axes.xaxis.set_major_formatter("{x:.0%}")
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_yticks(range(len(bars)), labels=LARGEST)
    axes.tick_params(axis="y", length=0)
    return [*bars, full]
