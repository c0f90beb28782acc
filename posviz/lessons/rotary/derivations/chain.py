"""A derivation as lines with values: which of them follow, and how far off the others are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from posviz.wording import signed

ROUNDING = 1e-9  # far above what float64 leaves at position 100,000, far below every mistake


@dataclass(frozen=True)
class Line:
    """One line: its formula and, as functions of the setting, its value or its two sides.

    A line without ``left`` continues the one before ("= …"). Values are numbers or complex
    numbers. Angles, in radians, are compared around the circle.
    """

    formula: str
    right: Callable[[Any], complex]
    why: str
    left: Callable[[Any], complex] | None = None
    angle: bool = False


@dataclass(frozen=True, eq=False)
class Step:
    """A line with its values: left is what it must equal, None for the first line of a chain.

    scale: the size of what is added up, since rounding errors are as large where it cancels.
    """

    line: Line
    left: complex | None
    right: complex
    scale: float

    @property
    def residual(self) -> float:
        """How far the two sides are apart."""
        if self.left is None:
            return 0.0
        apart = self.right - self.left
        return float(abs(np.angle(np.exp(1j * apart)) if self.line.angle else apart))

    @property
    def follows(self) -> bool:
        """Whether the line equals what it must equal, but for rounding."""
        sizes = [] if self.line.angle else [self.scale, abs(self.right)]
        return self.residual <= ROUNDING * max([1.0, *sizes])

    @property
    def value(self) -> str:
        """The value to four decimals; both sides where an equation of its own does not hold."""
        if self.follows or self.line.left is None or self.left is None:
            return value_text(self.right)
        return f"{value_text(self.left)} ≠ {value_text(self.right)}"


def steps_of(lines: tuple[Line, ...], setting: Any, *, scale: float = 1.0) -> tuple[Step, ...]:
    """Evaluate lines: each is compared with its own left side or with the line before."""
    steps: list[Step] = []
    for line in lines:
        left = steps[-1].right if steps else None
        if line.left is not None:
            left = _within_a_turn(line.left(setting), line.angle)
        steps.append(Step(line, left, _within_a_turn(line.right(setting), line.angle), scale))
    return tuple(steps)


def _within_a_turn(value, angle):
    """Return an angle from −π, not reached, to π; other values as they are."""
    return value - 2 * np.pi * np.ceil(value / (2 * np.pi) - 0.5 - ROUNDING) if angle else value


@dataclass(frozen=True, repr=False)
class Derived:
    """A derivation at a setting; printed, its numbered lines stand beside their values."""

    heading: str
    steps: tuple[Step, ...] = field(compare=False)
    note: str = ""

    @property
    def wrong(self) -> list[int]:
        """The numbers of the lines that do not follow, counted from 1."""
        return [number for number, step in enumerate(self.steps, 1) if not step.follows]

    def __repr__(self) -> str:
        formulas = [" ".join(step.line.formula.split()) for step in self.steps]
        values = [step.value for step in self.steps]
        width, digits = (max(map(len, column)) for column in (formulas, values))
        rows = [self.heading]
        for number, step in enumerate(self.steps, 1):
            fault = "" if step.follows else f"  does not follow: off by {value_text(step.residual)}"
            formula, value = formulas[number - 1], values[number - 1]
            rows.append(f"{number:>2}  {formula:<{width}}  {value:>{digits}}{fault}")
        return "\n".join([*rows, *([self.note] if self.note else [])])


def value_text(value: complex) -> str:
    """Return a number to four decimals or, if small, to five digits; or a complex number.

    Rounding errors differ from machine to machine: what they leave of 0 is shown as 0.
    """
    if np.iscomplexobj(value):
        sign = "−" if value.imag < -ROUNDING else "+"
        return f"{value_text(value.real)} {sign} {value_text(abs(value.imag))}ⅈ"
    number = float(value) if abs(value) >= ROUNDING else 0.0
    return signed(number, ".4f" if not number or abs(number) >= 0.01 else ".5g")
