"""Exercise: a loss over all tokens, and over the few that ask for something said before."""

import numpy as np

from posviz.teaching.checker import Checker


def _both(losses, asked):
    return np.array([losses.mean(), losses[asked].mean()])


def _needle_inputs(rng, size):
    """Losses of ordinary tokens are about 1; of the few that ask, about 4; some texts ask more."""
    asked = np.zeros((3, 8 + 4 * size), dtype=bool)
    for row, count in enumerate((1, 2, 3)):
        asked[row, rng.permutation(asked.shape[1])[:count]] = True
    losses = np.where(asked, rng.normal(4, 1, asked.shape), rng.normal(1, 0.2, asked.shape))
    return losses, asked


# The answer is a function (losses [texts, len], asked [texts, len], True where the next token is
# one that was said before) -> [mean loss of all tokens, mean loss of those that are asked for].
check_needles = Checker(
    "Two means",
    reference=_both,
    inputs=_needle_inputs,
    edges=[
        (np.array([[1.0, 2.0, 6.0]]), np.array([[False, False, True]])),  # one text
        (np.array([[1.0, 5.0], [3.0, 4.0]]), np.array([[False, True], [False, False]])),
    ],
)


@check_needles.mistake("asked over all")
def _(losses, asked):
    """You divided the loss of the asked tokens by the number of all tokens. So few of them hardly
    show in a mean over all, which is the point: divide by how many are asked."""
    return np.array([losses.mean(), (losses * asked).mean()])


@check_needles.mistake("text by text")
def _(losses, asked):
    """You took the mean of each text first, so that a token of a text that asks little counts more.
    Take one mean over all asked tokens."""
    means = [text[these].mean() for text, these in zip(losses, asked, strict=True)]
    return np.array([losses.mean(), np.mean(means)])


@check_needles.mistake("the others")
def _(losses, asked):
    """Your second number is the mean of the tokens that are *not* asked for. Use `asked`, not
    `~asked`."""
    return np.array([losses.mean(), losses[~asked].mean()])


@check_needles.mistake("all without the asked")
def _(losses, asked):
    """Your first number leaves out the asked tokens. The loss that is usually told is that of all
    tokens."""
    return np.array([losses[~asked].mean(), losses[asked].mean()])


@check_needles.mistake("swapped")
def _(losses, asked):
    """You have both, in the other order: first the mean of all, then that of the asked tokens."""
    return _both(losses, asked)[::-1]


@check_needles.mistake("a sum")
def _(losses, asked):
    """Your second number is a sum. Divide by how many tokens are asked."""
    return np.array([losses.mean(), losses[asked].sum()])
