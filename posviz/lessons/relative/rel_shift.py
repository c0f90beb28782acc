"""How padding, reshaping and cutting turn columns of offsets into columns of keys."""

from types import SimpleNamespace

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from posviz.pictures.knobs import integer, switch
from posviz.pictures.parts import Limits, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.wording import signed

STROKE = "#777777"  # of crosses, on which words are still read
ZERO = -1  # of a padded cell, where others hold their index in the scores
GREY = "#CCCCCC"  # of zeros and cells that are gone; black is read on it in both themes
DIGITS = str.maketrans("-0123456789", "₋₀₁₂₃₄₅₆₇₈₉")
LETTERED = 9  # the most columns in which letters are read from afar
MOST, MEMORY = 6, 3  # queries, and tokens of the segment before
SHADES = 120  # of an offset's colours


class RelShift(Picture):
    """How one reshape moves every row of scores to its keys."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.3)

    step = integer(4, low=0, high=4, play=True)
    q_len = integer(4, low=3, high=MOST)
    memory = integer(1, low=0, high=MEMORY, label="memory (tokens)")
    bidirectional = switch(False)

    def compute(self) -> Arrays:
        """Return the matrix and the tape as this step has them, and which cells are gone.

        Cells are numbered as they come: that of query i in column c is i·columns + c.
        """
        columns = len(self._offsets())
        cells = np.arange(self.q_len * columns).reshape(self.q_len, columns)
        padded = cells
        if not self.bidirectional:
            padded = np.pad(cells, ((0, 0), (1, 0)), constant_values=ZERO)
        turned = padded.reshape(-1, self.q_len)
        shifted = turned[1:].reshape(self.q_len, -1)
        matrix = (cells, padded, turned, turned, shifted)[self.step]
        gone = self._gone(matrix.shape)
        cut = self.q_len if self.step == 4 else 0  # they stay on the tape, and are gone
        tape = turned if self.step > 1 else matrix
        return self.arrays(
            columns=columns,
            side=columns + (not self.bidirectional),
            matrix=matrix,
            gone=gone,
            tape=tape.ravel(),
            tape_gone=np.concatenate([np.ones(cut, bool), gone.ravel()]),
            starts=np.arange(cut, tape.size + 1, matrix.shape[1]),
            keys=np.arange(self.q_len + self.memory),
            offsets=self._offsets(),
        )

    def _offsets(self):
        """The offset of each column, from the farthest behind."""
        k_len = self.q_len + self.memory
        if self.bidirectional:
            return np.arange(k_len, -self.q_len, -1)
        return np.arange(k_len - 1, -1, -1)

    def _gone(self, shape):
        """Which cells this step cuts, or in the end leaves to a mask."""
        row, column = np.indices(shape)
        if self.step < 4:
            return (row == 0) & (self.step == 3)
        return column > self.memory + (self.q_len - 1 if self.bidirectional else row)

    def draw(self, figure: Figure) -> SimpleNamespace:
        """The matrix beside the five steps, and below them the tape of memory."""
        top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=(4.8, 1))[:, 0]
        share = 0.68 if wide(figure) else 0.64  # of the width, for the matrix
        ratios = {"width_ratios": (share, 1 - share)}
        (axes, words), tape = top.subplots(1, 2, **ratios), bottom.subplots()
        for panel in (axes, words, tape):
            panel.set_axis_off()
        artists = _draw_cells(axes)
        artists.room = 72 * figure.get_size_inches() * (0.9 * share, 0.72)  # of all cells
        _draw_tape(artists, tape)
        _draw_steps(artists, words)
        artists.limits = [
            Limits(axes, lambda a: {"xlim": (-0.5, a.side - 0.5), "ylim": (a.side - 0.5, -1.3)}),
            Limits(tape, lambda a: {"xlim": (-0.7, a.q_len * a.side - 0.3)}),
        ]
        return artists

    def update(self, artists: SimpleNamespace, arrays: Arrays) -> None:
        """Lay the cells out as the step has them; the tape moves only when cells are added."""
        rows, columns = arrays.matrix.shape
        side, tape = arrays.side, artists.tape
        for limits in artists.limits:
            limits.move(arrays)
        artists.cells.set_data(_colours(arrays.matrix, arrays.gone, arrays.columns))
        artists.cells.set_extent((-0.5, columns - 0.5, rows - 0.5, -0.5))
        artists.grid.set_data(*_grid(rows, columns))
        tape.set_data(_colours(arrays.tape, arrays.tape_gone, arrays.columns)[None])
        tape.set_extent((-0.5, len(arrays.tape) - 0.5, 0, 1))
        strokes = np.tile([-0.4, 1.4, np.nan], len(arrays.starts))
        artists.starts.set_data(np.repeat(arrays.starts - 0.5, 3), strokes)
        _write_cells(artists, arrays, artists.room / (side, side + 0.8))
        for text, (number, told) in zip(artists.steps, enumerate(_steps(arrays)), strict=True):
            text.set_text("{}  {}\n    {}".format(number, *told))
        artists.pointer.set_ydata([arrays.step])

    def caption(self, arrays: Arrays) -> str:
        """What the step does to the cells, and where they lie."""
        (rows, width), gone = arrays.matrix.shape, arrays.gone.sum()
        first, last = arrays.offsets[[0, -1]]
        last = f"{signed(last)} (ahead)" if last < 0 else "0"
        padding, cut, end = (
            f"offset {first} never occurs, so rows have one column more than there are offsets",
            gone,
            "behind the last key are cut",
        )
        if not arrays.bidirectional:
            padding = f"a zero in front makes each row one longer, {width} cells"
            cut, end = f"a zero and {gone - 1}", "of keys ahead are masked"
        before = "kept from the segment before (memory"
        kept = f"none of them {before})"
        if arrays.memory:
            several = f" {arrays.memory}" * (arrays.memory > 1)
            kept = f"the first{several} {before}: keys without a query)"
        told = (
            f"{rows} queries with a column for each offset, from {first} (behind) to {last}, "
            f"where attention needs one for each of {len(arrays.keys)} keys, {kept}",
            padding,
            f"the same {rows * width} cells in the same order, read as {rows} rows of {width}",
            f"the first {width} cells are cut, {cut} of the scores of query 0, which no key needs",
            f"the rest, read as {rows} rows of {width}: row i has moved left by {rows - 1} − i, "
            f"so that each diagonal has one offset, and the {gone} cells {end}",
        )
        bare = " (offsets in the cells)" if arrays.columns > LETTERED else ""
        return f"Step {arrays.step}{bare}, {told[arrays.step]}."


def _colours(cells, gone, columns):
    """Indices into the colour map: an offset's own colour, pale where cut, grey for zeros."""
    own = np.round((SHADES - 1) * (cells % columns) / (columns - 1))
    return np.where(cells == ZERO, 2 * SHADES, own + SHADES * gone)


