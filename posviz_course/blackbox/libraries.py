"""What released libraries do, as `scripts/libraries.py` has run them."""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any, NamedTuple

from posviz.encodings.alibi import alibi_slopes
from posviz.wording import spelt_like
from posviz_course.blackbox.verdict import ProgramVerdict

FACTS = (
    "kind", "layout", "rotary_share", "axes", "base", "direction", "first_position", "method",
    "factor", "attention_factor", "order", "exponent", "slopes", "depends_on",
)  # fmt: skip
SETTINGS = ("rotary_share", "base", "factor")  # the user of a library sets them
HALF = ("bfloat16", "float16")
Row = dict[str, Any]


@functools.cache
def _file() -> dict[str, Any]:
    text = resources.files("posviz_course.blackbox").joinpath("libraries.toml").read_text("utf-8")
    return tomllib.loads(text)


def rows() -> list[Row]:
    """Return the rows of the census: library, version, function, facts, what surprises."""
    return _file().get("function", [])


def day() -> str:
    """Return the day on which the libraries were last run, as 2026-11-28."""
    return str(_file().get("date", ""))


def facts_of(verdict: ProgramVerdict) -> Row:
    """Return what a row of the census and a verdict have in common; None is left out."""
    facts = {name: getattr(verdict, name, None) for name in FACTS}
    if verdict.rotary_dim and verdict.picture is not None:
        facts["rotary_share"] = verdict.rotary_dim / verdict.picture.blocks.width
    if facts["slopes"]:
        facts["slopes"] = list(facts["slopes"])
    facts["dtype"] = verdict.dtype
    facts["parameters"] = {
        k: v
        for k, v in verdict.parameters.items()
        if isinstance(v, str | int | float) and k != "reach"  # the size of a table is a setting
    }
    return {name: value for name, value in facts.items() if value not in (None, {})}


def named(row: Row) -> str:
    """Return the name of a function with its library and version."""
    return f"{row['library']} {row['version']}, {row['function']}"


# ---------------------------------------------------------------- the same


def same_as(verdict: ProgramVerdict) -> tuple[str, ...]:
    """Return one function of each library that does what an explained verdict says.

    Where none has the same settings (base, factor), those in which the fewest settings differ.
    """
    if not verdict.explained:
        return ()
    own, names = facts_of(verdict), dict[str, str]()
    alike = [(row, _settings(row, own)) for row in rows() if _is_alike(row, own)]
    fewest = min((len(settings) for _, settings in alike), default=0)
    for row, settings in alike:
        if len(settings) == fewest:
            other = " and ".join(settings).replace("_", " ")
            note = f" (there with another {other})" if settings else ""
            names.setdefault(row["library"], named(row) + note)
    return tuple(names.values())


def _is_alike(row: Row, own: Row) -> bool:
    """Tell whether a row has all facts of a verdict but its settings."""
    mine, theirs = own.get("dtype"), row.get("dtype")
    if (mine in HALF or theirs in HALF) and mine != theirs:
        return False
    names = [n for n in FACTS if n not in (*SETTINGS, "attention_factor", "slopes")]
    return (
        row["explained"]
        and all(_equal(own.get(name), row.get(name)) for name in names)
        and _equal(own.get("parameters"), row.get("parameters"))
        and _equal(_gain(own), _gain(row))
        and _equal(_slopes(own), _slopes(row))
    )


def _settings(row: Row, own: Row) -> list[str]:
    """Return the settings of a row that differ, by name."""
    return [n for n in SETTINGS if n in own and n in row and not _equal(own[n], row[n])]


