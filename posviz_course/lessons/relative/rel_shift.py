"""How padding, reshaping and cutting make columns of keys from columns of offsets."""

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure

from posviz.pictures.knobs import Integer
from posviz.pictures.parts import Curve, Other, Text, broken, inches, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz_course.lessons.relative._words import Word

NOTHING = -1  # of a padded cell, where others hold their index in the scores
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
Q_LEN, MEMORY = 4, 1  # queries, and tokens of the segment before
COLUMNS = Q_LEN + MEMORY  # of the scores: one for each offset, from the farthest to 0
SHADES = 120  # of an offset's colours
HIDDEN = "× a mask hides future keys"
STEPS = (  # what each does, and the shape that comes of it
    f"scores by offset\n    [{Q_LEN}, {COLUMNS}]",
    f"zeros in front\n    [{Q_LEN}, {COLUMNS + 1}]",
    f"read as rows of {Q_LEN}\n    [{COLUMNS + 1}, {Q_LEN}]",
    f"first row cut\n    [{COLUMNS}, {Q_LEN}]",
    f"read as rows of {COLUMNS}\n    [{Q_LEN}, {COLUMNS}]",
)


class RelShift(Picture):
    """Read again as longer rows, each score stands under its key."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.3)

    step = Integer(4, low=0, high=4, play=True)

    def compute(self) -> Arrays:
        """Return the matrix and the tape of memory as this step has them, and which cells are gone.

        Cells are numbered as they come: that of query i in column c is i·COLUMNS + c.
        """
        cells = np.arange(Q_LEN * COLUMNS).reshape(Q_LEN, COLUMNS)
        padded = np.pad(cells, ((0, 0), (1, 0)), constant_values=NOTHING)
        narrow = padded.reshape(-1, Q_LEN)
        matrix = (cells, padded, narrow, narrow, narrow[1:].reshape(Q_LEN, -1))[self.step]
        row, column = np.indices(matrix.shape)
        gone = (row == 0) & (self.step == 3)
        if self.step == 4:  # hidden by a mask
            gone = column > MEMORY + row
        cut = Q_LEN if self.step == 4 else 0  # they stay on the tape, and are gone
        tape = (narrow if self.step > 1 else matrix).ravel()
        tape_gone = np.append(np.ones(cut, bool), gone)
        starts = np.arange(cut, tape.size + 1, matrix.shape[1])
        return self.arrays(
            matrix=matrix,
            query=np.where(matrix == NOTHING, NOTHING, matrix // COLUMNS),
            offset=np.where(matrix == NOTHING, np.nan, COLUMNS - 1 - matrix % COLUMNS),
            gone=gone,
            crosses=np.nonzero(gone.T),
            image=_coloured(matrix, gone),
            grid=_grid(*matrix.shape),
            tape=_coloured(tape[None], tape_gone[None]),
            starts=(np.repeat(starts - 0.5, 3), np.tile([-0.9, 0.9, np.nan], len(starts))),
        )

    def draw(self, figure: Figure) -> list:
        """The matrix beside the five steps, and below them the tape of memory."""
        top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=(4.8, 1))[:, 0]
        share = 0.68 if wide(figure) else 0.64  # of the width, for the matrix
        axes, words = top.subplots(1, 2, width_ratios=(share, 1 - share))
        tape = bottom.subplots()
        for panel in (axes, words, tape):
            panel.set_axis_off()
        images = [_image(axes, "image"), _image(tape, "tape")]
        axes.set(xlim=(-0.5, COLUMNS + 0.5), ylim=(COLUMNS + 0.5, -1.3))
        words.set(xlim=(0, 1), ylim=(4.5, -0.5))
        tape.set(xlim=(-0.7, Q_LEN * (COLUMNS + 1) - 0.3), ylim=(-1, 1))
        tape.set_title("memory: the same cells (strokes: a row starts)")
        for i, does in enumerate(STEPS):
            words.text(0.1, i, f"{i}  {does}", va="center", zorder=1)
        room = 72 * inches(figure) * (0.9 * share, 0.72)  # points, for all cells
        cell = room / (COLUMNS + 1, COLUMNS + 1.8)
        thin = {"color": rcParams["axes.facecolor"], "stroke": 0.5}
        return [
            *images,
            Curve(axes, "-", "grid", **thin),
            Word(axes, "×", lambda a: a.crosses, 1.3 * min(cell), "#AAAAAA"),
            *_words(axes, min(cell * (0.9 / 2.4, 0.7))),  # so that the longest words fit
            Text(axes, -0.5, Q_LEN + 0.2, lambda a: HIDDEN if a.step == 4 else "", va="center"),
            Curve(tape, "-", "starts", color=rcParams["text.color"]),
            Curve(words, ">", lambda a: ([0.02], [a.step - 0.17]), color="C1", marks=2),
        ]

    def caption(self, arrays: Arrays) -> str:
        rows, width = arrays.matrix.shape
        told = (
            f"{rows} queries have a column for each offset, from {width - 1} to 0",
            f"a zero in front makes each row one cell longer, {width} in all",
            f"the same {rows * width} cells in the same order are read as {rows} rows of {width}",
            f"the first {width} cells are cut, and no key needs them",
            f"in {rows} rows of {width} each diagonal has one offset, but for the "
            f"{arrays.gone.sum()} cells of future keys, which a mask hides",
        )
        return f"Step {arrays.step}: {told[arrays.step]}."


def _coloured(cells, gone):
    """Indices into the colour map: an offset's own colour, pale where cut, grey for zeros."""
    own = np.round((SHADES - 1) * (cells % COLUMNS) / (COLUMNS - 1))
    indices = np.where(cells == NOTHING, 2 * SHADES, own + SHADES * gone)
    down, right = np.array(cells.shape) - 0.5
    return {"data": indices, "extent": (-0.5, right, down, -0.5)}


def _image(axes, name):
    """Colours from the farthest offset behind on which black is read, the pale ones, and grey."""
    full = colormaps[PLAIN](np.linspace(0.5, 1, SHADES))[:, :3]
    grey = [to_rgb("#CCCCCC")]  # black is read on it in both themes
    colours = ListedColormap(np.concatenate([full, 0.3 * full + 0.7 * np.array(grey), grey]))
    props = {"vmin": -0.5, "vmax": 2 * SHADES + 0.5, "aspect": axes.get_aspect()}
    return Other(axes.imshow([[0]], cmap=colours, animated=True, **props), name)


def _grid(rows, columns):
    """Points x, y of the lines between cells."""
    across = [(-0.5, y - 0.5, columns - 0.5, y - 0.5) for y in range(1, rows)]
    down = [(x - 0.5, -0.5, x - 0.5, rows - 0.5) for x in range(1, columns)]
    return broken(np.reshape(across + down, (-1, 2, 2)))


def _words(axes, letters):
    """The words for each query, each offset, each key, and for zeros, so many points high."""

    def word(text, array, number, align=0.5):
        def places(arrays):
            hidden = arrays.gone & (arrays.step == 4)
            return np.nonzero((np.equal(getattr(arrays, array), number) & ~hidden).T)

        return Word(axes, text.translate(LOWERED), places, letters, align=align)

    def key(j):
        def places(arrays):
            return ([j], [-0.95]) if arrays.step == 4 else ([], [])

        return Word(axes, f"k{j}".translate(LOWERED), places, letters, rcParams["text.color"])

    return [
        *(word(f"q{i}", "query", i, align=1) for i in range(Q_LEN)),
        *(word(f"·r{r}", "offset", r, align=0) for r in range(COLUMNS)),
        *map(key, range(COLUMNS)),
        word("0", "matrix", NOTHING),
    ]
