"""How numbers are written in captions and labels, and how errors say why and quote a value."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

PACKAGES = ("posviz", "posviz_course", "posviz_tools")
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MOST_FOREIGN = 300  # characters of a text that is not ours


def signed(number: Any, form: str = "") -> str:
    """Write a number with the minus sign of print; in the format "z.2f" there is no −0.00."""
    return f"{number:{form}}".replace("-", "−")


def number(value: float, digits: int = 3) -> str:
    """Write a number in so many digits at most: 6.28, 47,117, 7.9 × 10⁻⁵; whole digits all stay."""
    mantissa, power = f"{value:.{max(digits, 1) - 1}e}".split("e")
    if value and not -5 < int(power) < 7:
        return f"{signed(float(mantissa), 'g')} × {power_of_ten(int(power))}".removeprefix("1 × ")
    text = signed(value, f"z,.{max(digits - 1 - int(power), 0)}f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def power_of_ten(exponent: int) -> str:
    """Write 10 with an exponent in plain Unicode, which needs no mathtext."""
    return "10" + str(exponent).translate(RAISED) if exponent else "1"


def shortened(text: Any) -> str:
    """Write a text that is not ours into an error: one printable line, cut at 300 characters.

    A lone surrogate cannot be sent to a browser, and an escape code would steer a terminal.
    """
    start = str(text)[: MOST_FOREIGN + 1].translate(dict.fromkeys(b"\t\n\r", " "))
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in start)
    return line if len(line) <= MOST_FOREIGN else line[: MOST_FOREIGN - 1] + "…"


def quoted(value: Any) -> str:
    """Write a value as Python would, ``shortened``."""
    return shortened(repr(value))


def reason(error: Exception) -> str:
    """An error as text for readers: the system's message for files, else type and message."""
    if isinstance(error, OSError):
        said = error.strerror or str(error)
        return shortened(said) + (f": {shortened(error.filename)}" if error.filename else "")
    return f"{type(error).__name__}: {shortened(error)}"


def spelt_like(text: str, known: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """Return the name that is spelt most like a text, in a list; an empty one if none is near."""
    return difflib.get_close_matches(text[:MOST_FOREIGN], list(known), 1, cutoff)


def is_ours(thing: Any) -> bool:
    """Tell whether a class or a function belongs to posviz, and not to a reader."""
    return str(getattr(thing, "__module__", "")).partition(".")[0] in PACKAGES
