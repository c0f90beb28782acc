"""The mechanism: what is compared with what, and what is said of a line that does not follow."""

from types import SimpleNamespace

import numpy as np
import pytest

from posviz.lessons.rotary.derivations.chain import Derived, Line, steps_of, value_text

X = SimpleNamespace(x=3.0)


def square(s):
    return s.x**2


def product(s):
    return s.x * s.x


def double(s):
    return s.x + s.x


def test_a_line_that_goes_on_is_compared_with_the_line_before():
    steps = steps_of((Line("x²", square), Line("= x + x", double), Line("= 2x", double)), X)
    assert [step.follows for step in steps] == [True, False, True]
    assert [step.residual for step in steps] == [0, 3, 0]


def test_a_line_with_two_sides_is_compared_with_its_own_left_side():
    lines = (Line("x²", square), Line("2x = x + x", double, left=lambda s: 2 * s.x))
    assert [step.follows for step in steps_of(lines, X)] == [True, True]
    lines = (Line("x²", square), Line("x² = x + x", double, left=product))
    step = steps_of(lines, X)[1]
    assert (step.follows, step.residual, step.value) == (False, 3, "9.0000 ≠ 6.0000")


def test_the_worst_entry_of_a_vector_decides():
    lines = (
        Line("a", lambda s: np.zeros(5)),
        Line("= b", lambda s: np.array([0, 0.25, 0, -0.5, 0])),
    )
    assert steps_of(lines, X)[1].residual == 0.5


@pytest.mark.parametrize("turns", [-3, 0, 1])
def test_angles_are_compared_around_the_circle(turns):
    lines = (Line("3 = 3", lambda s: 3 + 2 * np.pi * turns, left=lambda s: 3.0, angle=True),)
    [step] = steps_of(lines, X)
    assert step.follows
    assert step.value == "3.0000"
    lines = (Line("a = b", lambda s: 3.1 + 2 * np.pi * turns, left=lambda s: -3.1, angle=True),)
    assert steps_of(lines, X)[0].residual == pytest.approx(2 * np.pi - 6.2)


def test_rounding_grows_with_the_size_of_the_values():
    cancelled = (Line("a", lambda s: 0.0), Line("= b", lambda s: 1e-7))
    assert [steps_of(cancelled, X, scale=size)[1].follows for size in (1, 1e4)] == [False, True]


def test_printed_lines_are_numbered_and_say_by_how_much_they_are_off():
    lines = (Line("x²", square), Line("= x x,\n  a fact", product), Line("= x + x", double))
    derived = Derived("square", "sum", "x = 3", steps_of(lines, X), "A note.")
    assert derived.wrong == [3]
    assert repr(derived) == (
        "square with the slip 'sum': x = 3\n"
        " 1  x²             9.0000\n"
        " 2  = x x, a fact  9.0000\n"
        " 3  = x + x        6.0000  does not follow: off by 3.0000\n"
        "A note."
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.09474, "2.0947"),
        (-0.00001, "−1e−05"),
        (0.00947077, "0.0094708"),
        (1.07463e-8, "1.0746e−08"),
        (-1 + 1e-17j, "−1.0000 + 0.0000i"),
        (np.array([1.0, 2.0, 3.0]), "1.0000, …, 3.0000"),
    ],
)
def test_numbers_are_shown_to_a_few_digits(value, text):
    assert value_text(value) == text
