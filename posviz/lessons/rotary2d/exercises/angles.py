"""Exercises: write axial and mixed angles, find offsets that look alike."""

import numpy as np

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary2d import axial_angles, mixed_angles, raster
from posviz.teaching.checker import Checker


def _patches(rng, size):
    """Return the rows and the columns of some patches of a grid that is wider than high."""
    return rng.permutation(raster(size + 2, size + 3))[: size + 1].T


def _axial_inputs(rng, size):
    # Neither 100 nor 10 000: both are known values, and people write them into the formula.
    return *_patches(rng, size), 4 * size, float(rng.choice([20, 500, 2_000]))


def _axial(rows, columns, head_dim, base):
    return axial_angles(rows, columns, head_dim, base=base)


# The answer is a function (rows [n], columns [n], head_dim, base) -> angles [n, head_dim/2], where
# the first half of the pairs follows the column.
check_axial = Checker(
    "The angles of axial RoPE",
    reference=_axial,
    inputs=_axial_inputs,
    edges=[
        (np.array([0, 0, 2]), np.array([0, 3, 0]), 8, 20.0),  # the corner, the first row and column
        (np.array([1]), np.array([3]), 4, 20.0),  # one patch
    ],
)


def _halves(first, second, first_freq, second_freq=None):
    second_freq = first_freq if second_freq is None else second_freq
    return np.hstack([np.outer(first, first_freq), np.outer(second, second_freq)])


