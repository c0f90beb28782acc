"""How numbers are written in captions and labels."""

from __future__ import annotations

from typing import Any


def signed(number: Any, form: str = "") -> str:
    """Write a number with the minus sign of print; in the format "z.2f" there is no −0.00."""
    return f"{number:{form}}".replace("-", "−")


def tokens(length: float) -> str:
    """Write a length in tokens: with two decimals below 100, whole from there on."""
    return f"{length:.2f}" if length < 100 else f"{length:,.0f}"
