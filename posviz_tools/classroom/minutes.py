"""How long a lesson takes, by a rule that was compared with timed readers."""

import re
from collections.abc import Iterable

from nbformat import NotebookNode

from posviz_tools.notebooks import about

WORDS, LINE = 1 / 140, 0.15  # minutes for a word, for a line of code that a reader sees
ASKED = {  # minutes for what a cell asks
    r"^predict\(": 2,
    r"^recall\(": 2,
    r"^audit\(": 3,
    r"\.explore\(\)": 3.5,
    r"^check_\w+\(": 8,
}
SKIPPED = r"\s*(from|import|#)"  # lines that nobody spends time on
STEP = 5  # minutes, to which times are rounded


def spent(cells: Iterable[NotebookNode]) -> dict[str, float]:
    """Minutes of "reading", of "doing" (to try, to write), and of all that is "optional".

    What is optional begins with the cell whose role says so.
    """
    minutes, is_optional = {"reading": 0.0, "doing": 0.0, "optional": 0.0}, False
    for cell in cells:
        is_optional = is_optional or about(cell).get("role") == "optional"
        asked = [pattern for pattern in ASKED if re.search(pattern, cell.source, re.MULTILINE)]
        if cell.cell_type == "markdown":
            kind, needed = "reading", WORDS * len(cell.source.split())
        elif asked:
            kind, needed = "doing", sum(ASKED[pattern] for pattern in asked)
        else:
            lines = [line for line in cell.source.splitlines() if line.strip()]
            kind, needed = "reading", LINE * sum(not re.match(SKIPPED, line) for line in lines)
        minutes["optional" if is_optional else kind] += needed
    return minutes


def rounded(minutes: float) -> int:
    """In steps of five; what takes any time takes five minutes."""
    return STEP * max(1, round(minutes / STEP)) if minutes else 0
