"""What a model must do, and which rows of the comparison can do it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from posviz.choosing.census import FILES
from posviz.choosing.columns import COLUMNS
from posviz.choosing.rows import PLANS, ROWS, Cell
from posviz.encodings.checks import require_choice

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
    "kernel": {
        "any": (),
        "flash, without a bias": ("flash",),
        "FlexAttention": ("FlexAttention",),
    },
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


LIMITS = {  # what the advice rests on, by what was asked
    True: "This advice rests on models of two layers, trained on 64 tokens: yours may differ.",
    False: "This advice rests on what one layer can do: it does not say how well a trained model "
    "does it.",
}


class Verdicts(NamedTuple):
    """Of each row what it fails in, by column, in the order of the questions; and the advice."""

    asked: tuple[str, ...]
    faults: dict[str, dict[str, Cell]]
    advice: str

    @property
    def lit(self) -> list[str]:
        """The rows that fail in nothing, those that most model files have first."""
        return sorted((row for row, found in self.faults.items() if not found), key=_unused)

    @property
    def used(self) -> list[str]:
        """Those of the lit rows that released model files have."""
        return [row for row in self.lit if files(row)]

    @property
    def unknown(self) -> list[str]:
        """The rows that fail in nothing, but were not measured in all that is asked for."""
        return [
            row
            for row, found in self.faults.items()
            if found and not any(measured(*each) for each in found.items())
        ]


def choose(answers: Mapping[str, str]) -> Verdicts:
    """Judge every row by the answers to some questions; the others ask for nothing.

    Raises:
        ValueError: for a question or an answer that there is not.
    """
    for question, answer in answers.items():
        require_choice(question, "a question", tuple(QUESTIONS))
        require_choice(answer, repr(question), tuple(QUESTIONS[question]))
    asked = tuple(
        dict.fromkeys(
            column for question, answer in answers.items() for column in QUESTIONS[question][answer]
        )
    )
    faults = {
        row: {name: found for name in asked if not (found := COLUMNS[name](row)).can}
        for row in (*ROWS, *PLANS)
    }
    found = Verdicts(asked, faults, "")
    limit = LIMITS["loss" in asked or "recall" in asked]
    return found._replace(advice=f"{_advice(found)} {limit}")


def fault(column: str, found: Cell) -> str:
    """Say in a few words why a row fails in a column."""
    if not measured(column, found):
        return f"{column} not measured here"
    return FAULTS[column].format(found.said.removeprefix("✗ "))


def measured(column: str, found: Cell) -> bool:
    """Whether it was measured here: not every encoding has been trained for loss and recall."""
    return column not in ("loss", "recall") or not np.isnan(found.number)


def files(row: str) -> int:
    """Return in how many model files it is found; 0 for what has no count of its own."""
    return int(np.nan_to_num(COLUMNS["census"](row).number))


def _unused(row: str) -> int:
    return -files(row)


def _advice(found: Verdicts) -> str:
    """What can do it all, those that most model files have first; or what is nearest to it."""
    used = found.used
    untried = [row for row in found.lit if row not in used]
    only = f" Only measured here: {_listed(untried)}." if untried else ""
    if used:
        best = used[0]
        but = "".join(
            f" But {best}: {name} {cell.said[2:]}."
            for name, cell in _other_answer(found.asked, best)
        )
        start = "These can do it, most used first" if len(used) > 1 else "In use, and can do it"
        first = f"{best} ({files(best)} of {FILES} files)"
        return (
            f"{start}: {_listed([first, *used[1:]])}.{but}{only} Use is not quality: see section 5."
        )
    best = min(filter(files, found.faults), key=lambda row: (_failed(found, row), _unused(row)))
    lacks = "; ".join(fault(*each) for each in found.faults[best].items())
    return (
        f"No released encoding is known to do all of it. The nearest is {best}, but: {lacks}.{only}"
    )


def _other_answer(asked: tuple[str, ...], row: str) -> list[tuple[str, Cell]]:
    """Where only one of loss and recall was asked for: the other one, if the row fails in it."""
    both = {name: COLUMNS[name](row) for name in ("loss", "recall")}
    others = [(name, cell) for name, cell in both.items() if name not in asked]
    return [(name, cell) for name, cell in others if len(others) == 1 and not cell.can]


def _listed(rows: list[str]) -> str:
    """The first four by name: the lit rows are shown anyway."""
    more = f"; {len(rows) - 4} more" if len(rows) > 4 else ""
    return "; ".join(rows[:4]) + more


def _failed(found: Verdicts, row: str) -> int:
    """In how many columns it was measured and fails."""
    return sum(not np.isnan(cell.number) for cell in found.faults[row].values())