def _points(there, aside=0.0):
    """Points x, y of the cells that are there."""
    rows, columns = np.nonzero(there)
    return columns + aside, rows


def _grid(rows, columns):
    """Points x, y of the lines between cells."""
    across = [(-0.5, y - 0.5, columns - 0.5, y - 0.5) for y in range(1, rows)]
    down = [(x - 0.5, -0.5, x - 0.5, rows - 0.5) for x in range(1, columns)]
    gap = np.full((rows + columns - 2, 2), np.nan)
    return np.column_stack([across + down, gap]).reshape(-1, 2).T


def _colour_map():
    """Colours from the farthest offset behind on which black is read, the pale ones, and grey."""
    full = colormaps[PLAIN](np.linspace(0.4, 1, SHADES))[:, :3]
    grey = np.array([to_rgb(GREY)])
    return ListedColormap(np.concatenate([full, 0.3 * full + 0.7 * grey, grey]))


def _draw_image(axes):
    limits = {"vmin": -0.5, "vmax": 2 * SHADES + 0.5}
    return axes.imshow([[0]], cmap=_colour_map(), aspect=axes.get_aspect(), animated=True, **limits)


class _Word:
    """A word that one artist, a line with the word as its marker, writes in many cells.

    width: in units of the size of its letters.
    """

    def __init__(self, axes, word, color="black"):
        path = TextPath((0, 0), word, size=1)
        extents = path.get_extents()
        self.width = extents.width + 0.06
        centre = Affine2D().translate(-(extents.x0 + extents.x1) / 2, -0.36)
        marker = path.transformed(centre)
        look = {"linestyle": "none", "marker": marker, "markeredgewidth": 0, "color": color}
        self.line = axes.plot([], [], animated=True, **look)[0]
        self.scale = 2 * np.abs(marker.vertices).max()

    def write(self, x, y, size) -> None:
        """Write it at these points, its letters of this size in points."""
        self.line.set(data=(x, y), markersize=size * self.scale, visible=len(x) > 0)


