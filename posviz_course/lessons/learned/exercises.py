"""Exercises: which rows learn, which offsets a move changes, and where a table ends."""

import numpy as np

from posviz.teaching.mistakes import answer, argument, step, wrong
from posviz_course.lesson_checker import LessonChecker

# ---------------------------------------------------------------- which rows learn


def row_shares(lengths, rows, *, reaches=np.greater):
    """Lengths [n] of texts -> the share of texts that look up each row [rows]."""
    return reaches(lengths[:, None], np.arange(rows)).mean(axis=0)


def length_inputs(rng, size):
    """Texts of many lengths, some longer than the table, and a last row that few of them reach."""
    rows = 4 + size
    lengths = rng.integers(1, rows, size=3 + size)
    lengths[:3] = rows, rows + 2, rows - 1
    return rng.permutation(lengths), rows


check_row_shares = LessonChecker(
    "The share of texts that train each row",
    row_shares,
    length_inputs,
    edges=[(np.array([3]), 5), (np.array([2, 9, 9, 5]), 4)],  # one text; longer than the table
    mistakes=[
        step("one row too many",
            "You let a text reach one row too many. Positions count from 0, so a text of 3 tokens "
            "looks up the rows 0, 1 and 2: compare with >, not >=.", reaches=np.greater_equal),
        step("one row too few",
            "You let a text reach one row too few. A text of 3 tokens looks up row 2, because "
            "positions count from 0.", reaches=lambda lengths, row: lengths > row + 1),
        step("last tokens alone",
            "You counted only the texts that end at a row. A longer text looks up that row as "
            "well: compare with >, not ==.", reaches=lambda lengths, row: lengths == row + 1),
        answer("texts that do not reach", lambda share: 1 - share,
            "You counted the texts that do not reach a row. A row learns from the texts that are "
            "longer than its position."),
        answer("texts counted", lambda share, lengths: share * len(lengths),
            "You counted the texts. Divide by the number of texts: the share of row 0 is 1, "
            "because every text has a first token."),
        answer("percent", lambda share: 100 * share,
            "You returned a percentage. Return a share: the one of row 0 is 1, and not 100."),
        answer("divided by the tokens",
            lambda share, lengths: share * len(lengths) / lengths.sum(),
            "You divided by the number of tokens. Divide by the number of texts."),
        answer("divided by the rows",
            lambda share, lengths, rows: share * len(lengths) / rows,
            "You divided by the number of rows. Divide by the number of texts."),
        answer("shares that add up to 1", lambda share: share / share.sum(),
            "Your shares add up to 1. Divide the texts that look up a row by all texts."),
        answer("rows upside down", lambda share: share[::-1],
            "Your first number belongs to the last row. Return the rows in their order: row 0 "
            "first, and its share is the largest."),
        wrong("longest text alone", lambda lengths, rows: 1.0 * (np.arange(rows) < lengths.max()),
            "You asked only whether any text reaches a row. Return the share of the texts."),
        wrong("row against row", lambda lengths, rows: (lengths > np.arange(rows)).mean(),
            "You compared a row of lengths with a row of positions. Make a column of the lengths, "
            "lengths[:, None], and take the mean over axis 0."),
    ],
)

# ---------------------------------------------------------------- moves


def two_tokens(n):
    """The pairs of two different tokens, as a mask [n, n]."""
    return ~np.eye(n, dtype=bool)


def changed_offsets(positions, moved, *, compared=np.subtract.outer, counted=two_tokens):
    """positions [n], moved [n] -> the share of pairs of two tokens whose offset has changed."""
    changed = compared(positions, positions) != compared(moved, moved)
    return changed[counted(len(positions))].mean()


