"""Displayed formulas in parts, between which a line may be broken."""

import pytest
from bs4 import BeautifulSoup

from posviz_tools.publish.formulas import breakable, split

MATRIX = r"\begin{pmatrix}a=1&b\\c&d\end{pmatrix}"


@pytest.mark.parametrize(
    ("formula", "parts"),
    [
        ("a = b + c", [["a", "= b", r"{+}\: c"]]),
        (r"a, \quad b = 1", [["a,"], ["b", "= 1"]]),
        ("+a", [["+a"]]),
        (r"f(x + 1)_{y = 2}", [["f(x + 1)_{y = 2}"]]),
        (rf"{MATRIX}=\left[x+y\right)", [[MATRIX, r"=\left[x+y\right)"]]),
    ],
)
def test_a_formula_is_split_before_operators_outside_of_brackets(formula, parts):
    assert split(formula) == parts


def test_a_displayed_formula_is_a_line_and_an_inline_one_stays():
    soup = BeautifulSoup(breakable("<p>If $x$: $$a = b$$ Then.</p>"), "html.parser")
    (line,) = soup.select("p > .formula")
    assert line.get_text().split("$ $") == [r"$\displaystyle a", r"\displaystyle = b$"]
    assert soup.p.get_text().startswith("If $x$: ")
