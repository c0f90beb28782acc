"""Exercises: write axial and mixed angles, find offsets that look alike."""

import numpy as np

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.rotary2d import mixed_angles, raster
from posviz.teaching.checker import Checker
from posviz.teaching.mistakes import BASE_IGNORED, answer, argument, looks_like, step, wrong


def _of_an_axis(head_dim, base):
    return rotary_frequencies(head_dim // 2, base)


def axial(rows, columns, head_dim, base, *, inv_freq=_of_an_axis):
    """Angles of axial RoPE, those of the column first: rows, columns [n] -> [n, head_dim/2].

    inv_freq: (head_dim, base) -> frequencies [head_dim/4] of an axis, or [2, head_dim/4] of both.
    """
    of_columns, of_rows = np.broadcast_to(inv_freq(head_dim, base), (2, head_dim // 4))
    return np.hstack([np.outer(columns, of_columns), np.outer(rows, of_rows)])


def _patches(rng, size):
    """Rows and columns of some patches of a grid that is wider than high."""
    return rng.permutation(raster(size + 2, size + 3))[: size + 1].T


def _axial_inputs(rng, size):
    # Neither 100 nor 10 000: both are known values, and people write them into the formula.
    return *_patches(rng, size), 4 * size, float(rng.choice([20, 500, 2_000]))


check_axial = Checker(
    "The angles of axial RoPE",
    axial,
    _axial_inputs,
    edges=[
        (np.array([0, 0, 2]), np.array([0, 3, 0]), 8, 20.0),  # the corner, the first row and column
        (np.array([1]), np.array([3]), 4, 20.0),  # one patch
    ],
    mistakes=[
        argument("rows first",
            "You turned the first half of the pairs with the row. Both orders are in use, but a "
            "model reads only its own: here the column comes first, as in the paper.",
            rows=lambda columns: columns, columns=lambda rows: rows),
        step("frequencies over head_dim",
            "Your exponents are half of what they should be. Each axis has head_dim/2 dimensions "
            "of its own, so divide 2i by head_dim/2: both axes then have fast pairs and slow "
            "ones.", inv_freq=lambda d, base: rotary_frequencies(d, base)[: d // 4]),
        step("frequencies shared out",
            "You shared out one list of frequencies: the fast ones to the columns, the slow ones "
            "to the rows. Give each axis the whole list of head_dim/2 dimensions, from fast to "
            "slow.", inv_freq=lambda d, base: np.split(rotary_frequencies(d, base), 2)),
        answer(
            "axes take turns",
            lambda angles: (
                angles.reshape(len(angles), 2, -1).swapaxes(1, 2).reshape(len(angles), -1)
            ),
            "Your axes take turns from pair to pair. Put all pairs of one axis first and then all "
            "of the other: concatenate the two halves, the column's first.",
        ),
        step("exponent doubled",
            "Your exponent is twice what it should be, so the pairs slow down too fast: it is "
            "2i/(head_dim/2) for pair i of an axis, and 2i is already the dimension index.",
            inv_freq=lambda d, base: base ** (-8 * np.arange(d // 4) / d)),
        step("minus missing",
            "Your angles grow from pair to pair; they should shrink. Give the exponent of base "
            "its minus sign.", inv_freq=lambda d, base: base ** (4 * np.arange(d // 4) / d)),
        argument("columns in both halves",
            "You turned all pairs with the column, so a patch does not know its row: turn the "
            "second half of the pairs with the row.", rows=lambda columns: columns),
        answer("columns alone", lambda angles: np.split(angles, 2, axis=1)[0],
            "You returned the pairs of the column alone; half of the pairs are still to come. "
            "Compute those of the row in the same way and put them behind."),
        BASE_IGNORED,
        argument("the base of the paper",
            "Your base is 100, as in the paper, or 10000 with 2i divided by head_dim, which gives "
            "the same: use the argument base, and divide 2i by head_dim/2.", base=100),
        answer("every angle twice", lambda angles: np.repeat(angles, 2, axis=1),
            "You returned every angle twice, once for each dimension of a pair. Return one angle "
            "for each pair: the shape is [n, head_dim/2]."),
    ],
)


check_mixed = Checker(
    "The angles of mixed RoPE",
    mixed_angles,
    lambda rng, size: (*_patches(rng, size), rng.normal(size=(2, size))),
    edges=[
        (np.array([0, 0, 2]), np.array([0, 3, 0]), np.array([[1.0, -0.5], [0.25, 2.0]])),
        (np.array([1]), np.array([3]), np.array([[1.0], [0.25]])),  # one patch
    ],
    mistakes=[
        argument("frequencies swapped",
            "You turned rows with frequencies[0]: that one belongs to the columns, and "
            "frequencies[1] to the rows.", frequencies=lambda frequencies: frequencies[::-1]),
        argument("frequencies[0] for both axes",
            "You gave both axes the same frequencies, so every pair sees only row + column and "
            "the diagonal stands. Break it: turn the rows with frequencies[1].",
            frequencies=lambda frequencies: frequencies[[0, 0]]),
        argument("subtracted",
            "You subtracted the turn of the row from that of the column: add the two.",
            rows=lambda rows: -rows),
        wrong("multiplied",
            lambda rows, columns, frequencies: np.outer(rows * columns, frequencies.prod(axis=0)),
            "You multiplied the turn of the column by that of the row. One turn follows the "
            "other in the same pair, and their angles add up: write a sum."),
        wrong("concatenated",
            lambda rows, columns, frequencies: np.hstack(
                [np.outer(columns, frequencies[0]), np.outer(rows, frequencies[1])]
            ),
            "You put the two axes side by side, as axial RoPE does, and have twice as many pairs "
            "as asked for. In mixed RoPE both turn the same pair: add the two."),
        argument("columns alone",
            "You turned with the column alone, so a patch does not know its row: add row · "
            "frequencies[1].", rows=lambda rows: 0 * rows),
        argument("rows alone",
            "You turned with the row alone, so a patch does not know its column: add column · "
            "frequencies[0].", columns=lambda columns: 0 * columns),
    ],
)


def colliding_offset():
    """The offset, of those in the exercise, that turns no pair if both axes have one frequency."""
    choices = np.array([(0, 3), (3, -3), (3, 3), (-3, 0)])  # (rows, columns) from key to query
    angles = mixed_angles(*choices.T, np.tile(rotary_frequencies(8), (2, 1)))
    return choices[(angles == 0).all(axis=1)][0]


check_collision = Checker(
    "The offset that scores like (0, 0)",
    colliding_offset,
    mistakes=[
        wrong("the same row", lambda: (0, 3),
            "Those two patches share their row, but the columns still turn every pair: by (0 + "
            "3) times its frequency. Look for the offset whose rows and columns add up to 0."),
        wrong("the other diagonal", lambda: (3, 3),
            "That is the other diagonal, where both steps turn the same way: by (3 + 3) times "
            "the frequency. Look for the one on which they cancel."),
        wrong("the same column", lambda: (-3, 0),
            "Those two patches share their column, but the rows still turn every pair: by (−3 + "
            "0) times its frequency. Look for the offset whose rows and columns add up to 0."),
        looks_like("not among the four", lambda offset: offset.sum() == 0,
            "That one does score like (0, 0), for its rows and columns add up to 0, but it is "
            "not among the four: choose the offset of the list on the same diagonal."),
    ],
)
