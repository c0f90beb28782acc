"""What relative positions tell each pair of tokens: how far apart they are, up to a clip."""

import functools
from typing import Any

import numpy as np
from matplotlib.colors import AsinhNorm
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter

from posviz.encodings.relative import offsets
from posviz.encodings.shaw import shaw_index
from posviz.pictures.knobs import choice, integer
from posviz.pictures.parts import (
    Background,
    Curve,
    Map,
    Other,
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

LONGEST, FURTHEST, LARGEST = 32, 16, 1000
NUMBERED = 10  # so many tokens leave room for a number in each cell
SIZE, HALF = 0.055, 0.365  # of a number in matrices, and half of the height of a digit
DARK = 6  # offsets from here on have dark colours


class OffsetMatrix(Picture):
    """What every pair of tokens is told: its offset, clipped."""

    size = (8.0, 4.2)
    paper_size = (3.3, 4.4)

    query = integer(
        6, low=0, high=LONGEST - 1, until=lambda p: p.seq_len - 1, label="query (token)"
    )
    clip = integer(3, low=0, high=FURTHEST, play=True, label="clip k (tokens)")
    seq_len = integer(10, low=2, high=LONGEST)
    shift = integer(0, low=0, high=LARGEST, label="shift of all")
    convention = choice("query − key", options=("query − key", "key − query"))

    def compute(self) -> Arrays:
        """Return what the pairs are told, [seq_len, seq_len], and the query's row before the clip.

        pairs: how many pairs pick each row of the table, [2k+1].
        """
        positions = self.shift + np.arange(self.seq_len)
        apart = offsets(positions, positions)
        if self.convention == "key − query":
            apart = -apart
        rows = shaw_index(-apart, self.clip)  # of key − query it makes clip(key − query) + k
        pairs = np.bincount(rows.ravel(), minlength=2 * self.clip + 1)
        return self.arrays(
            told=rows - self.clip,
            pairs=pairs,
            keys=np.arange(self.seq_len),
            apart=apart[self.held("query")],
            distinct=len(np.unique(apart)),
        )

    def draw(self, figure: Figure) -> list:
        """The matrix; beside it, or below, the query's row before and after the clip."""
        shape = (1, 2) if wide(figure) else (2, 1)
        ratios: dict[str, Any] = (
            {"width_ratios": (1.3, 1)} if wide(figure) else {"height_ratios": (1.8, 1)}
        )
        matrix, row = figure.subplots(*shape, **ratios)
        # Colours differ most where offsets are short.
        norm = AsinhNorm(2, -FURTHEST, FURTHEST)
        room = {"most": (LONGEST, LONGEST), "aspect": "equal", "limits": (None, None)}
        told = Map(matrix, lambda a: a.told, **room, cmap=SIGNED, norm=norm)
        ticks = (-FURTHEST, -4, 0, 4, FURTHEST)
        figure.colorbar(told.image, ax=matrix, ticks=ticks, format="{x:.0f}").minorticks_off()
        outline = on_colours(matrix, lambda a: row_outline(a.told, a.query), stroke=2.5)
        numbers = [
            Other(_draw_numbers(matrix, "k"), lambda a: {"path": _numbers(a.told, dark=False)}),
            Other(_draw_numbers(matrix, "w"), lambda a: {"path": _numbers(a.told, dark=True)}),
        ]
        zero(row)
        look = {"stroke": 1.5, "marks": 1.5}
        apart = Curve(row, "C1s--", lambda a: (a.keys, a.apart), "offset", **look)
        clipped = Curve(row, "C0o-", lambda a: (a.keys, a.told[a.query]), "clipped", **look)
        matrix.set(xlabel="key (position)", ylabel="query (position)")
        matrix.set_title("what each pair is told")
        row.set(xlabel="key (position)", title="the query’s row")
        legend_above(figure, [apart, clipped])
        whole(matrix.xaxis, matrix.yaxis, row.xaxis, row.yaxis, steps=None)
        _fit(matrix, row, "query − key", LONGEST, LARGEST)
        fit = Background(
            lambda fit: _fit(matrix, row, *fit), lambda a: (a.convention, len(a.told), a.shift)
        )
        return [told, *outline, *numbers, apart, clipped, fit]

    def caption(self, arrays: Arrays) -> str:
        """How many offsets are told apart, what the end rows stand for, and the query's rows."""
        pairs, last, seq_len = arrays.pairs, 2 * arrays.clip, len(arrays.told)
        if last == 0:
            ends = f"row 0 serves all {pairs[0]:,} pairs"
        elif pairs[0]:
            ends = f"rows 0 and {last} serve {pairs[0]:,} of {pairs.sum():,} pairs each"
        else:
            ends = f"nothing is clipped, and rows 0 and {last} are never used"
        rows = np.unique(arrays.told[arrays.query]) + arrays.clip
        uses = f"row {rows[0]}" if len(rows) == 1 else f"rows {rows[0]} … {rows[-1]}"
        clamped = " (the last)" * bool(arrays.beyond)
        moved = f"; all moved by {arrays.shift}, no offset changed" * (arrays.shift > 0)
        return (
            f"{arrays.convention.capitalize()}, clipped to ±{arrays.clip}: {arrays.distinct} "
            f"different offsets of {seq_len} tokens use {np.count_nonzero(pairs)} of {last + 1} "
            f"row{'s' * (last > 0)}; {ends}; the query at {arrays.shift + arrays.query}{clamped} "
            f"uses {uses}{moved}."
        )


def _draw_numbers(axes, ink):
    """Numbers of one ink as one outline: a hundred texts cost as many draws."""
    patch = PathPatch(Path(np.empty((0, 2))), facecolor=ink, linewidth=0, zorder=3)
    patch.set(in_layout=False, animated=True)
    return axes.add_patch(patch)


def _numbers(told, dark):
    """The outlines of offsets in dark cells, or in light ones, where they are few enough."""
    cells = (np.abs(told) >= DARK) == dark
    numbered = np.argwhere(cells & (len(told) <= NUMBERED))
    outlines = [_outline(told[query, key]) for query, key in numbered]
    size = SIZE * len(told)  # of letters, in cells: the same in inches, however many cells
    moved = [
        size * outline.vertices + cell[::-1]
        for outline, cell in zip(outlines, numbered, strict=True)
    ]
    codes = [np.empty(0, Path.code_type), *(outline.codes for outline in outlines)]
    return Path(np.concatenate([np.empty((0, 2)), *moved]), np.concatenate(codes))


@functools.lru_cache(maxsize=2 * FURTHEST + 1)
def _outline(number):
    """A number one unit large around 0, upside down, as the axis of queries is."""
    outline = TextPath((0, 0), signed(number), size=1)
    box = outline.get_extents()
    return Path((outline.vertices - (box.x0 + box.width / 2, HALF)) * (1, -1), outline.codes)


def _fit(matrix, row, convention, seq_len, shift):
    """Fit the axes to the tokens."""
    row.set(ylabel=f"{convention} (tokens)", xlim=(-0.5, seq_len - 0.5), ylim=(-seq_len, seq_len))
    for axis in (matrix.xaxis, matrix.yaxis, row.xaxis):
        axis.set_major_formatter(FuncFormatter(lambda at, _: f"{at + shift:.0f}"))
