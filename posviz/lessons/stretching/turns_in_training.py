"""Which pairs turned in training, and what a method makes of each pair's wavelength."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.frequencies import rotary_frequencies, wavelengths
from posviz.lessons.stretching._methods import (
    BLENDED,
    KEPT,
    METHODS,
    SLOWED,
    fate,
    stretched,
    title,
)
from posviz.pictures.knobs import choice, even, integer, log, log_integer
from posviz.pictures.parts import Curve, Limits, Other, Rule, legend_above, whole, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import tokens

WIDEST = 256
SHORTEST = 3  # tokens: below the wavelength of pair 0, 2π
MARKS = {KEPT: ("C0o", "kept"), BLENDED: ("C1D", "blended"), SLOWED: ("C2^", "slowed")}


class TurnsInTraining(Picture):
    """Which pairs turned in training, and which of them a method slows."""

    size = (9.0, 3.9)
    paper_size = (3.3, 3.6)
    combined = (("method", "pair"),)

    method = choice("YaRN by index", options=METHODS)
    factor = log(4, low=1, high=64, play=True, label="factor s")
    length = log_integer(4096, low=256, high=128_000, label="trained length L")
    pair = integer(30, low=0, high=WIDEST // 2 - 1, until=lambda p: p.head_dim // 2 - 1)
    head_dim = even(128, low=4, high=WIDEST)
    base = log(10_000, low=100, high=1_000_000)

    def compute(self) -> Arrays:
        """Return each pair's wavelength as trained and by the method, [pairs], in tokens.

        shares: of its frequency that a pair gets; fates: KEPT, BLENDED or SLOWED.
        """
        trained = rotary_frequencies(self.head_dim, self.base)
        setting = self.head_dim, self.base, self.length, self.factor
        inv_freq = stretched(self.method, *setting).inv_freq
        shares = inv_freq / trained
        return self.arrays(
            pairs=np.arange(len(trained)),
            trained=wavelengths(trained),
            stretched=wavelengths(inv_freq),
            shares=shares,
            fates=fate(shares, self.factor),
            turned=int((wavelengths(trained) <= self.length).sum()),
        )

    def draw(self, figure: Figure) -> list:
        """Wavelengths over the band of those that turned, and the share of each frequency."""
        waves, shares = figure.subplots(*((1, 2) if wide(figure) else (2, 1)))
        patch: dict[str, Any] = {
            "facecolor": "C6",
            "alpha": 0.25,
            "lw": 0,
            "label": "turned in training",
        }
        high = {"transform": waves.get_yaxis_transform(), "animated": True}
        band = waves.add_patch(Rectangle((0, SHORTEST), 1, 1, **patch, **high))
        trained = Curve(waves, "C6-", lambda a: (a.pairs, a.trained), "as trained")
        marks = [*_marks(waves, lambda a: a.stretched), *_marks(shares, lambda a: a.shares)]
        dotted = {"color": rcParams["text.color"], "linestyle": ":"}
        rules = [Rule(axes, dotted, lambda a: a.pair, "the pair") for axes in (waves, shares)]
        for axes in (waves, shares):
            axes.set(xlabel="pair", xlim=(-2, WIDEST / 2 + 1))
            whole(axes.xaxis, most=4)
        waves.set(yscale="log", ylabel="wavelength (tokens)", ylim=(SHORTEST, 1e11))
        waves.yaxis.set_major_locator(LogLocator(numticks=5))
        waves.yaxis.set_minor_locator(NullLocator())
        shares.set(ylabel="share of its frequency", ylim=(-0.04, 1.06), yticks=(0, 0.5, 1))
        legend_above(figure, [*marks[:3], trained, band, rules[0]], narrow=3, columnspacing=1.2)
        ends = [Limits(axes, lambda a: {"xlim": _across(a.pairs)}) for axes in (waves, shares)]
        up = Limits(waves, lambda a: {"ylim": (SHORTEST, _decade(a.stretched[-1], a.length))})
        height = Other(band, lambda a: {"height": a.length - SHORTEST})
        return [*ends, up, height, trained, *rules, *marks]

    def caption(self, arrays: Arrays) -> str:
        """How many pairs turned, how many are kept, blended and slowed, and what one gets."""
        setting = arrays.head_dim, arrays.base, arrays.length, arrays.factor
        kept, blended, slowed = (int((arrays.fates == each).sum()) for each in MARKS)
        clamped = " (the last)" * bool(arrays.beyond)
        wavelength = arrays.trained[arrays.pair]
        return (
            f"{arrays.turned} of {len(arrays.pairs)} pairs turn at least once in "
            f"{arrays.length:,} tokens; {title(arrays.method, *setting)} at factor "
            f"{arrays.factor:g}: {kept} kept, {blended} blended, {slowed} slowed by that or more; "
            f"pair {arrays.pair}{clamped} has λ = {tokens(wavelength)}, turns "
            f"{arrays.length / wavelength:.3g} times and gets {arrays.shares[arrays.pair]:.4f} of "
            "its frequency."
        )


def _marks(axes, values):
    """A mark for each pair, its colour and shape by what became of it."""
    return [
        Curve(
            axes,
            look,
            lambda a, of=of: (a.pairs[a.fates == of], values(a)[a.fates == of]),
            label,
            marks=0.7,
        )
        for of, (look, label) in MARKS.items()
    ]


def _across(pairs):
    """The next power of two, so that the axis seldom moves."""
    most = 2 ** np.ceil(np.log2(len(pairs)))
    return -0.02 * most, 1.02 * most - 1


def _decade(longest, length):
    """The power of ten above all that is shown, so that the axis seldom moves."""
    return 10 ** np.ceil(np.log10(1.5 * max(longest, length)))
