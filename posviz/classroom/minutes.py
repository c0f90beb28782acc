"""How long a lesson takes, by a rule: for its words, for what it asks, for its exercises."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from nbformat import NotebookNode

from posviz.publish.lesson import about

WORDS, ASKED, EXERCISE = 1 / 200, 3, 8  # minutes for a word, a prediction or explorer, an exercise
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
        else:
            asked = re.findall(r"^predict\(|\.explore\(\)", cell.source, re.MULTILINE)
            exercises = re.findall(r"^check_\w+\(", cell.source, re.MULTILINE)
            part.doing += ASKED * len(asked) + EXERCISE * len(exercises)
    return lesson, optional


def rounded(minutes: float) -> int:
    """In steps of five; what takes any time takes five minutes."""
    return STEP * max(1, round(minutes / STEP)) if minutes else 0
