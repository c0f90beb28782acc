"""Kerple's two biases against their formulas and ALiBi."""

import math

import numpy as np
import pytest

from posviz import (
    KerpleLog,
    KerplePower,
    alibi_bias,
    alibi_slopes,
    kerple_log_bias,
    kerple_power_bias,
    offsets,
)

R1, R2 = np.array([0.5, 2.0, 0.01]), np.array([1.5, 0.3, 2.0])
CASES = [
    (kerple_log_bias, KerpleLog, lambda r1, r2, apart: -r1 * math.log(1 + r2 * apart)),
    (kerple_power_bias, KerplePower, lambda r1, r2, apart: -r1 * apart**r2),
]


@pytest.mark.parametrize(("function", "encoding", "formula"), CASES, ids=["log", "power"])
@pytest.mark.parametrize("positions", [range(5), [[3, 3, 9, 0, 1], [0, 1, 2, 3, 4]]], ids=str)
def test_the_function_and_the_encoding_add_the_formula(function, encoding, formula, positions):
    bias = function(R1, R2, offsets(positions, range(4)))
    scores = np.ones((2, 3, 5, 4))
    found = encoding(R1, R2).at_scores(scores, None, None, positions, range(4))
    rows = np.broadcast_to(positions, (2, 5))
    for b, h, i, j in np.ndindex(2, 3, 5, 4):
        expected = formula(R1[h], R2[h], abs(rows[b, i] - j))
        assert found[b, h, i, j] == pytest.approx(1 + expected)
        assert np.broadcast_to(bias, scores.shape)[b, h, i, j] == pytest.approx(expected)


def test_the_power_one_is_alibi_exactly():
    slopes, apart = alibi_slopes(8), offsets(range(5, 70), range(70))
    found = kerple_power_bias(slopes, np.ones(8), apart)
    np.testing.assert_array_equal(found, alibi_bias(slopes, apart))
