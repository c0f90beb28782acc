"""How fast xPos forgets: each pair's factor against the distance, and where it is one half."""

import functools

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.xpos import xpos_scale
from posviz.pictures.knobs import Even, Integer, Log
from posviz.pictures.parts import Curve, Map, legend_above, whole, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.wording import number
from posviz_course.lessons._own import own_numbers

POWERS = np.linspace(0, 5, 241)  # log₁₀ of the distances: an image needs evenly spaced columns


class XposDecay(Picture):
    """In xPos each pair forgets at its own rate: fast pairs forget soonest.

    `half_lives` is a reader's function of lesson 09, (zeta, scale_base) -> [pairs].
    """

    size = (8.0, 3.2)
    paper_size = (3.3, 3.2)

    pair = Integer(16, low=0, high=63, until=lambda p: p.head_dim // 2 - 1, play=True)
    gamma = Log(0.4, low=0.1, high=10, label="gamma γ")
    scale_base = Log(512, low=1, high=4096, label="scale_base S")
    head_dim = Even(128, low=4, high=128)

    def __init__(self, half_lives=None, **knobs):
        super().__init__(**knobs)
        self.given_data = () if half_lives is None else ("half_lives",)
        self._own = half_lives

    def compute(self) -> Arrays:
        """Return each pair's factor at all distances [pairs, distances], and its half-life.

        own: the reader's half-lives [pairs], or none while the function has no body.
        """
        factors, zeta = _factors(self.head_dim, self.gamma, self.scale_base)
        half_lives = self.scale_base * np.log(0.5) / np.log(zeta)
        here = np.log10(half_lives[[self.pair]])
        own = own_numbers(self._own(zeta, self.scale_base), zeta.shape) if self._own else None
        own = np.array([]) if own is None else own
        with np.errstate(divide="ignore", invalid="ignore"):  # wrong ones may be below 0
            dots = np.log10(own), np.arange(len(own))
        return self.arrays(
            factors=factors,
            half_lives=half_lives,
            own=own,
            dots=dots,
            halves=(np.log10(half_lives), np.arange(len(zeta))),
            curves=[(POWERS, factors[pair]) for pair in (0, -1, self.pair)],
            marks=[(here, [self.pair]), (here, [0.5])],
        )

    def draw(self, figure: Figure) -> list:
        """The factors of all pairs as a map, and below it those of three of them as curves."""
        heat, curves = figure.subplots(2, 1, sharex=True, height_ratios=(1.3, 1))
        room, half = (64, len(POWERS)), POWERS[1] / 2
        props = {"cmap": PLAIN, "limits": (0, 1), "across": (-half, 5 + half), "row": "pair"}
        factors = Map(heat, "factors", most=room, **props)
        halves = Curve(heat, "C1--", "halves", "half-life")
        fastest = Curve(curves, "C2-.", "curves[0]", "fastest pair")
        slowest = Curve(curves, "C3:", "curves[1]", "slowest pair")
        chosen = Curve(curves, "C0-", "curves[2]", "chosen pair")
        curves.axhline(0.5, color="C6", linewidth=rcParams["axes.linewidth"])
        marks = [Curve(heat, "C1o", "marks[0]"), Curve(curves, "C1o", "marks[1]")]
        dots = {"marks": 0.6, "markeredgecolor": "k"}
        yours = [Curve(heat, "wo", "dots", "yours", **dots)] if self._own else []
        side = {"location": "right"} if wide(figure) else {"location": "bottom", "aspect": 30}
        figure.colorbar(factors.image, ticks=(0, 0.5, 1), ax=heat, label="factor", **side)
        heat.set(ylabel="pair")
        whole(heat.yaxis, most=4, steps=None)
        curves.set(xlabel="distance (tokens)", ylabel="factor", ylim=(-0.05, 1.08))
        curves.set_yticks((0, 0.5, 1))
        curves.set_xticks(range(6), labels=[f"{10**power:,}" for power in range(6)])
        named = [fastest, chosen, slowest, halves, *yours]
        legend_above(figure, named, narrow=2, columnspacing=1.2)
        figure.align_ylabels((heat, curves))
        return [factors, halves, fastest, slowest, chosen, *yours, *marks]

    def caption(self, arrays: Arrays) -> str:
        if self._own:
            if not len(arrays.own):
                return "Your function returns no half-lives yet."
            right = np.isclose(arrays.own, arrays.half_lives).sum()
            return f"{right} of your {len(arrays.own)} half-lives lie where the factor is one half."
        chosen, fastest, slowest = (
            number(arrays.half_lives[pair]) for pair in (arrays.pair, 0, -1)
        )
        return (
            f"The factor of pair {arrays.pair} halves every {chosen} tokens, of the fastest pair "
            f"every {fastest}, and of the slowest every {slowest}."
        )


@functools.lru_cache(maxsize=4)
def _factors(head_dim, gamma, scale_base):
    """The factors [pairs, distances], and ζ, which is the factor at distance scale_base."""
    setting = {"gamma": gamma, "scale_base": scale_base}
    factors = xpos_scale(10**POWERS, head_dim, **setting).T
    return np.ascontiguousarray(factors), xpos_scale(scale_base, head_dim, **setting)
