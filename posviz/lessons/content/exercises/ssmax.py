"""Exercise: Scalable-Softmax, which sharpens a row by the logarithm of the keys that it sees."""

import numpy as np

from posviz.attention import softmax
from posviz.teaching.checker import Checker


def _seen(allowed):
    """How many keys each row sees [q_len, 1]."""
    return allowed.sum(axis=-1, keepdims=True)


def _hidden(scores, allowed):
    return np.where(allowed, scores, -np.inf)


def _weights(scores, scale, allowed):
    return _sharpened(scores, scale * np.log(_seen(allowed)), allowed)


def _sharpened(scores, factor, allowed):
    return softmax(_hidden(factor * scores, allowed))


def _ssmax_inputs(rng, size):
    """A causal mask; of most texts the last tokens are padding, and hidden."""
    length = 2 + size
    tokens = np.arange(length)
    allowed = (tokens <= tokens[:, None]) & (tokens < length - size % 3)
    return rng.normal(size=(length, length)), float(rng.choice([0.4, 0.7, 1.6])), allowed


# The answer is a function (scores [q_len, k_len], scale, allowed [q_len, k_len], True where a row
# sees a key) -> weights [q_len, k_len], 0 for hidden keys.
check_ssmax = Checker(
    "Scalable-Softmax",
    reference=_weights,
    inputs=_ssmax_inputs,
    edges=[
        (np.arange(9.0).reshape(3, 3) / 4, 0.7, np.tri(3, dtype=bool)),
        (np.array([[2.0]]), 0.7, np.array([[True]])),  # one token
    ],
)


@check_ssmax.mistake("plain softmax")
def _(scores, scale, allowed):
    """Those are the weights of a plain softmax. If you added or subtracted something: what all
    scores of a row get changes no weight. They are multiplied by scale · ln n."""
    return _sharpened(scores, 1, allowed)


@check_ssmax.mistake("ln n added or subtracted")
def _(scores, scale, allowed):
    """You multiplied by the scale, and added or subtracted ln n, which changes no weight: all
    scores of a row get the same. They are multiplied by scale · ln n."""
    return _sharpened(scores, scale, allowed)


@check_ssmax.mistake("one n for all rows")
def _(scores, scale, allowed):
    """You took the length of the text for n in every row. A row counts the keys that it sees."""
    return _sharpened(scores, scale * np.log(scores.shape[1]), allowed)


@check_ssmax.mistake("padding counted")
def _(scores, scale, allowed):
    """You counted padded keys, too. By its position a row sees i + 1 keys, but some are hidden:
    count what `allowed` allows."""
    rows = np.arange(1, len(scores) + 1)[:, None]
    return _sharpened(scores, scale * np.log(rows), allowed)


@check_ssmax.mistake("most that any row sees")
def _(scores, scale, allowed):
    """You took one n for all rows, the most that any of them sees. Each row has its own."""
    return _sharpened(scores, scale * np.log(_seen(allowed).max()), allowed)


@check_ssmax.mistake("log2")
def _(scores, scale, allowed):
    """You took the logarithm to base 2. It is the natural one: np.log."""
    return _sharpened(scores, scale * np.log2(_seen(allowed)), allowed)


@check_ssmax.mistake("log10")
def _(scores, scale, allowed):
    """You took the logarithm to base 10. It is the natural one: np.log."""
    return _sharpened(scores, scale * np.log10(_seen(allowed)), allowed)


@check_ssmax.mistake("ln missing")
def _(scores, scale, allowed):
    """You multiplied by n itself. It is the logarithm of n: a softmax takes e to the power of a
    score, and e to the power of z · ln n is n to the power of z."""
    return _sharpened(scores, scale * _seen(allowed), allowed)


@check_ssmax.mistake("ln(n + 1)")
def _(scores, scale, allowed):
    """You took ln(n + 1). A row that sees one key has ln 1 = 0, and gives it all the weight, so
    nothing has to be added."""
    return _sharpened(scores, scale * np.log1p(_seen(allowed)), allowed)


@check_ssmax.mistake("scale left out")
def _(scores, scale, allowed):
    """You left the scale out. A head learns it: scores are multiplied by scale · ln n."""
    return _sharpened(scores, np.log(_seen(allowed)), allowed)


@check_ssmax.mistake("scale inside the logarithm")
def _(scores, scale, allowed):
    """You took ln(scale · n). The scale stands before the logarithm."""
    return _sharpened(scores, np.log(scale * _seen(allowed)), allowed)


@check_ssmax.mistake("1 added")
def _(scores, scale, allowed):
    """You multiplied by 1 + scale · ln n. That is how Llama 4 writes a temperature; here there is
    no 1."""
    return _sharpened(scores, 1 + scale * np.log(_seen(allowed)), allowed)


@check_ssmax.mistake("on the weights")
def _(scores, scale, allowed):
    """You multiplied the weights, after the softmax, so that rows no longer sum to 1. Multiply the
    scores."""
    return scale * np.log(_seen(allowed)) * _sharpened(scores, 1, allowed)


@check_ssmax.mistake("hidden keys at 0")
def _(scores, scale, allowed):
    """You set hidden scores to 0, and e⁰ is 1: hidden keys get weight. Set them to −inf before the
    softmax."""
    return softmax(np.where(allowed, scale * np.log(_seen(allowed)) * scores, 0.0))


@check_ssmax.mistake("hidden after the softmax")
def _(scores, scale, allowed):
    """You hid keys after the softmax: they have had their part, and rows no longer sum to 1. Set
    their scores to −inf before it."""
    return allowed * softmax(scale * np.log(_seen(allowed)) * scores)


@check_ssmax.mistake("nothing hidden")
def _(scores, scale, allowed):
    """Your rows give weight to hidden keys. Set their scores to −inf before the softmax."""
    return softmax(scale * np.log(_seen(allowed)) * scores)
