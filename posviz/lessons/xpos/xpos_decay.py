"""How fast xPos forgets: each pair's factor against the distance, and where it is one half."""

import functools
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.xpos import xpos_scale
from posviz.pictures.knobs import even, integer, log
from posviz.pictures.parts import Curve, Map, legend_above, whole, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.wording import tokens

WIDEST = 128
POWERS = np.linspace(0, 5, 241)  # log₁₀ of the distances: an image needs evenly spaced columns
ENDS = (-POWERS[1] / 2, 5 + POWERS[1] / 2)
SAID = (20, 512)  # distances of the caption


class XposDecay(Picture):
    """How each pair of xPos forgets: its factor against the distance."""

    size = (8.0, 3.6)
    paper_size = (3.3, 3.2)

    pair = integer(16, low=0, high=WIDEST // 2 - 1, until=lambda p: p.head_dim // 2 - 1, play=True)
    gamma = log(0.4, low=0.1, high=10, label="gamma γ")
    scale_base = log(512, low=1, high=4096, label="scale_base S")
    head_dim = even(WIDEST, low=4, high=WIDEST)

    def compute(self) -> Arrays:
        """Return each pair's factor at all distances [pairs, distances], its ζ and half-life.

        said: the chosen pair's factor at the distances of the caption.
        """
        setting = self.head_dim, self.gamma, self.scale_base
        factors, zeta = _factors(*setting)
        pair = self.held("pair")
        return self.arrays(
            factors=factors,
            pairs=np.arange(len(zeta)),
            zeta=zeta[pair],
            half_lives=self.scale_base * np.log(0.5) / np.log(zeta),
            said=_scale(SAID, *setting)[:, pair],
        )

    def draw(self, figure: Figure) -> list:
        """The factors of all pairs as a map, and below it those of three of them as curves."""
        heat, curves = figure.subplots(2, 1, sharex=True, height_ratios=(1.3, 1))
        look = {"cmap": PLAIN, "limits": (0, 1), "across": ENDS, "row": lambda a: a.pair}
        factors = Map(heat, lambda a: a.factors, most=(WIDEST // 2, len(POWERS)), **look)
        half = Curve(heat, "C1--", lambda a: (np.log10(a.half_lives), a.pairs), "half-life")
        fastest = Curve(curves, "C2-.", lambda a: (POWERS, a.factors[0]), "fastest pair")
        slowest = Curve(curves, "C3:", lambda a: (POWERS, a.factors[-1]), "slowest pair")
        chosen = Curve(curves, "C0-", lambda a: (POWERS, a.factors[a.pair]), "chosen pair")
        curves.axhline(0.5, color="C6", linewidth=rcParams["axes.linewidth"])
        in_map = Curve(heat, "C1o", lambda a: (np.log10(a.half_lives[[a.pair]]), [a.pair]))
        on_curve = Curve(curves, "C1o", lambda a: (np.log10(a.half_lives[[a.pair]]), [0.5]))
        side, aspect = ("right", 20) if wide(figure) else ("bottom", 30)
        panels: dict[str, Any] = {"ax": (heat, curves), "location": side, "aspect": aspect}
        bar = figure.colorbar(factors.image, ticks=(0, 0.5, 1), **panels)
        bar.set_label("factor of the score", labelpad=rcParams["font.size"] / 2)
        heat.set(ylabel="pair")
        whole(heat.yaxis, most=4, steps=None)
        curves.set(xlabel="distance (tokens)", ylabel="factor", ylim=(-0.05, 1.08))
        curves.set_yticks((0, 0.5, 1))
        curves.set_xticks(range(6), labels=[f"{10**power:,}" for power in range(6)])
        legend_above(figure, [fastest, chosen, slowest, half], narrow=2, columnspacing=1.2)
        figure.align_ylabels((heat, curves))
        return [factors, half, fastest, slowest, chosen, in_map, on_curve]

    def caption(self, arrays: Arrays) -> str:
        """ζ of the pair, its factor at two distances, and the distance that halves it."""
        last = len(arrays.half_lives) - 1
        clamped = " (the last)" * bool(arrays.beyond)
        said = " and ".join(
            f"{_factor_text(factor)} at distance {distance}"
            for factor, distance in zip(arrays.said, SAID, strict=True)
        )
        half = arrays.half_lives[arrays.pair]
        outside = " (off the axis)" * (not ENDS[0] <= np.log10(half) <= ENDS[1])
        return (
            f"Pair {arrays.pair}{clamped} of 0 … {last} has ζ = {arrays.zeta:.4f} and multiplies "
            f"its part of the score by {said}; it halves every {tokens(half)} tokens{outside}, the "
            f"fastest pair every {tokens(arrays.half_lives[0])} tokens, the slowest every "
            f"{tokens(arrays.half_lives[-1])} tokens."
        )


def _scale(distances, head_dim, gamma, scale_base):
    """Each pair's factor [..., pairs] at the distances [...]."""
    return xpos_scale(distances, head_dim, gamma=gamma, scale_base=scale_base)


@functools.lru_cache(maxsize=4)
def _factors(head_dim, gamma, scale_base):
    """The factors [pairs, distances], and ζ, which is the factor at distance scale_base."""
    setting = head_dim, gamma, scale_base
    return np.ascontiguousarray(_scale(10**POWERS, *setting).T), _scale(scale_base, *setting)


def _factor_text(factor):
    """Three digits, two of a small one; 0 is what float64 makes of less than it can hold."""
    if factor < 1e-300:
        return "less than 1e-300"
    return f"{factor:.3f}" if factor >= 0.01 else f"{factor:.1e}"
