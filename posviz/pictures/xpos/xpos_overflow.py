"""What xPos costs: a key grows with its position until no number of its dtype can hold it."""

from types import SimpleNamespace

import matplotlib
import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from posviz.encodings.xpos import xpos_scale
from posviz.engine.knobs import choice, log, switch
from posviz.engine.picture import Picture

LARGEST = {  # the largest number of each dtype; NumPy has no bfloat16, of 8 bits in the mantissa
    "float16": float(np.finfo(np.float16).max),
    "bfloat16": (2 - 2.0**-7) * 2.0**127,
    "float32": float(np.finfo(np.float32).max),
    "float64": float(np.finfo(np.float64).max),
}
DIGITS = {name: float(np.log10(largest)) for name, largest in LARGEST.items()}
FURTHEST = 1_000_000
POSITIONS = np.geomspace(1, FURTHEST, 361)
TOP = 1.2  # of the axis, as a multiple of the dtype's digits


class XposOverflow(Picture):
    """How far xPos reaches before its keys overflow."""

    size = (9.0, 3.9)
    paper_size = (3.3, 3.6)

    dtype = choice("float32", options=tuple(LARGEST), redraw=True)
    position = log(10_000, low=1, high=FURTHEST, play=True)
    scale_base = log(512, low=1, high=4096, label="scale_base S")
    gamma = log(0.4, low=0.1, high=10, label="gamma γ")
    centred = switch(False)

    def compute(self):
        """Return log₁₀ of pair 0's scale at all positions and at the marked one, and the limits.

        reach: by dtype the position where the scale passes its largest number.
        """
        setting = {"gamma": self.gamma, "scale_base": self.scale_base}
        zeta = xpos_scale(self.scale_base, 2, **setting)[0]  # pair 0 has the same in any head_dim
        digits = -np.log10(zeta) / self.scale_base / (2 if self.centred else 1)  # for each token
        position = int(self.position)
        return SimpleNamespace(
            zeta=zeta,
            position=position,
            here=digits * position,
            curve=np.minimum(digits * POSITIONS, 2 * DIGITS[self.dtype]),
            limit=DIGITS[self.dtype],
            reach={name: limit / digits for name, limit in DIGITS.items()},
        )

    def draw(self, figure):
        """The scale against the position, and how much of each dtype's range it has used."""
        wide = figure.get_size_inches()[0] > 5
        if wide:
            curve, meter = figure.subplots(1, 2, width_ratios=(2, 1))
        else:
            curve, meter = figure.subplots(2, 1, height_ratios=(1.8, 1))
        parts = _draw_curve(curve, self.dtype) | _draw_meter(meter, self.dtype)
        artists = SimpleNamespace(dtype=self.dtype, **parts)
        overflow = Patch(facecolor="none", edgecolor="C6", hatch="///", label="overflow")
        figure.legend(
            handles=[artists.curve, artists.end, artists.mark, overflow],
            loc="outside upper center",
            ncols=4 if wide else 2,
            columnspacing=1.2,
        )
        return artists

    def update(self, artists, arrays):
        """Move the curve, the marks and the bars; a cross ends each bar that is full."""
        artists.curve.set_data(POSITIONS, arrays.curve)
        artists.end.set_data([arrays.reach[artists.dtype]], [arrays.limit])
        artists.here.set_xdata([arrays.position] * 2)
        artists.mark.set_data([arrays.position], [min(arrays.here, 1.1 * arrays.limit)])
        used = {name: arrays.position / reach for name, reach in arrays.reach.items()}
        for name, bar in artists.bars.items():
            bar.set_xdata([0, min(used[name], 1)])
        full = [place for place, share in enumerate(used.values()) if share > 1]
        artists.full.set_data([1] * len(full), full)

    def caption(self, arrays):
        """How large the scale is at the position, what the dtype holds, and where it overflows."""
        middle = f", {arrays.position / 2:,.9g} from the middle of its text," * self.centred
        reach = arrays.reach[self.dtype]
        overflows = f"overflows to infinity from position {_position(reach)} on"
        if reach > FURTHEST:
            overflows = f"would overflow at position {reach:,.0f}, off the axis"
        return (
            f"A key’s pair 0 (ζ = {arrays.zeta:.4f}) at position {arrays.position:,}{middle} is "
            f"multiplied by {_written(arrays.here)}; {self.dtype} holds numbers up to "
            f"{LARGEST[self.dtype]:.3g} and {overflows}."
        )


def _draw_curve(axes, dtype):
    limit = DIGITS[dtype]
    axes.axhspan(limit, TOP * limit, facecolor="none", edgecolor="C6", hatch="///", linewidth=0)
    axes.axhline(limit, color="C6")
    (curve,) = axes.plot([], [], "C0-", label="scale of a key", animated=True)
    here = axes.axvline(1, color="C6", linestyle=":", animated=True)
    (end,) = axes.plot([], [], "C3X", label=f"end of {dtype}", animated=True)
    end.set_markersize(2 * end.get_markersize())
    (mark,) = axes.plot([], [], "C1o", label="the position", animated=True)
    mark.set_markersize(1.3 * mark.get_markersize())
    axes.set(xscale="log", xlim=(0.9, 1.1 * FURTHEST), ylim=(-0.04 * limit, TOP * limit))
    axes.set(xlabel="position of the key (tokens)", ylabel="scale of pair 0")
    axes.xaxis.set_major_locator(LogLocator(numticks=7))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=(1, 2, 5, 10), integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda power, _: f"$10^{{{power:.0f}}}$"))
    return {"curve": curve, "here": here, "end": end, "mark": mark}


def _draw_meter(axes, dtype):
    """A bar for each dtype, empty at 1 and full at its largest number."""
    bars = {
        name: axes.plot([0, 0], [place] * 2, solid_capstyle="butt", animated=True)[0]
        for place, name in enumerate(LARGEST)
    }
    for name, bar in bars.items():
        bar.set_linewidth(1.1 * matplotlib.rcParams["font.size"])
        bar.set_color("C0" if name == dtype else "C6")
    axes.axvline(1, color="C6")
    (full,) = axes.plot([], [], "C3X", animated=True)
    full.set_markersize(2 * full.get_markersize())
    axes.set(xlim=(0, 1.12), xticks=(0, 0.5, 1), xlabel="share of the range used (log)")
    axes.xaxis.set_major_formatter("{x:.0%}")
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_yticks(range(len(bars)), labels=bars)
    axes.tick_params(axis="y", length=0)
    return {"bars": bars, "full": full}


def _written(digits):
    """A number by its log₁₀, for it may be larger than any float."""
    return f"{10**digits:.4g}" if digits < 300 else f"10^{digits:,.0f}"


def _position(reach):
    return f"{reach:.2f}" if reach < 100 else f"{reach:,.1f}"
