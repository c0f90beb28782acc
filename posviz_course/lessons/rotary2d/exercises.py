"""Exercises: write axial angles, recognise an encoding by its scores."""

import numpy as np

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.rotary2d import mixed_angles, raster
from posviz.teaching.mistakes import (
    BASE_100,
    BASE_IGNORED,
    DEGREES,
    ODD_NUMERATORS,
    PAIRS_FROM_1,
    WHOLE_EXPONENTS,
    answer,
    argument,
    step,
    wrong,
)
from posviz_course.lesson_checker import LessonChecker


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
    return *_patches(rng, size), 4 * size, float(rng.choice([20, 500, 1_234.5]))


check_axial = LessonChecker(
    "The angles of axial RoPE",
    axial,
    _axial_inputs,
    edges=[
        (np.array([0, 0, 2]), np.array([0, 3, 0]), 8, 20.0),  # the corner, the first row and column
        (np.array([1]), np.array([3]), 4, 20.0),  # one patch
    ],
    mistakes=[
        argument("rows first",
            "You rotated the first half of the pairs by the row. Both orders are in use, but a "
            "model reads only its own: here the column comes first, as in the code of the paper.",
            rows=lambda columns: columns, columns=lambda rows: rows),
        step("frequencies over head_dim",
            "Your exponents are half of what they should be. Each axis has head_dim/2 dimensions "
            "of its own, so divide 2k by head_dim/2: both axes then have fast pairs and slow "
            "ones.", inv_freq=lambda d, base: rotary_frequencies(d, base)[: d // 4]),
        step("frequencies shared out",
            "You shared out one list of frequencies: the fast ones to the columns, the slow ones "
            "to the rows. Give each axis the whole list of head_dim/2 dimensions, from fast to "
            "slow.", inv_freq=lambda d, base: np.split(rotary_frequencies(d, base), 2)),
        answer("axes take turns",
            lambda angles: (
                angles.reshape(len(angles), 2, -1).swapaxes(1, 2).reshape(len(angles), -1)
            ),
            "Your axes alternate from pair to pair. Put all pairs of one axis first and then all "
            "of the other: concatenate the two halves, the column's first."),
        step("exponent doubled",
            "Your exponent is twice what it should be, so the pairs slow down too fast: it is "
            "2k/(head_dim/2) for pair k of an axis, and 2k is already the dimension index.",
            inv_freq=lambda d, base: base ** (-8 * np.arange(d // 4) / d)),
        step("minus missing",
            "Your angles grow from pair to pair; they should shrink. Give the exponent of base "
            "its minus sign.", inv_freq=lambda d, base: base ** (4 * np.arange(d // 4) / d)),
        step("pairs from 1", PAIRS_FROM_1,
            inv_freq=lambda d, base: base ** (-4 * np.arange(1, d // 4 + 1) / d)),
        step("odd numerators", ODD_NUMERATORS,
            inv_freq=lambda d, base: base ** (-(4 * np.arange(d // 4) + 2) / d)),
        step("odd numerators from −1", ODD_NUMERATORS,
            inv_freq=lambda d, base: base ** (-(4 * np.arange(d // 4) - 2) / d)),
        step("integer division", WHOLE_EXPONENTS, inv_freq=lambda d, base: np.ones(d // 4)),
        step("integer division after the minus", WHOLE_EXPONENTS,
            inv_freq=lambda d, base: base ** -np.minimum(np.arange(d // 4), 1.0)),
        argument("positions from 1",
            "You counted rows and columns from 1: use them as they are given, from 0 on.",
            rows=lambda rows: rows + 1, columns=lambda columns: columns + 1),
        answer("degrees", lambda angles: np.radians(angles), DEGREES.message),
        argument("columns in both halves",
            "You rotated all pairs by the column, so a patch does not know its row: rotate the "
            "second half of the pairs by the row.", rows=lambda columns: columns),
        argument("rows in both halves",
            "You rotated all pairs by the row, so a patch does not know its column: rotate the "
            "first half of the pairs by the column.", columns=lambda rows: rows),
        answer("columns alone", lambda angles: np.split(angles, 2, axis=1)[0],
            "You returned the pairs of the column alone; half of the pairs are still to come. "
            "Compute those of the row in the same way and put them behind."),
        answer("halves one below the other",
            lambda angles: np.concatenate(np.split(angles, 2, axis=1)),
            "Your row angles are below the column angles. Each patch needs both in one line: "
            "np.concatenate(…, axis=1)."),
        wrong("a whole head for each axis",
            lambda rows, columns, head_dim, base: axial(rows, columns, 2 * head_dim, base),
            "You gave each axis all pairs of the head, head_dim/2. Each axis has half of them, "
            "head_dim/4, so its frequencies are those of a RoPE with head_dim/2 dimensions."),
        wrong("angles added",
            lambda rows, columns, head_dim, base: np.outer(
                rows + columns, rotary_frequencies(head_dim, base)
            ),
            "You added the angles of row and column, so all patches with the same row + column "
            "have the same angles. Give each axis its own half of the pairs: concatenate."),
        BASE_IGNORED,
        BASE_100,
        # Named by itself, because 10 is 100 with half of the exponent, which would be two mistakes.
        argument("base 10",
            "Your base is always 10, as in the example: use the argument base, which has other "
            "values, too.", base=10),
        answer("every angle twice", lambda angles: np.repeat(angles, 2, axis=1),
            "You returned every angle twice, once for each dimension of a pair. Return one angle "
            "for each pair: the shape is [n, head_dim/2]."),
    ],
)


AXIAL, MIXED, EQUAL = range(3)
PAIRS = 8


def _sees_one_sum(f):
    return np.allclose(f[1:, :-1], f[:-1, 1:])


def _has_equal_sums(f):
    return np.allclose(f[1:, 1:] + f[:-1, :-1], f[1:, :-1] + f[:-1, 1:])


def kind(f, *, diagonal=_sees_one_sum, block=_has_equal_sums):
    """Which encoding made the scores f [n, n] at offsets of 0 … n − 1 rows and columns."""
    return EQUAL if diagonal(f) else AXIAL if block(f) else MIXED


def _map(rng, size):
    """The scores of a random query and key, with each encoding in turn."""
    speeds, n = rotary_frequencies(2 * PAIRS, float(rng.choice([5, 10, 20]))), 3 + size // 3
    towards = rng.uniform(0.2, 1.3, PAIRS)  # neither along an axis nor along a diagonal
    towards += 0.2 * (abs(towards - np.pi / 4) < 0.1)
    frequencies = {
        AXIAL: np.stack([speeds * ([1, 0] * (PAIRS // 2)), speeds * ([0, 1] * (PAIRS // 2))]),
        MIXED: speeds * np.stack([np.cos(towards), np.sin(towards)]),
        EQUAL: np.stack([speeds, speeds]),
    }[size % 3]
    products = rng.normal(size=(PAIRS, 2)) @ [1, 1j]
    rows, columns = raster(n, n).T
    scores = (np.exp(1j * mixed_angles(rows, columns, frequencies)) @ products).real
    scores += 1e-12 * rng.normal(size=n * n)  # rounding, as in longer sums
    return (scores.reshape(n, n),)


def _wave(of_rows, of_columns):
    return np.cos(np.add.outer(of_rows * STEPS, of_columns * STEPS))


STEPS = np.arange(4)
# Symmetric, and yet not of one frequency for both axes: axial and mixed.
SYMMETRIC = [
    (np.add.outer(np.cos(STEPS), np.cos(STEPS)),),
    (_wave(0.3, 0.8) + _wave(0.8, 0.3),),
]
# Mixed, but its first block has equal sums, as all blocks of an axial map have.
TWO_WAVES = np.array([_wave(0.3, 0.8), _wave(0.9, 0.4)])
BENDS = np.diff(np.diff(TWO_WAVES[:, :2, :2], axis=1))  # 0 where the sums of a block are equal
ONE_BLOCK = TWO_WAVES[0] / BENDS[0] - TWO_WAVES[1] / BENDS[1]

check_kind = LessonChecker(
    "Which encoding made a map of scores",
    kind,
    _map,
    edges=[*SYMMETRIC, (ONE_BLOCK,)],
    mistakes=[
        step("one frequency not seen",
            "You call a map mixed that has one frequency for both axes. There row + column "
            "decides: compare the neighbours that then have equal scores.",
            diagonal=lambda f: False),
        step("symmetry tested",
            "You tested whether f equals f.T, or compared only scores such as f[1, 0] and f[0, 1]. "
            "That is necessary for one frequency, but not enough: other maps are symmetric, too. "
            "Compare all scores with equal row + column, f[1:, :-1] with f[:-1, 1:].",
            diagonal=lambda f: np.allclose(f, f.T)),
        step("axial not seen",
            "You call an axial map mixed. In an axial map a score is a part for the row plus a "
            "part for the column: find the sums that are equal in each block of four patches.",
            block=lambda f: False),
        step("first block alone",
            "You compared the sums of one block of four patches. A mixed map can have equal sums "
            "there by chance, so compare those of all blocks.",
            block=lambda f: _has_equal_sums(f[:2, :2])),
        answer("numbers exchanged", lambda kind: 2 - kind,
            "You exchanged two numbers: 0 is axial, and 2 is one frequency for both axes."),
        answer("axial and mixed exchanged", lambda kind: [MIXED, AXIAL, EQUAL][int(kind)],
            "You exchanged 0 and 1: a map with equal sums in each block is axial, which is 0."),
        wrong("mixed for every map", lambda f: MIXED,
            "You call every map mixed. Computed numbers differ in their last digits, so compare "
            "with np.allclose and not with ==."),
        wrong("axial for every map", lambda f: AXIAL,
            "You call every map axial. Look for a test that some maps fail: in an axial map each "
            "block of four patches has equal sums on its two diagonals."),
    ],
)
