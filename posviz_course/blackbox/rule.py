"""A rule for frequencies: the line of posviz that makes them, and how likely it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from posviz.encodings.frequencies import Frequencies
from posviz_course.blackbox.lines import compute

USUAL_BASES = (1e4, 5e5, 1e6, 1e5, 5e6, 1e7, 1.5e5, 1.6e5, 2.5e5, 5e4, 8e6, 2e6, 1e8)
Gain = tuple[float, float]  # as measured, and how exact that is
LEAST = 1.001  # a factor below it is rounding


@dataclass(frozen=True)
class FrequencyRule:
    """A rule for frequencies: `code` is a line that makes a `Frequencies`, `cost` its digits."""

    method: str
    base: float | None
    code: str
    cost: float
    factor: float = 1.0
    exponent: str = "2k/d"
    parameters: dict[str, Any] = field(default_factory=dict)

    def frequencies(self) -> Frequencies:
        """Return what the line computes."""
        return compute(self.code)


def roundest(value: float, spread: float) -> float:
    """Return the number of the fewest digits that lies within ``spread`` of ``value``."""
    if abs(value) <= spread:
        return 0.0
    for digits in range(1, 13):
        if abs((near := float(f"{value:.{digits}g}")) - value) <= spread:
            return near
    return value


def digits(value: float) -> int:
    """Count the significant digits of a number."""
    return len(f"{value:.12g}".partition("e")[0].replace(".", "").strip("-0")) or 1


def cost_of(base: float) -> float:
    """Return what a base costs beside others: nothing if everybody uses it."""
    if base in USUAL_BASES:
        return 0.0 if base == 1e4 else 0.5
    return digits(base) + (0.5 if base == round(base) else 4.0)


def base_argument(base: float, default: float = 1e4) -> str:
    """Write the argument base, where it is not the default."""
    return "" if base == default else f", base={base!r}"
