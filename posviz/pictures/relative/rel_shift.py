"""How padding, reshaping and cutting turn columns of offsets into columns of keys."""

from types import SimpleNamespace

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from posviz.engine.knobs import integer, switch
from posviz.engine.picture import Arrays, Picture
from posviz.engine.style import PLAIN
from posviz.pictures.parts import wide
from posviz.wording import signed

STROKE = "#777777"  # of crosses, on which words are still read
ZERO = -1  # of a padded cell, where others hold their index in the scores
GREY = "#CCCCCC"  # of zeros and cells that are gone; black is read on it in both themes
DIGITS = str.maketrans("-0123456789", "₋₀₁₂₃₄₅₆₇₈₉")
LETTERED = 9  # the most columns in which letters are read from afar


class RelShift(Picture):
    """How one reshape moves every row of scores to its keys."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.3)

    step = integer(4, low=0, high=4, play=True)
    q_len = integer(4, low=3, high=6, redraw=True)
    memory = integer(1, low=0, high=3, redraw=True, label="memory (tokens)")
    bidirectional = switch(False, redraw=True)

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
        offsets = self._offsets()
        side = len(offsets) + (not self.bidirectional)
        top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=(4.8, 1))[:, 0]
        share = 0.68 if wide(figure) else 0.64  # of the width, for the matrix
        ratios = {"width_ratios": (share, 1 - share)}
        (axes, words), tape = top.subplots(1, 2, **ratios), bottom.subplots()
        for panel in (axes, words, tape):
            panel.set_axis_off()
        axes.set(xlim=(-0.5, side - 0.5), ylim=(side - 0.5, -1.3))
        inches = figure.get_size_inches() * (0.9 * share, 0.72) / (side, side + 0.8)  # of a cell
        artists = _draw_cells(axes, offsets, self.q_len, self.q_len + self.memory, 72 * inches)
        _draw_tape(artists, tape, len(offsets), self.q_len * side)
        artists.pointer = _draw_steps(words, self._steps(side))
        return artists

    def _steps(self, width):
        """What each step does, and the shape that comes of it; rows are ``width`` long at first."""
        zeros, last, kept = "zeros in front", "read as ", ""
        if self.bidirectional:
            zeros, last, kept = "no zeros needed", "", f", keep {self.q_len + self.memory}"
        return (
            ("scores by offset", f"[{self.q_len}, {len(self._offsets())}]"),
            (zeros, f"[{self.q_len}, {width}]"),
            (f"read as rows of {self.q_len}", f"[{width}, {self.q_len}]"),
            ("first row cut", f"[{width - 1}, {self.q_len}]"),
            (f"{last}rows of {width - 1}{kept}", f"[{self.q_len}, {width - 1}]"),
        )

    def update(self, artists: SimpleNamespace, arrays: Arrays) -> None:
        """Lay the cells out as the step has them; the tape moves only when cells are added."""
        rows, columns = arrays.matrix.shape
        artists.cells.set_data(_colours(arrays.matrix, arrays.gone, arrays.columns))
        artists.cells.set_extent((-0.5, columns - 0.5, rows - 0.5, -0.5))
        artists.grid.set_data(*_grid(rows, columns))
        artists.tape.set_data(_colours(arrays.tape, arrays.tape_gone, arrays.columns)[None])
        artists.tape.set_extent((-0.5, len(arrays.tape) - 0.5, 0, 1))
        query = np.where(arrays.matrix == ZERO, ZERO, arrays.matrix // arrays.columns)
        column = np.where(arrays.matrix == ZERO, ZERO, arrays.matrix % arrays.columns)
        for i, line in enumerate(artists.queries):
            line.set_data(*_points(query == i, artists.query_aside))
        for c, line in enumerate(artists.offsets):
            line.set_data(*_points(column == c, artists.offset_aside[c]))
        artists.zeros.set_data(*_points(arrays.matrix == ZERO))
        artists.crosses.set_data(*_points(arrays.gone))
        for j, line in enumerate(artists.keys):
            line.set_data([j], [-0.95])
            line.set_visible(arrays.step == 4)
        strokes = np.tile([-0.4, 1.4, np.nan], len(arrays.starts))
        artists.starts.set_data(np.repeat(arrays.starts - 0.5, 3), strokes)
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
    return np.where(cells == ZERO, 2 * columns, cells % columns + columns * gone)


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


def _colour_map(columns):
    """A colour for each offset on which black is read, the pale ones, and grey."""
    full = colormaps[PLAIN](np.linspace(0.4, 1, columns))[:, :3]
    grey = np.array([to_rgb(GREY)])
    return ListedColormap(np.concatenate([full, 0.3 * full + 0.7 * grey, grey]))


def _draw_image(axes, columns):
    limits = {"vmin": -0.5, "vmax": 2 * columns + 0.5}
    colours = _colour_map(columns)
    return axes.imshow([[0]], cmap=colours, aspect=axes.get_aspect(), animated=True, **limits)


def _draw_cells(axes, offsets, q_len, k_len, cell):
    """The matrix, and a line for the cells of each query, each offset and each key.

    Cells too narrow for both letters bear their offset alone.
    """
    lettered = len(offsets) <= LETTERED
    queries = _lettered("q", range(q_len)) if lettered else []
    words = _lettered("·r", offsets) if lettered else [signed(r) for r in offsets]
    before = max(map(_width, queries), default=0)
    after = np.array([_width(word) for word in words])
    size = min(0.9 * cell[0] / (before + after.max()), (0.7 if lettered else 0.8) * cell[1])
    cross = 0.8 * min(cell)
    # A query's letters begin where those of the longest offset would leave both in the middle.
    query_aside = -after.max() / 2 * size / cell[0]
    offset_aside = (before - after.max() + after) / 2 * size / cell[0] if lettered else 0 * after

    def glyphs(words, color="black"):
        return [_glyph(axes, word, size, color) for word in words]

    image = _draw_image(axes, len(offsets))
    grid = axes.plot([], [], color=rcParams["axes.facecolor"], animated=True)[0]
    grid.set_linewidth(grid.get_linewidth() / 2)
    crosses = axes.plot([], [], "x", color=STROKE, markersize=cross, animated=True)[0]
    crosses.set_markeredgewidth(0.05 * cross)
    return SimpleNamespace(
        cells=image,
        grid=grid,
        crosses=crosses,
        queries=glyphs(queries),
        offsets=glyphs(words),
        query_aside=query_aside,
        offset_aside=offset_aside,
        keys=glyphs(_lettered("k", range(k_len)), rcParams["text.color"]),
        zeros=_glyph(axes, "0", size),
    )


def _lettered(letter, numbers):
    return [letter + str(number).translate(DIGITS) for number in numbers]


def _width(word):
    """The width of a word, in units of its font size."""
    return TextPath((0, 0), word, size=1).get_extents().width + 0.06


def _glyph(axes, word, size, color="black"):
    """A line whose marker is a word, centred, so that one artist writes it in many cells."""
    word_path = TextPath((0, 0), word, size=size)
    extents = word_path.get_extents()
    centre = Affine2D().translate(-(extents.x0 + extents.x1) / 2, -0.36 * size)
    path = word_path.transformed(centre)
    line = axes.plot([], [], linestyle="none", marker=path, color=color, animated=True)[0]
    line.set(markersize=2 * np.abs(path.vertices).max(), markeredgewidth=0)
    return line


def _draw_tape(artists, axes, columns, length):
    """The cells as they follow each other in memory, and strokes where a row starts."""
    axes.set_title("the same cells, row after row (strokes: a row starts)")
    artists.tape = _draw_image(axes, columns)
    artists.starts = axes.plot([], [], color=rcParams["text.color"], animated=True)[0]
    axes.set(xlim=(-0.7, length - 0.3), ylim=(-0.5, 1.5))


def _draw_steps(axes, steps):
    """The steps as a list, and a pointer to the present one."""
    axes.set(xlim=(0, 1), ylim=(len(steps) - 0.5, -0.5))
    for i, (words, shape) in enumerate(steps):
        axes.text(0.1, i, f"{i}  {words}\n    {shape}", va="center", zorder=1)
    large = 2 * rcParams["lines.markersize"]
    return axes.plot([0.02], [0], ">", color="C1", markersize=large, animated=True)[0]
