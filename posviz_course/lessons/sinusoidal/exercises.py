"""Exercises: write the table, read a table that was found."""

import numpy as np

from posviz.encodings.sinusoidal import sinusoidal
from posviz.teaching.mistakes import (
    BASE_100,
    BASE_IGNORED,
    DEGREES,
    ODD_NUMERATORS,
    PAIRS_FROM_1,
    POSITIONS_IGNORED,
    WHOLE_EXPONENTS,
    answer,
    argument,
    looks_like,
    step,
    wrong,
)
from posviz_course.lesson_checker import LessonChecker


def table(positions, d_model, base, *, exponent=lambda column, d: 2 * (column // 2) / d):
    """Return the sinusoidal table [len, d_model] of positions [len]."""
    columns = np.arange(d_model)
    angles = np.outer(positions, base ** -exponent(columns, d_model))
    return np.where(columns % 2, np.cos(angles), np.sin(angles))


def table_inputs(rng, size):
    """Return positions [len], a width of two pairs at least, and a base."""
    positions = rng.choice(50, size=size, replace=False)
    return positions, 2 * size + 2, float(rng.choice([100, 1_234.5, 10_000]))


def row_times_row(positions, d_model, base):
    """The first try of many: it stops unless there is one position, or one for each pair."""
    angles = positions * base ** (-np.arange(0, d_model, 2) / d_model)
    table = np.empty((len(positions), d_model))
    table[:, ::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


check_sinusoidal = LessonChecker(
    "The sinusoidal table",
    table,
    table_inputs,
    edges=[
        (np.array([0, 3, 3]), 4, 100.0),  # the first position, and equal ones
        (np.array([7]), 4, 10_000.0),  # one token
    ],
    mistakes=[
        BASE_IGNORED,
        BASE_100,
        POSITIONS_IGNORED,
        argument("base e",
            "Your base is always e, because np.exp has no other. Put the logarithm into the "
            "exponent: np.exp(−np.log(base) · 2i/d_model).", base=np.exp(1)),
        argument("angles times 2π",
            "You multiplied the angles by 2π. A position times a frequency is in radians already.",
            positions=lambda positions: 2 * np.pi * positions),
        argument("positions from 1",
            "You counted positions from 1: use them as they are given, from 0 on.",
            positions=lambda positions: positions + 1),
        DEGREES,
        step("exponent doubled",
            "Your wavelengths are the square of what they should be (over 2π): 2i is already the "
            "number of the column, so do not double it again.",
            exponent=lambda column, d: 4 * (column // 2) / d),
        step("exponent halved",
            "Your exponent is half of what it should be: pair i has the exponent 2i/d_model, and "
            "you used i/d_model, so the slowest pair rotates far too fast.",
            exponent=lambda column, d: column // 2 / d),
        step("minus missing",
            "Your angles grow from pair to pair; they should shrink. Divide the position by "
            "base^(2i/d_model), or multiply it by base^(−2i/d_model).",
            exponent=lambda column, d: -2 * (column // 2) / d),
        step("pairs from 1", PAIRS_FROM_1,
            exponent=lambda column, d: 2 * (column // 2 + 1) / d),
        step("odd numerators", ODD_NUMERATORS,
            exponent=lambda column, d: (2 * (column // 2) + 1) / d),
        step("odd numerators from −1", ODD_NUMERATORS,
            exponent=lambda column, d: (2 * (column // 2) - 1) / d),
        step("integer division", WHOLE_EXPONENTS, exponent=lambda column, d: 0 * column),
        step("integer division after the minus", WHOLE_EXPONENTS,
            exponent=lambda column, d: np.minimum(column // 2, 1.0)),
        step("integer division in every column", WHOLE_EXPONENTS,
            exponent=lambda column, d: np.minimum(column, 1.0)),
        step("a frequency for every column",
            "You gave every column a frequency of its own: the sine and the cosine of a pair "
            "share one, so the exponent is 2i/d_model for column 2i and for column 2i+1.",
            exponent=lambda column, d: column / d),
        step("column number as i",
            "You put the number of the column for i in 2i/d_model: i is the number of the pair, "
            "so that columns 2i and 2i+1 have the exponent 2i/d_model.",
            exponent=lambda column, d: 2 * column / d),
        step("tensor2tensor frequencies",
            "You divided by d_model/2 − 1, as the tensor2tensor code does; the paper divides 2i "
            "by d_model.", exponent=lambda column, d: column // 2 / (d / 2 - 1)),
        answer("concatenated instead of interleaved", lambda y: np.hstack([y[:, ::2], y[:, 1::2]]),
            "You put all columns of one kind first and then all of the other. The paper "
            "interleaves them: column 2i is a sine and column 2i+1 the cosine of the same angle."),
        answer("stacked in front",
            lambda y: np.stack([y[:, ::2], y[:, 1::2]]).reshape(y.shape),
            "You stacked all sines above all cosines, so the reshape mixes the positions. Stack "
            "the two at the end: np.stack([sines, cosines], axis=-1)."),
        wrong("row times row", row_times_row,
            "You multiplied a row of positions by a row of frequencies. Make a column of the "
            "positions, positions[:, None], or use np.outer."),
        answer("cosine before sine", lambda y, d_model: y[:, np.arange(d_model) ^ 1],
            "You swapped sine and cosine: the sine has the even columns, so row 0 reads 0, 1, 0, "
            "1."),
        answer("sine in both columns", lambda y: np.repeat(y[:, ::2], 2, axis=1),
            "Both columns of your pairs are equal. Each angle has its sine in the even column and "
            "its cosine in the odd one."),
        answer("a table of integers", lambda y: y.astype(int),
            "Your table holds integers, which cut off all that follows the point: make a table "
            "of floats, as np.zeros does if no dtype is given."),
    ],
)


FOUND_BASE = 500


def found_table() -> np.ndarray:
    """Return the table that the exercise asks about, [4, 8]: positions 0 … 3, sines first."""
    return sinusoidal(range(4), 8, base=FOUND_BASE, layout="concatenated")


check_base = LessonChecker(
    "The base of the table that was found",
    lambda: FOUND_BASE,
    mistakes=[
        wrong("the usual base", lambda: 10_000,
            "That is the base of the paper. With it pair 1 of 8 columns would rotate by 0.1 "
            "radians per token; in row 1 you find another angle."),
        looks_like("squared", lambda base: abs(base / FOUND_BASE**2 - 1) < 0.01,
            "That is the square of the base. Either your exponent is i/d_model, not 2i/d_model. "
            "Or you took another hand for hand 1: look which columns of row 0 are sines."),
        looks_like("sign of the exponent", lambda base: 0 < base < 0.01,
            "The sign of your exponent is wrong: the frequency of pair 1 is base^(−2/8), so the "
            "base is this frequency to the power −8/2, and not 8/2."),
        looks_like("sine instead of angle",
            lambda base: abs(base - np.sin(FOUND_BASE**-0.25) ** -4) < 2,
            "You took the sine for the angle, which is a little larger: undo the sine with "
            "np.arcsin."),
        looks_like("last pair at 1/base", lambda base: abs(base - FOUND_BASE**0.75) < 1,
            "You took the frequency of the last pair for 1/base. In the paper's rule it is not "
            "yet there: of 8 columns the last pair is i = 3, with the exponent 6/8."),
        looks_like("power not undone", lambda base: abs(base - FOUND_BASE**0.25) < 0.05,
            "You have base^(2/8), one divided by the frequency of pair 1. Raise it to the power "
            "8/2."),
        looks_like("d of the sines alone", lambda base: abs(base - FOUND_BASE**0.5) < 0.1,
            "That is the square root of the base. Did you take 4 for d_model? The table has 8 "
            "columns, and only half of them are sines."),
        looks_like("frequency of hand 1", lambda base: 0.2 < base < 0.22,
            "That is row 1 of hand 1, so about its frequency, base^(−2/8). Solve this for the "
            "base."),
        looks_like("nearly", lambda base: abs(base - FOUND_BASE) < 5,
            "You are close: digits that are printed are rounded. Compute with found itself."),
    ],
)
