"""The offset of each pair of tokens: how far apart they are, up to a clip."""

import numpy as np
from matplotlib import rcParams
from matplotlib.colors import AsinhNorm
from matplotlib.figure import Figure

from posviz.encodings.relative import offsets
from posviz.pictures.knobs import Integer
from posviz.pictures.layouts import beside
from posviz.pictures.parts import (
    Curve,
    Limits,
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
from posviz_course.lessons._own import own_numbers
from posviz_course.lessons.relative._words import Word

LONGEST, FURTHEST = 32, 16
NUMBERED = 10  # so many tokens leave room for a number in each cell
STRONG = 5  # offsets from here on have strong colours
QUERY = 6  # whose row is shown, unless there are fewer tokens


class OffsetMatrix(Picture):
    """The offset of each pair of tokens, clipped.

    `rows` is a reader's function of lesson 04, (q_positions, k_positions, max_distance) -> [q, k].
    """

    size = (8.0, 3.8)
    paper_size = (3.3, 4.4)

    clip = Integer(3, low=0, high=FURTHEST, play=True, label="clip k")
    seq_len = Integer(10, low=2, high=LONGEST)

    def __init__(self, rows=None, **knobs):
        super().__init__(**knobs)
        self.given_data = () if rows is None else ("rows",)
        self._rows = rows

    def compute(self) -> Arrays:
        """Return the clipped offset of each pair, [seq_len, seq_len], and a query's row."""
        tokens = np.arange(self.seq_len)
        apart = offsets(tokens, tokens)
        known, query = self._clipped(tokens, apart), min(QUERY, self.seq_len - 1)
        clipped = 0 * apart if known is None else known
        return self.arrays(
            clipped=clipped,
            outline=row_outline(clipped, query),
            rows=[(tokens, apart[query]), (tokens, clipped[query])],
            distinct=[len(np.unique(apart)), len(np.unique(clipped))],
            ends={"xlim": (-0.5, self.seq_len - 0.5), "ylim": (-self.seq_len, self.seq_len)},
            written=known is not None,
        )

    def _clipped(self, tokens, apart):
        """The clipped offsets, or those of the reader's rows; None while it has no body."""
        if self._rows is None:
            return np.clip(apart, -self.clip, self.clip)
        rows = own_numbers(self._rows(tokens, tokens, self.clip), apart.shape)
        return None if rows is None else self.clip - rows  # rows count key − query

    def draw(self, figure: Figure) -> list:
        """The matrix; beside it, or below, the query's row before and after the clip."""
        matrix, row = beside(figure, (1.3, 1), (1.8, 1))
        letters = rcParams["font.size"] * (1 if wide(figure) else 0.8)  # so fit ten to a row
        room = {"most": (LONGEST, LONGEST), "aspect": "equal", "limits": (None, None)}
        # Colours differ most where offsets are short.
        norm = AsinhNorm(1, -FURTHEST, FURTHEST)
        colours = Map(matrix, "clipped", **room, cmap=SIGNED, norm=norm)
        ticks = (-FURTHEST, -4, 0, 4, FURTHEST)
        figure.colorbar(
            colours.image, ax=matrix, ticks=ticks, format="{x:.0f}", label="uneven scale"
        ).minorticks_off()
        ink = rcParams["text.color"]  # as far from the colour of 0 as it can be
        outline = on_colours(matrix, "outline", stroke=2.5)

        def cells(number):  # none, if there is no room for numbers
            return lambda a: np.nonzero((number == a.clipped.T) & (a.seq_len <= NUMBERED))

        numbers = [
            Word(
                matrix, signed(number), cells(number), letters, ink if abs(number) < STRONG else "w"
            )
            for number in range(1 - NUMBERED, NUMBERED)
        ]
        zero(row)
        props = {"stroke": 1.2, "marks": 0.8}  # 32 markers stay apart
        curves = [
            Curve(row, "C1s--", "rows[0]", "offset", **props),
            Curve(row, "C0o-", "rows[1]", "clipped", **props),
        ]
        matrix.set(title="with your rows" if self.given_data else "offsets, clipped")
        matrix.set(xlabel="key (position)", ylabel="query (position)")
        row.set(xlabel="key (position)", ylabel="offset, query − key (tokens)")
        row.set(title="the query’s row")
        row.set(xlim=(-0.5, 20.5), ylim=(-21, 21))  # the last tick is at the very end
        legend_above(figure, curves)
        whole(matrix.xaxis, matrix.yaxis, row.xaxis, row.yaxis, steps=None)
        return [colours, *outline, *numbers, *curves, Limits(row, "ends")]

    def caption(self, arrays: Arrays) -> str:
        if not arrays.written:
            return "Your function returns no rows yet, so all pairs have one colour."
        before, after = arrays.distinct
        return (
            f"Clipped to ±{arrays.clip}, the {before} offsets of {arrays.seq_len} tokens "
            f"need {after} {'row' if after == 1 else 'rows'}."
        )
