"""Exercise: how likely it is that a few runs show nothing of a failure."""

import numpy as np

from posviz.teaching.checker import Checker


def _missed(rate, seeds):
    return (1 - rate) ** np.asarray(seeds)


def _missed_inputs(rng, size):
    return float(rng.choice([0.1, 0.2, 0.35])), np.sort(rng.permutation(12)[: 2 + size // 2] + 2)


# The answer is a function (rate, seeds [n]) -> the probability [n] that of so many runs, each of
# which fails with probability `rate`, none does.
check_missed = Checker(
    "A failure that is missed",
    reference=_missed,
    inputs=_missed_inputs,
    edges=[(0.25, np.array([1, 2, 3])), (0.25, np.array([4])), (0.0, np.array([2, 3]))],
)


@check_missed.mistake("seen")
def _(rate, seeds):
    """That is how likely you *see* a failure. It is missed where every run succeeds: (1 − rate) to
    the power of the number of runs."""
    return 1 - _missed(rate, seeds)


@check_missed.mistake("all fail")
def _(rate, seeds):
    """That is how likely *all* runs fail. It is missed where none does: take 1 − rate in place of
    the rate."""
    return rate ** np.asarray(seeds)


@check_missed.mistake("rates added")
def _(rate, seeds):
    """You added up the rates of all runs. With enough of them that is below 0: runs that all
    succeed are a product."""
    return 1 - rate * np.asarray(seeds)


@check_missed.mistake("not below 0")
def _(rate, seeds):
    """You added up the rates of all runs and kept the result above 0. Runs that all succeed are a
    product, (1 − rate) times itself."""
    return np.maximum(1 - rate * np.asarray(seeds), 0)


@check_missed.mistake("exactly one")
def _(rate, seeds):
    """That is how likely exactly one run fails. It is missed where none does."""
    seeds = np.asarray(seeds)
    return seeds * rate * (1 - rate) ** (seeds - 1)


@check_missed.mistake("one run")
def _(rate, seeds):
    """That is for one run, however many there are. Each of them has to succeed: take the power."""
    return (1 - rate) * np.ones(len(seeds))
