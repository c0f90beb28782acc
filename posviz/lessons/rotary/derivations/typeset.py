"""Formulas of plain letters, as they are printed, typeset for a picture."""

import re

_LOWERED = str.maketrans("₀₁ᵢⱼ₋", "01ij−")
_RULES = (  # what is looked for, one after the other, and what it is in mathtext
    (
        r"\[\[(.*?), (.*?)\],\s*\[(.*?), (.*?)\]\]",  # two columns, each a fraction without a line
        r"\\genfrac{[}{.}{0}{0}{\1}{\3}\\;\\;\\genfrac{.}{]}{0}{0}{\2}{\4}\\,",
    ),
    ("[₀₁ᵢⱼ₋]+", lambda found: f"_{{{found[0].translate(_LOWERED)}}}"),
    ("ᵀ", "^{T}"),
    (r"\*", "^{*}"),
    (r"\^\(((?:[^()]|\([^()]*\))*)\)", r"^{\1}"),
    ("ⅈ", r"\\mathrm{i}"),
    (r"\b(Re|Im)\b", r"\\mathrm{\1}"),
    (" ?(cos|sin) ", r"\\,\\\1\\,"),
    (r"\S.*", r"$\g<0>$"),  # each line for itself
)


def typeset(formula: str) -> str:
    """Return a formula in matplotlib's mathtext."""
    for pattern, written in _RULES:
        formula = re.sub(pattern, written, formula)
    return formula
