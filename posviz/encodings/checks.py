"""Checks of arguments at the public border: one sentence that names the argument."""

from __future__ import annotations

import math
import operator
from typing import Any

from posviz.arrays import Array
from posviz.wording import quoted


def require_integer(value: Any, name: str, *, low: int = 1) -> int:
    """Return ``value`` as an int of at least ``low``."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {quoted(value)}.") from None
    if number < low:
        raise ValueError(f"{name} must be at least {low}, got {number}.")
    return number


def require_even(value: Any, name: str) -> int:
    """Return ``value`` as an even int of at least 2."""
    number = require_integer(value, name, low=2)
    if number % 2:
        raise ValueError(f"{name} must be even, because dimensions come in pairs, got {number}.")
    return number


def require_real(value: Any, name: str, *, above: float | None = None) -> float:
    """Return ``value`` as a finite float, which exceeds ``above``."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a real number, got {quoted(value)}.") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number}.")
    if above is not None and number <= above:
        raise ValueError(f"{name} must be above {above:g}, got {number:g}.")
    return number


def require_base(base: Any, name: str = "base") -> float:
    """Return ``base`` as a float above 1: at 1 all pairs would have the same frequency."""
    return require_real(base, name, above=1)


def require_factor(value: Any) -> float:
    """Return the factor of a context extension as a float of at least 1."""
    number = require_real(value, "factor")
    if number < 1:
        raise ValueError(f"factor must be at least 1, because it extends, got {number:g}.")
    return number


def require_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of ``choices``."""
    if value not in choices:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {quoted(value)}."
        )
    return value


def require_shape(x: Array, name: str, *shape: int | str) -> Array:
    """Return ``x`` if it has this shape; a name such as "heads" allows any length."""
    lengths = tuple(x.shape)
    fits = len(lengths) == len(shape) and all(
        wanted in (length, str(wanted)) for length, wanted in zip(lengths, shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{name} must be [{', '.join(map(str, shape))}], got shape {lengths}.")
    return x
