"""Biases of FoX over a sentence: each token says how much of all before it is kept."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from posviz.encodings.fox import fox_bias
from posviz.pictures.knobs import real, text
from posviz.pictures.parts import Curve, Limits, Map, broken, greyed, legend_above, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.pictures.tokens import are, label_tokens, tokens_of
from posviz.wording import shortened, signed

LOWEST = -6.0  # of the colours
STEPS = 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0  # the ends of the axis of biases


class ForgetGates(Picture):
    """FoX: a token with a low gate separates what came before it from what follows."""

    size = (8.0, 4.2)
    paper_size = (3.3, 5.0)

    sentence = text("The cat sat on the mat. Then it slept a while", redraw=True)
    word = text(".", max_length=20, label="word or mark")
    gate = real(0.05, low=0.01, high=1, step=0.01, play=True, label="its gate")
    others = real(0.9, low=0.01, high=1, step=0.01, label="gate of all others")

    def compute(self) -> Arrays:
        """Return the bias [tokens, tokens], NaN for keys ahead, and which tokens are the word.

        alibi: the last query's biases [tokens] if all gates were those of the others; apart: by
        how much the two differ at most, and beyond: how much of that rounding may be.
        """
        tokens = tokens_of(self.sentence)
        chosen = np.array(are(tokens, self.word))
        log_gates = np.log(np.where(chosen, self.gate, self.others))
        bias, at = fox_bias(log_gates), np.arange(len(tokens))
        alibi = np.log(self.others) * (at[:, None] - at)
        seen = at[:, None] >= at
        return self.arrays(
            tokens=tokens,
            chosen=chosen,
            bias=np.where(seen, bias, np.nan),
            alibi=alibi[-1],
            apart=abs(np.where(seen, bias - alibi, 0)).max(),
            rounding=max(1e-15, 3 * len(tokens) * np.spacing(abs(log_gates).sum())),
        )

    def draw(self, figure: Figure) -> list:
        """The triangle of biases; beside it, or below, the last query's row and ALiBi's."""
        tokens, shape = tokens_of(self.sentence), (1, 2) if wide(figure) else (2, 1)
        triangle, row = figure.subplots(*shape)
        look = {"cmap": greyed(PLAIN), "limits": (LOWEST, 0), "aspect": "equal"}
        bias = Map(triangle, lambda a: a.bias, most=(len(tokens),) * 2, **look)
        bar: dict[str, Any] = {
            "ticks": (LOWEST, LOWEST / 2, 0),
            "extend": "min",
            "format": "{x:.0f}",
        }
        figure.colorbar(bias.image, ax=triangle, aspect=30, **bar)
        across = {"transform": row.get_xaxis_transform()}
        marks = Curve(row, "C2:", _uprights, "the word", **across)
        line = {"xlim": (-0.5, len(tokens) - 0.5), "xlabel": "key", "title": "last query"}
        row.set(**line, ylabel="bias")
        row.yaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
        alibi = Curve(row, "C1--", lambda a: (range(len(a.alibi)), a.alibi), "ALiBi")
        fox = Curve(row, "C0o-", lambda a: (range(len(a.alibi)), a.bias[-1]), "FoX")
        legend_above(figure, [fox, alibi, marks])
        width, height = figure.get_size_inches()
        side = min(0.3 * width, 0.6 * height) if wide(figure) else min(0.5 * width, 0.4 * height)
        label_tokens(triangle.yaxis, tokens, side)
        label_tokens(triangle.xaxis, tokens, side, rotation=90)
        label_tokens(row.xaxis, tokens, (0.35 if wide(figure) else 0.7) * width, rotation=90)
        triangle.set(xlabel="key", ylabel="query", title="bias (grey: ahead)")
        fit = Limits(row, lambda a: {"ylim": _ends(min(a.bias[-1].min(), a.alibi.min()))})
        return [bias, fit, marks, alibi, fox]

    def caption(self, arrays: Arrays) -> str:
        """The gates, and how far their biases are from ALiBi's."""
        count, slope = len(arrays.tokens), abs(np.log(arrays.others))
        alibi = f"ALiBi’s with the slope −ln {arrays.others:g} = {slope:.4f}"
        if arrays.apart <= arrays.rounding:
            bound = 10.0 ** np.ceil(np.log10(arrays.rounding))
            alike = (
                f"{count} gates, all {arrays.others:g}"
                if count > 1
                else f"One gate, {arrays.others:g}"
            )
            return f"{alike}: the biases are {alibi}; the largest difference is below {bound:.0e}."
        first, alone = arrays.bias[-1, 0], arrays.alibi[0]
        return (
            f"“{shortened(arrays.word.strip())}”, {arrays.chosen.sum()} of {count} tokens, has the "
            f"gate {arrays.gate:g}, all others {arrays.others:g}: the largest difference from "
            f"{alibi}, is {arrays.apart:.2f}; the last query’s bias for the first key is "
            f"{signed(first, 'z.2f')}, a factor of {np.exp(first):.2g} on its weight (ALiBi "
            f"{signed(alone, 'z.2f')}, {np.exp(alone):.2g})."
        )


def _uprights(arrays):
    """An upright line at each token that is the word."""
    at = np.flatnonzero(arrays.chosen).astype(float)
    if not len(at):
        return [], []
    return broken(np.stack([np.stack([at, 0 * at], 1), np.stack([at, 0 * at + 1], 1)], 1))


def _ends(lowest):
    """The ends of the axis: they stand still while the biases move a little."""
    end = next((step for step in STEPS if step >= -1.04 * lowest), STEPS[-1])
    return -end, 0.04 * end
