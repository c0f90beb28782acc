"""How far an encoding reads: two columns of the comparison, from the runs of lesson 12.

Small models were trained on 64 tokens and tested on 512. One column cannot be right: the loss asks
mostly for what stands near, recall for what stands far.
"""

from functools import cache

import numpy as np

from posviz.choosing.rows import HYBRID, NONE, Cell
from posviz.lab.results import by_arm, committed

TRAINED, TESTED = 64, 512  # tokens
UNTRAINED = {"learned": "rows past 64 untrained"}  # a released table ends, and refuses
FLAT = 0.1  # nats by which a loss may grow
KNOWS = 0.9  # of the answers
# The arm that a row is; others were not run. YaRN is what RoPE becomes at test alone.
ARMS = {NONE: "none", "stretched RoPE": "YaRN", HYBRID: "hybrid"} | {
    name: name
    for name in ("sinusoidal", "learned", "T5", "RoPE", "ALiBi", "xPos", "Kerple", "FIRE", "FoX")
}


def loss(row: str) -> Cell:
    """Median loss on Python's library at 64 tokens, as trained, and at 512; ✓ to 0.1 above."""
    if row not in ARMS:
        return _not_run()
    inside, outside = median(ARMS[row], "bytes", TRAINED), median(ARMS[row], "bytes", TESTED)
    return _cell(row, inside, outside, outside - inside < FLAT)


def recall(row: str) -> Cell:
    """Median share of right answers at 64 tokens, as trained, and at 512; ✓ from 0.9 on."""
    if row not in ARMS:
        return _not_run()
    inside, outside = median(ARMS[row], "recall", TRAINED), median(ARMS[row], "recall", TESTED)
    return _cell(row, inside, outside, outside >= KNOWS)


@cache
def median(arm: str, task: str, length: int) -> float:
    """Return the median over the seeds that were run."""
    runs = by_arm(committed(), task)[arm].values()
    return float(np.median([reading.by_length[length] for reading in runs]))


def _cell(row: str, inside: float, outside: float, can: bool) -> Cell:
    can = can and row not in UNTRAINED
    but = f", {UNTRAINED[row]}" if row in UNTRAINED else ""
    return Cell(outside, f"{'✓' if can else '✗'} {inside:.2f} → {outside:.2f}{but}", can)


def _not_run() -> Cell:
    return Cell(np.nan, "not run", False)
