"""Biases of FoX over a sentence: each token says how much of all before it is kept."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from posviz.encodings.fox import fox_bias
from posviz.pictures.knobs import Real, TypedText
from posviz.pictures.layouts import beside
from posviz.pictures.parts import Curve, EndName, Limits, Map, broken, greyed, inches, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.wording import number, signed
from posviz_course.lessons._hues import hue
from posviz_course.lessons._sentences import ENDS, label_tokens, tokens_of

OTHERS = 0.9  # the gate of all other tokens


class ForgetGates(Picture):
    """FoX: a full stop with a low gate separates what came before it from what follows.

    `gates` is a reader's function of lesson 11: a text -> a gate for each token.
    """

    size = (8.0, 4.0)
    paper_size = (3.3, 5.0)

    sentence = TypedText("The cat sat on the mat. Then it slept a while", redraw=True)
    gate = Real(
        0.05,
        low=0.01,
        high=1,
        step=0.01,
        play=True,
        label="gate of a full stop",
        given="your function makes the gates",
    )

    def __init__(self, gates=None, **knobs):
        super().__init__(**knobs)
        self.given_data = () if gates is None else ("gates",)
        self._gates = gates

    def compute(self) -> Arrays:
        """Return the bias [tokens, tokens], NaN for keys ahead, and curves over the keys.

        fox, alibi: the last query's biases, with these gates and if all were OTHERS; stops:
        upright lines at full stops; room: the ends of the axis of biases.
        """
        tokens = tokens_of(self.sentence)
        is_stop, at = np.array([token in ENDS for token in tokens]), np.arange(len(tokens))
        gates = np.where(is_stop, self.gate, OTHERS) if self._gates is None else self._made(tokens)
        bias = fox_bias(np.log(np.ones(len(tokens)) if gates is None else gates))
        alibi = np.log(OTHERS) * (at[-1] - at)
        x = np.repeat(at[is_stop].astype(float), 2).reshape(-1, 2)
        lowest = -1.04 * min(bias[-1].min(), alibi.min())
        # The ends stay while the biases move a little.
        end = next((step for step in (2, 5, 10, 20, 50, 100, 200) if step >= lowest), 500.0)
        return self.arrays(
            bias=np.where(at[:, None] >= at, bias, np.nan),
            fox=(at, bias[-1]),
            alibi=(at, alibi),
            stops=broken(np.stack([x, 0 * x + [0, 1]], axis=-1)),
            room=(-end, 0.15 * end),
            written=gates is not None,
        )

    def _made(self, tokens):
        """The gates of the reader's function [tokens]; None while it has no body."""
        gates = self._gates(" ".join(tokens))
        if gates is ... or gates is None:
            return None
        gates = np.asarray(gates, dtype=float)
        if gates.shape != (len(tokens),) or not (gates > 0).all():
            raise ValueError(
                f"Your function has to return {len(tokens)} gates above 0, one for each token: "
                "solve the exercise first."
            )
        return gates

    def draw(self, figure: Figure) -> list:
        """The triangle of biases; beside it, or below, the last query's row and ALiBi's."""
        tokens, (width, height) = tokens_of(self.sentence), inches(figure)
        triangle, row = beside(figure)
        props = {"cmap": greyed(PLAIN), "limits": (-6.0, 0), "aspect": "equal"}
        bias = Map(triangle, "bias", most=(len(tokens),) * 2, **props)
        ticks: dict = {"ticks": (-6, -3, 0), "format": "{x:.0f}"}
        figure.colorbar(bias.image, ax=triangle, aspect=30, extend="min", **ticks)
        stops = Curve(row, "C2:", "stops", transform=row.get_xaxis_transform())
        row.set(xlim=(-0.5, len(tokens) - 0.5), xlabel="key", title="last query", ylabel="bias")
        row.yaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
        alibi = Curve(row, "--", "alibi", color=hue("ALiBi"))
        fox = Curve(row, "o-", "fox", color=hue("FoX"))
        names = [
            EndName(row, hue("ALiBi"), lambda a: (*_first(a.alibi, 4), "ALiBi", True)),
            EndName(row, hue("FoX"), lambda a: (*_first(a.fox, 1), " FoX", False), ha="left"),
        ]
        side = min(0.3 * width, 0.6 * height) if wide(figure) else min(0.5 * width, 0.4 * height)
        label_tokens(triangle.yaxis, tokens, side)
        label_tokens(triangle.xaxis, tokens, side, rotation=90)
        label_tokens(row.xaxis, tokens, (0.35 if wide(figure) else 0.7) * width, rotation=90)
        triangle.set(xlabel="key", ylabel="query", title="bias (grey: ahead)")
        return [bias, Limits(row, lambda a: {"ylim": a.room}), stops, alibi, fox, *names]

    def caption(self, arrays: Arrays) -> str:
        if not arrays.written:
            return "Your function returns no gates yet, so no token forgets anything."
        fox, alibi = (signed(y[0], "z.2f") for _, y in (arrays.fox, arrays.alibi))
        return (
            f"The first key has the bias {fox}, so {number(np.exp(arrays.fox[1][0]), 2)} times "
            f"the weight of an equal key at distance 0; ALiBi’s bias is {alibi}."
        )


def _first(line, count):
    """The first points of a line, x and y."""
    x, y = line
    return x[:count], y[:count]
