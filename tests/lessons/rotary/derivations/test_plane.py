"""Each line for one pair, against loops and complex arithmetic; the slips of the sources."""

import cmath
import math

import numpy as np
import pytest

from posviz.lessons.rotary.derivations.plane import W_K, W_Q
from posviz.lessons.rotary.derivations.rotary import derive

SETTINGS = [
    {},
    {"q": (-0.7, 1.1), "k": (1.3, 0.2), "m": 3, "n": 41, "inv_freq": 0.13},
    {"q": (300.0, 2.0), "k": (-2.0, 301.0), "m": 9, "n": 9},
]


def letters(q=(1.0, 0.5), k=(0.3, 1.2), m=7, n=4, inv_freq=0.5):
    return complex(*q), complex(*k), m, n, inv_freq


def score_by_loop(q, k, m, n, inv_freq):
    """The rotated vectors' four entries, multiplied and summed one by one."""

    def turned(x, position):
        cos, sin = math.cos(position * inv_freq), math.sin(position * inv_freq)
        return [x.real * cos - x.imag * sin, x.real * sin + x.imag * cos]

    return sum(a * b for a, b in zip(turned(q, m), turned(k, n), strict=True))


def rights(derived):
    return [step.right for step in derived.steps]


@pytest.mark.parametrize("values", SETTINGS)
@pytest.mark.parametrize("name", ["matrices", "complex"])
def test_every_line_of_the_score_is_the_score(name, values):
    derived = derive(name, **values)
    expected = score_by_loop(*letters(**values))
    assert derived.wrong == []
    np.testing.assert_allclose(rights(derived), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("values", SETTINGS)
def test_every_line_in_polar_form_is_what_complex_numbers_say(values):
    q, k, m, n, inv_freq = letters(**values)
    derived = derive("polar", **values)
    assert derived.wrong == []
    turn = cmath.exp(1j * m * inv_freq)
    expected = [
        q * k.conjugate() * cmath.exp(1j * (m - n) * inv_freq),
        abs(q) * abs(k),
        abs(q),
        cmath.phase(q / k),
        m * inv_freq,
        inv_freq,
        m * inv_freq,
        q * turn,
        q * turn,
        score_by_loop(q, k, m, n, inv_freq),
    ]
    for number, (step, value) in enumerate(zip(derived.steps, expected, strict=True), 1):
        difference = step.right - value
        if step.line.angle:
            difference = math.remainder(difference, 2 * math.pi)
        assert abs(difference) < 1e-9 * max(1, abs(q) * abs(k)), number


@pytest.mark.parametrize("values", SETTINGS)
def test_projected_and_then_rotated_the_score_does_not_see_where_it_stands(values):
    x, y, m, n, inv_freq = letters(**values)
    derived = derive("order", **values)
    q, k = (complex(*w @ [z.real, z.imag]) for w, z in ((W_Q, x), (W_K, y)))
    expected = score_by_loop(q, k, m, n, inv_freq)
    assert derived.wrong == []
    np.testing.assert_allclose(rights(derived), expected, rtol=1e-7, atol=1e-9)


def test_rotated_before_the_projection_two_equal_offsets_have_two_scores():
    derived = derive("order", slip="rotate first")
    scores = []
    for further in (0, 10):
        x, y = (
            (1 + 0.5j) * cmath.exp(0.5j * (7 + further)),
            (0.3 + 1.2j) * cmath.exp(0.5j * (4 + further)),
        )
        scores.append((W_Q @ [x.real, x.imag]) @ (W_K @ [y.real, y.imag]))
    assert derived.wrong == [3]
    np.testing.assert_allclose(rights(derived), [scores[0], scores[0], scores[1]])
    assert derived.steps[2].residual == pytest.approx(abs(scores[1] - scores[0]))
    assert derived.steps[2].residual > 0.1


def test_the_sign_of_two_sources():
    derived = derive("matrices", slip="sign")
    assert derived.wrong == [5]
    assert derived.steps[3].value == "1.1110"
    assert derived.steps[4].value == "−0.9837"
    assert repr(derived).endswith("−0.9837  does not follow: off by 2.0947")
    assert derive("matrices", slip="sign", m=4).wrong == []


def test_the_dropped_cross_term_costs_nothing_between_parallel_vectors():
    values = {"m": 1, "n": 4, "inv_freq": math.pi / 18}
    derived = derive("complex", slip="cross", **values)
    assert derived.wrong == [6]
    assert [step.value for step in derived.steps[4:]] == ["0.2544", "0.7794"]
    parallel = derive("complex", slip="cross", k=(2.0, 1.0), **values)
    assert parallel.wrong == []
    assert parallel.steps[5].right == pytest.approx(2.165064, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "slip", "line", "wrong"),
    [
        ("matrices", "transpose", 2, lambda q, k: q * k.conjugate()),
        ("complex", "conjugate", 2, lambda q, k: q * k),
        ("polar", "conjugate", 10, lambda q, k: q * k),
        ("polar", "sign", 10, lambda q, k: q * k.conjugate()),
    ],
)
def test_other_slips_are_off_by_what_complex_numbers_say(name, slip, line, wrong):
    q, k, m, n, inv_freq = letters()
    angle = {"sign": n - m, "conjugate": m + n}.get(slip, -m - n) * inv_freq
    expected = (wrong(q, k) * cmath.exp(1j * angle)).real
    derived = derive(name, slip=slip)
    assert derived.wrong == [line]
    residual = abs(expected - score_by_loop(q, k, m, n, inv_freq))
    assert derived.steps[line - 1].residual == pytest.approx(residual)
    np.testing.assert_allclose(derived.steps[-1].right, expected)
