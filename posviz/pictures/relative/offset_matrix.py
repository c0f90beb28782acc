"""What relative positions tell each pair of tokens: how far apart they are, up to a clip."""

import functools
from math import ceil, log2
from types import SimpleNamespace

import numpy as np
from matplotlib.colors import AsinhNorm
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter

from posviz.encodings.relative import offsets
from posviz.encodings.shaw import shaw_index
from posviz.engine.knobs import choice, integer
from posviz.engine.picture import Picture
from posviz.engine.style import SIGNED
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
)
from posviz.wording import signed

LONGEST, FURTHEST, LARGEST = 32, 16, 1000
NUMBERED = 10  # so many tokens leave room for a number in each cell
SIZE, HALF = 0.055, 0.365  # of a number in matrices, and half of the height of a digit
ROOM = 1.15  # for the numbers of the outermost rows
DARK = 6  # offsets from here on have dark colours


class OffsetMatrix(Picture):
    """What every pair of tokens is told: its offset, clipped."""

    size = (9.0, 3.7)
    paper_size = (3.3, 3.9)

    query = integer(
        6, low=0, high=LONGEST - 1, until=lambda p: p.seq_len - 1, label="query (token)"
    )
    clip = integer(4, low=0, high=FURTHEST, play=True, label="clip k (tokens)")
    seq_len = integer(10, low=2, high=LONGEST)
    shift = integer(0, low=0, high=LARGEST, label="shift of all")
    convention = choice("query − key", options=("query − key", "key − query"))

    def compute(self):
        """Return what the pairs are told, [seq_len, seq_len], and the query's row before the clip.

        pairs: how many pairs pick each row of the table, [2k+1]; edges: of the table's rows.
        """
        positions = self.shift + np.arange(self.seq_len)
        apart = offsets(positions, positions)
        if self.convention == "key − query":
            apart = -apart
        rows = shaw_index(-apart, self.clip)  # of key − query it makes clip(key − query) + k
        pairs = np.bincount(rows.ravel(), minlength=2 * self.clip + 1)
        return SimpleNamespace(
            told=rows - self.clip,
            table=np.arange(-self.clip, self.clip + 1)[:, None],
            pairs=pairs,
            shares=pairs / self.seq_len**2,
            edges=np.arange(-self.clip, self.clip + 2) - 0.5,
            last=f"row {2 * self.clip}" * (self.clip > 0),
            keys=np.arange(self.seq_len),
            query=min(self.query, self.seq_len - 1),
            apart=apart[min(self.query, self.seq_len - 1)],
            distinct=len(np.unique(apart)),
            convention=self.convention,
            clip=self.clip,
            shift=self.shift,
            asked=self.query,
        )

    def draw(self, figure):
        """The matrix; beside it the table, the query's row, and how many pairs pick each row."""
        if wide(figure):
            panels = figure.subplot_mosaic(
                [["matrix", "table", "row", "pairs"]], width_ratios=(11, 1, 8, 4)
            )
        else:
            panels = figure.subplot_mosaic(
                [["matrix"] * 3, ["table", "row", "pairs"]],
                width_ratios=(1, 9, 5),
                height_ratios=(2, 1),
            )
        matrix, table, row, pairs = panels.values()
        # Colours differ most where offsets are short.
        norm = AsinhNorm(2, -FURTHEST, FURTHEST)
        room = {"most": (LONGEST, LONGEST), "aspect": "equal", "limits": (None, None)}
        told = Map(matrix, lambda a: a.told, **room, cmap=SIGNED, norm=norm)
        image = table.imshow([[0]], cmap=SIGNED, norm=norm, animated=True)
        column = Other(image, lambda a: {"data": a.table, "extent": (0, 1, *a.edges[[-1, 0]])})
        outline = on_colours(matrix, lambda a: row_outline(a.told, a.query), stroke=2.5)
        numbers = [
            Other(_draw_numbers(matrix, "k"), lambda a: {"path": _numbers(a.told, dark=False)}),
            Other(_draw_numbers(matrix, "w"), lambda a: {"path": _numbers(a.told, dark=True)}),
        ]
        apart = Curve(row, "C1--", lambda a: (a.keys, a.apart), "offset")
        clipped = Curve(row, "C0o-", lambda a: (a.keys, a.told[a.query]), "clipped", marks=1 / 1.5)
        flat = {"orientation": "horizontal", "fill": True, "color": "C2", "animated": True}
        bars = _Stairs(pairs.stairs([0], [0, 1], **flat), lambda a: (a.shares, a.edges))
        ends = [
            Other(_draw_row_number(pairs, "top"), lambda a: {"text": "row 0", "y": a.edges[0]}),
            Other(_draw_row_number(pairs, "bottom"), lambda a: {"text": a.last, "y": a.edges[-1]}),
        ]
        matrix.set(xlabel="key (position)", ylabel="query (position)")
        matrix.set_title("what each pair is told")
        table.set(xlim=(0, 1), xticks=())
        table.set_title("table", loc="right")
        row.set(xlabel="key (position)", title="the query’s row")
        pairs.set_title("all queries")
        whole(matrix.xaxis, matrix.yaxis, row.xaxis, steps=None)
        _set_ticks(row, pairs)
        legend_above(figure, [apart, clipped])
        _fit(panels, "query − key", LONGEST, LARGEST)
        fit = Background(
            lambda fit: _fit(panels, *fit), lambda a: (a.convention, len(a.told), a.shift)
        )
        return [told, column, *outline, *numbers, apart, clipped, bars, *ends, fit]

    def caption(self, arrays):
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
        clamped = " (the last)" * (arrays.asked > arrays.query)
        moved = f"; all moved by {arrays.shift}, no offset changed" * (arrays.shift > 0)
        return (
            f"{arrays.convention.capitalize()}, clipped to ±{arrays.clip}: {arrays.distinct} "
            f"different offsets of {seq_len} tokens use {np.count_nonzero(pairs)} of {last + 1} "
            f"row{'s' * (last > 0)}; {ends}; the query at {arrays.shift + arrays.query}{clamped} "
            f"uses {uses}{moved}."
        )


