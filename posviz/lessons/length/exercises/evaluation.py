"""Exercise: repair an evaluation that averages over everything it finds."""

import numpy as np

from posviz.teaching.checker import Checker


def _difference(losses_a, texts_a, losses_b, texts_b, trained, rows):
    return _paired(losses_a, texts_a, losses_b, texts_b)[:, trained:rows].mean()


def _paired(losses_a, texts_a, losses_b, texts_b):
    """b − a on each text that both have read [texts, len]."""
    _, at_a, at_b = np.intersect1d(texts_a, texts_b, return_indices=True)
    return losses_b[at_b] - losses_a[at_a]


def _evaluation_inputs(rng, size):
    """Texts differ far more than arms do; each arm has read some that the other has not."""
    trained = 4 + size
    rows, length = 3 * trained, 4 * trained
    own = rng.normal(2, 1.5, size=(9, length))
    place = np.arange(length)
    cost = 0.8 * np.clip(place - trained, 0, None) / trained - 0.6 + 3 * (place >= rows)
    texts_a, texts_b = rng.permutation(9)[:6], rng.permutation(9)[:7]
    a = own[texts_a] + 0.01 * rng.normal(size=(6, length))
    b = own[texts_b] + cost + 0.01 * rng.normal(size=(7, length))
    return a, texts_a, b, texts_b, trained, rows


# The answer is a function (losses_a [n, len], texts_a [n], losses_b [m, len], texts_b [m], trained,
# rows) -> the mean of b − a past the trained length, over texts that both have read and positions
# for which b's learned table has a row that was trained: the first `rows`.
_ONE_TEXT = np.array([[2.0, 1.0, 3.0, 5.0]]), np.array([7])

check_evaluation = Checker(
    "A repaired evaluation",
    reference=_difference,
    inputs=_evaluation_inputs,
    edges=[
        # One text in common, and a table that ends with the text.
        (*_ONE_TEXT, np.array([[9.0] * 4, [2.0, 1.0, 4.0, 8.0]]), np.array([3, 7]), 2, 4),
        (*_ONE_TEXT, np.array([[2.0, 1.0, 4.0, 8.0]]), np.array([7]), 2, 3),  # one position
    ],
)


@check_evaluation.mistake("all positions averaged")
def _(losses_a, texts_a, losses_b, texts_b, trained, rows):
    """You averaged over positions inside the trained length, too. There both do well, which hides
    what happens after it: begin at `trained`."""
    return _paired(losses_a, texts_a, losses_b, texts_b)[:, :rows].mean()


@check_evaluation.mistake("untrained learned rows")
def _(losses_a, texts_a, losses_b, texts_b, trained, rows):
    """You counted positions whose row of the table was never trained: random numbers are added
    there. That the table ends is a fact of its own; how the model goes on is seen before: end at
    `rows`."""
    return _paired(losses_a, texts_a, losses_b, texts_b)[:, trained:].mean()


@check_evaluation.mistake("only the tail")
def _(losses_a, texts_a, losses_b, texts_b, trained, rows):
    """You took the last position alone. The tail says neither where it begins to go wrong nor how
    fast: take all from `trained` on, and end at `rows`."""
    return _paired(losses_a, texts_a, losses_b, texts_b)[:, rows - 1].mean()


@check_evaluation.mistake("only the tail, untrained")
def _(losses_a, texts_a, losses_b, texts_b, trained, rows):
    """You took the last position of the text alone, and its row was never trained. Take all
    positions from `trained` to `rows`."""
    return _paired(losses_a, texts_a, losses_b, texts_b)[:, -1].mean()


@check_evaluation.mistake("other texts")
def _(losses_a, texts_a, losses_b, texts_b, trained, rows):
    """You compared the means of all texts. Each arm has read some that the other has not, and texts
    differ more than arms: keep those that both have read."""
    return losses_b[:, trained:rows].mean() - losses_a[:, trained:rows].mean()


@check_evaluation.mistake("other data order")
def _(losses_a, texts_a, losses_b, texts_b, trained, rows):
    """You compared line by line. The two arms have read their texts in different orders: bring
    together the lines whose number in `texts_a` and `texts_b` is the same."""
    both = min(len(losses_a), len(losses_b))
    return (losses_b[:both] - losses_a[:both])[:, trained:rows].mean()


@check_evaluation.mistake("a − b")
def _(losses_a, texts_a, losses_b, texts_b, trained, rows):
    """You took a − b. By how much b's loss is higher is asked for: b − a."""
    return -_difference(losses_a, texts_a, losses_b, texts_b, trained, rows)


@check_evaluation.mistake("inside")
def _(losses_a, texts_a, losses_b, texts_b, trained, rows):
    """You compared inside the trained length. What comes after it is asked for: positions from
    `trained` to `rows`."""
    return _paired(losses_a, texts_a, losses_b, texts_b)[:, :trained].mean()
