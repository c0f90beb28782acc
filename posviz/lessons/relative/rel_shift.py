"""How padding, reshaping and cutting turn columns of offsets into columns of keys."""

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure

from posviz.lessons.relative._words import Word
from posviz.pictures.knobs import integer
from posviz.pictures.parts import Curve, Limits, Other, broken, inches, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

NOTHING = -1  # of a padded cell, where others hold their index in the scores
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MOST, MEMORY = 6, 3  # queries, and tokens of the segment before
SHADES = 120  # of an offset's colours


class RelShift(Picture):
    """How one reshape moves every row of scores to its keys."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.3)

    step = integer(4, low=0, high=4, play=True)
    q_len = integer(4, low=3, high=MOST)
    memory = integer(1, low=0, high=MEMORY, label="memory (tokens)")

    def compute(self) -> Arrays:
        """Return the matrix and the tape of memory as this step has them, and which cells are gone.

        Cells are numbered as they come: that of query i in column c is i·columns + c.
        """
        q_len, step, columns = self.q_len, self.step, self.q_len + self.memory
        apart = np.arange(columns)[::-1]  # offset of each column
        cells = np.arange(q_len * columns).reshape(q_len, columns)
        padded = np.pad(cells, ((0, 0), (1, 0)), constant_values=NOTHING)
        narrow = padded.reshape(-1, q_len)
        matrix = (cells, padded, narrow, narrow, narrow[1:].reshape(q_len, -1))[step]
        row, column = np.indices(matrix.shape)
        gone = (row == 0) & (step == 3)
        if step == 4:  # hidden by a mask
            gone = column > self.memory + row
        cut = q_len if step == 4 else 0  # they stay on the tape, and are gone
        tape = (narrow if step > 1 else matrix).ravel()
        tape_gone = np.append(np.ones(cut, bool), gone)
        starts = np.arange(cut, tape.size + 1, matrix.shape[1])
        return self.arrays(
            matrix=matrix,
            query=np.where(matrix == NOTHING, NOTHING, matrix // columns),
            offset=np.where(matrix == NOTHING, np.nan, apart[matrix % columns]),
            gone=gone,
            crosses=np.nonzero(gone.T),
            side=columns + 1,
            image=_coloured(matrix, gone, columns),
            grid=_grid(*matrix.shape),
            tape=_coloured(tape[None], tape_gone[None], columns),
            starts=(np.repeat(starts - 0.5, 3), np.tile([-0.9, 0.9, np.nan], len(starts))),
            steps=_steps(q_len, columns),
        )

    def draw(self, figure: Figure) -> list:
        """The matrix beside the five steps, and below them the tape of memory."""
        top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=(4.8, 1))[:, 0]
        share = 0.68 if wide(figure) else 0.64  # of the width, for the matrix
        axes, words = top.subplots(1, 2, width_ratios=(share, 1 - share))
        tape = bottom.subplots()
        for panel in (axes, words, tape):
            panel.set_axis_off()
        words.set(xlim=(0, 1), ylim=(4.5, -0.5))
        tape.set_title("the same cells, row after row (strokes: a row starts)")
        tape.set_ylim(-1, 1)
        room = 72 * inches(figure) * (0.9 * share, 0.72)  # points, for all cells
        thin = {"color": rcParams["axes.facecolor"], "stroke": 0.5}

        def cell(arrays):
            return room / (arrays.side, arrays.side + 0.8)

        longest = "2  read as rows of 6\n    [10, 6]"
        look = {"va": "center", "zorder": 1, "animated": True}
        steps = [words.text(0.1, i, longest, **look) for i in range(5)]
        return [
            _image(axes, "image"),
            Curve(axes, "-", "grid", **thin),
            Word(axes, "×", lambda a: a.crosses, lambda a: 1.3 * min(cell(a)), "#777777"),
            *_words(axes, cell),
            _image(tape, "tape"),
            Curve(tape, "-", "starts", color=rcParams["text.color"]),
            *(Other(text, lambda a, i=i: {"text": a.steps[i]}) for i, text in enumerate(steps)),
            Curve(words, ">", lambda a: ([0.02], [a.step]), color="C1", marks=2),
            Limits(axes, lambda a: {"xlim": (-0.5, a.side - 0.5), "ylim": (a.side - 0.5, -1.3)}),
            Limits(tape, lambda a: {"xlim": (-0.7, a.q_len * a.side - 0.3)}),
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


def _coloured(cells, gone, columns):
    """Indices into the colour map: an offset's own colour, pale where cut, grey for zeros."""
    own = np.round((SHADES - 1) * (cells % columns) / (columns - 1))
    indices = np.where(cells == NOTHING, 2 * SHADES, own + SHADES * gone)
    down, right = np.array(cells.shape) - 0.5
    return {"data": indices, "extent": (-0.5, right, down, -0.5)}


def _image(axes, name):
    """Colours from the farthest offset behind on which black is read, the pale ones, and grey."""
    full = colormaps[PLAIN](np.linspace(0.4, 1, SHADES))[:, :3]
    grey = [to_rgb("#CCCCCC")]  # black is read on it in both themes
    colours = ListedColormap(np.concatenate([full, 0.3 * full + 0.7 * np.array(grey), grey]))
    look = {"vmin": -0.5, "vmax": 2 * SHADES + 0.5, "aspect": axes.get_aspect()}
    return Other(axes.imshow([[0]], cmap=colours, animated=True, **look), name)


def _grid(rows, columns):
    """Points x, y of the lines between cells."""
    across = [(-0.5, y - 0.5, columns - 0.5, y - 0.5) for y in range(1, rows)]
    down = [(x - 0.5, -0.5, x - 0.5, rows - 0.5) for x in range(1, columns)]
    return broken(np.reshape(across + down, (-1, 2, 2)))


def _words(axes, cell):
    """The words for each query, each offset, each key, and for zeros.

    cell: (arrays) -> width and height of a cell in points.
    """

    def letters(arrays):  # so that the longest words fit
        return min(np.array((0.9 / 2.4, 0.7)) * cell(arrays))

    def word(text, array, number, align=0.5):
        def places(arrays):
            return np.nonzero(np.equal(getattr(arrays, array).T, number))

        return Word(axes, text.translate(LOWERED), places, letters, align=align)

    def key(j):
        def places(arrays):
            shown = arrays.step == 4 and j < arrays.q_len + arrays.memory
            return ([j], [-0.95]) if shown else ([], [])

        return Word(axes, f"k{j}".translate(LOWERED), places, letters, rcParams["text.color"])

    return [
        *(word(f"q{i}", "query", i, align=1) for i in range(MOST)),
        *(word(f"·r{r}", "offset", r, align=0) for r in range(MOST + MEMORY)),
        *map(key, range(MOST + MEMORY)),
        Word(axes, "0", lambda a: np.nonzero(a.matrix.T == NOTHING), letters),
    ]


def _steps(q_len, columns):
    """What each step does, and the shape that comes of it."""
    steps = (
        ("scores by offset", q_len, columns),
        ("zeros in front", q_len, columns + 1),
        (f"read as rows of {q_len}", columns + 1, q_len),
        ("first row cut", columns, q_len),
        (f"read as rows of {columns}", q_len, columns),
    )
    return [f"{i}  {does}\n    [{rows}, {width}]" for i, (does, rows, width) in enumerate(steps)]
