"""Tables of words, in a box that scrolls; on a page a field above them searches for words."""

from collections.abc import Iterable
from dataclasses import dataclass

LEFT = "text-align: left"
CELL = f"{LEFT}; vertical-align: top; white-space: normal"


def table_of(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Headings and rows, each cell in HTML, as an HTML table."""
    head = "".join(f'<th scope="col" style="{LEFT}">{name}</th>' for name in heads)
    lines = ("".join(f'<td style="{CELL}">{cell}</td>' for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@dataclass(frozen=True, repr=False)
class Searched:
    """A table as HTML and as text."""

    table: str
    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """The place of a page's field, and the table; a notebook that is read goes on below it."""
        box = "max-height: 26em; overflow: auto"
        table = f'<div class="posviz-searched" style="{box}">{self.table}</div>'
        return f'<p class="posviz-search"></p>{table}'
