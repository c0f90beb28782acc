"""Exercise: measure whether a layer sees where a text stands."""

from functools import partial

import numpy as np

from posviz.teaching.checker import Checker

BY = 100  # tokens by which the text is moved


def _moved(layer, positions):
    return np.abs(_change(layer, positions)).max()


def _change(layer, positions):
    return layer(positions + BY) - layer(positions)


def _outputs(content, out, waves, positions):
    """Outputs [len, 3] that are a little else at each position."""
    return content + out * np.sin(np.outer(positions, waves))


def _falling(positions):
    """Outputs [len, 1] that change by −2 in 100 positions."""
    return -positions[:, None] / 50


def _relative(positions):
    """Outputs [len, 1] that do not change where all positions move."""
    return (positions - positions[0])[:, None] + 1.0


def _inputs(rng, size):
    waves, out = rng.uniform(0.1, 2, size=3), rng.normal(size=3)
    content = rng.normal(size=(2 + size, 3))
    return partial(_outputs, content, out, waves), np.arange(2 + size)


# The answer is a function (layer, positions [len]) -> the largest change, where layer(positions)
# returns outputs [len, d].
check_moved = Checker(
    "Does it see where a text stands?",
    reference=_moved,
    inputs=_inputs,
    edges=[
        (_falling, np.arange(3)),
        (_falling, np.array([5])),  # one token
        (_relative, np.arange(3)),
    ],
)


@check_moved.mistake("no absolute value")
def _(layer, positions):
    """You took the largest change and not the largest absolute one: a change down counts, too."""
    return _change(layer, positions).max()


@check_moved.mistake("mean")
def _(layer, positions):
    """You took the mean. Where one output of many changes, a mean hides it: take the largest."""
    return np.abs(_change(layer, positions)).mean()


@check_moved.mistake("one token farther")
def _(layer, positions):
    """You moved it by 1. Slow waves hardly turn in one token: move it by 100."""
    return np.abs(layer(positions + 1) - layer(positions)).max()


@check_moved.mistake("positions times 100")
def _(layer, positions):
    """You multiplied the positions, which takes tokens apart: distances change. Add 100."""
    return np.abs(layer(positions * BY) - layer(positions)).max()


@check_moved.mistake("outputs moved")
def _(layer, positions):
    """You moved the outputs of one pass along. Call the layer twice: at the positions given, and at
    those 100 farther."""
    return np.abs(np.roll(layer(positions), BY, axis=0) - layer(positions)).max()


@check_moved.mistake("changes returned")
def _(layer, positions):
    """You returned all changes. One number is asked for, the largest."""
    return np.abs(_change(layer, positions))
