"""Exercises: count parameters, look rows up, and stop where the table ends."""

import numpy as np

from posviz.encodings.learned import learned
from posviz.teaching.checker import Checker


def _parameter_count(max_seq_len, d_model, padding_offset):
    return (max_seq_len + padding_offset) * d_model


def _count_inputs(rng, size):
    return int(rng.integers(3, 10)) * size, 2 * size, size % 4


# The answer is a function (max_seq_len, d_model, padding_offset) -> number of parameters of the
# table, its padding_offset rows for padding among them.
check_parameter_count = Checker(
    "The parameters of a learned table",
    reference=_parameter_count,
    inputs=_count_inputs,
    edges=[(10, 4, 2), (1, 4, 0)],  # one token, no padding
)


@check_parameter_count.mistake("padding rows forgotten")
def _(max_seq_len, d_model, padding_offset):
    """You left out the rows for padding. They are part of the table, and stored and loaded with it:
    it has max_seq_len + padding_offset rows."""
    return max_seq_len * d_model


@check_parameter_count.mistake("padding rows subtracted")
def _(max_seq_len, d_model, padding_offset):
    """You subtracted the rows for padding. They come on top of the max_seq_len rows for
    positions: add them."""
    return _parameter_count(max_seq_len, d_model, -padding_offset)


@check_parameter_count.mistake("always two padding rows")
def _(max_seq_len, d_model, padding_offset):
    """You wrote 2 into the formula, the offset of OPT: use the argument padding_offset, which is 0
    for GPT-2 and BERT."""
    return _parameter_count(max_seq_len, d_model, 2)


@check_parameter_count.mistake("one row too many")
def _(max_seq_len, d_model, padding_offset):
    """You have one row too many. Positions 0 … max_seq_len − 1 are max_seq_len rows; there is none
    for position max_seq_len."""
    return _parameter_count(max_seq_len + 1, d_model, padding_offset)


@check_parameter_count.mistake("one row too few")
def _(max_seq_len, d_model, padding_offset):
    """You have one row too few. The last position is max_seq_len − 1, but position 0 has a row,
    too: that makes max_seq_len."""
    return _parameter_count(max_seq_len - 1, d_model, padding_offset)


@check_parameter_count.mistake("brackets missing in the rows")
def _(max_seq_len, d_model, padding_offset):
    """You multiplied the rows for padding alone by d_model. Every row has d_model numbers: write
    (max_seq_len + padding_offset) * d_model."""
    return max_seq_len + padding_offset * d_model


@check_parameter_count.mistake("padding rows of one number")
def _(max_seq_len, d_model, padding_offset):
    """You counted one number for each row of padding. Those rows are as wide as the others: add
    them before you multiply by d_model."""
    return max_seq_len * d_model + padding_offset


@check_parameter_count.mistake("rows counted")
def _(max_seq_len, d_model, padding_offset):
    """You counted the rows. Each holds d_model numbers, and all of them are trained."""
    return max_seq_len + padding_offset


@check_parameter_count.mistake("added instead of multiplied")
def _(max_seq_len, d_model, padding_offset):
    """You added rows and columns. A table holds rows times columns numbers."""
    return max_seq_len + padding_offset + d_model


@check_parameter_count.mistake("a number for every pair")
def _(max_seq_len, d_model, padding_offset):
    """You counted a number for every pair of positions. This table has one row for each position,
    and d_model columns."""
    return (max_seq_len + padding_offset) ** 2


@check_parameter_count.mistake("bytes of float32")
def _(max_seq_len, d_model, padding_offset):
    """You counted bytes: in float32 each number takes four. Parameters are the numbers
    themselves, in whatever precision."""
    return 4 * _parameter_count(max_seq_len, d_model, padding_offset)


@check_parameter_count.mistake("counted twice")
def _(max_seq_len, d_model, padding_offset):
    """Your number is twice what it should be. Every number counts once, though it takes two bytes
    in float16, and there is one table, for queries and keys alike."""
    return 2 * _parameter_count(max_seq_len, d_model, padding_offset)


def _table_and_positions(rng, size, padding_offset):
    table = rng.normal(size=(2 * size + 2 + padding_offset, 3))
    positions = 1 + rng.permutation(2 * size)[: size + 1]  # the last row is left for those who
    positions[-1] = 0  # are one row late, and stopped by NumPy otherwise
    return table, positions, padding_offset


def _lookup_inputs(rng, size):
    return _table_and_positions(rng, size, size % 4)


# The answer is a function (table [rows, d_model], positions [n], padding_offset) -> rows
# [n, d_model]. All positions have a row.
check_lookup = Checker(
    "The rows of the positions",
    reference=lambda table, positions, padding_offset: learned(
        table, positions, padding_offset=padding_offset
    ),
    inputs=_lookup_inputs,
    edges=[
        (np.arange(15.0).reshape(5, 3), np.array([2, 0]), 1),  # the first position
        (np.arange(12.0).reshape(4, 3), np.array([0]), 2),  # one token
    ],
)


@check_lookup.mistake("padding offset forgotten")
def _(table, positions, padding_offset):
    """You took row number position, so position 0 gets a row made for padding. The first
    padding_offset rows are not for positions: take row position + padding_offset."""
    return table[positions]


