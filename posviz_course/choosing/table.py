"""The comparison as a table, in a notebook or as text."""

import html
import sys
from dataclasses import dataclass

from tqdm import tqdm

from posviz.encodings.checks import require_choice
from posviz_course.choosing.columns import COLUMNS
from posviz_course.choosing.rows import PLANS, ROWS, Cell

COSTS = ("memory", "time")  # functions of posviz_course.choosing.costs: of this machine, of no plan
STYLE = "text-align: left; vertical-align: top; white-space: nowrap"


@dataclass(frozen=True, repr=False)
class Comparison:
    """Rows and their cells, and what each column measures; shows itself as a table or as text."""

    measures: dict[str, str]
    rows: dict[str, tuple[Cell, ...]]

    def __repr__(self) -> str:
        lines = [("", *self.measures)]
        lines += [(row, *(cell.said for cell in cells)) for row, cells in self.rows.items()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        return "\n".join([*padded, "", *map(": ".join, self.measures.items())])

    def _repr_html_(self) -> str:
        head = "".join(_cell("th", name, "col") for name in ("", *self.measures))
        body = "".join(
            f"<tr>{_cell('th', row, 'row')}{''.join(_cell('td', cell.said) for cell in cells)}</tr>"
            for row, cells in self.rows.items()
        )
        pairs = ((html.escape(name), html.escape(text)) for name, text in self.measures.items())
        notes = "".join(f"<li><strong>{name}</strong>: {text}</li>" for name, text in pairs)
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<details><summary>What the columns measure</summary><ul>{notes}</ul></details>"
        )


def comparison(*columns: str) -> Comparison:
    """Measure these columns of every row, such as "door"; "memory" and "time" on this machine."""
    for name in columns:
        require_choice(name, "a column", (*COLUMNS, *COSTS))
    every, on_this_machine = dict(COLUMNS), set(columns) & set(COSTS)
    if on_this_machine:
        from posviz_course.choosing import costs  # loads torch

        every |= {"memory": costs.memory, "time": costs.time}
    measures = {name: " ".join((every[name].__doc__ or "").split()) for name in columns}
    rows = ROWS if on_this_machine else (*ROWS, *PLANS)
    bar = tqdm(rows, unit="row", file=sys.stdout, disable=not on_this_machine)
    return Comparison(measures, {row: tuple(every[name](row) for name in columns) for row in bar})


def _cell(tag: str, text: str, scope: str = "") -> str:
    weight = "; font-weight: normal" if scope == "row" else ""
    scope = f' scope="{scope}"' if scope else ""
    return f'<{tag}{scope} style="{STYLE}{weight}">{html.escape(text)}</{tag}>'
