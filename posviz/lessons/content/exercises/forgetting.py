"""Exercise: FoX's bias by cumulative sums."""

import numpy as np

from posviz.encodings.fox import fox_bias
from posviz.teaching.checker import Checker


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _bias(logits):
    return _between(np.log(_sigmoid(logits)))


def _between(added):
    """What is added from the key, which does not count, to the query, which does."""
    return np.tril(fox_bias(added))


def _steps(logits):
    tokens = np.arange(len(logits))
    return np.maximum(tokens[:, None] - tokens, 0)


def _logits(rng, size):
    return (rng.normal(size=2 + size) + 1.0,)


# The answer is a function (logits [len], before the sigmoid) -> bias [len, len], rows are queries,
# 0 for keys ahead.
check_fox = Checker(
    "The bias of FoX",
    reference=_bias,
    inputs=_logits,
    edges=[
        (np.array([0.0, 2.0, -1.0]),),
        (np.array([1.0]),),  # one token
    ],
)


@check_fox.mistake("key's own gate counted")
def _(logits):
    """You summed from the key itself. A gate forgets what came before its token, so the key's own
    does not count: begin at j + 1. On the diagonal the sum is empty, 0."""
    gates = np.log(_sigmoid(logits))
    return np.tril(fox_bias(gates) + gates)


@check_fox.mistake("query's own gate left out")
def _(logits):
    """You stopped before the query. Its own gate forgets all that came before it, so it counts:
    the sum goes up to i, inclusive."""
    gates = np.log(_sigmoid(logits))
    return np.tril(fox_bias(gates) - gates[:, None], -1)


@check_fox.mistake("one token early")
def _(logits):
    """Your sums go from j to i − 1. They go from j + 1 to i: the query's gate is in, the key's is
    not."""
    gates = np.log(_sigmoid(logits))
    return np.tril(fox_bias(gates) + gates - gates[:, None], -1)


@check_fox.mistake("gates not logged")
def _(logits):
    """You summed the gates themselves. A score stands in an exponent, where a product becomes a
    sum: take their logarithms."""
    return _between(_sigmoid(logits))


@check_fox.mistake("sigmoid forgotten")
def _(logits):
    """You summed the logits. The gate is σ(logit), between 0 and 1; the sum is of ln σ(logit)."""
    return _between(logits)


@check_fox.mistake("sign")
def _(logits):
    """Your bias is above 0, so far keys gain. ln of a gate is below 0, and so is the bias."""
    return -_bias(logits)


@check_fox.mistake("what is forgotten")
def _(logits):
    """You took 1 − σ, or σ of the negative. The gate says how much is kept: an open one, 1, leaves
    all scores as they are."""
    return _bias(-logits)


@check_fox.mistake("the product itself")
def _(logits):
    """That is the product of the gates, by which weights are multiplied. Asked for is what is added
    to scores: its logarithm."""
    return np.tril(np.exp(_bias(logits)))


@check_fox.mistake("summed from the first token")
def _(logits):
    """Your rows are constant: you summed from the first token to the query for every key, and a
    softmax does not see that. Subtract the sum up to the key."""
    sums = np.cumsum(np.log(_sigmoid(logits)))
    return np.tril(np.broadcast_to(sums[:, None], 2 * sums.shape))


@check_fox.mistake("query's gate for every step")
def _(logits):
    """You took the query's gate for all tokens between. Each of them has its own."""
    return _steps(logits) * np.log(_sigmoid(logits))[:, None]


@check_fox.mistake("one gate for all tokens")
def _(logits):
    """You took the mean of the gates for all: that is ALiBi. Each token has a gate of its own."""
    return _steps(logits) * np.log(_sigmoid(logits)).mean()


@check_fox.mistake("keys ahead not 0")
def _(logits):
    """Looking ahead your difference of sums is above 0. A mask hides these keys; return 0 there:
    np.tril."""
    return fox_bias(np.log(_sigmoid(logits)))


@check_fox.mistake("−inf ahead")
def _(logits):
    """You wrote −inf for keys ahead. That is the mask's work; the bias of a key ahead is 0 here."""
    ahead = np.triu(np.ones(2 * [len(logits)], dtype=bool), 1)
    return np.where(ahead, -np.inf, _bias(logits))


@check_fox.mistake("rows are keys")
def _(logits):
    """Your rows are keys. Rows are queries: the sum up to the query is sums[:, None]."""
    return _bias(logits).T


@check_fox.mistake("log2")
def _(logits):
    """You took the logarithm to base 2. The softmax takes e to the power of a score: np.log."""
    return _bias(logits) / np.log(2)
