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
    position = log_integer(10_000, low=1, high=FURTHEST, play=True)
    scale_base = log(512, low=1, high=4096, label="scale_base S")
    gamma = log(0.4, low=0.1, high=10, label="gamma γ")
    centred = switch(False)

    def compute(self) -> Arrays:
        """Return log₁₀ of pair 0's scale at all positions and at the marked one, and the limits.

        reach: by dtype the position where the scale passes its largest number; used: the share of
        each dtype's range; full: which of them overflow.
        """
        setting = {"gamma": self.gamma, "scale_base": self.scale_base}
        zeta = xpos_scale(self.scale_base, 2, **setting)[0]  # pair 0 has the same in any head_dim
        digits = -np.log10(zeta) / self.scale_base / (2 if self.centred else 1)  # for each token
        reach = {name: limit / digits for name, limit in DIGITS.items()}
        used = self.position / np.array([*reach.values()])
        return self.arrays(
            zeta=zeta,
            here=digits * self.position,
            curve=np.minimum(digits * POSITIONS, 2 * DIGITS[self.dtype]),
            mark=min(digits * self.position, 1.1 * DIGITS[self.dtype]),
            reach=reach,
            used=np.minimum(used, 1),
            full=np.flatnonzero(used > 1),
        )

    def draw(self, figure: Figure) -> list:
        """The scale against the position, and how much of each dtype's range it has used."""
        if wide(figure):
            upper, meter = figure.subplots(1, 2, width_ratios=(2, 1))
        else:
            upper, meter = figure.subplots(2, 1, height_ratios=(1.8, 1))
        curve, end, mark, here = _draw_curve(upper, self.dtype)
        overflow = Patch(facecolor="none", edgecolor="C6", hatch="///", label="overflow")
        legend_above(figure, [curve, end, mark, overflow], narrow=2, columnspacing=1.2)
        return [curve, end, mark, here, *_draw_meter(meter, self.dtype)]

    def caption(self, arrays: Arrays) -> str:
        """How large the scale is at the position, what the dtype holds, and where it overflows."""
        middle = f", {arrays.position / 2:,.9g} from the middle of its text," * arrays.centred
        reach = arrays.reach[arrays.dtype]
        overflows = f"overflows to infinity from position {_position(reach)} on"
        if reach > FURTHEST:
            overflows = f"would overflow at position {reach:,.0f}, off the axis"
        return (
            f"A key’s pair 0 (ζ = {arrays.zeta:.4f}) at position {arrays.position:,}{middle} is "
            f"multiplied by {_from_log10(arrays.here)}; {arrays.dtype} holds numbers up to "
            f"{LARGEST[arrays.dtype]:.3g} and {overflows}."
        )


def _draw_curve(axes, dtype):
    limit = DIGITS[dtype]
    axes.set(xscale="log", xlim=(0.9, 1.1 * FURTHEST), ylim=(-0.04 * limit, TOP * limit))
    axes.axhspan(limit, TOP * limit, facecolor="none", edgecolor="C6", hatch="///", linewidth=0)
    axes.axhline(limit, color="C6")
    curve = Curve(axes, "C0-", lambda a: (POSITIONS, a.curve), "scale of a key")
    here = Rule(axes, {"color": "C6", "linestyle": ":"}, lambda a: a.position)
    end = Curve(axes, "C3X", lambda a: ([a.reach[dtype]], [limit]), f"end of {dtype}", marks=2)
    mark = Curve(axes, "C1o", lambda a: ([a.position], [a.mark]), "the position", marks=1.3)
    axes.set(xlabel="position of the key (tokens)", ylabel="scale of pair 0")
    axes.xaxis.set_major_locator(LogLocator(numticks=7))
    axes.xaxis.set_minor_locator(NullLocator())
    whole(axes.yaxis, most=4)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda power, _: f"$10^{{{power:.0f}}}$"))
    return curve, end, mark, here


def _draw_meter(axes, dtype):
    """A bar for each dtype, empty at 1 and full at its largest number, where a cross ends it."""
    thick = {"linewidth": 1.1 * rcParams["font.size"], "solid_capstyle": "butt"}
    bars = [
        Curve(axes, look, lambda a, at=at: ([0, a.used[at]], [at, at]), **thick)
        for at, look in enumerate("C0" if name == dtype else "C6" for name in LARGEST)
    ]
    axes.axvline(1, color="C6")
    full = Curve(axes, "C3X", lambda a: (1 + 0 * a.full, a.full), marks=2)
    axes.set(xlim=(0, 1.12), xticks=(0, 0.5, 1), xlabel="share of the range used (log)")
    axes.xaxis.set_major_formatter("{x:.0%}")
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_yticks(range(len(bars)), labels=LARGEST)
    axes.tick_params(axis="y", length=0)
    return [*bars, full]


def _from_log10(digits):
    """A number by its log₁₀, for it may be larger than any float."""
    return f"{10**digits:.4g}" if digits < 300 else f"10^{digits:,.0f}"


def _position(reach):
    return f"{reach:.2f}" if reach < 100 else f"{reach:,.1f}"
