"""What released libraries do: the census of `posviz_course.blackbox` as a page and as a table."""

import html
import re
from collections.abc import Iterable

import numpy as np

from posviz.encodings.alibi import alibi_slopes
from posviz_course.blackbox import libraries as census
from posviz_course.blackbox.libraries import Row
from posviz_course.tables import table_of

NONE = "–"
ROTATION = (
    *("Library", "Function", "Layout", "Rotated", "Base", "Frequencies", "First position"),
    *("Angles", "What surprises"),
)
TABLE = (
    *("Library", "Function", "Order", "Exponent", "Base", "First row", "Scale", "Axes"),
    "What surprises",
)
BIAS = ("Library", "Function", "Rule", "Slopes or buckets", "Depends on", "What surprises")
HEAD = """# What released libraries do

This census has {functions} functions of {libraries} libraries, as they were run on {day}. Each was
called as a user calls it, and [`identify`](library.md) named what it does from its outputs alone. A
line of posviz reproduces each row, but for rows that say *not explained*.

- `python scripts/libraries.py --write` installs the libraries, runs them, and writes this page.
- A version is the one that was run; other versions may differ.
- A base, a factor or a rotated part is a setting of that run.
- When `identify` says "the same as", it names rows of this census.
- `posviz identify … --meant "litgpt yarn"` compares a program with a row.
"""
ROTATIONS = """
## Rotations of queries and keys

*Rotated* is the part of a head that rotates. *Angles* is the number format in which they are as
exact. Positions begin at 0 unless *First position* says otherwise.

"""
TABLES = """
## Tables that are added to embeddings

*First row* is the position that the first row stands for. *Scale* is the largest number in a row.

"""
BIASES = """
## Biases that are added to scores

*Slopes of the released code* are those of ALiBi's authors: with 12 heads they are two series. A
bias that depends on the *distance* treats future keys as past ones; one that depends on the
*offset* does not.

"""


def page() -> str:
    """Return docs/libraries.md."""
    rows = census.rows()
    libraries = len({row["library"] for row in rows})
    parts = [HEAD.format(functions=len(rows), libraries=libraries, day=census.day())]
    for text, heads, cells, kinds in (
        (ROTATIONS, ROTATION, _rotation, ("rotation", "unknown")),
        (TABLES, TABLE, _table, ("table",)),
        (BIASES, BIAS, _bias, ("bias",)),
    ):
        chosen = [cells(row) for row in rows if row["kind"] in kinds]
        parts += [text, _markdown([heads, ["---"] * len(heads), *chosen])]
    return "".join(parts)


def _markdown(rows: Iterable[Iterable[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _name(row: Row) -> tuple[str, str]:
    return f"{row['library']} {row['version']}", row["function"]


def _rotation(row: Row) -> tuple[str, ...]:
    axes = f" ({row['axes']})" if "axes" in row else ""
    return (
        *_name(row),
        row.get("layout", NONE) + axes,
        f"{row.get('rotary_share', 1):.3g}",
        _number(row.get("base")),
        _frequencies(row),
        _number(row.get("first_position")),
        row.get("dtype", NONE),
        row.get("surprise", ""),
    )


def _table(row: Row) -> tuple[str, ...]:
    parameters = row.get("parameters", {})
    cosine = ", cosine first" if parameters.get("first") == "cosine" else ""
    axis = parameters.get("first axis")
    return (
        *_name(row),
        row.get("order", NONE) + cosine,
        row.get("exponent", NONE).replace("-", "−") + _method(row),
        _number(row.get("base")),
        _number(row.get("first_position")),
        _number(parameters.get("scale")),
        f"{axis} first, {parameters['columns']}" if axis else "1",
        row.get("surprise", ""),
    )


def _bias(row: Row) -> tuple[str, ...]:
    slopes, numbers = row.get("slopes"), row.get("parameters", {}).get("buckets", NONE)
    if slopes:
        is_released = np.allclose(slopes, alibi_slopes(len(slopes)), rtol=1e-4)
        numbers = "of the released code" if is_released else ", ".join(f"{m:.4g}" for m in slopes)
    rule = row.get("method", NONE) + _dtype(row) + _unexplained(row)
    return *_name(row), rule, numbers, row.get("depends_on", NONE), row.get("surprise", "")


def _dtype(row: Row) -> str:
    return f", {row['dtype']}" if "dtype" in row else ""


def _number(value: float | None) -> str:
    """Write a number with a thin space at thousands and a minus sign."""
    if value is None:
        return NONE
    return f"{value:,.10g}".replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", "−")


def _frequencies(row: Row) -> str:
    parameters, gain = row.get("parameters", {}), row.get("attention_factor")
    exponent = row.get("exponent", "2k/d")
    texts = [row.get("method", NONE) + _factor(row)]
    texts += [f"exponent {exponent}"] if exponent != "2k/d" else []
    texts += ["upside down"] if "upside_down" in parameters else []
    texts += [f"{parameters['fraction']:g} of the pairs"] if "fraction" in parameters else []
    texts += [f"xPos from position {parameters['centre']:g}"] if "centre" in parameters else []
    is_shown = gain is not None and (gain != 1 or row.get("method") == "yarn")
    texts += [f"attention factor {gain:.5g}"] if is_shown else []
    texts += ["backwards"] if row.get("direction") == -1 else []
    return ", ".join(texts) + _unexplained(row)


def _factor(row: Row) -> str:
    return f" × {row['factor']:.4g}" if row.get("factor", 1) != 1 else ""


def _method(row: Row) -> str:
    """Return what is unusual in the frequencies of a table."""
    method = row.get("method", "plain")
    changed = "" if method in ("plain", "other") else f", {method}{_factor(row)}"
    falls = ", positions fall" if row.get("direction") == -1 else ""
    return changed + falls + _unexplained(row)


def _unexplained(row: Row) -> str:
    return "" if row["explained"] else ", **not explained**"


# ---------------------------------------------------------------- the table of the site


def table() -> str:
    """Return all rows as an HTML table."""
    heads = ("Library", "Function", "What it does", "What surprises")
    return table_of(heads, (map(html.escape, cells(row)) for row in census.rows()))


def cells(row: Row) -> tuple[str, str, str, str]:
    """Return library, function, what it does, and what surprises, as text."""
    return *_name(row), _does(row), row.get("surprise", "")


def row_id(row: Row) -> str:
    """The anchor of a row."""
    return "function-" + re.sub(r"\W+", "-", f"{row['library']} {row['function']}").strip("-")


def _does(row: Row) -> str:
    """Return the facts of a row in a few words."""
    if row["kind"] == "table":
        _, _, order, exponent, base, first, scale, axes, _ = _table(row)
        texts = [f"Sinusoidal table: {order}", f"exponent {exponent}", f"base {base}"]
        texts += [f"first row {first}"] if first != "0" else []
        texts += [f"scale {scale}"] if scale != "1" else []
        texts += [axes] if axes != "1" else []
    elif row["kind"] == "bias":
        _, _, rule, numbers, depends, _ = _bias(row)
        texts = [f"Bias: {rule}", f"depends on the {depends}", numbers]
    else:
        _, _, layout, share, base, frequencies, first, dtype, _ = _rotation(row)
        texts = [f"Rotation: {layout}", f"base {base}", frequencies]
        texts += [f"rotates {share} of the head"] if share != "1" else []
        texts += [f"first position {first}"] if first != "0" else []
        texts += [f"angles as {dtype}"] if dtype != NONE else []
    return "; ".join(texts).replace("**", "")
