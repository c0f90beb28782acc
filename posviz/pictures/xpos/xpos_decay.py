"""How fast xPos forgets: each pair's factor against the distance, and where it is one half."""

import functools
from types import SimpleNamespace

import numpy as np
from matplotlib import rcParams
from matplotlib.ticker import MaxNLocator

from posviz.encodings.xpos import xpos_scale
from posviz.engine.knobs import even, integer, log
from posviz.engine.looks import PLAIN
from posviz.engine.picture import Picture

WIDEST = 128
POWERS = np.linspace(0, 5, 241)  # log₁₀ of the distances: an image needs evenly spaced columns
ENDS = (-POWERS[1] / 2, 5 + POWERS[1] / 2)
SAID = (20, 512)  # distances of the caption


class XposDecay(Picture):
    """How each pair of xPos forgets: its factor against the distance."""

    size = (8.0, 3.6)
    paper_size = (3.3, 3.2)

    pair = integer(16, low=0, high=WIDEST // 2 - 1, play=True)
    gamma = log(0.4, low=0.1, high=10, label="gamma γ")
    scale_base = log(512, low=1, high=4096, label="scale_base S")
    head_dim = even(WIDEST, low=4, high=WIDEST)

    def compute(self):
        """Return each pair's factor at all distances [pairs, distances], its ζ and half-life.

        said: the chosen pair's factor at the distances of the caption.
        """
        setting = self.head_dim, self.gamma, self.scale_base
        factors, zeta = _factors(*setting)
        pair = min(self.pair, len(zeta) - 1)
        return SimpleNamespace(
            factors=factors,
            pair=pair,
            zeta=zeta[pair],
            half_lives=self.scale_base * np.log(0.5) / np.log(zeta),
            said=_scale(SAID, *setting)[:, pair],
        )

    def draw(self, figure):
        """The factors of all pairs as a map, and below it those of three of them as curves."""
        heat, curves = figure.subplots(2, 1, sharex=True, height_ratios=(1.3, 1))
        image = heat.imshow([[0]], cmap=PLAIN, vmin=0, vmax=1, animated=True)
        # Black on white lies on the map's own colours, so it is the same in both themes.
        rows = [heat.axhline(0, color=color, animated=True) for color in ("white", "black")]
        rows[0].set_linewidth(2 * rows[1].get_linewidth())
        (contour,) = heat.plot([], [], "C1--", label="half-life", animated=True)
        looks = (("C2-.", "fastest pair"), ("C3:", "slowest pair"), ("C0-", "chosen pair"))
        lines = [curves.plot([], [], c, label=label, animated=True)[0] for c, label in looks]
        curves.axhline(0.5, color="C6", linewidth=rcParams["axes.linewidth"])
        marks = [axes.plot([], [], "C1o", animated=True)[0] for axes in (heat, curves)]
        wide = figure.get_size_inches()[0] > 5
        bar = figure.colorbar(
            image,
            ax=(heat, curves),
            ticks=(0, 0.5, 1),
            location="right" if wide else "bottom",
            aspect=20 if wide else 30,
        )
        bar.set_label("factor of the score", labelpad=rcParams["font.size"] / 2)
        heat.set(xlim=ENDS, ylim=(WIDEST / 2 - 0.5, -0.5), ylabel="pair")
        heat.yaxis.set_major_locator(MaxNLocator(4, integer=True, min_n_ticks=1))
        curves.set(xlabel="distance (tokens)", ylabel="factor", ylim=(-0.05, 1.08))
        curves.set_yticks((0, 0.5, 1))
        curves.set_xticks(range(6), labels=[f"{10**power:,}" for power in range(6)])
        figure.legend(
            handles=[lines[0], lines[2], lines[1], contour],
            loc="outside upper center",
            ncols=4 if wide else 2,
            columnspacing=1.2,
        )
        figure.align_ylabels((heat, curves))
        return SimpleNamespace(
            heat=heat, image=image, rows=rows, contour=contour, lines=lines, marks=marks, pairs=None
        )

    def update(self, artists, arrays):
        """Colour the map, move curves, row and marks; the axis only when the pairs changed."""
        pairs = len(arrays.factors)
        if artists.pairs != pairs:
            artists.pairs = pairs
            artists.image.set_extent((*ENDS, pairs - 0.5, -0.5))
            artists.heat.set_ylim(pairs - 0.5, -0.5)
        artists.image.set_data(arrays.factors)
        for row in artists.rows:
            row.set_ydata([arrays.pair] * 2)
        artists.contour.set_data(np.log10(arrays.half_lives), np.arange(pairs))
        for line, pair in zip(artists.lines, (0, -1, arrays.pair), strict=True):
            line.set_data(POWERS, arrays.factors[pair])
        for mark, height in zip(artists.marks, (arrays.pair, 0.5), strict=True):
            mark.set_data([np.log10(arrays.half_lives[arrays.pair])], [height])

    def caption(self, arrays):
        """ζ of the pair, its factor at two distances, and the distance that halves it."""
        last = len(arrays.half_lives) - 1
        clamped = " (the last)" * (self.pair > arrays.pair)
        said = " and ".join(
            f"{_written(factor)} at distance {distance}"
            for factor, distance in zip(arrays.said, SAID, strict=True)
        )
        half = arrays.half_lives[arrays.pair]
        outside = " (off the axis)" * (not ENDS[0] <= np.log10(half) <= ENDS[1])
        return (
            f"Pair {arrays.pair}{clamped} of 0 … {last} has ζ = {arrays.zeta:.4f} and multiplies "
            f"its part of the score by {said}; it halves every {_tokens(half)}{outside}, the "
            f"fastest pair every {_tokens(arrays.half_lives[0])}, the slowest every "
            f"{_tokens(arrays.half_lives[-1])}."
        )


def _scale(distances, head_dim, gamma, scale_base):
    """Each pair's factor [..., pairs] at the distances [...]."""
    return xpos_scale(distances, head_dim, gamma=gamma, scale_base=scale_base)


@functools.lru_cache(maxsize=4)
def _factors(head_dim, gamma, scale_base):
    """The factors [pairs, distances], and ζ, which is the factor at distance scale_base."""
    setting = head_dim, gamma, scale_base
    return np.ascontiguousarray(_scale(10**POWERS, *setting).T), _scale(scale_base, *setting)


def _written(factor):
    """Three digits, two of a small one; 0 is what float64 makes of less than it can hold."""
    if factor < 1e-300:
        return "less than 1e-300"
    return f"{factor:.3f}" if factor >= 0.01 else f"{factor:.1e}"


def _tokens(length):
    return f"{length:.2f} tokens" if length < 100 else f"{length:,.0f} tokens"
