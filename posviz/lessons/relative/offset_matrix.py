"""The offset of each pair of tokens: how far apart they are, up to a clip."""

import numpy as np
from matplotlib import rcParams
from matplotlib.colors import AsinhNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from posviz.encodings.relative import offsets
from posviz.lessons.relative._words import Word
from posviz.pictures.knobs import choice, integer
from posviz.pictures.parts import (
    Background,
    Curve,
    Map,
    legend_above,
    on_colours,
    row_outline,
    whole,
    wide,
    zero,
)
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import SIGNED
from posviz.wording import signed

LONGEST, FURTHEST = 32, 16
NUMBERED = 10  # so many tokens leave room for a number in each cell
DARK = 5  # offsets from here on have dark colours


class OffsetMatrix(Picture):
    """The offset of each pair of tokens, clipped."""

    size = (8.0, 3.8)
    paper_size = (3.3, 4.4)

    clip = integer(3, low=0, high=FURTHEST, play=True, label="clip k")
    seq_len = integer(10, low=2, high=LONGEST)
    shift = integer(0, low=0, high=1000, label="shift of all")
    convention = choice("query − key", options=("query − key", "key − query"))
    query = integer(
        6, low=0, high=LONGEST - 1, until=lambda p: p.seq_len - 1, label="query (token)", more=True
    )

    def compute(self) -> Arrays:
        """Return the clipped offset of each pair, [seq_len, seq_len], and the query's row."""
        tokens = np.arange(self.seq_len)
        apart = offsets(self.shift + tokens, self.shift + tokens)
        if self.convention == "key − query":
            apart = -apart
        clipped = np.clip(apart, -self.clip, self.clip)
        return self.arrays(
            clipped=clipped,
            outline=row_outline(clipped, self.query),
            rows=[(tokens, apart[self.query]), (tokens, clipped[self.query])],
            distinct=[len(np.unique(apart)), len(np.unique(clipped))],
        )

    def draw(self, figure: Figure) -> list:
        """The matrix; beside it, or below, the query's row before and after the clip."""
        if wide(figure):
            matrix, row = figure.subplots(1, 2, width_ratios=(1.3, 1))
        else:
            matrix, row = figure.subplots(2, 1, height_ratios=(1.8, 1))
        letters = rcParams["font.size"] * (1 if wide(figure) else 0.8)  # so fit ten to a row
        room = {"most": (LONGEST, LONGEST), "aspect": "equal", "limits": (None, None)}
        # Colours differ most where offsets are short.
        norm = AsinhNorm(1, -FURTHEST, FURTHEST)
        colours = Map(matrix, "clipped", **room, cmap=SIGNED, norm=norm)
        ticks = (-FURTHEST, -4, 0, 4, FURTHEST)
        figure.colorbar(colours.image, ax=matrix, ticks=ticks, format="{x:.0f}").minorticks_off()
        outline = on_colours(matrix, "outline", stroke=2.5)

        def cells(number):  # none, if there is no room for numbers
            return lambda a: np.nonzero((number == a.clipped.T) & (a.seq_len <= NUMBERED))

        numbers = [
            Word(matrix, signed(number), cells(number), letters, "k" if abs(number) < DARK else "w")
            for number in range(1 - NUMBERED, NUMBERED)
        ]
        zero(row)
        look = {"stroke": 1.2, "marks": 0.8}  # 32 markers stay apart
        curves = [
            Curve(row, "C1s--", "rows[0]", "offset", **look),
            Curve(row, "C0o-", "rows[1]", "clipped", **look),
        ]
        matrix.set(title="offset of each pair, clipped")
        matrix.set(xlabel="key (position)", ylabel="query (position)")
        row.set(xlabel="key (position)", title="the query’s row")
        legend_above(figure, curves)
        positions = (matrix.xaxis, matrix.yaxis, row.xaxis)
        whole(*positions, row.yaxis, steps=None)

        def fit(setting):
            convention, seq_len, shift = setting
            row.set(ylabel=f"{convention} (tokens)")
            row.set(xlim=(-0.5, seq_len - 0.5), ylim=(-seq_len, seq_len))
            for axis in positions:
                axis.set_major_formatter(FuncFormatter(lambda at, _: f"{at + shift:.0f}"))

        fit(("query − key", 21, 1000))  # with 21 tokens the last tick stands at the very end
        fitted = Background(fit, lambda a: (a.convention, a.seq_len, a.shift))
        return [colours, *outline, *numbers, *curves, fitted]

    def caption(self, arrays: Arrays) -> str:
        """How many offsets there are, and how many are left after the clip."""
        before, after = arrays.distinct
        return (
            f"Clipped to ±{arrays.clip}, the {before} offsets of {arrays.seq_len} tokens "
            f"({arrays.convention}) need {after} rows."
        )
