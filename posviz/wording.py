"""How numbers are written in captions and labels, and how errors say why and quote a value."""

from __future__ import annotations

import difflib
import heapq
import reprlib
from collections.abc import Iterable
from typing import Any

MOST_FOREIGN = 300  # characters of a text that is not ours
_brief = reprlib.Repr()
_brief.maxstring = _brief.maxlong = _brief.maxother = MOST_FOREIGN


def signed(number: Any, form: str = "") -> str:
    """Write a number with the minus sign of print; in the format "z.2f" there is no −0.00."""
    return f"{number:{form}}".replace("-", "−")


def tokens(length: float) -> str:
    """Write a length in tokens: with two decimals below 100, whole from there on."""
    return f"{length:.2f}" if length < 100 else f"{length:,.0f}"


def shortened(text: Any) -> str:
    """Write a text that is not ours into an error: one printable line, cut at 300 characters.

    A lone surrogate cannot be sent to a browser, and an escape code would steer a terminal.
    """
    start = str(text)[: MOST_FOREIGN + 1].translate(dict.fromkeys(b"\t\n\r", " "))
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in start)
    return line if len(line) <= MOST_FOREIGN else line[: MOST_FOREIGN - 1] + "…"


def quoted(value: Any) -> str:
    """Write a value as Python would, ``shortened``; what is in a container is abridged first."""
    try:
        return shortened(_brief.repr(value))
    except Exception:  # an integer of more than 4,300 digits, for one
        return f"a value of type {type(value).__name__} that cannot be written"


def reason(error: Exception) -> str:
    """An error as text for readers: the system's message for files, else type and message."""
    if isinstance(error, OSError):
        said = error.strerror or str(error)
        return shortened(said) + (f": {shortened(error.filename)}" if error.filename else "")
    return f"{type(error).__name__}: {shortened(error)}"


def spelt_like(text: str, known: Iterable[str], most: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return the names that are spelt most like a text, best first.

    difflib takes its time, so it sees names about as long as the text, a thousand short ones.
    """
    near = heapq.nsmallest(1000, known, key=lambda name: abs(len(name) - len(text)))
    return difflib.get_close_matches(text[:200], [n for n in near if len(n) <= 200], most, cutoff)
