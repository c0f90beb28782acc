"""What relative positions tell each pair of tokens: how far apart they are, up to a clip."""

import functools
from math import ceil, log2
from types import SimpleNamespace

import numpy as np
from matplotlib.colors import AsinhNorm
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter, MaxNLocator

from posviz.encodings.relative import offsets
from posviz.encodings.shaw import shaw_index
from posviz.engine.knobs import choice, integer
from posviz.engine.looks import SIGNED
from posviz.engine.picture import Picture

LONGEST, FURTHEST, LARGEST = 32, 16, 1000
NUMBERED = 10  # so many tokens leave room for a number in each cell
SIZE, HALF = 0.055, 0.365  # of a number in matrices, and half of the height of a digit
ROOM = 1.15  # for the numbers of the outermost rows
DARK = 6  # offsets from here on have dark colours


class OffsetMatrix(Picture):
    """What every pair of tokens is told: its offset, clipped."""

    size = (9.0, 3.7)
    paper_size = (3.3, 3.9)

    query = integer(6, low=0, high=LONGEST - 1, label="query (token)")
    clip = integer(4, low=0, high=FURTHEST, play=True, label="clip k (tokens)")
    seq_len = integer(10, low=2, high=LONGEST)
    shift = integer(0, low=0, high=LARGEST, label="shift of all")
    convention = choice("query − key", options=("query − key", "key − query"))

    def compute(self):
        """Return what the pairs are told, [seq_len, seq_len], and the query's row before the clip.

        pairs: how many pairs pick each row of the table, [2k+1].
        """
        positions = self.shift + np.arange(self.seq_len)
        apart = offsets(positions, positions)
        if self.convention == "key − query":
            apart = -apart
        rows = shaw_index(-apart, self.clip)  # of key − query it makes clip(key − query) + k
        return SimpleNamespace(
            told=rows - self.clip,
            pairs=np.bincount(rows.ravel(), minlength=2 * self.clip + 1),
            query=min(self.query, self.seq_len - 1),
            apart=apart[min(self.query, self.seq_len - 1)],
            distinct=len(np.unique(apart)),
            convention=self.convention,
            clip=self.clip,
            shift=self.shift,
        )

    def draw(self, figure):
        """The matrix; beside it the table, the query's row, and how many pairs pick each row."""
        if figure.get_size_inches()[0] > 5:
            panels = figure.subplot_mosaic(
                [["matrix", "table", "row", "pairs"]], width_ratios=(11, 1, 8, 4)
            )
        else:
            panels = figure.subplot_mosaic(
                [["matrix"] * 3, ["table", "row", "pairs"]],
                width_ratios=(1, 9, 5),
                height_ratios=(2, 1),
            )
        axes = SimpleNamespace(**panels)
        artists = SimpleNamespace(axes=axes, shift=0, fit=None, shown=None)
        artists.images = [_image(axes.matrix, "equal"), _image(axes.table, "auto")]
        # Black on white lies on the map's own colours, so it is the same in both themes.
        artists.frames = [axes.matrix.plot([], [], color=c, animated=True)[0] for c in ("w", "k")]
        artists.frames[0].set_linewidth(2.5 * artists.frames[1].get_linewidth())
        artists.numbers = _draw_numbers(axes.matrix)
        artists.apart = axes.row.plot([], [], "C1--", label="offset", animated=True)[0]
        artists.told = axes.row.plot([], [], "C0o-", label="clipped", animated=True)[0]
        artists.told.set_markersize(artists.told.get_markersize() / 1.5)
        artists.pairs = axes.pairs.stairs(
            [0], [0, 1], orientation="horizontal", fill=True, color="C2", animated=True
        )
        artists.ends = [_draw_row_number(axes.pairs, va) for va in ("top", "bottom")]
        axes.matrix.set(xlabel="key (position)", ylabel="query (position)")
        axes.matrix.set_title("what each pair is told")
        axes.table.set(xlim=(0, 1), xticks=())
        axes.table.set_title("table", loc="right")
        axes.row.set(xlabel="key (position)", title="the query’s row")
        axes.pairs.set_title("all queries")
        _set_ticks(artists)
        figure.legend(handles=[artists.apart, artists.told], loc="outside upper center", ncols=2)
        _fit(artists, "query − key", LONGEST, LARGEST)
        return artists

    def update(self, artists, arrays):
        """Frame the query and move its row; all else only when it changed."""
        seq_len, clip = len(arrays.told), arrays.clip
        fit = (arrays.convention, seq_len, arrays.shift)
        if fit != artists.fit:
            artists.fit = fit
            _fit(artists, *fit)
        if (*fit, clip) != artists.shown:
            artists.shown = (*fit, clip)
            artists.images[0].set_data(arrays.told)
            artists.images[1].set_data(np.arange(-clip, clip + 1)[:, None])
            artists.images[1].set_extent((0, 1, clip + 0.5, -clip - 0.5))
            artists.pairs.set_data(arrays.pairs / seq_len**2, np.arange(-clip, clip + 2) - 0.5)
            _write_numbers(artists.numbers, arrays.told)
            first, last = artists.ends
            first.set(text="row 0", y=-clip - 0.5)
            last.set(text=f"row {2 * clip}" * (clip > 0), y=clip + 0.5)
        edges = np.array([-0.5, seq_len - 0.5, seq_len - 0.5, -0.5, -0.5])
        for frame in artists.frames:
            frame.set_data(edges, arrays.query + np.array([-0.5, -0.5, 0.5, 0.5, -0.5]))
        artists.apart.set_data(np.arange(seq_len), arrays.apart)
        artists.told.set_data(np.arange(seq_len), arrays.told[arrays.query])

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
        clamped = " (the last)" * (self.query > arrays.query)
        moved = f"; all moved by {arrays.shift}, no offset changed" * (arrays.shift > 0)
        return (
            f"{arrays.convention.capitalize()}, clipped to ±{arrays.clip}: {arrays.distinct} "
            f"different offsets of {seq_len} tokens use {np.count_nonzero(pairs)} of {last + 1} "
            f"row{'s' * (last > 0)}; {ends}; the query at {arrays.shift + arrays.query}{clamped} "
            f"uses {uses}{moved}."
        )


