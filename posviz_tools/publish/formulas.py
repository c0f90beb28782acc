"""Displayed formulas in parts, between which a narrow page breaks the line."""

import re

_DISPLAYED = re.compile(r"\$\$(.*?)\$\$", re.DOTALL)
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_OPENING = {"{", "(", "[", r"\left", r"\begin"}
_CLOSING = {"}", ")", "]", r"\right", r"\end"}
_BETWEEN = {r"\quad", r"\qquad"}  # formulas that stand side by side
_BEFORE = {"=": "=", "+": r"{+}\:"}  # alone, a plus would be a sign


def breakable(html: str) -> str:
    """HTML in which each displayed formula is a line of inline ones."""
    return _DISPLAYED.sub(lambda match: _line(match[1]), html)


def _line(formula) -> str:
    groups = "\n".join(f"<span>{' '.join(map(_inline, parts))}</span>" for parts in split(formula))
    return f'<span class="formula">{groups}</span>'


def _inline(part) -> str:
    return rf"$\displaystyle {part}$"


def split(formula: str) -> list[list[str]]:
    """The formulas that stand side by side, each in parts that begin with an operator."""
    groups, depth = [[""]], 0
    for token in _TOKEN.findall(formula):
        depth += (token in _OPENING) - (token in _CLOSING)
        if not depth and token in _BETWEEN:
            groups.append([""])
        elif not depth and token in _BEFORE and groups[-1][-1].strip():
            groups[-1].append(_BEFORE[token])
        else:
            groups[-1][-1] += token
    return [[part.strip() for part in parts] for parts in groups]
