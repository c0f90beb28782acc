"""What a checker says, shown as text and as HTML with the same words."""

import html
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np

# Signs and words carry the status; the border's colour only repeats it.
SIGNS = {"correct": "✓", "mistake": "✗", "wrong": "✗", "error": "✗", "not attempted": "…"}
BORDERS = {"correct": "#009e73", "not attempted": "#808080"}
WRONG_BORDER = "#d55e00"
POINTS = 10
WHOLE_LINES = "overflow: auto; white-space: pre"
MOST_LINES = 20  # of evidence: with heading and message it fits a screen


@dataclass(frozen=True, repr=False)
class Feedback:
    """What a checker says about one answer; it is true where the answer is right.

    status: "correct", "mistake" (a known one), "wrong", "error" (the code raised), "not attempted".
    mistake: the name of the known mistake, or None.
    evidence: the smallest failing input with both answers, or "".
    solution: code that is right, folded until it is asked for, or ""; opened: whether it was.
    """

    status: str
    title: str
    message: str
    mistake: str | None = None
    evidence: str = ""
    solution: str = ""
    opened: bool = False

    def __bool__(self) -> bool:
        return self.status == "correct"

    @property
    def points(self) -> int:
        """What a right answer is worth; 0 for any other."""
        return POINTS if self else 0

    @property
    def heading(self) -> str:
        """The sign, the exercise, and its status in a word or two."""
        word = self.mistake or {"wrong": "not yet", "error": "your code stopped"}.get(self.status)
        return f"{SIGNS[self.status]} {self.title}: {word or self.status}"

    def __repr__(self) -> str:
        solution = self.solution if self.opened else ""
        parts = self.heading, self.message, self.evidence, solution
        return "\n".join(part for part in parts if part)

    def _repr_html_(self) -> str:
        border = BORDERS.get(self.status, WRONG_BORDER)
        evidence = html.escape(self.evidence)
        if evidence:  # rows of a matrix stay whole on a narrow screen
            evidence = f'<pre style="{WHOLE_LINES}">{evidence}</pre>'
        folded = (
            f"<details{' open' if self.opened else ''}>"
            '<summary style="cursor: pointer">Show the solution</summary>'
            f'<pre style="{WHOLE_LINES}">{html.escape(self.solution)}</pre></details>'
        )
        # No text colour and no background: both come from the notebook's theme, light or dark.
        return (
            f'<div style="border-left: 4px solid {border}; padding: 0.2em 0.8em">'
            f"<strong>{html.escape(self.heading)}</strong>"
            f'<p style="margin: 0.3em 0">{html.escape(self.message)}</p>'
            f"{evidence}{folded if self.solution else ''}</div>"
        )


def first_lines(text: str, most: int) -> str:
    """Return a text of at most so many lines; the last one has the number of lines left out."""
    lines = text.splitlines()
    left_out = len(lines) - most + 1
    return text if left_out < 2 else "\n".join([*lines[: most - 1], f"… {left_out} more lines"])


def show_value(name: str, value: Any, most: int = 64) -> str:
    """Return "name = value", arrays rounded, aligned and cut short; True in them is 1, −0 is 0."""
    if isinstance(value, np.ndarray) and value.ndim:
        text = np.array2string(
            1 * value + 0, precision=4, suppress_small=True, threshold=most, prefix=f"{name} = "
        )
    elif isinstance(value, np.ndarray):
        text = str(value) if value.dtype == bool else f"{value.item():.6g}"
    elif callable(value):
        text = "a function"
    else:
        text = repr(value)
    return f"{name} = {text}"


def show_both(names: tuple[str, str], mine: np.ndarray, right: np.ndarray) -> list[str]:
    """Return two lines of `show_value` for names of one length: columns of one shape line up."""
    # A number so large would have NumPy write the others with exponents.
    is_large = np.abs(mine[np.isfinite(mine)]).max(initial=0) >= 1e8
    if mine.shape != right.shape or not mine.ndim or not mine.size or is_large:
        return list(map(show_value, names, (mine, right)))
    # As one array they have equal columns; its first bracket and its last are left out.
    text = show_value(names[0][1:], np.stack([mine, right]), most=128)
    indent = len(names[0]) + len(" = ")
    blocks = text[indent + 1 : -1].split("\n" * mine.ndim + " " * indent + "[")
    return [f"{name} = [{block}" for name, block in zip(names, blocks, strict=True)]


def show_arguments(function: Callable[..., Any], arguments: tuple) -> str:
    """Return the arguments as lines of "name = value", named as `function` names them."""
    return "\n".join(map(show_value, inspect.signature(function).parameters, arguments))


def show_shapes(function: Callable[..., Any], arguments: tuple) -> str:
    """Return what the arguments are, as lines of "name: shape (3, 4)"."""
    return "\n".join(map(_kind, inspect.signature(function).parameters, arguments))


def _kind(name, value) -> str:
    if shape := np.shape(value) if isinstance(value, np.ndarray | list | tuple) else ():
        return f"{name}: shape {shape}"
    return f"{name}: a number" if isinstance(value, Number) else show_value(name, value)


def untrue(mine: np.ndarray, right: bool) -> str:
    """Say why an answer is not the one True or False that is asked for."""
    if mine.ndim:
        verb = "is True or False for each of" if mine.dtype == bool else "holds"
        return (
            f"Your answer {verb} {mine.size} numbers, and one True or False is asked for: "
            ".all() is True where all of them are, .any() where at least one is."
        )
    if mine.item() not in (0, 1):
        return f"Your answer is {mine.item():.4g}; True or False is asked for."
    return f"Your answer is {bool(mine)}; here it should be {right}."
