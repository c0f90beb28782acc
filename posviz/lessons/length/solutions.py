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


def my_means(losses, asked):
    """Of all tokens, and of those that are asked for."""
    return [losses.mean(), losses[asked].mean()]


def my_difference(losses_a, texts_a, losses_b, texts_b, trained, rows):
    """By how much b's loss is higher: one number."""
    _, at_a, at_b = np.intersect1d(texts_a, texts_b, return_indices=True)
    return (losses_b[at_b] - losses_a[at_a])[:, trained:rows].mean()


def my_chance(rate, seeds):
    """Of each number of seeds, how likely it is that nobody sees a failure."""
    return (1 - rate) ** np.asarray(seeds)
