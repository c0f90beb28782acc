"""What released libraries do, as `scripts/libraries.py` has run them."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any

from posviz.blackbox.verdict import ProgramVerdict
from posviz.wording import spelt_like

FACTS = (
    "kind", "layout", "rotary_share", "base", "direction", "first_position", "method", "factor",
    "attention_factor", "order", "exponent", "slopes", "depends_on",
)  # fmt: skip
HALF = ("bfloat16", "float16")


@functools.cache
def rows() -> tuple[dict[str, Any], ...]:
    """Return the rows of the census: library, version, function, facts, what surprises."""
    text = resources.files("posviz.blackbox").joinpath("census.toml").read_text("utf-8")
    return tuple(tomllib.loads(text).get("function", []))


def facts_of(verdict: ProgramVerdict, width: int | None = None) -> dict[str, Any]:
    """Return what a row of the census and a verdict have in common; None is left out."""
    found = {name: getattr(verdict, name, None) for name in FACTS}
    if verdict.rotary_dim and width:
        found["rotary_share"] = verdict.rotary_dim / width
    if found["slopes"]:
        found["slopes"] = [float(f"{m:.6g}") for m in found["slopes"]]
    found["dtype"] = verdict.dtype
    found["parameters"] = {
        k: v for k, v in verdict.parameters.items() if isinstance(v, str | int | float)
    }
    return {name: value for name, value in found.items() if value not in (None, {})}


def same_as(verdict: ProgramVerdict) -> tuple[str, ...]:
    """Return which functions of libraries have all facts of an explained verdict, at most five."""
    if not verdict.explained:
        return ()
    own = facts_of(verdict)
    named = [
        f"{row['library']} {row['version']}, {row['function']}"
        for row in rows()
        if _matches(row, own)
    ]
    return tuple(named[:5])


def _matches(row: dict[str, Any], own: dict[str, Any]) -> bool:
    mine, theirs = own.get("dtype"), row.get("dtype")
    if (mine in HALF or theirs in HALF) and mine != theirs:
        return False
    if not row.get("explained", True) or own.get("parameters") != row.get("parameters"):
        return False
    names = [n for n in FACTS if n not in ("rotary_share", "attention_factor")]
    near = abs(own.get("attention_factor", 1) - row.get("attention_factor", 1)) < 1e-3
    return near and all(own.get(name) == row.get(name) for name in names)


def library(name: str, own: ProgramVerdict) -> tuple[ProgramVerdict, list[str]]:
    """Return the function of a library as a verdict, and the facts that its row settles."""
    known = [f"{row['library']} {row['function']}" for row in rows()]
    words = name.lower().split()
    found = [
        row
        for row, text in zip(rows(), known, strict=True)
        if all(w in text.lower() for w in words)
    ]
    found = [row for row in found if row["kind"] == own.kind] or found
    if not found:
        near = spelt_like(name, known, cutoff=0.3)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"{name!r} is no function, no config.json and no row of the census.{hint}")
    row = found[0]
    facts = {n: row[n] for n in FACTS if n in row and n != "rotary_share"}
    slopes = {"slopes": tuple(facts["slopes"])} if "slopes" in facts else {}
    return ProgramVerdict(**facts | slopes, dtype=row.get("dtype"), code=row.get("code")), list(
        facts
    )
