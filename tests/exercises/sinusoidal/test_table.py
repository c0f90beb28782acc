"""The solutions, and every listed mistake as a reader would write it."""

import math

import numpy as np

from posviz.exercises.sinusoidal.table import (
    check_base,
    check_sinusoidal,
    check_wavelength,
    found_table,
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
        turned(lambda p, i, d, base: p * math.exp(-math.log(base) * i / (d // 2 - 1)))
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


def base_by_column(column, pair, sine=math.asin):
    """Solve the frequency of a pair for the base, as read with four digits."""
    return round(sine(round(found_table()[1, column], 4)) ** (-8 / (2 * pair)), 3)


BASE_MISTAKES = {
    "the usual base": 1e4,
    "squared": math.asin(found_table()[1, 2]) ** -4,
    "sine instead of angle": base_by_column(1, 1, float),
    "last pair at 1/base": 1 / round(found_table()[1, 3], 4),
    "power not undone": 1 / math.asin(found_table()[1, 1]),
    "nearly": base_by_column(1, 1),
}

MISTAKES = [
    (check_sinusoidal, TABLE_MISTAKES),
    (check_wavelength, WAVELENGTH_MISTAKES),
    (check_base, BASE_MISTAKES),
]


def test_the_solutions_are_correct():
    assert check_sinusoidal(table(right)).status == "correct"
    solution = check_wavelength(lambda pair, d, base: 2 * math.pi * base ** (2 * pair / d))
    assert solution.status == "correct"
    assert check_base(500).status == "correct"


def test_a_table_in_float32_is_correct():
    feedback = check_sinusoidal(lambda *given: np.array(table(right)(*given), dtype="float32"))
    assert feedback.status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(MISTAKES)


def test_the_doubled_exponent_is_told_in_these_words():
    message = check_sinusoidal(TABLE_MISTAKES["exponent doubled"]).message
    assert message.startswith("Your wavelengths are the square of what they should be")
    assert "2i is already the dimension index" in message


def test_the_smallest_table_has_two_pairs():
    """With one the exponent is 0 whatever it is multiplied by, or divided by 0."""
    assert check_sinusoidal.cases()[0][1] == 4


def test_the_table_that_was_found_tells_its_base_in_every_pair():
    sines, cosines = np.hsplit(found_table(), 2)
    assert np.array_equal(sines[0], [0, 0, 0, 0])
    for pair in (1, 2, 3):
        angle = math.atan2(sines[1, pair], cosines[1, pair])
        assert check_base(angle ** (-4 / pair)).status == "correct"
