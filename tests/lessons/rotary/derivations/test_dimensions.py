"""The sparse form and the frequencies, entry by entry; what their slips cost."""

import cmath
import math

import numpy as np
import pytest

from posviz.lessons.rotary.derivations.rotary import derive

SIZES = [(8, 5, 10_000.0), (10, -3, 2.0)]


@pytest.mark.parametrize(("head_dim", "m", "base"), SIZES)
def test_every_sparse_line_is_each_pair_times_its_own_turn(head_dim, m, base):
    derived = derive("sparse", m=m, head_dim=head_dim, base=base)
    q = [1.0, 0.5, *np.random.default_rng(0).standard_normal(head_dim)[2:]]
    expected = []
    for i in range(head_dim // 2):
        turn = cmath.exp(1j * m * base ** (-2 * i / head_dim))
        turned = complex(q[2 * i], q[2 * i + 1]) * turn
        expected += [turned.real, turned.imag]
    assert derived.wrong == []
    assert len(derived.steps) == 4
    for step in derived.steps:
        np.testing.assert_allclose(step.right, expected, rtol=0, atol=1e-12)


def test_the_missing_minus_costs_so_little_that_a_casual_test_passes():
    derived = derive("sparse", slip="minus", m=5)
    last = np.random.default_rng(0).standard_normal(8)[7]
    assert derived.wrong == [3]
    assert derived.steps[2].residual == pytest.approx(2 * last * math.sin(5 * 0.001))
    assert derived.steps[2].residual == pytest.approx(0.00947, abs=5e-6)
    np.testing.assert_allclose(derived.steps[2].right, derived.steps[1].right, rtol=0.01)
    assert derive("sparse", slip="minus", m=0).wrong == []


@pytest.mark.parametrize(("head_dim", "m", "base"), SIZES)
def test_the_frequencies_go_down_from_1_in_equal_steps(head_dim, m, base):
    derived = derive("frequencies", head_dim=head_dim, base=base)
    expected = [math.exp(-2 * i / head_dim * math.log(base)) for i in range(head_dim // 2)]
    values = [1 / base, expected[1], expected, expected, [1, expected[-1]]]
    assert derived.wrong == []
    for step, value in zip(derived.steps, values, strict=True):
        np.testing.assert_allclose(step.right, value, rtol=1e-12)


def test_counted_from_1_the_frequency_1_is_lost():
    derived = derive("frequencies", slip="from one", head_dim=64)
    assert derived.wrong == [4]
    first, last = derived.steps[4].right
    assert first == pytest.approx(0.749894, abs=5e-7)
    assert last == pytest.approx(1e-4)
    assert derived.steps[3].residual == pytest.approx(1 - 0.749894, abs=5e-7)


def test_the_doubled_exponent_ends_far_below():
    derived = derive("frequencies", slip="doubled", head_dim=512)
    assert derived.wrong == [4]
    assert derived.steps[2].right[-1] == pytest.approx(1.0366e-4, abs=5e-9)
    assert derived.steps[4].right == pytest.approx([1, 1.0746e-8], abs=5e-13)
