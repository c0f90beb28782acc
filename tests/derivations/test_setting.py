"""What the letters stand for, found again with complex numbers and loops."""

import cmath
import math

import numpy as np
import pytest

from posviz.derivations.setting import Setting

SETTING = Setting(np.array([1, -0.5]), np.array([0.3, 1.2]), 7, 4, 0.5, 6, 100.0)


@pytest.mark.parametrize("position", [-3, 0, 1, 7.5])
def test_turning_is_multiplying_by_a_complex_number(position):
    expected = (1 - 0.5j) * cmath.exp(0.5j * position)
    assert SETTING.f(SETTING.q, position) == pytest.approx(expected)
    assert complex(*SETTING.turned(SETTING.q, position)) == pytest.approx(expected)
    assert complex(*SETTING.r(position) @ SETTING.q) == pytest.approx(expected)
    phase = math.remainder(0.5 * position, 2 * math.pi)
    assert SETTING.phase(SETTING.k, position) == pytest.approx(phase)


def test_the_score_and_what_it_is_made_of():
    product = (1 - 0.5j) * (0.3 - 1.2j)
    assert SETTING.q_and_k == pytest.approx(product)
    assert SETTING.offset_angle == 1.5
    assert SETTING.score == pytest.approx((product * cmath.exp(1.5j)).real)


def test_in_d_dimensions_q_is_the_first_pair_and_each_pair_has_its_angle():
    np.testing.assert_array_equal(SETTING.long_q[:2], SETTING.q)
    assert SETTING.long_q.shape == (6,)
    for i in range(3):
        assert SETTING.frequencies[i] == pytest.approx(100 ** (-2 * i / 6))
        assert SETTING.angles[i] == pytest.approx(7 * 100 ** (-2 * i / 6))
    assert SETTING.ratio == pytest.approx(100 ** (-1 / 3))


def test_the_letters_are_told_as_the_formulas_and_the_code_call_them():
    assert SETTING.described(("q", "m", "inv_freq")) == "q = (1, −0.5), m = 7, θ = inv_freq = 0.5"
    assert SETTING.described(("head_dim", "base")) == "d = head_dim = 6, base = 100"
