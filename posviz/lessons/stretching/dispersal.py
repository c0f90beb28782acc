"""How the best key's weight thins out as a row grows, and what sharper scores do about it."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.stretching import yarn
from posviz.pictures.knobs import choice, log, log_integer, real
from posviz.pictures.parts import Curve, Other, Rule, legend_above
from posviz.pictures.picture import Arrays, Picture

MOST = 1_000_000
KEYS = np.unique(np.geomspace(1, MOST, 961).astype(int))
# Of each rule its line, and its mark at the end of the longer text.
LOOKS = {
    "plain": ("C0-", "o"),
    "a²": ("C1--", "D"),
    "log n": ("C2-.", "^"),
    "Llama-4": ("C3:", "s"),
}
FIRST = ("plain", "a²")


class Dispersal(Picture):
    """One best key among ever more others: its weight, as it is and with sharper scores."""

    size = (8.0, 3.4)

    margin = real(8, low=0, high=20, step=0.1, play=True, label="margin δ")
    length = log_integer(4096, low=256, high=128_000, label="trained length L")
    factor = log(4, low=1, high=64, label="factor s")
    rules = choice("YaRN", options=("YaRN", "all"), redraw=True, more=True)

    @property
    def _looks(self) -> dict[str, tuple[str, str]]:
        """The rules that are drawn; two grow with the text, and come on request."""
        return {name: look for name, look in LOOKS.items() if self.rules == "all" or name in FIRST}

    def compute(self) -> Arrays:
        """Return by rule the weight of the best key in rows of KEYS, and at the longer length.

        Its score is `margin` above all others, which are equal.
        """
        longer = round(self.factor * self.length)
        curves, ends = (
            [
                weight(sharper * self.margin, keys)
                for name, sharper in sharpening(keys, self.length, self.factor).items()
                if name in self._looks
            ]
            for keys in (KEYS, np.array([longer]))
        )
        return self.arrays(
            curves=[(KEYS, curve) for curve in curves],
            ends=[([longer], end) for end in ends],
            before=weight(self.margin, self.length),
            longer=longer,
            band={"width": self.length - 0.5},
        )

    def draw(self, figure: Figure) -> list:
        """A line for each rule over the trained lengths, and a mark where the longer text ends."""
        axes = figure.subplots()
        grey = {"facecolor": "C6", "alpha": 0.25, "lw": 0, "label": "trained lengths"}
        band = axes.axvspan(0.5, 1.5, animated=True, **grey)
        end = Rule(axes, {"color": "C6", "linestyle": ":"}, "longer", "longer text")
        curves = [
            Curve(axes, line, f"curves[{at}]", name)
            for at, (name, (line, _)) in enumerate(self._looks.items())
        ]
        # Llama-4 and log n may end close together: a square shows around a triangle.
        marks = [
            Curve(axes, line[:2] + mark, f"ends[{at}]", marks=1.2)
            for at, (line, mark) in reversed([*enumerate(self._looks.values())])
        ]
        axes.set(xscale="log", xlim=(0.8, 1.25 * MOST), xlabel="keys in the row, n")
        axes.set(ylim=(-0.03, 1.05), yticks=(0, 0.5, 1), ylabel="weight of the best key")
        axes.xaxis.set_major_locator(LogLocator(numticks=8))
        axes.xaxis.set_minor_locator(NullLocator())
        legend_above(figure, [*curves, band, end], narrow=3, columnspacing=1.2, handlelength=2.2)
        return [Other(band, "band"), end, *curves, *marks]

    def caption(self, arrays: Arrays) -> str:
        """The weight at the trained length, and by rule at the longer one."""
        ends = ", ".join(
            f"{name} {end[0]:.3f}" for name, (_, end) in zip(LOOKS, arrays.ends, strict=False)
        )
        return (
            f"A key that scores {arrays.margin:g} above all others has the weight "
            f"{arrays.before:.3f} among {arrays.length:,}; among {arrays.longer:,}: {ends}."
        )


def weight(margin, keys):
    """Return the weight of one key whose score is ``margin`` above those of all others, [...]."""
    return 1 / (1 + (keys - 1) * np.exp(-margin))


def sharpening(keys, length, factor):
    """Return by rule what scores are multiplied by in rows of so many keys, [...] each.

    a²: the square of YaRN's attention factor, at every length; log n: ln n / ln L past the trained
    length L; Llama-4: 1 + 0.1 · ln(1 + ⌊n/L⌋), with L = 8192 in its layers without position.

    Source: Peng et al. 2023 (YaRN), equation 22; Su 2021 on log n; Llama 4's released code.
    """
    attention_factor = yarn(128, factor, original_max_seq_len=length).attention_factor
    return {
        "plain": np.ones(len(keys)),
        "a²": np.full(len(keys), attention_factor**2),
        "log n": np.maximum(np.log(keys) / np.log(length), 1),
        "Llama-4": 1 + 0.1 * np.log1p(keys // length),
    }