def _equal(one: Any, other: Any) -> bool:
    """Tell whether two facts are equal, numbers to the digits that the census keeps."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-9)
    return one == other


def _gain(facts: Row) -> float | None:
    """Return the attention factor, for YaRN over the one that follows from its factor."""
    gain, factor = facts.get("attention_factor"), facts.get("factor", 1)
    if gain is None or facts.get("method") != "yarn" or gain == 1:
        return gain
    return float(gain) / (0.1 * math.log(factor) + 1)


def _slopes(facts: Row) -> list[float] | str | None:
    """Return the slopes, or a name for those of the released code, of any number of heads."""
    slopes = facts.get("slopes")
    if slopes and _equal(slopes, alibi_slopes(len(slopes)).tolist()):
        is_power = len(slopes).bit_count() == 1
        return "the released ones, for a power of 2" if is_power else "the released ones"
    return slopes


# ---------------------------------------------------------------- by name


class LibraryFunction(NamedTuple):
    """A function of a library as a verdict, the facts that it settles, and a sentence on both."""

    verdict: ProgramVerdict
    facts: list[str]
    sentence: str


def library(name: str, own: ProgramVerdict) -> LibraryFunction:
    """Return the function whose name has all words of ``name``, nearest to a verdict's kind.

    "transformers llama" is the function Llama, though longer names have these words as well.
    Settings of its user, such as the base, are taken from the verdict.
    """
    words = name.lower().replace(",", " ").split()
    candidates = list(_having(words))
    if not candidates:
        known = [f"{row['library']} {row['function']}" for row in rows()]
        near = spelt_like(name, known, cutoff=0.3)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"{name!r} is no function, no config.json and no row of the census.{hint}")
    row = min(candidates, key=lambda row: _distance(row, words, own))
    if row["kind"] == "unknown":
        raise ValueError(f"The census does not explain {named(row)}: nothing can be compared.")
    facts = {n: row[n] for n in FACTS if n in row and n != "rotary_share"}
    sentence, code, mine = f"Compared with {named(row)}.", row.get("code"), facts_of(own)
    settings = [n for n in _settings(row, mine) if n in facts]
    if row.get("method") != own.method and "factor" in settings:
        settings.remove("factor")
    if settings:
        there = " and ".join(f"{n} {facts[n]:,.10g}" for n in settings)
        sentence += f" It was run with {there}, which its user sets, so this is not compared."
        facts |= {n: mine[n] for n in settings}
        code = _plain_line(row, own)
    if _equal(_gain(mine), _gain(row)):
        facts["attention_factor"] = own.attention_factor
    if "slopes" in facts:
        facts["slopes"] = own.slopes if _equal(_slopes(mine), _slopes(row)) else (*facts["slopes"],)
    parameters = row.get("parameters", {}) | {"reach": own.parameters.get("reach")}
    more = {"dtype": row.get("dtype"), "code": code, "parameters": parameters}
    return LibraryFunction(ProgramVerdict(**facts | more), [*facts, "dtype"], sentence)


def _plain_line(row: Row, own: ProgramVerdict) -> str | None:
    """Return the line for a plain rotation of a row with the settings of a verdict."""
    usual = ProgramVerdict(
        "rotation", layout=row.get("layout"), direction=1, first_position=0.0, method="plain",
        factor=1.0, attention_factor=1.0, exponent="2k/d",
    )  # fmt: skip
    facts = facts_of(usual)
    if "parameters" in row or "axes" in row or any(row.get(n) != facts[n] for n in facts):
        return None
    return f"Rotary(rotary_dim={own.rotary_dim}, base={own.base!r}, layout={row['layout']!r})"


def _having(words: list[str]) -> Iterator[Row]:
    for row in rows():
        if all(word in named(row).lower() for word in words):
            yield row


def _distance(row: Row, words: list[str], own: ProgramVerdict) -> tuple[bool, bool, bool, int]:
    """Return what makes a row a worse answer: another kind, words that were not asked for."""
    rest = [w for w in row["function"].lower().replace(",", " ").split() if w not in words]
    heads = len(row.get("slopes", ())) != len(own.slopes or ())
    is_other = not any(row["library"].lower() == word for word in words)
    return row["kind"] != own.kind, is_other, heads, len(rest)
