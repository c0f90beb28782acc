"""Exercise of lesson 13: measure whether a layer sees the position of a text."""

from functools import partial

import numpy as np

from posviz.teaching.mistakes import POSITIONS_IGNORED, step, wrong
from posviz_course.lesson_checker import LessonChecker


def _farther(positions):
    return positions + 100


def moved(layer, positions, *, there=_farther, size=np.abs, largest=np.max):
    """Return the largest change of layer(positions) [len, d] where the text moves by 100."""
    return largest(size(layer(there(positions)) - layer(positions)))


def _outputs(content, out, waves, positions):
    """Return outputs [len, 3] that are a little else at each position."""
    return content + out * np.sin(np.outer(positions, waves))


def _falling(positions):
    """Return outputs [len, 1] that change by −2 in 100 positions."""
    return -positions[:, None] / 50


def _growing(positions):
    """Return outputs [len, 1] that change by more, the farther the position."""
    return positions[:, None] ** 2 / 1000.0


def _relative(positions):
    """Return outputs [len, 1] that do not change where all positions move."""
    return (positions - positions[0])[:, None] + 1.0


def _inputs(rng, size):
    waves, out = rng.uniform(0.1, 2, size=3), rng.normal(size=(2 + size, 3))
    positions = 1 + np.sort(rng.choice(8 * size, 2 + size, replace=False))  # with gaps
    return partial(_outputs, rng.normal(size=(2 + size, 3)), out, waves), positions


check_moved = LessonChecker(
    "The largest change of an output",
    moved,
    _inputs,
    edges=[
        (_falling, np.arange(3)),
        (_falling, np.array([5])),
        (_relative, np.arange(3)),
        (_growing, np.array([3, 8, 21])),
    ],
    mistakes=[
        step("no absolute value",
            "You took the largest change and not the largest absolute one: a change down counts "
            "as well.", size=lambda change: change),
        step("absolute value last",
            "You took the absolute value of the largest change. A change down may be larger: take "
            "absolute values first.",
            size=lambda change: change, largest=lambda change: abs(np.max(change))),
        step("sum", "You added up all changes. The largest one is asked for.", largest=np.sum),
        step("norm of a row",
            "You took the norm of each row of changes. Take the largest single number.",
            largest=lambda sizes: np.linalg.norm(sizes, axis=1).max()),
        step("norm",
            "You took the norm of all changes, which grows with their number. The largest one is "
            "asked for.", largest=np.linalg.norm),
        step("mean",
            "You took the mean. Where one output of many changes, a mean hides it: take the "
            "largest.", largest=np.mean),
        step("one token farther",
            "You moved it by 1. Slow waves hardly change in one token: move it by 100.",
            there=lambda positions: positions + 1),
        step("positions times 100",
            "You multiplied the positions, which takes tokens apart: distances change. Add 100.",
            there=lambda positions: positions * 100),
        wrong("outputs moved",
            lambda layer, positions: np.ptp(
                [np.roll(layer(positions), 100, 0), layer(positions)], 0
            ).max(),
            "You moved the outputs of one pass. Call the layer twice: at the positions "
            "given, and at those 100 farther."),
        POSITIONS_IGNORED,
        step("changes returned", "You returned all changes. One number is asked for, the largest.",
            largest=lambda sizes: sizes),
    ],
)
