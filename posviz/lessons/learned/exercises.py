"""Exercises: moves that are not noticed, the end of a table, its parameters and its rows."""

import numpy as np

from posviz.teaching.checker import Checker
from posviz.teaching.mistakes import POSITIONS_IGNORED, answer, argument, step, wrong

# ---------------------------------------------------------------- moves


def unnoticed(
    positions,
    moved,
    rows,
    *,
    has_rows=lambda moved, rows: moved.min() >= 0 and moved.max() < rows,
    same=lambda moved, positions: np.ptp(moved - positions) == 0,
):
    """positions [n], moved [n], rows of the table -> whether a model of offsets sees no move."""
    return bool(has_rows(moved, rows) and same(moved, positions))


def moved_inputs(rng, size):
    """Moved in eight ways, each time three or more positions that are not evenly spaced."""
    positions = np.cumsum(rng.integers(1, 4, size=3 + size // 2)) + rng.integers(2, 5)
    positions[-1] += 4
    rows = 3 * int(positions[-1])
    moved = (
        positions + 1,
        positions * 2,  # as ordered as before
        positions + rows - positions[-1] - 1,  # up to the last row
        positions[0] + positions[-1] - positions,  # mirrored
        positions + rows - positions[-1],  # one too far
        positions - positions[0],  # down to the first row
        np.roll(positions, 1),
        positions - positions[0] - 1,  # one too far
    )[size - 1]
    return positions, moved, rows


def distances(positions):
    """Positions [n] -> the distances of all pairs [n, n]."""
    return abs(np.subtract.outer(positions, positions))


check_unnoticed = Checker(
    "Is the move unnoticed?",
    unnoticed,
    moved_inputs,
    mistakes=[
        step("ends of the table forgotten",
            "You asked only whether all moved by the same. A position beyond the last row, or "
            "below 0, has no row: ask for 0 <= moved and moved < rows, too.",
            has_rows=lambda moved, rows: True),
        step("negative positions let in",
            "You let positions below 0 pass. NumPy takes them for rows from the end, far away "
            "from their neighbours: ask for 0 <= moved, too.",
            has_rows=lambda moved, rows: moved.max() < rows),
        step("last row passed",
            "You let a position pass that is as large as the number of rows. Positions count "
            "from 0, so rows end at rows − 1: compare with <, not <=.",
            has_rows=lambda moved, rows: moved.min() >= 0 and moved.max() <= rows),
        step("distances without sign",
            "You compared distances without their sign. A mirrored text has the same distances "
            "and other offsets, and the model does notice: what stood before now comes after. "
            "Compare moved − positions.",
            same=lambda moved, positions: np.array_equal(distances(moved), distances(positions))),
        step("order alone",
            "You asked for the same order. Twice as far apart is the same order, and other "
            "offsets.", same=lambda moved, positions: (np.diff(moved) > 0).all()),
        step("positions sorted",
            "You sorted the positions, and that puts back what was mixed up. The model does "
            "notice which token stands where: compare moved − positions, as they are.",
            same=lambda moved, positions: np.ptp(np.sort(moved) - np.sort(positions)) == 0),
        step("ends of the table alone",
            "You asked only whether every position has a row. Then there is an answer, but also "
            "for shuffled positions, which cost more than a nat: ask for equal offsets, too.",
            same=lambda moved, positions: True),
        wrong("every move", lambda positions, moved, rows: True,
            "You let every move pass. Look at the losses once more: some of them grew."),
        wrong("no move at all", lambda positions, moved, rows: False,
            "You let no move pass. Look at the losses once more: one of them stayed as it was."),
    ],
)

# ---------------------------------------------------------------- the end of the table


def has_row(position, rows, padding_offset, *, first=0):
    """position, rows of the table, the first of them for padding -> whether it has a row."""
    return first <= position < rows - padding_offset


def has_row_inputs(rng, size):
    """A position on either side of either end, with and without rows for padding."""
    rows = int(rng.integers(5, 10)) * size
    return (
        (rows - 2, rows, 1),  # the last one that has a row
        (rows - 3, rows, 3),
        (0, rows, 2),
        (-1, rows, 0),
        (rows - 1, rows, 2),
        (-1, rows, 2),  # its row is for padding
        (-rows - 2, rows, 1),  # NumPy refuses it as well
        (rows + 1, rows, 2),
    )[size - 1]


check_has_row = Checker(
    "Is there a row?",
    has_row,
    has_row_inputs,
    mistakes=[
        argument("padding offset forgotten",
            "You counted all rows. The first padding_offset of them are for padding, so there "
            "are fewer positions than rows: subtract padding_offset.", padding_offset=0),
        step("negative positions let in",
            "You let positions below 0 pass. NumPy takes them for rows from the end, and hands "
            "out an answer where there is none: ask for 0 <= position, too.", first=-np.inf),
        argument("one position too many",
            "You let one position too many pass. Positions count from 0, so L rows end at "
            "position L − 1: compare with <, not <=.", rows=lambda rows: rows + 1),
        wrong("row number instead of position",
            lambda position, rows, padding_offset: padding_offset <= position < rows,
            "You compared the position with row numbers. Position 0 has row number "
            "padding_offset: add padding_offset to the position first."),
        wrong("padding rows let in",
            lambda position, rows, padding_offset: 0 <= position + padding_offset < rows,
            "You let positions −padding_offset … −1 pass. Their rows are there, but for padding, "
            "and no token stands in them: ask for 0 <= position."),
        argument("positions from 1",
            "You counted positions from 1. They count from 0: L rows are for positions 0 … L − 1.",
            position=lambda position: position - 1),
        step("position 0 refused", "You refused position 0, the first one: compare with <=, not <.",
            first=1),
        wrong("every position let in", lambda position, rows, padding_offset: True,
            "You let every position pass. Clamped to the last row, or wrapped around, it gets "
            "some row, but none that was trained for it: beyond the table there is nothing."),
    ],
)

# ---------------------------------------------------------------- parameters


def parameter_count(max_seq_len, d_model, padding_offset):
    """Positions, columns, rows for padding -> the number of parameters of the table."""
    return (max_seq_len + padding_offset) * d_model


check_parameter_count = Checker(
    "The parameters of a learned table",
    parameter_count,
    lambda rng, size: (int(rng.integers(3, 10)) * size, 2 * size, size % 4),
    edges=[(10, 4, 2), (1, 4, 0)],  # one token, no padding
    mistakes=[
        argument("padding rows forgotten",
            "You left out the rows for padding. They are part of the table, and stored and "
            "loaded with it: it has max_seq_len + padding_offset rows.", padding_offset=0),
        argument("always two padding rows",
            "You wrote 2 into the formula, the offset of OPT: use the argument padding_offset, "
            "which is 0 for GPT-2 and BERT.", padding_offset=2),
        argument("one row too many",
            "You have one row too many. Positions 0 … max_seq_len − 1 are max_seq_len rows; "
            "there is none for position max_seq_len.",
            max_seq_len=lambda max_seq_len: max_seq_len + 1),
        wrong("brackets missing in the rows",
            lambda max_seq_len, d_model, padding_offset: max_seq_len + padding_offset * d_model,
            "You multiplied the rows for padding alone by d_model. Every row has d_model "
            "numbers: write (max_seq_len + padding_offset) * d_model."),
        wrong("padding rows of one number",
            lambda max_seq_len, d_model, padding_offset: max_seq_len * d_model + padding_offset,
            "You counted one number for each row of padding. Those rows are as wide as the "
            "others: add them before you multiply by d_model."),
        answer("bytes of float32", lambda count: 4 * count,
            "You counted bytes: in float32 each number takes four. Parameters are the numbers "
            "themselves, in whatever precision."),
    ],
)

# ---------------------------------------------------------------- rows


def lookup(table, positions, padding_offset):
    """table [rows, d_model], positions [n], rows for padding -> rows [n, d_model]."""
    return table[positions + padding_offset]


def lookup_inputs(rng, size):
    """Arguments of the exercise, larger with the size."""
    table = rng.normal(size=(2 * size + 3 + size % 4, 3))  # room for two rows too late
    positions = 1 + rng.permutation(2 * size)[: size + 1]
    positions[-1] = 0
    return table, positions, size % 4


check_lookup = Checker(
    "The rows of the positions",
    lookup,
    lookup_inputs,
    edges=[
        (np.arange(15.0).reshape(5, 3), np.array([2, 0]), 1),  # the first position
        (np.arange(12.0).reshape(4, 3), np.array([0]), 2),  # one token
    ],
    mistakes=[
        argument("padding offset forgotten",
            "You took row number position, so position 0 gets a row made for padding. The first "
            "padding_offset rows are not for positions: take row position + padding_offset.",
            padding_offset=0),
        argument("padding offset subtracted",
            "You subtracted padding_offset; add it. Position 0 − 2 is row −2, and NumPy then "
            "counts from the end without a word.",
            padding_offset=lambda padding_offset: -padding_offset),
        argument("always two padding rows",
            "You added 2, the offset of OPT: use the argument padding_offset, which is 0 for "
            "GPT-2 and BERT.", padding_offset=2),
        argument("positions from 1",
            "Your rows are those of the positions before: positions count from 0, so subtract no "
            "1. Where nothing is before, NumPy took the last row.",
            positions=lambda positions: positions - 1),
        argument("positions sorted",
            "You returned the rows in the order of the table. Return them in the order of the "
            "positions: row i of your answer belongs to positions[i].",
            positions=lambda positions: np.sort(positions)),
        POSITIONS_IGNORED,
    ],
)
