"""Results as arrays: what all runs of one task read, arm by arm."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np

from posviz.encodings.checks import require_choice
from posviz_course.lab.configs import ARMS, AT_TEST, REMEDIES
from posviz_course.lab.named import SIZES
from posviz_course.lab.results import Result
from posviz_course.lab.tasks import REPEATED, TASKS, UNIQUE, VALUES

ALL_ARMS = (*ARMS, *REMEDIES, *chain(*AT_TEST.values()))  # in the order in which they are shown
SOLVED = 0.9  # of the answers
GUESSED = {  # the share that is right by chance
    "recall": 1 / VALUES,
    "copy unique": 1 / UNIQUE,
    "copy repeats": 1 / REPEATED,
    "parity": 1 / 2,
    "majority": 1 / 2,
}


@dataclass(frozen=True, eq=False)
class Table:
    """All runs of a task: what each reads at every length, and at every place of the longest.

    trained: tokens of the longest text in training. Shapes: lengths [lengths], places [bins], as
    ``Task.places`` begins them; of each arm that has runs, by_length [runs, lengths] and by_place
    [runs, bins], runs in the order of their seeds. Units: nats or shares, as the task measures.
    """

    task: str
    trained: int
    lengths: np.ndarray
    places: np.ndarray
    by_length: dict[str, np.ndarray]
    by_place: dict[str, np.ndarray]


def table(results: Iterable[Result], task: str) -> Table:
    """Return the runs of a task; what is changed only at test is an arm, too.

    Without any runs it is a table without arms. Their trained length must be the same.
    """
    require_choice(task, "task", tuple(TASKS))
    results = [result for result in results if result.config.task == task]
    results.sort(key=lambda result: result.config.seed)
    short = {result.config.seq_len for result in results} or {SIZES[task].get("seq_len", 64)}
    if len(short) > 1:
        raise ValueError(f"runs must have one seq_len for {task}, got {sorted(short)}")
    [trained], by_length, by_place = short, {}, {}
    for arm in ALL_ARMS:
        runs = [result.readings[arm] for result in results if arm in result.readings]
        if runs:
            by_length[arm] = np.array([[*run["by_length"].values()] for run in runs])
            by_place[arm] = np.array([run["by_place"] for run in runs], dtype=float)
    lengths = TASKS[task].lengths(trained)
    places = TASKS[task].places(lengths[-1])
    return Table(task, trained, np.array(lengths), places, by_length, by_place)