class _Stairs(Other):
    """Bars, whose edges `set` does not take."""

    def move(self, arrays):
        """Set how long they are, and where."""
        self.artist.set_data(*self.show(arrays))


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


def _draw_row_number(axes, va):
    """A number above or below the bars: which row of the table the outermost is."""
    at_right = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": va}
    return axes.text(0.98, 0, "", animated=True, in_layout=False, **at_right)


def _set_ticks(row, pairs):
    """Shares of pairs on a scale of roots."""
    row.tick_params(labelleft=False)
    pairs.tick_params(labelleft=False)
    # Roots, so that a row that serves all pairs and one that serves a hundredth are both seen.
    pairs.set_xscale("function", functions=(lambda x: np.abs(x) ** 0.5, np.square))
    pairs.set(xlim=(0, 1), xticks=(0, 0.1, 0.5, 1), xticklabels=(0, 10, 50, 100))
    pairs.set_xlabel("pairs (%)")


def _fit(panels, convention, seq_len, shift):
    """Fit the axes to the tokens."""
    matrix, table, row, pairs = panels.values()
    table.set_ylabel(f"{convention} (tokens)")
    row.set_xlim(-0.5, seq_len - 0.5)
    for axis in (matrix.xaxis, matrix.yaxis, row.xaxis):
        axis.set_major_formatter(FuncFormatter(lambda at, _: f"{at + shift:.0f}"))
    longest = max(seq_len - 1, FURTHEST)
    step = 2 ** max(ceil(log2((2 * longest + 1) / 8)), 0)
    shown = np.arange(-(longest // step), longest // step + 1) * step
    for each in (table, row, pairs):
        each.set(ylim=(-ROOM * longest, ROOM * longest), yticks=shown)
