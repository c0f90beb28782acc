"""A derivation as data: lines with values, and which of them does not follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from posviz.wording import signed

ROUNDING = 1e-9  # far above what float64 leaves at position 100,000, far below every slip


@dataclass(frozen=True)
class Line:
    """One line: its formula and, as functions of the setting, its value or its two sides.

    A line without ``left`` continues the one before ("= …"). Values are numbers, complex
    numbers or vectors. Angles, in radians, are compared around the circle.
    """

    formula: str
    right: Callable[[Any], Any]
    left: Callable[[Any], Any] | None = None
    why: str = ""
    angle: bool = False


@dataclass(frozen=True)
class Derivation:
    """The right lines, and slips: by name the lines that somebody writes who makes the slip.

    uses: what of the setting enters; entries: which entries of a vector are printed; note: what
    the last line does not say.
    """

    title: str
    lines: tuple[Line, ...]
    slips: Mapping[str, tuple[Line, ...]]
    uses: tuple[str, ...]
    entries: tuple[int, int] = (0, -1)
    note: str = ""


@dataclass(frozen=True, eq=False)
class Step:
    """A line with its values: left is what it must equal, None for the first line of a chain."""

    line: Line
    left: np.ndarray | None
    right: np.ndarray
    scale: float
    entries: tuple[int, int]

    @property
    def residual(self) -> float:
        """How far the two sides are apart, at the worst entry."""
        if self.left is None:
            return 0.0
        difference = self.right - self.left
        if self.line.angle:
            difference = np.angle(np.exp(1j * difference))
        return float(np.max(np.abs(difference)))

    @property
    def tolerance(self) -> float:
        """What rounding may leave: it grows with the values, and with those that cancelled."""
        sides = () if self.line.angle else (self.left, self.right)
        sizes = [float(np.max(np.abs(side))) for side in sides if side is not None]
        return ROUNDING * max(1.0 if self.line.angle else self.scale, *sizes, 0.0)

    @property
    def follows(self) -> bool:
        """Whether the line equals what it must equal, but for rounding."""
        return self.residual <= self.tolerance

    @property
    def value(self) -> str:
        """The value in a few digits; both sides where an equation of its own does not hold."""
        right = value_text(self.right, self.entries)
        if self.follows or self.line.left is None or self.left is None:
            return right
        return f"{value_text(self.left, self.entries)} ≠ {right}"


def steps_of(
    lines: tuple[Line, ...], setting: Any, *, scale: float = 1.0, entries: tuple[int, int] = (0, -1)
) -> tuple[Step, ...]:
    """Evaluate the lines: each is compared with its own left side or with the line before.

    scale: the size of what is added up; values near 0 may be what is left when it cancels.
    """
    steps: list[Step] = []
    for line in lines:
        left = steps[-1].right if steps else None
        if line.left is not None:
            left = _value(line.left(setting), line.angle)
        right = _value(line.right(setting), line.angle)
        steps.append(Step(line, left, right, scale, entries))
    return tuple(steps)


def _value(value: Any, angle: bool) -> np.ndarray:
    """Return the value as an array; an angle from −π, not reached, to π."""
    value = np.asarray(value)
    return value - 2 * np.pi * np.ceil(value / (2 * np.pi) - 0.5 - ROUNDING) if angle else value


@dataclass(frozen=True, repr=False)
class Derived:
    """A derivation at a setting; printed, its numbered lines stand beside their values."""

    name: str
    slip: str | None
    setting: str
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
        slip = f" with the slip {self.slip!r}" if self.slip else ""
        rows = [f"{self.name}{slip}: {self.setting}"]
        for number, step in enumerate(self.steps, 1):
            fault = "" if step.follows else f"  does not follow: off by {value_text(step.residual)}"
            formula, value = formulas[number - 1], values[number - 1]
            rows.append(f"{number:>2}  {formula:<{width}}  {value:>{digits}}{fault}")
        return "\n".join([*rows, *([self.note] if self.note else [])])


def value_text(value: Any, entries: tuple[int, int] = (0, -1)) -> str:
    """Return a number to four decimals or five digits, two entries of a vector, a complex number.

    Rounding errors differ from machine to machine: what they leave of 0 is shown as 0.
    """
    value = np.asarray(value)
    if np.iscomplexobj(value):
        sign = "−" if value.imag < -ROUNDING else "+"
        return f"{value_text(value.real)} {sign} {value_text(abs(value.imag))}i"
    if value.ndim:
        first, second = (value_text(value[entry]) for entry in entries)
        if len(value) == 2:
            return f"{first}, {second}"
        return f"{first}, …, {second}" if entries[0] == 0 else f"…, {first}, {second}"
    number = float(value)
    if abs(number) < ROUNDING:
        return "0.0000"
    return signed(number, ".4f" if abs(number) >= 0.01 else ".5g")
