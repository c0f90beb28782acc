"""Solutions: train short, test long."""

import numpy as np


def my_choice(curves, trained):
    """The number of the curve that goes on: 0, 1, 2 or 3."""
    before = curves[:, trained // 2 : trained].mean(axis=1)
    return np.argmin(curves[:, trained:].mean(axis=1) - before)


def my_report(inside, beyond, solved):
    """Median, lowest, highest, share that solves it."""
    runs = beyond[np.argmax(np.median(inside, axis=1))]
    return np.array([np.median(runs), runs.min(), runs.max(), np.mean(runs >= solved)])
