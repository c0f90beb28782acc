"""Which pairs finished a rotation in training, and what a method makes of each wavelength."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.configs.kinds import kept_and_slowed
from posviz.encodings.frequencies import rotary_frequencies, wavelengths
from posviz.lessons.stretching._methods import METHODS, stretched
from posviz.pictures.knobs import choice, even, integer, log, log_integer
from posviz.pictures.layouts import beside
from posviz.pictures.parts import Curve, Limits, Other, Rule, legend_above, whole
from posviz.pictures.picture import Arrays, Picture

SHORTEST = 3  # tokens: below the wavelength of pair 0, 2π
LOOKS = {"kept": "C0o", "blended": "C1D", "slowed": "C2^"}


class TurnsInTraining(Picture):
    """Which pairs finished a rotation in training, and which of them a method slows."""

    size = (9.0, 3.9)
    paper_size = (3.3, 3.6)

    method = choice("YaRN", options=METHODS)
    factor = log(4, low=1, high=64, play=True, label="factor s")
    length = log_integer(4096, low=256, high=128_000, label="trained length L")
    base = log(10_000, low=100, high=1_000_000)
    pair = integer(30, low=0, high=127, until=lambda p: p.head_dim // 2 - 1, more=True)
    head_dim = even(128, low=4, high=256, more=True)

    def compute(self) -> Arrays:
        """Return each pair's wavelength as trained, and by fate those of the method, in tokens.

        fates: of the pairs kept, blended and slowed by the whole factor, whether each is, [pairs].
        """
        plain = rotary_frequencies(self.head_dim, self.base)
        found = stretched(self.method, self.head_dim, self.base, self.length, self.factor).inv_freq
        pairs, waves, shares = np.arange(len(plain)), wavelengths(found), found / plain
        kept, slowed = kept_and_slowed(shares, self.factor)
        fates = kept, ~kept & ~slowed, slowed & ~kept
        most = 2 ** np.ceil(np.log2(len(plain)))  # so that the axes seldom move
        top = 10 ** np.ceil(np.log10(1.5 * max(waves[-1], self.length)))
        return self.arrays(
            trained=(pairs, wavelengths(plain)),
            marks=[(pairs[fate], of[fate]) for of in (waves, shares) for fate in fates],
            fates=fates,
            shares=shares,
            turned=int((wavelengths(plain) <= self.length).sum()),
            across={"xlim": (-0.02 * most, 1.02 * most - 1)},
            up={"ylim": (SHORTEST, top)},
            band={"height": self.length - SHORTEST},
        )

    def draw(self, figure: Figure) -> list:
        """Wavelengths over the band of those that are safe, and the share of each frequency."""
        waves, shares = beside(figure)
        grey = {"facecolor": "C6", "alpha": 0.25, "lw": 0, "label": "safe after training"}
        band = waves.axhspan(SHORTEST, SHORTEST + 1, animated=True, **grey)
        trained = Curve(waves, "C6-", "trained", "as trained")
        marks = [
            Curve(axes, look, f"marks[{3 * row + at}]", name, marks=0.7)
            for row, axes in enumerate((waves, shares))
            for at, (name, look) in enumerate(LOOKS.items())
        ]
        dotted = {"color": rcParams["text.color"], "linestyle": ":"}
        rules = [Rule(axes, dotted, "pair", "the pair") for axes in (waves, shares)]
        for axes in (waves, shares):
            axes.set(xlabel="pair", xlim=(-2, 129))
            whole(axes.xaxis, most=4)
        waves.set(yscale="log", ylabel="wavelength (tokens)", ylim=(SHORTEST, 1e11))
        waves.yaxis.set_major_locator(LogLocator(numticks=5))
        waves.yaxis.set_minor_locator(NullLocator())
        shares.set(ylabel="share of its frequency", ylim=(-0.04, 1.06), yticks=(0, 0.5, 1))
        legend_above(figure, [*marks[:3], trained, band, rules[0]], narrow=3, columnspacing=1.2)
        limits = [Limits(waves, "across"), Limits(shares, "across"), Limits(waves, "up")]
        return [*limits, Other(band, "band"), trained, *rules, *marks]

    def caption(self, arrays: Arrays) -> str:
        """How many pairs finished a rotation, and what the method does to them."""
        kept, blended, slowed = (fate.sum() for fate in arrays.fates)
        return (
            f"{arrays.turned} of {len(arrays.shares)} pairs finish a rotation in "
            f"{arrays.length:,} tokens; method {arrays.method} keeps {kept}, blends {blended} and "
            f"slows {slowed}; pair {arrays.pair} keeps {arrays.shares[arrays.pair]:.4f}."
        )
