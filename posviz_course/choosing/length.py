"""How far an encoding reads: two columns of the comparison, from the runs of lesson 12.

Small models were trained on 64 tokens and tested on 512. One column cannot be right: the loss
depends mostly on near tokens, recall on far ones.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from posviz_course.choosing.rows import HYBRID, NONE, Cell, marked
from posviz_course.lab.results import committed
from posviz_course.lab.tables import table

TRAINED, TESTED = 64, 512  # tokens
FLAT = 0.1  # nats by which a loss may grow
KNOWS = 0.9  # of the answers
# The arm of each row; other rows were not run. YaRN is RoPE, changed at test alone.
ARMS = {NONE: "none", "stretched RoPE": "YaRN", HYBRID: "hybrid"} | {
    name: name
    for name in ("sinusoidal", "learned", "T5", "RoPE", "ALiBi", "xPos", "Kerple", "FIRE", "FoX")
}


def loss(row: str) -> Cell:
    """Median loss on Python's library at 64 tokens, as trained, and at 512; ✓ to 0.1 above."""
    return _cell(row, "bytes", lambda inside, outside: outside - inside < FLAT)


def recall(row: str) -> Cell:
    """Median share of right answers at 64 tokens, as trained, and at 512; ✓ from 0.9 on."""
    return _cell(row, "recall", lambda inside, outside: outside >= KNOWS)


@cache
def median(arm: str, task: str, length: int) -> float:
    """Return the median over the seeds that were run."""
    runs = table(committed(), task)
    return float(np.median(runs.by_length[arm][:, runs.lengths == length]))


def _cell(row: str, task: str, can: Callable[[float, float], bool]) -> Cell:
    if row not in ARMS:
        return Cell(np.nan, "not run", None)
    inside, outside = (median(ARMS[row], task, length) for length in (TRAINED, TESTED))
    untrained = row == "learned"  # a released table ends at its last row, and refuses
    more = ", rows past 64 untrained" if untrained else ""
    shown = f"{inside:.2f} → {outside:.2f}{more}"
    return marked(outside, shown, can(inside, outside) and not untrained)
