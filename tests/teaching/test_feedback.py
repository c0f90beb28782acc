"""What a checker says, as text and as HTML, and how it shows inputs and a failing line."""

import html
import linecache
import re

import numpy as np
import pytest

from posviz.teaching.checker import Checker
from posviz.teaching.feedback import show_arguments, show_both, show_value
from posviz.teaching.mistakes import wrong
from posviz.teaching.trace import failing_line


def squared(x):
    return x * x


check = Checker(
    "The <double>",
    lambda x: 2 * x,
    lambda rng, size: (rng.normal(size=size),),
    mistakes=[wrong("squared & more", squared, "You squared x; <b>double</b> it.")],
)

ANSWERS = {
    "correct": lambda x: x + x,
    "mistake": squared,
    "wrong": lambda x: x > 0,
    "error": lambda x: x["<b>"],
    "not attempted": ...,
}


@pytest.mark.parametrize("status", ANSWERS)
def test_text_and_html_say_the_same(status):
    feedback = check(ANSWERS[status])
    assert feedback.status == status
    seen = html.unescape(re.sub(r"<[^>]*>", "\n", feedback._repr_html_()))
    assert seen.split() == repr(feedback).split()


@pytest.mark.parametrize("status", ANSWERS)
def test_no_feedback_rests_on_colour(status):
    feedback = check(ANSWERS[status])
    words = {"wrong": "not yet", "error": "your code stopped", "mistake": "squared & more"}
    assert feedback.heading.endswith(words.get(status, status))
    style = "".join(re.findall(r'style="([^"]*)"', feedback._repr_html_()))
    assert re.findall(r"(?<!-)color|background", style) == []  # legible in light and dark


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array([1, 2]), "x = [1 2]"),
        (np.array([[1.0, 2.0], [3.0, 4.0]]), "x = [[1. 2.]\n     [3. 4.]]"),
        (np.array([1 / 3]), "x = [0.3333]"),
        (np.array([-0.0, -1.0]), "x = [ 0. -1.]"),
        (np.array([[True, False], [False, True]]), "x = [[1 0]\n     [0 1]]"),
        (np.array(2 / 3), "x = 0.666667"),
        (np.array(100), "x = 100"),
        (np.array(True), "x = True"),
        (10_000.0, "x = 10000.0"),
        (max, "x = a function"),
    ],
)
def test_values_are_rounded_and_aligned(value, text):
    assert show_value("x", value) == text


@pytest.mark.parametrize("shape", [(3,), (40,), (2, 3), (2, 2, 30), (0, 2)])
def test_two_arrays_of_one_shape_line_up(shape):
    mine = np.arange(np.prod(shape)).reshape(shape) - 0.5
    first, second = (text.splitlines() for text in show_both(("mine", "is  "), mine, 100 * mine))
    for line, other in zip(first, second, strict=True):
        assert [i for i, c in enumerate(line) if c == "."] == [
            i for i, c in enumerate(other) if c == "."
        ]
    assert show_both(("mine", "mine"), mine, mine) == [show_value("mine", mine)] * 2


def test_a_large_number_leaves_the_other_array_readable():
    _, right = show_both(("mine", "is  "), np.array([0.5, -1e9]), np.array([0.5, -np.inf]))
    assert right == "is   = [ 0.5 -inf]"


def test_a_long_array_is_cut_short():
    assert "..." in show_value("x", np.arange(1000))
    assert len(show_value("x", np.arange(1000.0))) < 100


def test_long_evidence_keeps_its_answers_and_fits_a_screen():
    long = Checker("Sums", lambda x, y: y, lambda rng, size: (np.zeros((30, 2)), np.ones((6, 4))))
    lines = long(lambda x, y: 2 * y).evidence.splitlines()
    assert len(lines) == 20
    assert [line for line in lines if line.startswith(("x", "…", "your", "expected"))] == [
        "x = [[0. 0.]",
        "… 29 more lines",
        "your answer = [[2. 2. 2. 2.]",
        "expected    = [[1. 1. 1. 1.]",
    ]


def test_arguments_have_the_names_of_the_function():
    assert show_arguments(lambda pair, base: None, (3, 100.0)) == "pair = 3\nbase = 100.0"


def divide(x, y):
    """Return x / y."""
    return x / y


def half_done(x):
    half, third = ..., x / 3
    return half + third


def a_cell(number, source, names):
    """Run a cell as a notebook does: its names are everybody's, its file is its own."""
    file = f"cell {number}"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), names)


def call_and_catch(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        return failing_line(function, error)


def test_the_failing_line_is_the_innermost_of_the_readers_file():
    number = divide.__code__.co_firstlineno + 2
    line = f" on line {number}, `return x / y`"
    assert call_and_catch(divide, 1, 0) == (line, [])
    # What a library raises deep inside is put down to the line that called it.
    where, empty = call_and_catch(lambda x: np.linalg.inv(x), np.zeros((2, 2)))
    assert "np.linalg.inv(x)" in where
    assert empty == []


def test_what_is_not_finished_is_put_down_to_the_line_that_says_so():
    number = half_done.__code__.co_firstlineno + 1
    where = f" on line {number}, `half, third = ..., x / 3`"
    assert call_and_catch(half_done, 1) == (where, ["half"])


def test_a_function_of_another_cell_is_named_with_its_line():
    names = {}
    a_cell(1, "def ratio(x):\n    y = 0\n    return x / y\n", names)
    a_cell(2, "def answer(x):\n    return ratio(x)\n", names)
    a_cell(3, "by_lambda = lambda x: (\n    ratio(x))\n", names)
    there = ", in ratio on line 3, `return x / y`"
    assert call_and_catch(names["answer"], 1) == (f" on line 2, `return ratio(x)`{there}", [])
    assert call_and_catch(names["by_lambda"], 1) == (f" on line 2, `ratio(x))`{there}", [])


def test_code_that_cannot_be_traced_has_no_line():
    assert call_and_catch(int, "two") == ("", [])
