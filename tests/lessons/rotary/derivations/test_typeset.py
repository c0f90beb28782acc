"""Typeset formulas say what the plain ones say, and matplotlib can read them."""

import re

import pytest
from matplotlib.mathtext import MathTextParser

from posviz.lessons.rotary.derivations.rotary import DERIVATIONS
from posviz.lessons.rotary.derivations.typeset import typeset

FORMULAS = {
    line.formula
    for derivation in DERIVATIONS.values()
    for lines in (derivation.lines, *derivation.slips.values())
    for line in lines
}
TYPESET = {
    "= qᵀ Rₘᵀ Rₙ k": "$= q^{T} R_{m}^{T} R_{n} k$",
    "f(q,m) = |q| e^(i(Θ[q] + mθ))": "$f(q,m) = |q| e^{i(Θ[q] + mθ)}$",
    "= Re[q k*] cos (m−n)θ": r"$= \mathrm{Re}[q k^{*}]\,\cos\,(m−n)θ$",
    "inv_freqᵢ = rⁱ,\n   i = 0": "$\\mathrm{inv\\_freq}_{i} = r^{i},$\n   $i = 0$",
    "[[a + b, −c],\n     [d, e]] k": r"$\genfrac{[}{.}{0}{0}{a + b}{d}\;\;"
    r"\genfrac{.}{]}{0}{0}{−c}{e}\, k$",
}


def test_formulas_are_typeset():
    assert {formula: typeset(formula) for formula in TYPESET} == TYPESET


@pytest.mark.slow("a second of mathtext")
def test_every_line_is_read_by_matplotlib_and_nothing_is_left_plain():
    for formula in FORMULAS:
        written = typeset(formula)
        for line in written.split("\n"):
            assert MathTextParser("path").parse(line.strip()).width > 0, formula
        assert not re.search("[₀-₉ₘₙᵢ₊₋ᵀⁱ²]|\\[\\[", written), formula
