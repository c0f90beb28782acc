"""Numbers as captions write them, and foreign text as errors quote it."""

import numpy as np
import pytest

from posviz.wording import MOST_FOREIGN, number, quoted, reason, shortened, signed


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [(-3, "", "−3"), (-0.5, ".2f", "−0.50"), (1e-5, ".1g", "1e−05"), (-0.001, "z.2f", "0.00")],
)
def test_the_minus_is_that_of_print(number, form, text):
    assert signed(number, form) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (6.2832, 3, "6.28"),
        (47117.3, 3, "47,117"),
        (-0.5, 3, "−0.5"),
        (-0.0, 3, "0"),
        (0.99999, 2, "1"),
        (0.000123, 2, "0.00012"),
        (0.0000791, 2, "7.9 × 10⁻⁵"),
        (-2e-6, 3, "−2 × 10⁻⁶"),
        (9_000_001, 3, "9,000,001"),
        (1e9, 3, "10⁹"),
    ],
)
def test_a_number_is_written_in_one_way(value, digits, text):
    assert number(value, digits) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("wpe.weight", "wpe.weight"),
        ("Größe 🦕", "Größe 🦕"),
        ("a\nb\tc", "a b c"),
        ("\x1b[31m\0\u202e", r"\x1b[31m\x00\u202e"),
        ("\ud800", r"\ud800"),
        (ValueError("why"), "why"),
        ("a" * MOST_FOREIGN, "a" * MOST_FOREIGN),
        ("a" * 6_000_000, "a" * (MOST_FOREIGN - 1) + "…"),
        ("\0" * MOST_FOREIGN, (r"\x00" * MOST_FOREIGN)[: MOST_FOREIGN - 1] + "…"),
    ],
)
def test_foreign_text_is_one_short_line_that_can_be_printed(text, line):
    assert shortened(text) == line


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("it's", '"it\'s"'),
        ((1, "2"), "(1, '2')"),
        (np.zeros((2, 2)), "array([[0., 0.],        [0., 0.]])"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_written_as_python_would(value, text):
    assert quoted(value) == text


@pytest.mark.parametrize(
    "value",
    [
        "n" * 6_000_000,
        b"n" * 6_000_000,
        10**4000,
        {"n" * 6_000_000: 1},
        {f"{i}": i for i in range(300_000)},
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_of_any_size_is_written_shortly(value):
    assert 10 < len(quoted(value)) <= MOST_FOREIGN


def test_reasons_of_the_system_have_no_python_in_them():
    assert reason(OSError(28, "No space left")) == "No space left"
    assert reason(OSError("ffmpeg ended")) == "ffmpeg ended"
    assert reason(PermissionError(13, "Denied", "a.svg")) == "Denied: a.svg"
    assert reason(KeyError("d_model")) == "KeyError: 'd_model'"
