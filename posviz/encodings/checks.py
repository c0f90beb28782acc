"""Checks of arguments: each error names the argument, what came and what is allowed."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from posviz.arrays import Array, is_readable, is_torch
from posviz.wording import quoted

LIMIT = 2**63


def require_integer(value: Any, name: str, *, low: int = 1) -> int:
    """Return ``value`` as an int of at least ``low``.

    Raises:
        TypeError: for anything but an integer.
        ValueError: for one below ``low``, or from 2**63 on, which arrays cannot hold.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {quoted(value)}") from None
    if number < low:
        raise ValueError(f"{name} must be at least {low}, got {quoted(number)}")
    if number >= LIMIT:
        raise ValueError(f"{name} must be below 2**63, got a number of {number.bit_length()} bits")
    return number


def require_even(value: Any, name: str) -> int:
    """Return ``value`` as an even int of at least 2: dimensions come in pairs.

    Raises:
        TypeError: for anything but an integer.
        ValueError: for an odd number, or one below 2.
    """
    number = require_integer(value, name, low=2)
    if number % 2:
        raise ValueError(f"{name} must be even, for dimensions come in pairs, got {number}")
    return number


def require_real(value: Any, name: str) -> float:
    """Return ``value`` as a finite float.

    Raises:
        TypeError: for anything but one real number.
        ValueError: for NaN or infinity.
    """
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        number = float(value)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"{name} must be a real number, got {quoted(value)}") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number}")
    return number


def require_factor(value: Any, name: str) -> Array | float:
    """Return ``value`` as a finite float, or as the tensor in which it is learned.

    Raises:
        TypeError: for anything but one real number.
        ValueError: for NaN or infinity.
    """
    if not is_torch(value):
        return require_real(value, name)
    if is_readable(value):
        require_real(value.detach(), name)
    return value.reshape(())


def require_positive(value: Any, name: str) -> float:
    """Return ``value`` as a finite float above 0.

    Raises:
        TypeError: for anything but one real number.
        ValueError: for 0 or less, NaN or infinity.
    """
    number = require_real(value, name)
    if number <= 0:
        raise ValueError(f"{name} must be above 0, got {number:g}")
    return number


def require_above(values: Array, name: str, *, at_most: float | None = None) -> None:
    """Refuse an array with a number that is not above 0 (and at most ``at_most``), if it is read.

    Raises:
        ValueError: telling one that is not.
    """
    if not is_readable(values):
        return
    wrong = ~(values > 0) | ~(values < math.inf)  # a NaN is neither
    if at_most is not None:
        wrong = wrong | (values > at_most)
    if bool(wrong.any()):
        most = "" if at_most is None else f" and at most {at_most:g}"
        raise ValueError(f"{name} must be above 0{most}, got {values[wrong].tolist()[0]:g}")


def require_base(base: Any) -> float:
    """Return ``base`` as a float above 1: at 1 all pairs would turn alike.

    Raises:
        TypeError: for anything but one real number.
        ValueError: for 1 or less, NaN or infinity.
    """
    number = require_real(base, "base")
    if number <= 1:
        raise ValueError(f"base must be above 1, got {number:g}")
    return number


def require_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of ``choices``.

    Raises:
        ValueError: otherwise.
    """
    if not isinstance(value, str) or value not in choices:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {quoted(value)}"
        )
    return value


def broadcasts_to(shape: Sequence[int], target: Sequence[int]) -> bool:
    """Tell whether an array of ``shape`` can be read as one of shape ``target``."""
    lengths = zip(reversed(shape), reversed(target), strict=False)
    return len(shape) <= len(target) and all(n in (1, wanted) for n, wanted in lengths)
