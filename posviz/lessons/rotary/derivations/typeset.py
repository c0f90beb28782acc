"""Formulas of plain letters, as they are printed, typeset for a picture."""

import re

_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₘₙᵢ₊₋", "0123456789mni+−")
_RAISED = str.maketrans("ᵀⁱ²", "Ti2")
_RULES = (  # what is looked for, one after the other, and what it is in mathtext
    (
        r"\[\[(.*?), (.*?)\],\s*\[(.*?), (.*?)\]\]",  # two columns, each a fraction without a line
        r"\\genfrac{[}{.}{0}{0}{\1}{\3}\\;\\;\\genfrac{.}{]}{0}{0}{\2}{\4}\\,",
    ),
    ("[₀-₉ₘₙᵢ₊₋]+", lambda found: f"_{{{found[0].translate(_LOWERED)}}}"),
    ("[ᵀⁱ²*]", lambda found: f"^{{{found[0].translate(_RAISED)}}}"),
    (r"\^\(((?:[^()]|\([^()]*\))*)\)", r"^{\1}"),
    (r"\b(base|first|last|Re|Im)\b", r"\\mathrm{\1}"),
    (r"\b(inv|apply)_(freq|rotary)", r"\\mathrm{\1\\_\2}"),
    (" in blocks of ", r"\\ \\mathrm{in\\ blocks\\ of}\\ "),
    (" ?(cos|sin) ", r"\\,\\\1\\,"),
    (" … ", r"\\;…\\;"),
    ("⊗", r"\\otimes "),
    (r"\S.*", r"$\g<0>$"),  # each line for itself
)


def typeset(formula: str) -> str:
    """Return a formula in matplotlib's mathtext."""
    for pattern, written in _RULES:
        formula = re.sub(pattern, written, formula)
    return formula