def _axis_pairs(head_dim):
    return np.arange(head_dim // 4)


@check_axial.mistake("rows first")
def _(rows, columns, head_dim, base):
    """You turned the first half of the pairs with the row. Both orders are in use, but a model
    reads only its own: here the column comes first, as in the paper."""
    return _axial(columns, rows, head_dim, base)


@check_axial.mistake("frequencies over head_dim")
def _(rows, columns, head_dim, base):
    """Your exponents are half of what they should be. Each axis has head_dim/2 dimensions of its
    own, so divide 2i by head_dim/2: both axes then have fast pairs and slow ones."""
    return _halves(columns, rows, rotary_frequencies(head_dim, base)[: head_dim // 4])


@check_axial.mistake("frequencies shared out")
def _(rows, columns, head_dim, base):
    """You shared out one list of frequencies: the fast ones to the columns, the slow ones to the
    rows. Give each axis the whole list of head_dim/2 dimensions, from fast to slow."""
    return _halves(columns, rows, *np.split(rotary_frequencies(head_dim, base), 2))


@check_axial.mistake("both axes in one pair")
def _(rows, columns, head_dim, base):
    """You turned every pair by row + column, so patches along a diagonal look alike. Turn the
    first half of the pairs with the column alone and the second half with the row alone."""
    return rotary_angles(rows + columns, rotary_frequencies(head_dim, base))


@check_axial.mistake("axes take turns")
def _(rows, columns, head_dim, base):
    """Your angles are right, but the axes take turns from pair to pair. Put all pairs of the
    column first and then all pairs of the row: concatenate the two halves."""
    halves = np.split(_axial(rows, columns, head_dim, base), 2, axis=1)
    return np.stack(halves, axis=-1).reshape(len(rows), -1)


@check_axial.mistake("exponent doubled")
def _(rows, columns, head_dim, base):
    """Your exponent is twice what it should be, so the pairs slow down too fast: it is
    2i/(head_dim/2) for pair i of an axis, and 2i is already the dimension index."""
    return _halves(columns, rows, base ** (-8 * _axis_pairs(head_dim) / head_dim))


@check_axial.mistake("minus missing")
def _(rows, columns, head_dim, base):
    """Your angles grow from pair to pair; they should shrink. Give the exponent of base its
    minus sign."""
    return _halves(columns, rows, 1 / rotary_frequencies(head_dim // 2, base))


@check_axial.mistake("pairs from 1")
def _(rows, columns, head_dim, base):
    """You counted the pairs of an axis from 1: pair 0 comes first, and turns by one radian per
    patch."""
    return _halves(columns, rows, base ** (-4 * (_axis_pairs(head_dim) + 1) / head_dim))


@check_axial.mistake("columns in both halves")
def _(rows, columns, head_dim, base):
    """You turned all pairs with the column, so a patch does not know its row: turn the second
    half of the pairs with the row."""
    return _axial(columns, columns, head_dim, base)


@check_axial.mistake("rows in both halves")
def _(rows, columns, head_dim, base):
    """You turned all pairs with the row, so a patch does not know its column: turn the first
    half of the pairs with the column."""
    return _axial(rows, rows, head_dim, base)


@check_axial.mistake("columns alone")
def _(rows, columns, head_dim, base):
    """You returned the pairs of the column alone; half of the pairs are still to come. Compute
    those of the row in the same way and put them behind."""
    return rotary_angles(columns, rotary_frequencies(head_dim // 2, base))


@check_axial.mistake("rows left out")
def _(rows, columns, head_dim, base):
    """The second half of your pairs holds only zeros, so a patch does not know its row: fill it
    with the angles of the row."""
    return _axial(0 * rows, columns, head_dim, base)


@check_axial.mistake("columns left out")
def _(rows, columns, head_dim, base):
    """The first half of your pairs holds only zeros, so a patch does not know its column: fill it
    with the angles of the column."""
    return _axial(rows, 0 * columns, head_dim, base)


@check_axial.mistake("degrees")
def _(rows, columns, head_dim, base):
    """Your angles are in degrees. They are asked for in radians, as np.cos and np.sin want them:
    do not convert them."""
    return np.degrees(_axial(rows, columns, head_dim, base))


@check_axial.mistake("taken for degrees")
def _(rows, columns, head_dim, base):
    """You took the angles for degrees. position · frequency is in radians already: leave out
    np.radians, or the factor π/180."""
    return np.radians(_axial(rows, columns, head_dim, base))


@check_axial.mistake("raster index")
def _(rows, columns, head_dim, base):
    """You numbered the patches line by line and turned by that one number, as RoPE does in a text.
    Then the patch below is a whole line away: keep row and column apart, half of the pairs each."""
    index = rows * (columns.max() + 1) + columns
    return rotary_angles(index, rotary_frequencies(head_dim, base))


@check_axial.mistake("base ignored")
def _(rows, columns, head_dim, base):
    """You wrote 10000 into the formula: use the argument base, which is not always 10000."""
    return _axial(rows, columns, head_dim, 10_000)


@check_axial.mistake("the base of the paper")
def _(rows, columns, head_dim, base):
    """You wrote 100 into the formula, the base of the paper: use the argument base."""
    return _axial(rows, columns, head_dim, 100)


@check_axial.mistake("every angle twice")
def _(rows, columns, head_dim, base):
    """You returned every angle twice, once for each dimension of a pair. Return one angle for each
    pair: the shape is [n, head_dim/2]."""
    return np.repeat(_axial(rows, columns, head_dim, base), 2, axis=1)


@check_axial.mistake("a table of integers")
def _(rows, columns, head_dim, base):
    """Your table holds integers, which cut off all that follows the point: make a table of
    floats, as np.zeros does if no dtype is given."""
    return _axial(rows, columns, head_dim, base).astype(int)


def _mixed_inputs(rng, size):
    return *_patches(rng, size), rng.normal(size=(2, size))


# The answer is a function (rows [n], columns [n], frequencies [2, head_dim/2]) -> angles
# [n, head_dim/2], where frequencies[0] belongs to the column.
check_mixed = Checker(
    "The angles of mixed RoPE",
    reference=mixed_angles,
    inputs=_mixed_inputs,
    edges=[
        (np.array([0, 0, 2]), np.array([0, 3, 0]), np.array([[1.0, -0.5], [0.25, 2.0]])),
        (np.array([1]), np.array([3]), np.array([[1.0], [0.25]])),  # one patch
    ],
)


@check_mixed.mistake("frequencies swapped")
def _(rows, columns, frequencies):
    """You turned rows with frequencies[0]: that one belongs to the columns, and frequencies[1] to
    the rows."""
    return mixed_angles(columns, rows, frequencies)


@check_mixed.mistake("frequencies[0] for both axes")
def _(rows, columns, frequencies):
    """You gave both axes the same frequencies, so every pair sees only row + column and the
    diagonal stands. Break it: turn the rows with frequencies[1]."""
    return np.outer(rows + columns, frequencies[0])


@check_mixed.mistake("frequencies[1] for both axes")
def _(rows, columns, frequencies):
    """You gave both axes the same frequencies, so every pair sees only row + column and the
    diagonal stands. Break it: turn the columns with frequencies[0]."""
    return np.outer(rows + columns, frequencies[1])


@check_mixed.mistake("frequencies added up")
def _(rows, columns, frequencies):
    """You added row and column, and their frequencies, before you multiplied, so the diagonal
    stands. Multiply each axis by its own frequencies, then add."""
    return np.outer(rows + columns, frequencies.sum(axis=0))


@check_mixed.mistake("subtracted")
def _(rows, columns, frequencies):
    """You subtracted the turn of the row from that of the column: add the two."""
    return mixed_angles(-rows, columns, frequencies)


@check_mixed.mistake("subtracted the other way")
def _(rows, columns, frequencies):
    """You subtracted the turn of the column from that of the row: add the two."""
    return mixed_angles(rows, -columns, frequencies)


@check_mixed.mistake("multiplied")
def _(rows, columns, frequencies):
    """You multiplied the turn of the column by that of the row. One turn follows the other in the
    same pair, and their angles add up: write a sum."""
    return np.outer(rows * columns, frequencies.prod(axis=0))


@check_mixed.mistake("concatenated")
def _(rows, columns, frequencies):
    """You put the two axes side by side, as axial RoPE does, and have twice as many pairs as
    asked for. In mixed RoPE both turn the same pair: add the two."""
    return _halves(columns, rows, *frequencies)


@check_mixed.mistake("half of the pairs for each axis")
def _(rows, columns, frequencies):
    """You turned the first half of the pairs with the column and the rest with the row, as axial
    RoPE does. In mixed RoPE both axes turn every pair: add the two."""
    own = frequencies.copy()
    half = frequencies.shape[1] // 2
    own[0, half:] = own[1, :half] = 0
    return mixed_angles(rows, columns, own)


@check_mixed.mistake("columns alone")
def _(rows, columns, frequencies):
    """You turned with the column alone, so a patch does not know its row: add row ·
    frequencies[1]."""
    return np.outer(columns, frequencies[0])


@check_mixed.mistake("rows alone")
def _(rows, columns, frequencies):
    """You turned with the row alone, so a patch does not know its column: add column ·
    frequencies[0]."""
    return np.outer(rows, frequencies[1])


# Offsets (rows, columns) from a key to a query.
CHOICES = ((0, 3), (3, -3), (3, 3), (-3, 0))


def colliding_offset() -> np.ndarray:
    """Return which of the offsets turns no pair when both axes have equal frequencies."""
    rows, columns = np.transpose(CHOICES)
    equal = np.tile(rotary_frequencies(8), (2, 1))
    still = (mixed_angles(rows, columns, equal) == 0).all(axis=1)
    return np.array(CHOICES)[still][0]


# The answer is one of the offsets above, as a tuple (rows, columns).
check_collision = Checker("The offset that scores like (0, 0)", reference=colliding_offset)


@check_collision.mistake("the same row")
def _():
    """Those two patches share their row, but the columns still turn every pair: by (0 + 3) times
    its frequency. Look for the offset whose rows and columns add up to 0."""
    return 0, 3


@check_collision.mistake("the other diagonal")
def _():
    """That is the other diagonal, where both steps turn the same way: by (3 + 3) times the
    frequency. Look for the one on which they cancel."""
    return 3, 3


@check_collision.mistake("the same column")
def _():
    """Those two patches share their column, but the rows still turn every pair: by (−3 + 0) times
    its frequency. Look for the offset whose rows and columns add up to 0."""
    return -3, 0


@check_collision.mistake("the offset itself")
def _():
    """(0, 0) is the offset to compare with: choose the one of the four that scores as if no step
    had been made."""
    return 0, 0


@check_collision.recognised_by("not among the four")
def _(offset):
    """That one does score like (0, 0), for its rows and columns add up to 0, but it is not among
    the four: choose the offset of the list on the same diagonal."""
    return offset.sum() == 0
