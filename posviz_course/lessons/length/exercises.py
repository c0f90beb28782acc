"""Exercises: reading and reporting what runs say of longer texts."""

import operator

import numpy as np

from posviz.teaching.mistakes import answer, argument, right_on, step, wrong
from posviz_course.lesson_checker import LessonChecker


def late(curves, trained):
    """Mean of each curve over the second half of the trained length."""
    return curves[:, trained // 2 : trained].mean(axis=1)


def past(curves, trained):
    """Mean of each curve past the trained length."""
    return curves[:, trained:].mean(axis=1)


def flattest(
    curves, trained, *, before=late, after=past, compare=operator.sub, choose=np.argmin
):
    """Number of the curve [4, len] that grows least past the trained length."""
    return int(choose(compare(after(curves, trained), before(curves, trained))))


# In each pair, whoever looks elsewhere finds another curve; in one of the two, also another than
# anybody who makes another mistake. In the second pair new positions go on past twice the length.
# In the third, a quotient and the size of the difference find other curves than the difference.
# The last has a trained length that is odd, and with any other length another curve is found.
CURVES = (
    (4, "62434621 51322432 35356346 32344421"),
    (4, "51643456 32145165 32255162 54232631"),
    (4, "7234254455521252 3147145751226754 2266735227775443 4414441475161777"),
    (4, "1162641314145746 6526726746151153 2435275335533432 7672646377353542"),
    (4, "115631731265 737752653132 346541332114 133153235145"),
    (5, "4515246765 7712667421 2442647252 6342141245"),
)


def curve_inputs(rng, size):
    """Four losses by place [4, 4 · trained], in nats, and the trained length, in tokens."""
    trained = 8 + 4 * size
    return np.array([random_curve(rng, trained) for _ in range(4)]), trained


def random_curve(rng, trained):
    """It falls at first; past the trained length it grows, and from twice that on as it likes."""
    place = np.arange(4 * trained)
    new = np.clip(place - trained + 1, 0, None) / trained
    level, start, growth, later = rng.uniform((1.4, 0, 0, -0.5), (2.6, 8, 1.5, 0.5))
    curve = level + start / np.sqrt(1 + place) + growth * np.minimum(new, 1)
    curve += later * np.clip(new - 1, 0, None)
    curve[-1] -= rng.uniform(0, 2)
    return curve + 0.005 * rng.normal(size=len(place))


check_which = LessonChecker(
    "Which curve goes on",
    flattest,
    curve_inputs,
    edges=[(np.array([[*map(int, c)] for c in four.split()]), trained) for trained, four in CURVES],
    mistakes=[
        wrong("lowest inside",
            lambda curves, trained: int(np.argmin(curves[:, :trained].mean(axis=1))),
            "You chose the lowest loss within the trained length. How well a model has learned "
            "says nothing of whether it goes on: compare what comes after with what came before."),
        wrong("lowest of all positions",
            lambda curves, trained: int(np.argmin(curves.mean(axis=1))),
            "You chose the lowest mean over all positions, which mixes how well a model has "
            "learned with how far it goes. Take the mean beyond less the mean inside."),
        step("lowest beyond",
            "You chose the lowest mean past the trained length. A model that learned more may "
            "lose a lot there, and still be lower: take off its mean inside.",
            before=lambda curves, trained: 0),
        step("the last position",
            "You looked at the last position alone. One position is one position: take the mean "
            "of all past the trained length.", after=lambda curves, trained: curves[:, -1]),
        step("up to twice the trained length",
            "You took the mean up to twice the trained length. A curve may go on there and break "
            "later: take all positions past the trained length, curves[:, trained:].",
            after=lambda curves, trained: curves[:, trained : 2 * trained].mean(axis=1)),
        step("the last position left out",
            "You left out the last position: -1 as the end of a slice is not the end of the "
            "curve. Write curves[:, trained:].",
            after=lambda curves, trained: curves[:, trained:-1].mean(axis=1)),
        step("the last trained position left out",
            "You left out the position trained − 1: a slice does not contain its end. Write "
            "curves[:, trained // 2 : trained].",
            before=lambda curves, trained: curves[:, trained // 2 : trained - 1].mean(axis=1)),
        step("half of the curve",
            "You took off the mean of the first half of the whole curve, where many positions are "
            "new. `trained` says where the new ones begin.",
            before=lambda curves, trained: curves[:, : curves.shape[1] // 2].mean(axis=1)),
        step("from the first position",
            "You took the mean of the whole trained length. The first tokens have little before "
            "them, so their loss is high with every encoding, and a curve that begins high seems "
            "to fall. Begin at half of the trained length.",
            before=lambda curves, trained: curves[:, :trained].mean(axis=1)),
        wrong("axis forgotten", lambda curves, trained: 0,
            "You got 0 for all inputs. Without axis=1, mean() makes one number of all four curves, "
            "and np.argmin of one number is 0."),
        step("a quotient",
            "You divided one mean by the other, so a curve that is high seems to grow less. Growth "
            "is a difference: what comes after less what came before.", compare=operator.truediv),
        step("the least change",
            "You took the change that is nearest to 0. A loss that falls past the trained length "
            "has grown even less: leave out np.abs.",
            choose=lambda growth: np.argmin(np.abs(growth))),
        step("the first new position",
            "You looked at the first new position alone. Some curves break later: take the mean of "
            "all past the trained length.", after=lambda curves, trained: curves[:, trained]),
        step("most growth",
            "You chose the curve that grows most. The one that grows least goes on.",
            choose=np.argmax),
    ],
)


def all_runs(runs, inside, solved):
    """Keep every run."""
    return runs


def middle_run(inside, solved):
    """The median of each learning rate [rates]."""
    return np.median(inside, axis=1)


def report(
    inside, beyond, solved, *, best=middle_run, kept=all_runs, middle=np.median, enough=operator.ge
):
    """Median, lowest, highest and share solved, beyond, of the rate best inside [rates, seeds]."""
    rate = np.argmax(best(inside, solved))
    runs = kept(beyond[rate], inside[rate], solved)
    return np.array([middle(runs), runs.min(), runs.max(), enough(runs, solved).mean()])


def report_inputs(rng, size):
    """Accuracies of four learning rates, each the best in another way; some runs fail.

    The first has the best median inside, the second beyond, the third the best run inside, and the
    fourth the best mean inside.
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
    inside = np.vstack([inside, rng.uniform(0.84, 0.88, seeds)])
    beyond = np.vstack([beyond, rng.uniform(0.3, 0.5, seeds)])
    rates, order = rng.permutation(4), rng.permutation(seeds)
    return inside[rates][:, order], beyond[rates][:, order], solved


# Of four learning rates the best median, mean and run inside, and the best median beyond.
THREE_RUNS = (
    np.array([[0.9, 0.8, 0.2], [0.75, 0.7, 0.75], [0.1, 0.6, 0.95], [0.5, 0.4, 0.4]]),
    np.array([[0.5, 0.1, 0.4], [0.3, 0.2, 0.2], [0.6, 0.3, 0.3], [0.7, 0.7, 0.8]]),
)
# An even number of seeds; in one of the two, each other way to choose a rate chooses another.
FOUR_RUNS = (  # in percent
    "86 50 30 56 | 62 43 93 37 | 14 72 45 69 |  5 13 13 48 | 25  9 88 85 | 56 71 24 25",
    "44 43 81 73 | 37  8 94 64 | 28 87 18 44 | 61 79 63 54 | 87 21 77 90 | 36 41 91 92",
)
ELSEWHERE = np.arange(6)[:, None] * [0.12, 0.12, 0, 0.12] + [0, 0, 0.8, 0.05]  # beyond

def odd_inputs(rng, size):
    """Accuracies of six learning rates, by chance, with an odd number of seeds."""
    return *rng.uniform(0.2, 1, (2, 6, 3 + 2 * size)), 0.7


def in_percent(rates):
    """Return the accuracies [rates, seeds] that a text has."""
    return np.array([[int(run) for run in rate.split()] for rate in rates.split("|")]) / 100


check_report = LessonChecker(
    "An honest report",
    report,
    report_inputs,
    edges=[
        (*THREE_RUNS, 0.4),
        (np.array([[0.9]]), np.array([[0.6]]), 0.6),  # one rate, one run
        *((in_percent(runs), ELSEWHERE, 0.7) for runs in FOUR_RUNS),
    ],
    mistakes=[
        argument("chosen by outside results",
            "You chose the learning rate by what it gives beyond the trained length. Then the "
            "test takes part in the training: choose by the accuracies inside, and look beyond "
            "once.", inside=lambda beyond: beyond),
        step("chosen by the mean inside",
            "You chose the learning rate by its mean inside. A run that did not learn pulls the "
            "mean down, although most runs are good: choose by the median.",
            best=lambda inside, solved: inside.mean(axis=1)),
        step("chosen by the best run",
            "You chose the learning rate by its best run inside. One lucky run decides then: "
            "choose by the median.", best=lambda inside, solved: inside.max(axis=1)),
        step("chosen by the worst run",
            "You chose the learning rate by its worst run inside. One run that failed decides "
            "then: choose by the median.", best=lambda inside, solved: inside.min(axis=1)),
        step("chosen by the spread",
            "You chose the learning rate whose runs differ least. They may all be bad: choose by "
            "the median.", best=lambda inside, solved: -inside.std(axis=1)),
        step("chosen by the share inside",
            "You chose the learning rate by how many runs solve the task inside. Several rates "
            "may have the same share: choose by the median.",
            best=lambda inside, solved: (inside >= solved).mean(axis=1)),
        step("the best of seeds",
            "You report the best run in place of the median. The next reader has one run, and "
            "half of all are below the median.", middle=np.max),
        step("mean",
            "You took the mean. Where runs either solve a task or do not, no run is near it: "
            "take the median, and tell how many solve it.", middle=np.mean),
        step("failed runs left out",
            "You left out the runs that are below `solved`. They are results, too: a reader who "
            "trains once may get one.", kept=lambda runs, inside, solved: runs[runs >= solved]),
        step("those that did not learn left out",
            "You left out the run that did not learn inside. It did not fail to generalise, that "
            "is true, but whoever trains this model gets such runs: report all, and the share "
            "inside beside it.", kept=lambda runs, inside, solved: runs[inside > 0.5]),
        answer("a count", lambda told, beyond: told * [1, 1, 1, beyond.shape[1]],
            "You counted the runs that solve it. The share is asked for: divide by how many "
            "there are."),
        step("above, not at least",
            "You counted runs above `solved`. A run that has just so much has solved it: compare "
            "with >=.", enough=operator.gt),
        step("axis forgotten",
            "You chose the first learning rate for all inputs. Without axis=1, np.median makes one "
            "number of all rates, and np.argmax of one number is 0.",
            best=lambda inside, solved: np.median(inside)),
        answer("the highest first", lambda told: told[[0, 2, 1, 3]],
            "You returned the highest before the lowest. The lowest comes second."),
        answer("the share that fails", lambda told: np.append(told[:3], 1 - told[3]),
            "You returned the share of runs that fail. The share that solves it is asked for."),
        argument("the runs inside",
            "You report the accuracies inside. The learning rate is chosen by those; what is "
            "reported is what it gives beyond.", beyond=lambda inside: inside),
        right_on("an odd number of seeds only",
            odd_inputs,
            "Your report is right where the number of seeds is odd. With an even number no run is "
            "in the middle, and the median is the mean of two runs: use np.median."),
    ],
)
