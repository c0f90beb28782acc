"""Claims: what few runs can tell."""

from itertools import combinations

import numpy as np

from posviz.lab.configs import ARMS
from posviz.lessons.length.claims._runs import values
from posviz.teaching.ledger import Verdict, claim, judge


def _missed(rate: float, seeds: int) -> float:
    """How likely it is that no run fails, if each does with this probability."""
    return (1 - rate) ** seeds


@claim("reporting", section="4 Inside first")
def three_seeds_show_it() -> Verdict:
    """Three seeds are enough to see that a method sometimes fails."""
    missed = {f"there are {seeds} seeds": _missed(0.2, seeds) for seeds in (3, 5, 10)}
    text = (
        "How likely it is that no run fails, where each fails with probability 0.2; enough means "
        "at most 0.05. It takes 14 seeds."
    )
    return judge(missed, lambda share: share <= 0.05, text)


@claim("reporting")
def one_seed_orders() -> Verdict:
    """One seed is enough to say which of two encodings is better."""
    shares = {}
    for task, times in (("bytes", 1), ("bytes", 8), ("recall", 8)):
        found = [values(task, arm, times) for arm in ARMS]
        alike = []
        for one, other in combinations(found, 2):
            apart = np.median(one) - np.median(other)
            alike += [np.sign(a - b) == np.sign(apart) for a, b in zip(one, other, strict=False)]
        shares[f"it is {task} at {times}×"] = float(np.mean(alike))
    text = (
        "Share of pairs of arms and seeds in which one seed orders the two as the medians do; "
        "enough means at least 0.99."
    )
    return judge(shares, lambda share: share >= 0.99, text)


@claim("reporting")
def the_best_run_tells() -> Verdict:
    """The best of several runs says what a reader will get."""
    apart = {}
    for task, times in (("bytes", 8), ("recall", 8)):
        sign = -1 if task == "bytes" else 1
        found = [sign * values(task, arm, times) for arm in ARMS]
        apart[f"it is {task}"] = float(max(each.max() - np.median(each) for each in found))
    text = (
        "The largest distance of the best run to the median, of all arms at 8 times the length, in "
        "nats or as a share; to say it means at most 0.05."
    )
    return judge(apart, lambda distance: distance <= 0.05, text)
