"""Exercise: what a table of runs says, reported so that nobody is misled."""

import numpy as np

from posviz.teaching.checker import Checker


def _report(inside, beyond, solved):
    return _summary(beyond[_chosen(inside)], solved)


def _chosen(values):
    """The learning rate with the best median."""
    return int(np.argmax(np.median(values, axis=1)))


def _summary(runs, solved):
    return np.array([np.median(runs), runs.min(), runs.max(), np.mean(runs >= solved)])


def _report_inputs(rng, size):
    """Accuracies of three learning rates, each the best in another way; some runs fail.

    The first has the best median inside, the second beyond, and the third the best run inside.
    """
    seeds = 4 + size
    lowest, highest = np.array([[0.93, 0.8, 0.8], [0.96, 0.9, 0.9]])[..., None]
    inside = rng.uniform(lowest, highest, (3, seeds))
    inside[2, -1] = 0.99
    lowest, highest = np.array([[0.5, 0.75, 0.4], [0.7, 0.9, 0.6]])[..., None]
    beyond = rng.uniform(lowest, highest, (3, seeds))
    beyond[0, -1] = 0.97
    inside[:, :2], beyond[:, :2] = 0.2, [[0.1], [0.1], [0.0]]  # seeds that did not learn
    solved = float(np.sort(beyond[0])[seeds // 2 + 1])  # just as much as one run has
    rates, order = rng.permutation(3), rng.permutation(seeds)
    return inside[rates][:, order], beyond[rates][:, order], solved


# The answer is a function (inside [rates, seeds], beyond [rates, seeds], solved) -> of the learning
# rate with the best median inside, [median, lowest, highest, share of runs with at least `solved`],
# all of its accuracies beyond.
check_report = Checker(
    "An honest report",
    reference=_report,
    inputs=_report_inputs,
    edges=[
        (
            np.array([[0.9, 0.8, 0.2], [0.7, 0.6, 0.95]]),
            np.array([[0.5, 0.1, 0.4], [0.6] * 3]),
            0.4,
        ),
        (np.array([[0.9]]), np.array([[0.6]]), 0.6),  # one rate, one run
    ],
)


@check_report.mistake("chosen by outside results")
def _(inside, beyond, solved):
    """You chose the learning rate by what it gives beyond the trained length. Then the test takes
    part in the training: choose by the accuracies inside, and look beyond once."""
    return _summary(beyond[_chosen(beyond)], solved)


@check_report.mistake("chosen by the best run")
def _(inside, beyond, solved):
    """You chose the learning rate by its best run inside. One lucky run decides then: choose by
    the median."""
    return _summary(beyond[int(np.argmax(inside.max(axis=1)))], solved)


@check_report.mistake("the best of seeds")
def _(inside, beyond, solved):
    """You report the best run in place of the median. The next reader has one run, and half of all
    are below the median."""
    _, lowest, highest, share = _report(inside, beyond, solved)
    return np.array([highest, lowest, highest, share])


@check_report.mistake("mean")
def _(inside, beyond, solved):
    """You took the mean. Where runs either solve a task or do not, no run is near it: take the
    median, and tell how many solve it."""
    _, *rest = _report(inside, beyond, solved)
    return np.array([beyond[_chosen(inside)].mean(), *rest])


@check_report.mistake("failed runs left out")
def _(inside, beyond, solved):
    """You left out the runs that are below `solved`. They are results, too: a reader who trains
    once may get one."""
    runs = beyond[_chosen(inside)]
    return _summary(runs[runs >= solved], solved)


@check_report.mistake("those that did not learn left out")
def _(inside, beyond, solved):
    """You left out the run that did not learn inside. It did not fail to generalise, that is true,
    but whoever trains this model gets such runs: report all, and the share inside beside it."""
    chosen = _chosen(inside)
    return _summary(beyond[chosen][inside[chosen] > 0.5], solved)


@check_report.mistake("a count")
def _(inside, beyond, solved):
    """You counted the runs that solve it. The share is asked for: divide by how many there are."""
    *rest, share = _report(inside, beyond, solved)
    return np.array([*rest, share * beyond.shape[1]])


@check_report.mistake("above, not at least")
def _(inside, beyond, solved):
    """You counted runs above `solved`. A run that has just so much has solved it: compare with
    >=."""
    *rest, _ = _report(inside, beyond, solved)
    return np.array([*rest, np.mean(beyond[_chosen(inside)] > solved)])


@check_report.mistake("the runs inside")
def _(inside, beyond, solved):
    """You report the accuracies inside. The learning rate is chosen by those; what is reported is
    what it gives beyond."""
    return _summary(inside[_chosen(inside)], solved)


@check_report.mistake("all rates together")
def _(inside, beyond, solved):
    """You report the runs of all learning rates together. Choose one of them first, by the median
    inside."""
    return _summary(beyond.ravel(), solved)
