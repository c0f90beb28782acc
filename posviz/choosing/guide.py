"""What a model must do, and which rows of the comparison can do it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from posviz.choosing.columns import COLUMNS
from posviz.choosing.rows import ROWS, Cell

# By question, of each answer the columns in which a row has to have a ✓.
QUESTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "reads": {
        "text, left to right": (),
        "text, both ways": ("both ways",),
        "patches of an image": ("2-D", "both ways"),
    },
    "later": {
        "never longer texts": (),
        "longer texts, stretched for them": ("stretched",),
        "longer texts, untrained; near things": ("loss",),
        "longer texts, untrained; far things": ("recall",),
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
    "both ways": "reversed: {}",
    "2-D": "sees no line's end",
    "stretched": "positions: {}",
    "loss": "loss {}",
    "recall": "recall {}",
    "flash": "needs {}",
    "FlexAttention": "no bias for one pair",
    "parameters": "{} learned numbers",
    "cached": "off by {} with a cache",
    "relative": "moved, it changes by {}",
    "between": "tokens between: {}",
}


class Verdicts(NamedTuple):
    """Of each row what it fails in, by column, in the order of the questions; and the advice."""

    asked: tuple[str, ...]
    faults: dict[str, dict[str, Cell]]
    advice: str

    @property
    def lit(self) -> list[str]:
        """The rows that fail in nothing."""
        return [row for row, faults in self.faults.items() if not faults]


def choose(answers: Mapping[str, str]) -> Verdicts:
    """Judge every row by the answers to some questions; the others ask for nothing.

    Raises:
        KeyError: for a question or an answer that there is not.
    """
    asked = tuple(
        dict.fromkeys(
            column for question, answer in answers.items() for column in QUESTIONS[question][answer]
        )
    )
    faults = {
        row: {name: found for name in asked if not (found := COLUMNS[name](row)).can}
        for row in ROWS
    }
    return Verdicts(asked, faults, _advice(asked, faults))


def fault(column: str, found: Cell) -> str:
    """Say in a few words why a row fails in a column."""
    return FAULTS[column].format(found.said.removeprefix("✗ "))


def _used(row: str) -> float:
    """In how many model files it is found."""
    return float(np.nan_to_num(COLUMNS["census"](row).number))


def _advice(asked: tuple[str, ...], faults: dict[str, dict[str, Cell]]) -> str:
    """One sentence: the row to take, with the cells that were asked for, or the nearest."""
    fewest = min(map(len, faults.values()))
    nearest = [row for row, found in faults.items() if len(found) == fewest]
    best = max(nearest, key=_used)
    where = COLUMNS["census"](best).said
    if fewest:
        lacks = "; ".join(f"{name}: {found.said}" for name, found in faults[best].items())
        return f"No row does all of it; {best} ({where} files) fails only in {lacks}."
    cells = "".join(f"; {name}: {COLUMNS[name](best).said}" for name in asked)
    others = ", ".join(row for row in nearest if row != best)
    return f"Take {best}, found in {where} files{cells}{'; as well: ' * bool(others)}{others}."
