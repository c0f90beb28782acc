"""The solutions, and every listed mistake as a reader would write it."""

import cmath

import numpy as np
import pytest

from posviz.exercises.rotary2d.angles import CHOICES, check_axial, check_collision, check_mixed
from tests.exercises.every_mistake import mistake_tests


def slow(p, i, d, base):
    """The angle of pair i of an axis that has d/2 dimensions."""
    return p / base ** (2 * i / (d / 2))


def axial(angle=slow, first="column", second="row"):
    """Fill the angles cell by cell: angle(position, pair, head_dim, base) -> radians."""

    def answer(rows, columns, head_dim, base):
        angles = []
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            axes = {"row": row, "column": column}
            pairs = range(head_dim // 4)
            half = [angle(axes[first], i, head_dim, base) for i in pairs]
            angles.append(half + [angle(axes[second], i, head_dim, base) for i in pairs])
        return angles

    return answer


def one_axis(position):
    """RoPE as in a text, turned by one number for each patch."""

    def answer(rows, columns, head_dim, base):
        inv_freq = 1 / base ** (np.arange(0, head_dim, 2) / head_dim)
        return position(rows, columns)[:, None] * inv_freq

    return answer


def line_by_line(rows, columns):
    return columns + rows * (1 + max(columns))


def shared_out(rows, columns, head_dim, base):
    inv_freq = [base ** (-2 * i / head_dim) for i in range(head_dim // 2)]
    coordinates = zip(rows, columns, strict=True)
    half = head_dim // 4
    return [
        [c * f for f in inv_freq[:half]] + [r * f for f in inv_freq[half:]] for r, c in coordinates
    ]


def taking_turns(rows, columns, head_dim, base):
    angles = np.zeros((len(rows), head_dim // 2))
    for i in range(head_dim // 4):
        angles[:, 2 * i] = slow(columns, i, head_dim, base)
        angles[:, 2 * i + 1] = slow(rows, i, head_dim, base)
    return angles


def filled_into_integers(rows, columns, head_dim, base):
    angles = np.zeros((len(rows), head_dim // 2), dtype=int)
    angles[:] = axial()(rows, columns, head_dim, base)
    return angles


def half_filled(of_row):
    def answer(rows, columns, head_dim, base):
        angles = np.zeros((len(rows), head_dim // 2))
        for i in range(head_dim // 4):
            place = i + of_row * head_dim // 4
            angles[:, place] = slow(rows if of_row else columns, i, head_dim, base)
        return angles

    return answer


AXIAL_MISTAKES = {
    "rows first": axial(first="row", second="column"),
    "frequencies over head_dim": axial(lambda p, i, d, base: p / base ** (2 * i / d)),
    "frequencies shared out": shared_out,
    "both axes in one pair": one_axis(lambda rows, columns: rows + columns),
    "axes take turns": taking_turns,
    "exponent doubled": axial(lambda p, i, d, base: p / base ** (2 * (2 * i) / (d / 2))),
    "minus missing": axial(lambda p, i, d, base: p * base ** (2 * i / (d / 2))),
    "pairs from 1": axial(lambda p, i, d, base: slow(p, i + 1, d, base)),
    "columns in both halves": axial(second="column"),
    "rows in both halves": axial(first="row"),
    "columns alone": lambda *given: np.array(axial()(*given))[:, : given[2] // 4],
    "rows left out": half_filled(of_row=False),
    "columns left out": half_filled(of_row=True),
    "degrees": axial(lambda p, i, d, base: slow(p, i, d, base) * 180 / np.pi),
    "taken for degrees": axial(lambda p, i, d, base: slow(p, i, d, base) * np.pi / 180),
    "raster index": one_axis(line_by_line),
    "base ignored": axial(lambda p, i, d, base: slow(p, i, d, 10_000)),
    "the base of the paper": axial(lambda p, i, d, base: slow(p, i, d, 100)),
    "every angle twice": lambda *given: [[a for a in row for _ in "ab"] for row in axial()(*given)],
    "a table of integers": filled_into_integers,
}


def mixed(angle=lambda row, column, f, g: column * f + row * g):
    """Fill the angles cell by cell: angle(row, column, f, g), where f is the column's frequency."""

    def answer(rows, columns, frequencies):
        pairs = list(zip(*frequencies, strict=True))
        return [[angle(r, c, f, g) for f, g in pairs] for r, c in zip(rows, columns, strict=True)]

    return answer


def side_by_side(rows, columns, frequencies):
    with_column = columns[:, None] * frequencies[0]
    return np.concatenate([with_column, rows[:, None] * frequencies[1]], axis=1)


def half_each(rows, columns, frequencies):
    half = len(frequencies[0]) // 2
    angles = rows[:, None] * frequencies[1]
    angles[:, :half] = columns[:, None] * frequencies[0, :half]
    return angles


MIXED_MISTAKES = {
    "frequencies swapped": mixed(lambda row, column, f, g: row * f + column * g),
    "frequencies[0] for both axes": mixed(lambda row, column, f, g: column * f + row * f),
    "frequencies[1] for both axes": mixed(lambda row, column, f, g: column * g + row * g),
    "frequencies added up": mixed(lambda row, column, f, g: (column + row) * (f + g)),
    "subtracted": mixed(lambda row, column, f, g: column * f - row * g),
    "subtracted the other way": mixed(lambda row, column, f, g: row * g - column * f),
    "multiplied": mixed(lambda row, column, f, g: (column * f) * (row * g)),
    "concatenated": side_by_side,
    "half of the pairs for each axis": half_each,
    "columns alone": mixed(lambda row, column, f, g: column * f),
    "rows alone": mixed(lambda row, column, f, g: row * g),
}

COLLISION_MISTAKES = {
    "the same row": (0, 3),
    "the other diagonal": (3, 3),
    "the same column": (-3, 0),
    "not among the four": (-3, 3),
    "the offset itself": (0, 0),
}

MISTAKES = [
    (check_axial, AXIAL_MISTAKES),
    (check_mixed, MIXED_MISTAKES),
    (check_collision, COLLISION_MISTAKES),
]


def test_the_solutions_are_correct():
    assert check_axial(axial()).status == "correct"
    assert check_mixed(mixed()).status == "correct"
    assert check_collision((3, -3)).status == "correct"


def test_angles_computed_in_float32_are_correct():
    def narrow_axial(rows, columns, head_dim, base):
        pairs = np.arange(head_dim // 4, dtype="float32")
        inv_freq = np.float32(base) ** (-4 * pairs / np.float32(head_dim))
        return np.hstack([np.outer(np.float32(axis), inv_freq) for axis in (columns, rows)])

    assert narrow_axial(np.arange(2), np.arange(2), 4, 100.0).dtype == "float32"
    assert check_axial(narrow_axial).status == "correct"
    narrow_mixed = check_mixed(lambda *given: mixed()(*map(np.float32, given)))
    assert narrow_mixed.status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(MISTAKES)


def test_the_frequencies_over_head_dim_are_told_in_these_words():
    message = check_axial(AXIAL_MISTAKES["frequencies over head_dim"]).message
    assert message.startswith("Your exponents are half of what they should be")
    assert "divide 2i by head_dim/2" in message


def test_the_smallest_failing_input_of_a_doubled_exponent_has_two_pairs_on_an_axis():
    # With one pair on each axis the exponent is 0 whatever it is multiplied by.
    assert "head_dim = 8" in check_axial(AXIAL_MISTAKES["exponent doubled"]).evidence


def test_an_equal_frequency_is_told_to_leave_the_diagonal():
    message = check_mixed(MIXED_MISTAKES["frequencies[0] for both axes"]).message
    assert "sees only row + column" in message


@pytest.mark.parametrize("offset", [(1, -1), (5, -5), (-1, 1), [-8, 8], np.array([-3, 3])])
def test_whatever_scores_like_no_step_is_told_that_it_does(offset):
    feedback = check_collision(offset)
    assert feedback.mistake == "not among the four"
    assert feedback.message.startswith("That one does score like (0, 0)")


@pytest.mark.parametrize("offset", [(1, 1), (3, -2), (0, 0, 0), 0, (1, -1, 0)])
def test_what_scores_unlike_no_step_is_not_told_that_it_does(offset):
    assert check_collision(offset).mistake is None


def test_one_offset_alone_scores_like_the_patch_itself():
    # As complex numbers: a score is the real part of the sum of q·conj(k)·e^(i·(rows + columns)·f).
    rng = np.random.default_rng(0)
    products = rng.normal(size=(4, 2)) @ [1, 1j]

    def score(rows, columns):
        turns = [cmath.exp(1j * (rows + columns) * 100 ** (-i / 4)) for i in range(4)]
        return (products * turns).sum().real

    alike = [offset for offset in CHOICES if abs(score(*offset) - score(0, 0)) < 1e-9]
    assert alike == [(3, -3)]
    assert check_collision(alike[0]).status == "correct"
