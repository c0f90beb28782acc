"""Derivations: right lines follow at every position, mistakes do not, by complex arithmetic."""

import cmath
import math

import pytest
from matplotlib.mathtext import MathTextParser

from posviz_course.lessons.rotary._derivations import (
    DERIVATIONS,
    Line,
    lines_of,
    steps_of,
    value_text,
)

Q, K, J, THETA = 1 + 0.5j, 0.3 + 1.2j, 4, 0.5
LASTS = {"matrices": 5, "complex": 6, "polar": 6}


def score_by_loop(i):
    """The rotated vectors' four entries, multiplied and summed one by one."""

    def rotated(x, position):
        cos, sin = math.cos(position * THETA), math.sin(position * THETA)
        return [x.real * cos - x.imag * sin, x.real * sin + x.imag * cos]

    return sum(a * b for a, b in zip(rotated(Q, i), rotated(K, J), strict=True))


def test_a_line_is_compared_with_its_left_side_or_with_the_line_before():
    lines = [
        Line("x²", "why", lambda x: x**2),
        Line("= 2x", "why", lambda x: 2 * x),
        Line("= x + x", "why", lambda x: x + x),
        Line("x² = 2x", "why", lambda x: 2 * x, left=lambda x: x * x),
    ]
    assert [step.residual for step in steps_of(lines, 3.0)] == [0, 3, 0, 3]


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.09474, "2.0947"), (-0.00001, "0.0000"), (-1 + 1e-17j, "−1.0000 + 0.0000ⅈ")],
)
def test_numbers_are_shown_to_four_decimals(value, text):
    assert value_text(value) == text


@pytest.mark.parametrize("i", [0, 4, 7, 50])
def test_every_right_line_is_what_complex_numbers_say(i):
    score, rotation = score_by_loop(i), cmath.exp(1j * i * THETA)
    of_polar = [
        Q * K.conjugate() * cmath.exp(1j * (i - J) * THETA),
        abs(Q),
        rotation,
        cmath.exp(1j * THETA),
        Q * rotation,
        score,
    ]
    for name in DERIVATIONS:
        steps = steps_of(lines_of(name, False), i)
        assert all(step.follows for step in steps)
        expected = of_polar if name == "polar" else [score] * len(steps)
        for step, value in zip(steps, expected, strict=True):
            assert abs(step.right - value) < 1e-9, step.line.formula


def test_the_last_line_of_a_mistake_is_off_by_what_complex_numbers_say():
    exchanged = (Q * K.conjugate() * cmath.exp(-1j * (7 - J) * THETA)).real
    without = (Q * K.conjugate()).real * math.cos((7 - J) * THETA)
    for name, number in LASTS.items():
        *others, last = steps_of(lines_of(name, True), 7)
        value = without if name == "complex" else exchanged
        assert [step.follows for step in others] == [True] * (number - 1)
        assert not last.follows
        assert last.right == pytest.approx(value)
        assert last.residual == pytest.approx(abs(value - score_by_loop(7)))
    assert all(step.follows for step in steps_of(lines_of("matrices", True), J))


def test_every_formula_is_typeset_and_every_line_has_its_reason():
    for name in DERIVATIONS:
        for line in (*lines_of(name, False), lines_of(name, True)[-1]):
            assert line.why
            for part in line.formula.split("\n"):
                assert MathTextParser("path").parse(f"${part}$").width > 0, line.formula
