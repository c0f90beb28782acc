"""Exercise: of four curves of losses, the one that goes on past the trained length."""

import numpy as np

from posviz.teaching.checker import Checker


def _flattest(curves, trained):
    return int(np.argmin(_growth(curves, trained)))


def _growth(curves, trained):
    """How much higher each curve is beyond than in the second half inside."""
    return curves[:, trained:].mean(axis=1) - curves[:, trained // 2 : trained].mean(axis=1)


# In each, whoever looks elsewhere finds another curve; in one of the two, also another than anybody
# who makes another mistake.
CURVES = (
    [
        [6, 2, 4, 3, 4, 6, 2, 1],
        [5, 1, 3, 2, 2, 4, 3, 2],
        [3, 5, 3, 5, 6, 3, 4, 6],
        [3, 2, 3, 4, 4, 4, 2, 1],
    ],
    [
        [5, 1, 6, 4, 3, 4, 5, 6],
        [3, 2, 1, 4, 5, 1, 6, 5],
        [3, 2, 2, 5, 5, 1, 6, 2],
        [5, 4, 2, 3, 2, 6, 3, 1],
    ],
)


def _curve_inputs(rng, size):
    trained = 8 + 4 * size
    return np.array([_random_curve(rng, trained) for _ in range(4)]), trained


def _random_curve(rng, trained):
    """It falls at first; past the trained length it grows, and may come down at its very end."""
    place = np.arange(4 * trained)
    past = np.clip(place - trained + 1, 0, None) / trained
    level, start, growth = rng.uniform((1.4, 0, 0), (2.6, 8, 1.5))
    curve = level + start / np.sqrt(1 + place) + growth * np.minimum(past, 1)
    curve[-1] -= rng.uniform(0, 2)
    return curve + 0.005 * rng.normal(size=len(place))


# The answer is a function (curves [4, len], trained) -> the number of the curve that grows least:
# its mean past the trained length less its mean in the second half of that length.
check_which = Checker(
    "Which curve goes on",
    reference=_flattest,
    inputs=_curve_inputs,
    edges=[(np.array(curves), 4) for curves in CURVES],
)


@check_which.mistake("lowest inside")
def _(curves, trained):
    """You chose the lowest loss within the trained length. How well a model has learned says
    nothing of whether it goes on: compare what comes after with what came before."""
    return int(np.argmin(curves[:, :trained].mean(axis=1)))


@check_which.mistake("lowest of all positions")
def _(curves, trained):
    """You chose the lowest mean over all positions, which mixes how well a model has learned with
    how far it goes. Take the mean beyond less the mean inside."""
    return int(np.argmin(curves.mean(axis=1)))


@check_which.mistake("lowest beyond")
def _(curves, trained):
    """You chose the lowest mean past the trained length. A model that learned more may lose a lot
    there, and still be lower: take off its mean inside."""
    return int(np.argmin(curves[:, trained:].mean(axis=1)))


@check_which.mistake("the last position")
def _(curves, trained):
    """You looked at the last position alone. One position is one position: take the mean of all
    past the trained length."""
    inside = curves[:, trained // 2 : trained].mean(axis=1)
    return int(np.argmin(curves[:, -1] - inside))


@check_which.mistake("from the first position")
def _(curves, trained):
    """You took the mean of the whole trained length. The first tokens have little before them, so
    their loss is high with every encoding, and a curve that begins high seems to fall. Begin at
    half of the trained length."""
    return int(np.argmin(curves[:, trained:].mean(axis=1) - curves[:, :trained].mean(axis=1)))


@check_which.mistake("most growth")
def _(curves, trained):
    """You chose the curve that grows most. The one that grows least goes on."""
    return int(np.argmax(_growth(curves, trained)))
