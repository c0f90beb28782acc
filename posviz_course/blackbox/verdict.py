"""A verdict: what a program does with positions, in sentences and as facts."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

UNKNOWN = "unknown"
MOST_NAMED = 5  # libraries in a text that do the same


@dataclass(frozen=True)
class ProgramVerdict:
    """What was found out about a program; None means that it does not apply or is not known.

    kind: "rotation", "table", "bias" or "unknown". code is the line of posviz that reproduces the
    program, and difference the largest between both on fresh inputs; explained says whether that
    is no more than rounding. same_as has one function of each library that does the same. Units:
    tokens (first_position), radians per token (frequencies).
    """

    kind: str
    sentences: tuple[str, ...] = ()
    explained: bool = False
    difference: float | None = None
    code: str | None = None
    # rotations
    layout: str | None = None
    rotary_dim: int | None = None
    axes: str | None = None  # which pairs follow which column of positions
    base: float | None = None
    direction: int | None = None
    first_position: float | None = None
    method: str | None = None
    factor: float | None = None
    attention_factor: float | None = None
    dtype: str | None = None
    # tables
    order: str | None = None
    exponent: str | None = None
    # biases
    slopes: tuple[float, ...] | None = None
    depends_on: str | None = None
    # all
    frequencies: Any = field(default=None, repr=False, compare=False)  # [rotary_dim/2]
    parameters: dict[str, Any] = field(default_factory=dict)
    tried_on: str = "fresh inputs"
    same_as: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    mended_by: str | None = None
    picture: Any = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        lines = list(self.sentences)
        if self.code:
            lines += [self.proof(), "", f"    {self.code}"]
        if self.same_as:
            lines += ["", _the_same(self.same_as)]
        if self.differences:
            said = [f"- {difference}" for difference in self.differences]
            lines += [
                "",
                "What differs from what was meant:",
                *said,
                *filter(None, [self.mended_by]),
            ]
        return "\n".join(lines)

    __repr__ = __str__

    def proof(self) -> str:
        """Return how far the line of posviz is from the program, as a sentence."""
        if self.difference is None:
            return "This line was not compared with the program."
        if self.explained:
            how = f"to {self.difference:.0e}" if self.difference else "exactly"
            return f"This line of posviz reproduces it {how} on {self.tried_on}."
        return (
            f"This line of posviz is the nearest found, and still differs by up to "
            f"{self.difference:.2g}, so the program is not explained."
        )

    def facts(self) -> dict[str, Any]:
        """Return all but the picture, for JSON."""
        facts = {**asdict(self), "picture": None, "proof": self.code and self.proof()}
        return {name: value for name, value in facts.items() if name != "picture"}

    def to_json(self) -> str:
        """Return the facts as JSON."""
        return json.dumps(self.facts(), default=_plain, ensure_ascii=False, indent=1)

    def _repr_html_(self) -> str:
        from posviz_course.blackbox.drawing import html_of

        return html_of(self)


def _the_same(names: tuple[str, ...]) -> str:
    """Say which functions do the same, the setting that differs once if it is one for all."""
    others = len(names) - MOST_NAMED
    notes = {name.partition(" (there with ")[2].rstrip(")") for name in names}
    (note, *more) = notes
    shown = [name.partition(" (there")[0] if not more else name for name in names[:MOST_NAMED]]
    rest = [f"{others} more"] if others > 0 else []
    but = f", but for {note}," if note and not more else ""
    return f"The same{but} as {'; '.join([*shown, *rest])}."


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def unknown(*sentences: str, **facts: Any) -> ProgramVerdict:
    """Return the verdict that nothing is explained, and why."""
    return ProgramVerdict(UNKNOWN, sentences, **facts)
