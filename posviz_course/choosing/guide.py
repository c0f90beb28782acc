"""What a model must do, and which rows of the comparison can do it."""

import math
from collections.abc import Collection, Mapping
from html import escape
from typing import NamedTuple

from posviz.encodings.checks import require_choice
from posviz_course.choosing.census import CENSUS, FILES
from posviz_course.choosing.columns import COLUMNS
from posviz_course.choosing.rows import PLANS, ROWS, Cell
from posviz_course.tables import table_of

# By question, of each answer the columns in which a row has to have a ✓.
QUESTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "reads": {
        "text, left to right": ("positions",),
        "text, both ways": ("positions", "both ways"),
        "patches of an image": ("2-D", "both ways"),
    },
    "later": {
        "never longer texts": (),
        "longer texts, stretched for them": ("stretched",),
        "longer texts, untrained; near things": ("loss",),
        "longer texts, untrained; far things": ("recall",),
        "longer texts, untrained; near and far": ("loss", "recall"),
    },
    "kernel": {"any": (), "flash, without a bias": ("flash",), "FlexAttention": ("FlexAttention",)},
    "learns": {"any number": (), "nothing": ("parameters",)},
    "cache": {"none": (), "keys are cached": ("cached",)},
    "distance": {
        "of any kind": (),
        "a shift changes nothing": ("relative",),
        "by what stands between": ("between",),
    },
}
FAULTS = {  # what a cell means to a row that fails in it; {} is the cell
    "positions": "needs a row and a column",
    "both ways": "reversed: {}",
    "2-D": "does not see where a line ends",
    "stretched": "positions: {}",
    "loss": "loss {}",
    "recall": "recall {}",
    "flash": "the kernel needs {}",
    "FlexAttention": "no bias for one pair",
    "parameters": "{} learned numbers",
    "cached": "off by {} with a cache",
    "relative": "moved, it changes by {}",
    "between": "reads no token between",
}
RUNS = "loss", "recall"  # the columns that rest on trained models
LIMITS = {  # what the advice rests on, by what was asked
    "trained models": "This advice rests on models of two layers, trained on 64 tokens: "
    "yours may differ.",
    "one layer": "This advice rests on what one layer can do: it does not say how well a trained "
    "model does it.",
}


class Verdicts(NamedTuple):
    """What every row fails in, by column, and the advice; shows itself as a table or as text.

    lit: the rows that fail in nothing, those that most model files have first; used: those of them
    that model files have. unknown: rows that fail in nothing that was measured of them.
    """

    faults: dict[str, dict[str, Cell]]
    lit: list[str]
    used: list[str]
    unknown: list[str]
    advice: str

    def groups(self) -> dict[str, list[str]]:
        """Rows by what becomes of them: those that can do it, and for each first fault the rest."""
        found = {
            "✓ in released models": [f"{row} ({files(row)} files)" for row in self.used],
            "○ no files of its own": [row for row in self.lit if row not in self.used],
            "? not measured here": list(self.unknown),
        }
        for row, cells in self.faults.items():
            if row not in (*self.lit, *self.unknown):
                column, cell = next(each for each in cells.items() if each[1].can is False)
                if column in RUNS:  # a number of each row
                    found.setdefault(f"✗ {column}", []).append(f"{row} {cell.said[2:]}")
                else:
                    found.setdefault(f"✗ {fault(column, cell)}", []).append(row)
        return {name: rows for name, rows in found.items() if rows}

    def __repr__(self) -> str:
        lines = [f"{name}: {'; '.join(rows)}" for name, rows in self.groups().items()]
        return "\n".join([*lines, "", self.advice])

    def _repr_html_(self) -> str:
        cells = [(name, "; ".join(rows)) for name, rows in self.groups().items()]
        table = table_of(("what becomes of it", "encodings"), [map(escape, row) for row in cells])
        return f"{table}<p>{escape(self.advice)}</p>"


def choose(answers: Mapping[str, str]) -> Verdicts:
    """Judge every row by the answers to some questions; the others ask for nothing."""
    for question, answer in answers.items():
        require_choice(question, "a question", tuple(QUESTIONS))
        require_choice(answer, repr(question), tuple(QUESTIONS[question]))
    asked = dict.fromkeys(name for each in answers.items() for name in QUESTIONS[each[0]][each[1]])
    faults = {}
    for row in (*ROWS, *PLANS):
        cells = {column: _measured(row, column, asked) for column in asked}
        faults[row] = {column: cell for column, cell in cells.items() if not cell.can}
    lit = sorted((row for row in faults if not faults[row]), key=files, reverse=True)
    used = [row for row in lit if files(row)]
    unknown = [row for row, cells in faults.items() if cells and not _failed(cells)]
    return Verdicts(faults, lit, used, unknown, _advice(asked, faults, lit, used))


def _measured(row: str, column: str, asked: Collection[str]) -> Cell:
    """Return the cell of a row; what causal models can do is not measured both ways."""
    cell = COLUMNS[column](row)
    if cell.can and column in RUNS and "both ways" in asked:
        return Cell(math.nan, "not run", None)
    return cell


def fault(column: str, cell: Cell) -> str:
    """Say in a few words why a row fails in a column."""
    if cell.can is None:
        return f"{column} not measured here"
    return FAULTS[column].format(cell.said.removeprefix("✗ "))


def files(row: str) -> int:
    """Return in how many model files it is found; 0 for what has no count of its own."""
    return CENSUS[row].files if row in CENSUS else 0


def _advice(asked, faults, lit, used) -> str:
    """Name the rows that can do it all, the most used first, or else the nearest row."""
    left = [name for name in RUNS if name not in asked]
    is_trained = len(left) < len(RUNS) and "both ways" not in asked
    limits = LIMITS["trained models" if is_trained else "one layer"]
    untried = [row for row in lit if row not in used]
    only = f" Without files of their own: {_listed(untried)}." if untried else ""
    if not used:
        best = min(filter(files, faults), key=lambda row: (_failed(faults[row]), -files(row)))
        lacks = "; ".join(fault(*each) for each in faults[best].items())
        start = "No released encoding is known to do all of it. The nearest is"
        return f"{start} {best}, but: {lacks}.{only} {limits}"
    best = used[0]
    start = "These can do it, most used first" if len(used) > 1 else "In use, and can do it"
    named = _listed([f"{best} ({files(best)} of {FILES} files)", *used[1:]])
    but = ""
    if len(left) == 1 and not (other := COLUMNS[left[0]](best)).can:
        but = f" But {best}: {left[0]} {other.said[2:]}."
    end = f"Use is not quality: see section 5. {limits}"
    return f"{start}: {named}.{but}{only} {end}"


def _listed(rows: list[str]) -> str:
    """The first four by name: the lit rows are shown anyway."""
    return "; ".join([*rows[:4], *([f"{len(rows) - 4} more"] if len(rows) > 4 else [])])


def _failed(faults: dict[str, Cell]) -> int:
    """In how many columns a row was measured and fails."""
    return sum(cell.can is False for cell in faults.values())