def _draw_cells(axes):
    """The matrix, and the words for each query, each offset (with its letter, and bare) and key."""
    image = _draw_image(axes)
    grid = axes.plot([], [], color=rcParams["axes.facecolor"], animated=True)[0]
    grid.set_linewidth(grid.get_linewidth() / 2)
    offsets, keys = range(1 - MOST, MOST + MEMORY + 1), range(MOST + MEMORY)
    return SimpleNamespace(
        cells=image,
        grid=grid,
        crosses=axes.plot([], [], "x", color=STROKE, animated=True)[0],
        queries=[_Word(axes, f"q{_lowered(i)}") for i in range(MOST)],
        offsets={r: _Word(axes, f"·r{_lowered(r)}") for r in offsets},
        bare={r: _Word(axes, signed(r)) for r in offsets},
        keys=[_Word(axes, f"k{_lowered(j)}", rcParams["text.color"]) for j in keys],
        zero=_Word(axes, "0"),
    )


def _lowered(number):
    return str(number).translate(DIGITS)


def _write_cells(artists, arrays, cell):
    """Write into cells of this size in points; those too narrow for both letters get the offset."""
    matrix, columns = arrays.matrix, arrays.columns
    query = np.where(matrix == ZERO, ZERO, matrix // columns)
    column = np.where(matrix == ZERO, ZERO, matrix % columns)
    lettered = columns <= LETTERED
    words = [(artists.offsets if lettered else artists.bare)[r] for r in arrays.offsets]
    before = max(word.width for word in artists.queries[: arrays.q_len]) if lettered else 0
    after = max(word.width for word in words)
    size = min(0.9 * cell[0] / (before + after), (0.7 if lettered else 0.8) * cell[1])
    for word in (*artists.offsets.values(), *artists.bare.values()):
        word.write((), (), size)
    # A query's letters begin where those of the longest offset would leave both in the middle.
    for i, word in enumerate(artists.queries):
        aside = -after / 2 * size / cell[0]
        word.write(*_points((query == i) & lettered, aside), size)
    for c, word in enumerate(words):
        aside = (before - after + word.width) / 2 * size / cell[0] if lettered else 0
        word.write(*_points(column == c, aside), size)
    for j, word in enumerate(artists.keys):
        there = [j] if arrays.step == 4 and j in arrays.keys else []
        word.write(there, [-0.95] * len(there), size)
    artists.zero.write(*_points(matrix == ZERO), size)
    cross = 0.8 * min(cell)
    x, y = _points(arrays.gone)
    artists.crosses.set(data=(x, y), markersize=cross, markeredgewidth=0.05 * cross)


def _draw_tape(artists, axes):
    """The cells as they follow each other in memory, and strokes where a row starts."""
    axes.set_title("the same cells, row after row (strokes: a row starts)")
    axes.set_ylim(-0.5, 1.5)
    artists.tape = _draw_image(axes)
    artists.starts = axes.plot([], [], color=rcParams["text.color"], animated=True)[0]


def _steps(arrays):
    """What each step does, and the shape that comes of it."""
    q_len, side = arrays.q_len, arrays.side
    zeros, last, kept = "zeros in front", "read as ", ""
    if arrays.bidirectional:
        zeros, last, kept = "no zeros needed", "", f", keep {len(arrays.keys)}"
    return (
        ("scores by offset", f"[{q_len}, {arrays.columns}]"),
        (zeros, f"[{q_len}, {side}]"),
        (f"read as rows of {q_len}", f"[{side}, {q_len}]"),
        ("first row cut", f"[{side - 1}, {q_len}]"),
        (f"{last}rows of {side - 1}{kept}", f"[{q_len}, {side - 1}]"),
    )


def _draw_steps(artists, axes):
    """The steps as a list, and a pointer to the present one."""
    axes.set(xlim=(0, 1), ylim=(4.5, -0.5))
    longest = "4  rows of 14, keep 9\n    [15, 14]"
    look = {"va": "center", "zorder": 1, "animated": True}
    artists.steps = [axes.text(0.1, i, longest, **look) for i in range(5)]
    large = 2 * rcParams["lines.markersize"]
    pointer = {"color": "C1", "markersize": large, "animated": True}
    artists.pointer = axes.plot([0.02], [0], ">", **pointer)[0]
