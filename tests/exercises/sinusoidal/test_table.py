"""The solutions, and every listed mistake as a reader would write it."""

import math

import numpy as np

from posviz.exercises.sinusoidal.table import (
    check_sine_columns,
    check_sinusoidal,
    check_table_width,
    check_wavelength,
)
from tests.exercises.every_mistake import mistake_tests


def table(wave):
    """Fill a table cell by cell: wave(position, pair, d_model, base) -> (sine, cosine)."""

    def answer(positions, d_model, base):
        rows = [
            [wave(position, pair, d_model, base) for pair in range(d_model // 2)]
            for position in positions
        ]
        return [[cell for pair in row for cell in pair] for row in rows]

    return answer


def turned(angle):
    return lambda *given: (math.sin(angle(*given)), math.cos(angle(*given)))


right = turned(lambda p, i, d, base: p / base ** (2 * i / d))


def concatenated(positions, d_model, base):
    angles = [[p / base ** (2 * i / d_model) for i in range(d_model // 2)] for p in positions]
    return np.hstack([np.sin(angles), np.cos(angles)])


def cosines_first(*given):
    sines, cosines = np.hsplit(concatenated(*given), 2)
    return np.hstack([cosines, sines])


def filled_into_integers(positions, d_model, base):
    cells = np.zeros((len(positions), d_model), dtype=int)
    for row, position in enumerate(positions):
        for i in range(d_model // 2):
            angle = position / base ** (2 * i / d_model)
            cells[row, 2 * i], cells[row, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return cells


def column_number_as_i(p, i, d, base):
    return math.sin(p / base ** (2 * (2 * i) / d)), math.cos(p / base ** (2 * (2 * i + 1) / d))


def frequency_for_every_column(p, i, d, base):
    return math.sin(p / base ** (2 * i / d)), math.cos(p / base ** ((2 * i + 1) / d))


TABLE_MISTAKES = {
    "exponent doubled": table(turned(lambda p, i, d, base: p / base ** (2 * (2 * i) / d))),
    "exponent halved": table(turned(lambda p, i, d, base: p / base ** (i / d))),
    "concatenated instead of interleaved": concatenated,
    "cosine before sine": table(lambda *given: right(*given)[::-1]),
    "base and d_model swapped": table(turned(lambda p, i, d, base: p / d ** (2 * i / base))),
    "positions from 1": table(turned(lambda p, i, d, base: (p + 1) / base ** (2 * i / d))),
    "minus missing": table(turned(lambda p, i, d, base: p * base ** (2 * i / d))),
    "pairs from 1": table(turned(lambda p, i, d, base: p / base ** (2 * (i + 1) / d))),
    "a frequency for every column": table(frequency_for_every_column),
    "tensor2tensor frequencies": table(
        turned(lambda p, i, d, base: p * math.exp(-math.log(base) * i / max(d // 2 - 1, 1)))
    ),
    "base ignored": table(turned(lambda p, i, d, base: p / 10_000 ** (2 * i / d))),
    "column number as i": table(column_number_as_i),
    "positions ignored": lambda given, *rest: table(right)(range(len(given)), *rest),
    "sines in every column": table(lambda *given: (right(*given)[0],) * 2),
    "cosines left out": table(lambda *given: (right(*given)[0], 0.0)),
    "sines left out": table(lambda *given: (0.0, right(*given)[1])),
    "angles taken for degrees": table(
        turned(lambda p, i, d, base: math.pi / 180 * p / base ** (2 * i / d))
    ),
    "angles turned into degrees": table(
        turned(lambda p, i, d, base: 180 / math.pi * p / base ** (2 * i / d))
    ),
    "cosines concatenated before sines": cosines_first,
    "a table of integers": filled_into_integers,
}

WAVELENGTH_MISTAKES = {
    "exponent doubled": lambda i, d, base: 2 * math.pi * base ** (2 * (2 * i) / d),
    "exponent halved": lambda i, d, base: 2 * math.pi * base ** (i / d),
    "2π forgotten": lambda i, d, base: base ** (2 * i / d),
    "a turn of 360": lambda i, d, base: 360 * base ** (2 * i / d),
    "half a turn": lambda i, d, base: math.pi * base ** (2 * i / d),
    "frequency instead of wavelength": lambda i, d, base: 1 / base ** (2 * i / d),
    "turns per token": lambda i, d, base: 1 / (2 * math.pi * base ** (2 * i / d)),
    "sign of the exponent": lambda i, d, base: 2 * math.pi / base ** (2 * i / d),
    "base and d_model swapped": lambda i, d, base: 2 * math.pi * d ** (2 * i / base),
    "pairs from 1": lambda i, d, base: 2 * math.pi * base ** (2 * (i + 1) / d),
    "base ignored": lambda i, d, base: 2 * math.pi * 10_000 ** (2 * i / d),
}

WIDTH_MISTAKES = {"the printed d_model": 4, "columns counted": 22, "pairs counted": 256}

COLUMN_MISTAKES = {
    "the printed heading": range(11),
    "cosine columns": [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21],
}

MISTAKES = [
    (check_sinusoidal, TABLE_MISTAKES),
    (check_wavelength, WAVELENGTH_MISTAKES),
    (check_table_width, WIDTH_MISTAKES),
    (check_sine_columns, COLUMN_MISTAKES),
]


def test_the_solutions_are_correct():
    assert check_sinusoidal(table(right)).status == "correct"
    solution = check_wavelength(lambda pair, d, base: 2 * math.pi * base ** (2 * pair / d))
    assert solution.status == "correct"
    assert check_table_width(512).status == "correct"
    assert check_sine_columns([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]).status == "correct"


def test_a_table_in_float32_is_correct():
    feedback = check_sinusoidal(lambda *given: np.array(table(right)(*given), dtype="float32"))
    assert feedback.status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(MISTAKES)


def test_the_doubled_exponent_is_told_in_these_words():
    message = check_sinusoidal(TABLE_MISTAKES["exponent doubled"]).message
    assert message.startswith("Your wavelengths are the square of what they should be")
    assert "2i is already the dimension index" in message


def test_the_smallest_failing_input_of_a_doubled_exponent_has_two_pairs():
    # With one pair the exponent is 0 whatever it is multiplied by.
    assert "d_model = 4" in check_sinusoidal(TABLE_MISTAKES["exponent doubled"]).evidence


def test_the_printed_table_tells_its_width():
    # Row 1 of the printed page, 22 columns to six digits, in the order in which they are printed.
    printed = (
        "0.841471 0.540302 0.821856 0.569695 0.801962 0.597375 0.781887 0.62342 0.76172 0.647906 "
        "0.74154 0.670909 0.721414 0.692504 0.701404 0.712764 0.681561 0.731761 0.661933 0.749563 "
        "0.642557 0.766238"
    )
    row = np.array(printed.split(), dtype=float)
    rows = {d: table(right)([1], d, 10_000.0)[0][:22] for d in range(22, 1026, 2)}
    widths = [d for d, cells in rows.items() if np.abs(row - cells).max() < 1e-6]
    assert widths == [512]
    assert check_table_width(widths[0]).status == "correct"
