"""Results that are written by hand, for what is made of results."""

import numpy as np

from posviz.lab.configs import Config
from posviz.lab.results import LengthScores, Result
from posviz.lab.tasks import TASKS


def made(task, arm, seed, values, by_place=None, changed=None, **sizes):
    """A run that reads these values at its lengths; changed: {what is changed at test: values}."""
    config = Config(task, arm, seed, **{"steps": 50, "seq_len": 16} | sizes)
    lengths = TASKS[task].lengths(config.seq_len)
    if by_place is None:
        by_place = np.full(len(TASKS[task].places(lengths[-1])), values[-1])
    readings = {
        name: LengthScores(dict(zip(lengths, each, strict=True)), np.asarray(by_place, dtype=float))
        for name, each in {arm: values, **(changed or {})}.items()
    }
    return Result(config, np.array([2.0]), readings, 1.0, "0" * 64, {})