def _image(axes, aspect):
    """Cells in the colours of their offset, which differ most where offsets are short."""
    norm = AsinhNorm(2, -FURTHEST, FURTHEST)
    return axes.imshow(np.zeros((1, 1)), cmap=SIGNED, norm=norm, aspect=aspect, animated=True)


def _draw_numbers(axes):
    """Black and white numbers, each kind as one outline: a hundred texts cost as many draws."""
    patches = [PathPatch(Path(np.empty((0, 2))), facecolor=c, linewidth=0) for c in ("k", "w")]
    for patch in patches:
        patch.set(zorder=3, in_layout=False, animated=True)
        axes.add_patch(patch)
    return patches


def _write_numbers(patches, told):
    """Each cell's offset, where they are few enough, in the ink that its colour asks for."""
    dark = np.abs(told) >= DARK
    for patch, cells in zip(patches, (~dark, dark), strict=True):
        places = np.argwhere(cells & (len(told) <= NUMBERED))
        outlines = [_outline(told[query, key]) for query, key in places]
        size = SIZE * len(told)  # of letters, in cells: the same in inches, however many cells
        moved = [
            size * outline.vertices + place[::-1]
            for outline, place in zip(outlines, places, strict=True)
        ]
        vertices = np.concatenate([np.empty((0, 2)), *moved])
        codes = np.concatenate([np.empty(0, Path.code_type), *(each.codes for each in outlines)])
        patch.set_path(Path(vertices, codes))


@functools.lru_cache(maxsize=2 * FURTHEST + 1)
def _outline(number):
    """A number one unit large around 0, upside down, as the axis of queries is."""
    outline = TextPath((0, 0), f"{number}".replace("-", "−"), size=1)
    box = outline.get_extents()
    return Path((outline.vertices - (box.x0 + box.width / 2, HALF)) * (1, -1), outline.codes)


def _draw_row_number(axes, va):
    """A number above or below the bars: which row of the table the outermost is."""
    at_right = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": va}
    return axes.text(0.98, 0, "", animated=True, in_layout=False, **at_right)


def _set_ticks(artists):
    """Positions with their shift, and shares of pairs on a scale of roots."""
    axes = artists.axes
    for axis in (axes.matrix.xaxis, axes.matrix.yaxis, axes.row.xaxis):
        axis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
        axis.set_major_formatter(FuncFormatter(lambda place, _: f"{place + artists.shift:.0f}"))
    axes.row.tick_params(labelleft=False)
    axes.pairs.tick_params(labelleft=False)
    # Roots, so that a row that serves all pairs and one that serves a hundredth are both seen.
    axes.pairs.set_xscale("function", functions=(lambda x: np.abs(x) ** 0.5, np.square))
    axes.pairs.set(xlim=(0, 1), xticks=(0, 0.1, 0.5, 1), xticklabels=(0, 10, 50, 100))
    axes.pairs.set_xlabel("pairs (%)")


def _fit(artists, convention, seq_len, shift):
    """Fit the axes to the tokens, which costs a full redraw."""
    axes, artists.shift = artists.axes, shift
    edges = (-0.5, seq_len - 0.5)
    artists.images[0].set_extent((*edges, *edges[::-1]))
    axes.matrix.set(xlim=edges, ylim=edges[::-1])
    axes.table.set_ylabel(f"{convention} (tokens)")
    axes.row.set_xlim(edges)
    longest = max(seq_len - 1, FURTHEST)
    step = 2 ** max(ceil(log2((2 * longest + 1) / 8)), 0)
    shown = np.arange(-(longest // step), longest // step + 1) * step
    for each in (axes.table, axes.row, axes.pairs):
        each.set(ylim=(-ROOM * longest, ROOM * longest), yticks=shown)
    axes.matrix.figure.stale = True  # labels follow the shift, which no axis knows of
