"""How padding, reshaping and cutting turn columns of offsets into columns of keys."""

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure

from posviz.lessons.relative._words import Word
from posviz.pictures.knobs import integer, switch
from posviz.pictures.parts import Curve, Limits, Other, inches, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.wording import signed

NOTHING = -1  # of a padded cell, where others hold their index in the scores
LOWERED = str.maketrans("-0123456789", "₋₀₁₂₃₄₅₆₇₈₉")
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
        """Return the matrix and the tape of memory as this step has them, and which cells are gone.

        Cells are numbered as they come: that of query i in column c is i·columns + c.
        """
        causal, q_len, step = not self.bidirectional, self.q_len, self.step
        k_len = q_len + self.memory
        apart = np.arange(k_len - causal, -1 if causal else -q_len, -1)  # offset of each column
        columns = len(apart)
        cells = np.arange(q_len * columns).reshape(q_len, columns)
        padded = np.pad(cells, ((0, 0), (int(causal), 0)), constant_values=NOTHING)
        narrow = padded.reshape(-1, q_len)
        matrix = (cells, padded, narrow, narrow, narrow[1:].reshape(q_len, -1))[step]
        row, column = np.indices(matrix.shape)
        gone = (row == 0) & (step == 3)
        if step == 4:  # behind the last key, or hidden by a mask
            gone = column > self.memory + (row if causal else q_len - 1)
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
            apart=apart,
            side=padded.shape[1],
            image=_coloured(matrix, gone, columns),
            grid=_grid(*matrix.shape),
            tape=_coloured(tape[None], tape_gone[None], columns),
            starts=(np.repeat(starts - 0.5, 3), np.tile([-0.9, 0.9, np.nan], len(starts))),
            steps=_steps(q_len, columns, padded.shape[1], k_len),
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

        longest = "4  rows of 14, keep 9\n    [15, 14]"
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
        """What the step does to the cells, and where they lie."""
        (rows, width), last, end = arrays.matrix.shape, "0", "future keys, which a mask hides"
        padding = f"a zero in front makes each row one cell longer, {width} in all"
        if arrays.bidirectional:
            last, end = signed(arrays.apart[-1]), "no key, which are cut"
            padding = f"no zeros are needed, because offset {arrays.apart[0]} never occurs"
        told = (
            f"{rows} queries have a column for each offset, from {arrays.apart[0]} to {last}",
            padding,
            f"the same {rows * width} cells in the same order are read as {rows} rows of {width}",
            f"the first {width} cells are cut, and no key needs them",
            f"in {rows} rows of {width} each diagonal has one offset, but for the "
            f"{arrays.gone.sum()} cells of {end}",
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
    gap = np.full((rows + columns - 2, 2), np.nan)
    return np.column_stack([across + down, gap]).reshape(-1, 2).T


def _words(axes, cell):
    """The words for each query, each offset (with its letter, and bare), each key, and for zeros.

    cell: (arrays) -> width and height of a cell in points.
    """

    def letters(arrays):  # so that the longest words fit
        widest = 1.6 if _is_bare(arrays) else 3.3 if arrays.bidirectional else 2.4
        return min(np.array((0.9 / widest, 0.7)) * cell(arrays))

    def word(text, array, number, bare=None, align=0.5):
        def places(arrays):
            shown = bare is None or bare == _is_bare(arrays)
            return np.nonzero(np.equal(getattr(arrays, array).T, number) & shown)

        return Word(axes, text, places, letters, align=align)

    def key(j):
        def places(arrays):
            shown = arrays.step == 4 and j < arrays.q_len + arrays.memory
            return ([j], [-0.95]) if shown else ([], [])

        return Word(axes, f"k{j}".translate(LOWERED), places, letters, rcParams["text.color"])

    apart = range(1 - MOST, MOST + MEMORY + 1)
    return [
        *(word(f"q{i}".translate(LOWERED), "query", i, False, align=1) for i in range(MOST)),
        *(word(f"·r{r}".translate(LOWERED), "offset", r, False, align=0) for r in apart),
        *(word(signed(r), "offset", r, True) for r in apart),
        *map(key, range(MOST + MEMORY)),
        word("0", "matrix", NOTHING),
    ]


def _is_bare(arrays):
    return len(arrays.apart) > LETTERED


def _steps(q_len, columns, side, k_len):
    """What each step does, and the shape that comes of it."""
    zeros, last, kept = "zeros in front", "read as ", ""
    if side == columns:
        zeros, last, kept = "no zeros needed", "", f", keep {k_len}"
    steps = (
        ("scores by offset", q_len, columns),
        (zeros, q_len, side),
        (f"read as rows of {q_len}", side, q_len),
        ("first row cut", side - 1, q_len),
        (f"{last}rows of {side - 1}{kept}", q_len, side - 1),
    )
    return [f"{i}  {does}\n    [{rows}, {width}]" for i, (does, rows, width) in enumerate(steps)]
