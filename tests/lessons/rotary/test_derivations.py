"""Derivations: right lines follow at every setting, mistakes do not, by complex arithmetic."""

import cmath
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.font_manager import findfont, get_font
from matplotlib.mathtext import MathTextParser

from posviz.lessons.rotary.derivations.chain import Line, steps_of, value_text
from posviz.lessons.rotary.derivations.rotary import DERIVATIONS, derive, lines_of
from posviz.lessons.rotary.derivations.typeset import typeset

X = SimpleNamespace(x=3.0)
SETTINGS = [
    {},
    {"q": (-0.7, 1.1), "k": (1.3, 0.2), "i": 3, "j": 41, "theta": 0.13},
    {"q": (300.0, 2.0), "k": (-2.0, 301.0), "i": 9, "j": 9},
]
LINES = [
    line for name in DERIVATIONS for mistake in (False, True) for line in lines_of(name, mistake)
]


def letters(q=(1.0, 0.5), k=(0.3, 1.2), i=7, j=4, theta=0.5):
    return complex(*q), complex(*k), i, j, theta


def score_by_loop(q, k, i, j, theta):
    """The rotated vectors' four entries, multiplied and summed one by one."""

    def rotated(x, position):
        cos, sin = math.cos(position * theta), math.sin(position * theta)
        return [x.real * cos - x.imag * sin, x.real * sin + x.imag * cos]

    return sum(a * b for a, b in zip(rotated(q, i), rotated(k, j), strict=True))


def test_a_line_is_compared_with_its_left_side_or_with_the_line_before():
    lines = (
        Line("x²", lambda s: s.x**2, "why"),
        Line("= 2x", lambda s: 2 * s.x, "why"),
        Line("= x + x", lambda s: s.x + s.x, "why"),
        Line("x² = 2x", lambda s: 2 * s.x, "why", left=lambda s: s.x * s.x),
    )
    steps = steps_of(lines, X)
    assert [step.residual for step in steps] == [0, 3, 0, 3]
    assert [step.value for step in steps] == ["9.0000", "6.0000", "6.0000", "9.0000 ≠ 6.0000"]


@pytest.mark.parametrize("turns", [-3, 0, 1])
def test_angles_are_compared_around_the_circle(turns):
    lines = (Line("3.1 = −3.1", lambda s: 3.1 + 2 * np.pi * turns, "", lambda s: -3.1, angle=True),)
    [step] = steps_of(lines, X)
    assert (step.residual, step.value) == (pytest.approx(2 * np.pi - 6.2), "−3.1000 ≠ 3.1000")


def test_rounding_grows_with_the_size_of_the_values():
    lines = (Line("a", lambda s: 0.0, ""), Line("= b", lambda s: 1e-7, ""))
    assert [steps_of(lines, X, scale=size)[1].follows for size in (1, 1e4)] == [False, True]


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.09474, "2.0947"), (-0.00001, "−1e−05"), (-1 + 1e-17j, "−1.0000 + 0.0000ⅈ")],
)
def test_numbers_are_shown_to_a_few_digits(value, text):
    assert value_text(value) == text


@pytest.mark.parametrize("values", SETTINGS)
def test_every_right_line_is_what_complex_numbers_say(values):
    q, k, i, j, theta = letters(**values)
    score, size = score_by_loop(q, k, i, j, theta), max(1, abs(q) * abs(k))
    for name in ("matrices", "complex"):
        derived = derive(name, **values)
        assert derived.wrong == []
        found = [step.right for step in derived.steps]
        np.testing.assert_allclose(found, score, rtol=0, atol=1e-9 * size)
    rotation = cmath.exp(1j * i * theta)
    expected = [
        q * k.conjugate() * cmath.exp(1j * (i - j) * theta),
        abs(q) * abs(k),
        abs(q),
        cmath.phase(q / k),
        i * theta,
        theta,
        i * theta,
        q * rotation,
        q * rotation,
        score,
    ]
    derived = derive("polar", **values)
    assert derived.wrong == []
    for step, value in zip(derived.steps, expected, strict=True):
        apart = step.right - value
        if step.line.angle:
            apart = math.remainder(apart, 2 * math.pi)
        assert abs(apart) < 1e-9 * size, step.line.formula


def test_the_last_line_of_a_mistake_is_off_by_what_complex_numbers_say():
    q, k, i, j, theta = letters()
    exchanged = (q * k.conjugate() * cmath.exp(1j * (j - i) * theta)).real
    without = (q * k.conjugate()).real * math.cos((i - j) * theta)
    lasts = {"matrices": (5, exchanged), "complex": (6, without), "polar": (10, exchanged)}
    for name, (number, value) in lasts.items():
        derived = derive(name, mistake=True)
        assert derived.wrong == [number]
        assert derived.steps[-1].right == pytest.approx(value)
        assert derived.steps[-1].residual == pytest.approx(abs(value - score_by_loop(*letters())))
    assert derive("matrices", mistake=True, i=4).wrong == []
    assert derive("complex", mistake=True, k=(2.0, 1.0)).wrong == []  # parallel


def test_printed_lines_are_numbered_and_say_how_far_they_are_off():
    heading, *_, last = repr(derive("matrices", mistake=True)).splitlines()
    assert heading == "matrices with a mistake: q = (1, 0.5), k = (0.3, 1.2), i = 7, j = 4, θ = 0.5"
    assert last.startswith(" 5  = qᵀ Rᵢ₋ⱼ k ")
    assert last.endswith("−0.9837  does not follow: off by 2.0947")
    assert "not the only one" in repr(derive("polar"))


@pytest.mark.parametrize(
    ("arguments", "match"),
    [({"name": "magic"}, "name must be .*matrices.*magic"), ({"q": (0, 0)}, "q must be two num")],
)
def test_what_cannot_be_derived_is_named(arguments, match):
    with pytest.raises(ValueError, match=match):
        derive(**{"name": "matrices", **arguments})


def test_every_letter_is_in_the_font_and_every_formula_is_typeset():
    glyphs = get_font(findfont("DejaVu Sans")).get_charmap()
    for line in LINES:
        assert line.why
        assert {letter for letter in line.formula + "✗ⅈ" if ord(letter) not in glyphs} <= {"\n"}
        written = typeset(line.formula)
        for part in written.split("\n"):
            assert MathTextParser("path").parse(part.strip()).width > 0, line.formula
        assert not re.search("[₀₁ᵢⱼ₋ᵀⅈ]|\\[\\[", written), line.formula
    assert typeset("= qᵀ Rᵢᵀ Rⱼ k") == "$= q^{T} R_{i}^{T} R_{j} k$"
    assert typeset("e^(ⅈ(Θ[q] + θi)) cos (i−j)θ") == r"$e^{\mathrm{i}(Θ[q] + θi)}\,\cos\,(i−j)θ$"
