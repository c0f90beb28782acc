"""How long a lesson takes, by a rule that was held against readers with a clock."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from nbformat import NotebookNode

from posviz.publish.lesson import about

WORDS, LINE = 1 / 140, 0.15  # minutes for a word, for a line of code that a reader sees
ASKED = {  # minutes for what a cell asks
    r"^predict\(": 2,
    r"^recall\(": 2,
    r"^audit\(": 3,
    r"\.explore\(\)": 3.5,
    r"^check_\w+\(": 8,
}
SKIPPED = r"\s*(from|import|#)"  # a line that nobody stops at
STEP = 5  # minutes, to which times are rounded


@dataclass
class Spent:
    """Minutes with what is read, and with what is tried or written."""

    reading: float = 0
    doing: float = 0

    @property
    def all(self) -> float:
        """Both together."""
        return self.reading + self.doing


def spent(cells: Iterable[NotebookNode]) -> tuple[Spent, Spent]:
    """Minutes of a lesson, and of what is optional: from the cell on whose role says so."""
    lesson, optional = Spent(), Spent()
    part = lesson
    for cell in cells:
        part = optional if about(cell).get("role") == "optional" else part
        if cell.cell_type == "markdown":
            part.reading += WORDS * len(cell.source.split())
        elif asked := [each for each in ASKED if re.search(each, cell.source, re.MULTILINE)]:
            part.doing += sum(ASKED[each] for each in asked)
        else:
            lines = [line for line in cell.source.splitlines() if line.strip()]
            part.reading += LINE * sum(not re.match(SKIPPED, line) for line in lines)
    return lesson, optional


def rounded(minutes: float) -> int:
    """In steps of five; what takes any time takes five minutes."""
    return STEP * max(1, round(minutes / STEP)) if minutes else 0
