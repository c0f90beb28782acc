"""A table with a field above it, in which words are searched for."""

from dataclasses import dataclass
from pathlib import Path

import traitlets

from posviz.pictures.reruns import take_over_cell
from posviz.pictures.scripts import as_module
from posviz.pictures.widget import CourseWidget

SEARCHED = "posviz-searched"  # the class of what holds a table
PLACE = '<p class="posviz-search"><small>Run this cell to search.</small></p>'
# It scrolls in a box of its own: a notebook that is read goes on below it.
BOX = "max-height: 26em; overflow: auto"


class Search(CourseWidget):
    """The field; name: the class of the tables that it searches."""

    _esm = as_module(Path(__file__).parent / "search.js")

    name = traitlets.Unicode().tag(sync=True)

    def still(self) -> tuple[dict[str, str], dict]:
        """A place for the field, which a page puts there."""
        return {"text/html": PLACE, "text/plain": ""}, {}


@dataclass(frozen=True, repr=False)
class Searched:
    """A table as HTML and as text, by a name; in a notebook a field stands above it."""

    name: str
    table: str
    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<div class="{SEARCHED} {self.name}" style="{BOX}">{self.table}</div>'

    def _ipython_display_(self) -> None:
        from IPython.display import display

        field = Search(name=self.name)
        take_over_cell(field)
        display(field)
        display({"text/html": self._repr_html_(), "text/plain": self.text}, raw=True)
