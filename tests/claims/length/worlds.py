"""Laboratories in which runs come out otherwise: what is planted as an error of the claims."""

from functools import cache

import numpy as np

from posviz.lab.configs import ARMS, REMEDIES
from posviz.lab.tables import ALL_ARMS, CHANGED
from posviz.lab.tasks import TASKS
from tests.lab.made_results import made

SEEDS = 5
TRAINED = {"bytes": 64, "recall": 64, "parity": 8, "majority": 32, "copy unique": 32}
AT_TEST = {"RoPE": CHANGED[:5], "xPos": CHANGED[5:]}


def lengths(task):
    return len(TASKS[task].lengths(TRAINED[task]))


def world(value, places=None):
    """Every arm from every seed: value(loss or not, name, seed, times), and losses by position."""
    return tuple(
        made(
            task,
            arm,
            seed,
            of(task, arm, seed),
            places if task == "bytes" else None,
            {name: of(task, name, seed) for name in AT_TEST.get(arm, ())},
            seq_len=trained,
        )
        for of in [
            lambda *run: [value(run[0] == "bytes", *run[1:], 2**k) for k in range(lengths(run[0]))]
        ]
        for task, trained in TRAINED.items()
        for arm in ARMS + REMEDIES
        for seed in range(SEEDS)
    )


@cache
def flat():
    """A loss of 2 and no wrong answer, everywhere."""
    return world(lambda loss, name, seed, times: 2.0 if loss else 1.0)


@cache
def steep():
    """All lose as much, and most for each doubling."""
    return world(lambda loss, name, seed, times: 2.0 + np.log2(times) if loss else 1 / times)


@cache
def in_order():
    """The later an arm stands on the list, the worse it is beyond, and nowhere a tie."""

    def value(loss, name, seed, times):
        worse = 0.01 * ALL_ARMS.index(name) * np.log2(times)
        return 2.0 + worse if loss else 1.0 - worse

    return world(value)


@cache
def dipping():
    """Losses are low in the second half of the trained length alone."""
    dip = np.where((np.arange(512) >= 32) & (np.arange(512) < 64), 1.0, 2.0)
    return world(lambda loss, name, seed, times: 2.0 if loss else 1.0, dip)