@check_lookup.mistake("padding offset subtracted")
def _(table, positions, padding_offset):
    """You subtracted padding_offset; add it. Position 0 − 2 is row −2, and NumPy then counts from
    the end without a word."""
    return table[positions - padding_offset]


@check_lookup.mistake("positions from 1")
def _(table, positions, padding_offset):
    """Your rows are those of the positions before: positions count from 0, so subtract no 1. Where
    nothing is before, NumPy took the last row."""
    return table[positions + padding_offset - 1]


@check_lookup.mistake("one row late")
def _(table, positions, padding_offset):
    """Your rows are those of the positions after: row padding_offset is that of position 0, so add
    no 1."""
    return table[positions + padding_offset + 1]


@check_lookup.mistake("positions ignored")
def _(table, positions, padding_offset):
    """Your rows are those of positions 0, 1, 2, …: use the positions that are given, in whatever
    order they come."""
    return table[padding_offset : padding_offset + len(positions)]


@check_lookup.mistake("positions sorted")
def _(table, positions, padding_offset):
    """You returned the right rows in the order of the table. Return them in the order of the
    positions: row i of your answer belongs to positions[i]."""
    return table[np.sort(positions) + padding_offset]


@check_lookup.harmless_on("always two padding rows")
def _(rng, size):
    """You added 2, the offset of OPT: use the argument padding_offset, which is 0 for GPT-2 and
    BERT."""
    return _table_and_positions(rng, size, 2)


def _has_row(position, rows, padding_offset):
    return 0 <= position < rows - padding_offset


def _guard_inputs(rng, size):
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


# The answer is a function (position, rows, padding_offset) -> True or False: does a table of that
# many rows, the first padding_offset of them for padding, have a row for the position?
check_has_row = Checker("Is there a row?", reference=_has_row, inputs=_guard_inputs)


@check_has_row.mistake("one position too many")
def _(position, rows, padding_offset):
    """You let one position too many pass. Positions count from 0, so L rows end at position L − 1:
    compare with <, not <=."""
    return 0 <= position <= rows - padding_offset


@check_has_row.mistake("one position too few")
def _(position, rows, padding_offset):
    """You refused the last position that has a row. Of L rows the last belongs to position L − 1:
    write < L or <= L − 1."""
    return 0 <= position < rows - padding_offset - 1


@check_has_row.mistake("padding offset forgotten")
def _(position, rows, padding_offset):
    """You counted all rows. The first padding_offset of them are for padding, so there are fewer
    positions than rows: subtract padding_offset."""
    return 0 <= position < rows


@check_has_row.mistake("padding offset added")
def _(position, rows, padding_offset):
    """You added padding_offset to the number of rows. It counts some of those rows: subtract it, or
    add it to the position."""
    return 0 <= position < rows + padding_offset


@check_has_row.mistake("row number instead of position")
def _(position, rows, padding_offset):
    """You compared the position with row numbers. Position 0 has row number padding_offset: add
    padding_offset to the position first."""
    return padding_offset <= position < rows


@check_has_row.mistake("negative positions let in")
def _(position, rows, padding_offset):
    """You let positions below 0 pass. NumPy takes them for rows from the end, and hands out an
    answer where there is none: ask for 0 <= position, too."""
    return position < rows - padding_offset


@check_has_row.mistake("compared with rows alone")
def _(position, rows, padding_offset):
    """You asked only whether the position is below the number of rows. Subtract the padding_offset
    rows for padding, and ask for 0 <= position, too: NumPy takes what is below for rows from the
    end."""
    return position < rows


@check_has_row.mistake("padding rows let in")
def _(position, rows, padding_offset):
    """You let positions −padding_offset … −1 pass. Their rows are there, but for padding, and no
    token stands in them: ask for 0 <= position."""
    return 0 <= position + padding_offset < rows


@check_has_row.mistake("always two padding rows")
def _(position, rows, padding_offset):
    """You subtracted 2, the offset of OPT: use the argument padding_offset, which is 0 for GPT-2
    and BERT."""
    return 0 <= position < rows - 2


@check_has_row.mistake("positions from 1")
def _(position, rows, padding_offset):
    """You counted positions from 1. They count from 0: L rows are for positions 0 … L − 1."""
    return 1 <= position <= rows - padding_offset


@check_has_row.mistake("whatever NumPy takes")
def _(position, rows, padding_offset):
    """You let pass whatever NumPy takes as a row number, and NumPy counts negative ones from the
    end. No row belongs to such a position: ask for 0 <= position."""
    return -rows <= position + padding_offset < rows


@check_has_row.mistake("position 0 refused")
def _(position, rows, padding_offset):
    """You refused position 0, the first one: compare with <=, not <."""
    return 0 < position < rows - padding_offset


@check_has_row.mistake("every position let in")
def _(position, rows, padding_offset):
    """You let every position pass. Clamped to the last row, or wrapped around, it gets some row,
    but none that was trained for it: beyond the table there is nothing."""
    return True


@check_has_row.mistake("True for what has none")
def _(position, rows, padding_offset):
    """You found both ends, but said True for the positions that have no row: turn it round."""
    return not _has_row(position, rows, padding_offset)
