"""The comparison as a table, in a notebook or as text."""

import html
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tqdm import tqdm

from posviz.choosing.columns import COLUMNS
from posviz.choosing.rows import PLANS, ROWS, Cell
from posviz.encodings.checks import require_choice

COSTS = ("memory", "time")  # functions of posviz.choosing.costs
STYLE = "text-align: left; vertical-align: top; white-space: nowrap"


@dataclass(frozen=True, repr=False)
class Comparison:
    """Rows and their cells, and what each column measures; shows itself as a table or as text."""

    measures: dict[str, str]
    rows: dict[str, tuple[Cell, ...]]

    def __repr__(self) -> str:
        lines = [("", *self.measures)]
        lines += [(row, *(each.said for each in cells)) for row, cells in self.rows.items()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        return "\n".join([*padded, "", *map(": ".join, self.measures.items())])

    def _repr_html_(self) -> str:
        head = "".join(_cell("th", name, "col") for name in ("", *self.measures))
        body = "".join(
            f"<tr>{_cell('th', row, 'row')}{''.join(_cell('td', each.said) for each in cells)}</tr>"
            for row, cells in self.rows.items()
        )
        pairs = ((html.escape(name), html.escape(text)) for name, text in self.measures.items())
        notes = "".join(f"<li><strong>{name}</strong>: {text}</li>" for name, text in pairs)
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<details><summary>What the columns measure</summary><ul>{notes}</ul></details>"
        )


def comparison(*columns: str) -> Comparison:
    """Measure these columns of every row, such as "door"; "memory" and "time" on this machine.

    Raises:
        ValueError: for a column that there is not; the message names those that there are.
    """
    for name in columns:
        require_choice(name, "a column", (*COLUMNS, *COSTS))
    measures = {name: " ".join((function(name).__doc__ or "").split()) for name in columns}
    on_this_machine = set(columns) & set(COSTS)
    rows = ROWS if on_this_machine else (*ROWS, *PLANS)
    steps = [(row, name) for row in rows for name in columns]
    bar = tqdm(steps, unit="cell", file=sys.stdout, disable=not on_this_machine)
    found = {(row, name): function(name)(row) for row, name in bar}
    return Comparison(measures, {row: tuple(found[row, name] for name in columns) for row in rows})


def function(column: str) -> Callable[[str], Cell]:
    """Return the function that measures a column."""
    if column not in COSTS:
        return COLUMNS[column]
    from posviz.choosing import costs  # loads torch

    return getattr(costs, column)


def _cell(tag: str, text: str, scope: str = "") -> str:
    weight = "; font-weight: normal" if scope == "row" else ""
    scope = f' scope="{scope}"' if scope else ""
    return f'<{tag}{scope} style="{STYLE}{weight}">{html.escape(text)}</{tag}>'
