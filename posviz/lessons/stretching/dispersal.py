"""How the best key's weight thins out as a row grows, and what sharper scores do about it."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.stretching import yarn
from posviz.pictures.knobs import log, log_integer, real
from posviz.pictures.parts import Curve, Other, Rule, legend_above
from posviz.pictures.picture import Arrays, Picture

MOST = 1_000_000
KEYS = np.unique(np.geomspace(1, MOST, 961).astype(int))
LOOKS = {  # of each rule its line, and its marker at the end of the longer text
    "plain": ("C0-", "o"),
    "a²": ("C1--", "D"),
    "log n": ("C2-.", "^"),
    "Llama-4": ("C3:", "s"),
}


class Dispersal(Picture):
    """One best key among ever more others: its weight, and four rules for the scores."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.7)

    margin = real(8, low=0, high=20, step=0.1, play=True, label="margin δ")
    length = log_integer(4096, low=256, high=128_000, label="trained length L")
    factor = log(4, low=1, high=64, label="factor s")

    def compute(self) -> Arrays:
        """Return by rule the best key's weight in rows of KEYS, and at both lengths [2].

        Its score is margin above all others, which are equal. factors: by rule what the scores
        are multiplied by at the longer length.
        """
        ends = np.array([self.length, round(self.factor * self.length)])
        factors = sharpening(ends, self.length, self.factor)
        return self.arrays(
            ends=ends,
            factors={name: values[1] for name, values in factors.items()},
            here={name: weight(values * self.margin, ends) for name, values in factors.items()},
            curves={
                name: weight(values * self.margin, KEYS)
                for name, values in sharpening(KEYS, self.length, self.factor).items()
            },
        )

    def draw(self, figure: Figure) -> list:
        """A line for each rule over the trained lengths, and a mark where the longer text ends."""
        axes = figure.subplots()
        grey: dict[str, Any] = {
            "facecolor": "C6",
            "alpha": 0.25,
            "lw": 0,
            "label": "trained lengths",
        }
        band = Rectangle((0.5, 0), 1, 1, transform=axes.get_xaxis_transform(), **grey)
        axes.add_patch(band).set_animated(True)
        end = Rule(axes, {"color": "C6", "linestyle": ":"}, lambda a: a.ends[1])
        curves = [
            Curve(axes, line, lambda a, name=name: (KEYS, a.curves[name]), name)
            for name, (line, _) in LOOKS.items()
        ]
        marks = [
            Curve(
                axes,
                line[:2] + marker,
                lambda a, name=name: (a.ends[1:], a.here[name][1:]),
                marks=1.2,
            )
            for name, (line, marker) in reversed(LOOKS.items())
        ]
        axes.set(xscale="log", xlim=(0.8, 1.25 * MOST), xlabel="keys in the row, n")
        axes.set(ylim=(-0.03, 1.05), yticks=(0, 0.5, 1), ylabel="weight of the best key")
        axes.xaxis.set_major_locator(LogLocator(numticks=8))
        axes.xaxis.set_minor_locator(NullLocator())
        legend_above(figure, [*curves, band], narrow=3, columnspacing=1.2, handlelength=2.2)
        # Llama-4 and log n may end close together: a square shows around a triangle.
        ends = Other(band, lambda a: {"width": a.ends[0] - 0.5})
        return [ends, end, *curves, *marks]

    def caption(self, arrays: Arrays) -> str:
        """The weight at the trained length, and by rule at the longer one."""
        trained, longer = arrays.ends
        told = ", ".join(
            f"{'YaRN’s ' * (name == 'a²')}{name} {here[1]:.3f}"
            + f" (scores × {arrays.factors[name]:.4f})" * bool(arrays.factors[name] != 1)
            for name, here in arrays.here.items()
        )
        return (
            f"A key whose score is {arrays.margin:g} above all others gets "
            f"{arrays.here['plain'][0]:.3f} of the weight among {trained:,} keys; among "
            f"{longer:,}: {told}."
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
    same = np.ones(len(keys))
    yarns = yarn(128, factor, original_max_seq_len=length).attention_factor ** 2
    return {
        "plain": same,
        "a²": yarns * same,
        "log n": np.maximum(np.log(keys) / np.log(length), 1),
        "Llama-4": 1 + 0.1 * np.log1p(keys // length),
    }