def moved_inputs(rng, size):
    """Moved in eight ways, each time four or more positions that are not evenly spaced."""
    positions = np.cumsum(rng.integers(1, 4, size=4 + size // 2)) + rng.integers(2, 5)
    positions[-1] += 4
    last = len(positions) - 1
    swapped, split = positions.copy(), positions.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    split[2:] += 5
    moved = (
        split,
        positions[0] + positions[-1] - positions,  # mirrored
        swapped,
        positions + 3,
        positions * 2,
        np.roll(positions, 1),
        np.where(np.arange(last + 1) == last, positions + 2, positions),
        0 * positions,
    )[size - 1]
    return positions, moved


check_changed_offsets = LessonChecker(
    "The share of offsets that a move changes",
    changed_offsets,
    moved_inputs,
    edges=[
        (np.array([2, 3, 7]), np.array([12, 13, 17])),  # all moved by the same
        (np.array([4, 6]), np.array([4, 5])),  # two tokens
        (np.array([3, 0, 7]), np.array([3, 1, 7])),  # in no order
    ],
    mistakes=[
        step("distances without sign",
            "You compared distances without their sign. A mirrored text has the same distances "
            "and other offsets, because what was before a token is now after it. Compare i − j.",
            compared=lambda i, j: abs(np.subtract.outer(i, j))),
        step("order alone",
            "You compared only which token comes first. Positions that are twice as far apart "
            "have the same order and other offsets. Compare i − j.",
            compared=lambda i, j: np.sign(np.subtract.outer(i, j))),
        step("sums of positions",
            "You compared sums of two positions. An offset is a difference: i − j.",
            compared=np.add.outer),
        step("tokens with themselves",
            "You counted each token with itself, and that offset is always 0. Leave the diagonal "
            "out.", counted=lambda n: np.ones((n, n), dtype=bool)),
        step("neighbours alone",
            "You compared neighbouring tokens only. Compare all pairs of two different tokens.",
            counted=lambda n: np.eye(n, k=-1, dtype=bool)),
        argument("positions ignored",
            "You compared with the positions 0, 1, 2, …: use the positions that are given.",
            positions=lambda positions: np.arange(len(positions))),
        wrong("tokens counted", lambda positions, moved: (positions != moved).mean(),
            "You counted the tokens that have another position. If all of them move by the same, "
            "no offset changes: compare pairs."),
        wrong("positions sorted",
            lambda positions, moved: changed_offsets(np.sort(positions), np.sort(moved)),
            "You sorted the positions, and that undoes a swap. Each position belongs to its "
            "token: compare them in the order in which they are given."),
        answer("multiplied by n − 1", lambda share, positions: share * (len(positions) - 1) ** 2,
            "You divided by n and multiplied by n − 1, because Python goes from left to right. Put "
            "the number of pairs into parentheses: / (n * (n - 1))."),
        answer("offsets that stay", lambda share: 1 - share,
            "You returned the share of offsets that stay the same. Return the share that changes."),
        answer("pairs counted",
            lambda share, positions: share * len(positions) * (len(positions) - 1),
            "You counted the pairs. Divide by the number of pairs, n(n − 1)."),
        answer("pairs counted once",
            lambda share, positions: share * len(positions) * (len(positions) - 1) / 2,
            "You counted the pairs. Divide by the number of pairs: the share is at most 1."),
        answer("each pair once, of both orders", lambda share: share / 2,
            "You counted each pair once, but n(n − 1) counts it twice. Divide by n(n − 1)/2."),
        answer("both orders, of each pair once", lambda share: 2 * share,
            "You counted each pair twice, but n(n − 1)/2 counts it once. Divide by n(n − 1)."),
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


check_has_row = LessonChecker(
    "Is there a row?",
    has_row,
    has_row_inputs,
    # Rows are no power of two, and not always as many; NumPy has a row for the last one.
    edges=[(9, 11, 1), (30, 40, 1), (-3, 11, 1)],
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
        wrong("NumPy's rows",
            lambda position, rows, padding_offset: -rows <= position + padding_offset < rows,
            "You let every position pass for which NumPy has a row. It counts negative numbers "
            "from the end: ask for 0 <= position, too."),
        argument("padding offset added",
            "You added padding_offset to the rows. They contain the rows for padding: subtract "
            "padding_offset.", padding_offset=lambda padding_offset: -padding_offset),
        argument("positions from 1",
            "You counted positions from 1. They count from 0: L rows are for positions 0 … L − 1.",
            position=lambda position: position - 1),
        argument("last position refused",
            "You refused the last position. L rows are for positions 0 … L − 1, and < leaves out L "
            "already: subtract no 1.", rows=lambda rows: rows - 1),
        answer("the opposite", lambda has_row: not has_row,
            "You answered the opposite. Return True where there is a row."),
        step("position 0 refused", "You refused position 0, the first one: compare with <=, not <.",
            first=1),
        wrong("every position let in", lambda position, rows, padding_offset: True,
            "You let every position pass. Clamped to the last row, or wrapped around, it gets "
            "some row, but none that was trained for it: beyond the table there is nothing."),
    ],
)
