"""Exercises: write one attention head, find how a sentence was shuffled."""

import numpy as np

from posviz.attention import attend, softmax
from posviz.encodings.doors import NoPosition
from posviz.teaching.checker import Checker


def _head(x, w_q, w_k, w_v):
    """One attention head without positions or mask: x [len, d_model] -> [len, head_dim]."""
    positions = np.arange(len(x))
    return attend(x[None], w_q, w_k, w_v, num_heads=1, encoding=NoPosition(), positions=positions)[
        0
    ]


def _head_inputs(rng, size):
    d_model, head_dim = size + 2, 4 - 2 * (size % 2)  # unlike, so that √d_model is not √head_dim
    projections = rng.normal(size=(3, d_model, head_dim))
    return rng.normal(size=(size + 1, d_model)), *projections


def one_token(inputs):
    """Inputs with the first token alone."""
    x, *rest = inputs(np.random.default_rng(0), 1)
    return x[:1], *rest


# The answer is a function (x [len, d_model], w_q, w_k, w_v [d_model, head_dim]) -> [len, head_dim].
check_attention = Checker(
    "One attention head",
    reference=_head,
    inputs=_head_inputs,
    edges=[one_token(_head_inputs)],
)


def _products(x, w_q, w_k):
    return (x @ w_q) @ (x @ w_k).T


def _weights(x, w_q, w_k):
    return softmax(_products(x, w_q, w_k) / np.sqrt(w_q.shape[1]))


@check_attention.mistake("softmax over the wrong axis")
def _(x, w_q, w_k, w_v):
    """Your softmax runs down the columns. Every query shares out its own attention, so each row of
    weights sums to 1: take it over the last axis, the keys."""
    return softmax(_products(x, w_q, w_k).T / np.sqrt(w_q.shape[1])).T @ (x @ w_v)


@check_attention.mistake("softmax over the whole matrix")
def _(x, w_q, w_k, w_v):
    """Your softmax divides by the sum of the whole matrix; divide each row by its own sum:
    axis=-1, keepdims=True."""
    scores = _products(x, w_q, w_k) / np.sqrt(w_q.shape[1])
    return softmax(scores.ravel()).reshape(scores.shape) @ (x @ w_v)


@check_attention.mistake("keepdims forgotten")
def _(x, w_q, w_k, w_v):
    """Your softmax divides column j by the sum of row j, for NumPy lines a vector up with the
    columns. Keep the summed axis: sum(axis=-1, keepdims=True)."""
    powers = np.exp(_products(x, w_q, w_k) / np.sqrt(w_q.shape[1]))
    return powers / powers.sum(axis=-1) @ (x @ w_v)


@check_attention.mistake("1/√head_dim missing")
def _(x, w_q, w_k, w_v):
    """You forgot to divide the scores by √head_dim: without it they grow with head_dim, and the
    softmax looks at one token alone."""
    return _head(x, w_q * np.sqrt(w_q.shape[1]), w_k, w_v)


@check_attention.mistake("divided by head_dim")
def _(x, w_q, w_k, w_v):
    """You divided the scores by head_dim; divide by its square root, the standard deviation of a
    sum of head_dim products."""
    return _head(x, w_q / np.sqrt(w_q.shape[1]), w_k, w_v)


@check_attention.mistake("divided by √d_model")
def _(x, w_q, w_k, w_v):
    """You divided the scores by √d_model. The sum in q·k has head_dim terms: divide by
    √head_dim, the width of the queries and keys."""
    return _head(x, w_q * np.sqrt(w_q.shape[1] / x.shape[1]), w_k, w_v)


@check_attention.mistake("divided by √len")
def _(x, w_q, w_k, w_v):
    """You divided the scores by √len, which counts the tokens. The sum in q·k has head_dim terms:
    divide by √head_dim, the width of the queries and keys."""
    return _head(x, w_q * np.sqrt(w_q.shape[1] / len(x)), w_k, w_v)


@check_attention.mistake("divided by √2")
def _(x, w_q, w_k, w_v):
    """You divided the scores by √2 at every width. It was √head_dim for the three words of
    section 1; take the width from the queries, q.shape[-1]."""
    return _head(x, w_q * np.sqrt(w_q.shape[1] / 2), w_k, w_v)


@check_attention.mistake("divided by √8")
def _(x, w_q, w_k, w_v):
    """You divided the scores by √8 at every width. It was √head_dim for the heads of section 4;
    take the width from the queries, q.shape[-1]."""
    return _head(x, w_q * np.sqrt(w_q.shape[1] / 8), w_k, w_v)


@check_attention.mistake("multiplied by √head_dim")
def _(x, w_q, w_k, w_v):
    """You multiplied the scores by √head_dim; divide by it, so that their variance stays 1 at
    every width."""
    return _head(x, w_q * w_q.shape[1], w_k, w_v)


@check_attention.mistake("scaled after the softmax")
def _(x, w_q, w_k, w_v):
    """You divided by √head_dim after the softmax, so the weights no longer sum to 1. Divide the
    scores, before it."""
    width = np.sqrt(w_q.shape[1])
    return _head(x, w_q * width, w_k, w_v) / width


@check_attention.mistake("keys weighted instead of values")
def _(x, w_q, w_k, w_v):
    """You weighted the keys. Keys only decide how much a token is looked at; what is summed are
    the values, x @ w_v."""
    return _head(x, w_q, w_k, w_k)


@check_attention.mistake("inputs weighted instead of values")
def _(x, w_q, w_k, w_v):
    """You weighted the rows of x; project them to values first, with w_v."""
    return _weights(x, w_q, w_k) @ x


@check_attention.mistake("scores transposed")
def _(x, w_q, w_k, w_v):
    """Your scores are transposed: row i belongs to query i, so it holds q_i·k_j for every key j.
    Compute q @ k.T, not k @ q.T."""
    return _head(x, w_k, w_q, w_v)


@check_attention.mistake("weights transposed")
def _(x, w_q, w_k, w_v):
    """You transposed the weights: row i says how much query i takes of each value, so the output
    is weights @ v, not weights.T @ v."""
    return _weights(x, w_q, w_k).T @ (x @ w_v)


@check_attention.mistake("causal mask applied")
def _(x, w_q, w_k, w_v):
    """You let each token look only at itself and at those before it. This head has no mask: every
    token looks at all of them."""
    scores = _products(x, w_q, w_k) / np.sqrt(w_q.shape[1])
    return softmax(np.where(np.tri(len(x), dtype=bool), scores, -np.inf)) @ (x @ w_v)


@check_attention.mistake("softmax missing")
def _(x, w_q, w_k, w_v):
    """You weighted the values by the scores themselves; the softmax must first make each row
    positive and sum to 1."""
    return _products(x, w_q, w_k) / np.sqrt(w_q.shape[1]) @ (x @ w_v)


@check_attention.mistake("exp forgotten")
def _(x, w_q, w_k, w_v):
    """You divided each row of scores by its sum. The softmax takes np.exp of the scores first, so
    that all weights are positive."""
    scores = _products(x, w_q, w_k)
    return scores / scores.sum(axis=-1, keepdims=True) @ (x @ w_v)


@check_attention.mistake("weights returned")
def _(x, w_q, w_k, w_v):
    """You returned the weights; one step is left: they weight the values, weights @ v."""
    return _weights(x, w_q, w_k)


@check_attention.mistake("scores returned")
def _(x, w_q, w_k, w_v):
    """You returned the scores; two steps are left: the softmax turns each row into weights, and
    the weights sum up the values."""
    return _products(x, w_q, w_k) / np.sqrt(w_q.shape[1])


def find_permutation(head, inputs, outputs) -> np.ndarray:
    """Return the order for which head(inputs[order]) is outputs: it moves rows, never mixes them.

    Shapes: head a function [len, d_model] -> [len, d_model], inputs and outputs [len, d_model],
    result [len].
    """
    return _nearest(outputs, head(inputs))


def _nearest(rows, choices):
    return np.abs(rows[:, None] - choices).sum(axis=-1).argmin(axis=-1)


def _shuffled_sentence(rng, size):
    while (
        True
    ):  # until no two rows of the outputs are so near that np.isclose takes one for the other
        x, *projections = rng.normal(size=(4, size + 1, size + 1))
        rows = _head(x, *projections)
        if (np.abs(rows[:, None] - rows).sum(axis=-1) + np.eye(size + 1)).min() > 0.01:
            break
    cycle = rng.permutation(size + 1)
    order = np.empty_like(cycle)
    order[cycle] = np.roll(cycle, 1)  # one cycle: every row moves, and three make an inverse unlike

    def head(rows):
        return _head(rows, *projections)

    return head, x, order


def _shuffled_inputs(rng, size):
    head, x, order = _shuffled_sentence(rng, size)
    return head, x, head(x[order])


def _reordered(order):
    head, x, _ = _shuffled_sentence(np.random.default_rng(0), len(order) - 1)
    return head, x, head(x[order])


# The answer is a function (head, inputs, outputs) -> order [len], where outputs is
# head(inputs[order]): the reader is given the head, its inputs and its outputs after a shuffle.
check_permutation = Checker(
    "The order of the shuffled sentence",
    reference=find_permutation,
    inputs=_shuffled_inputs,
    edges=[_reordered([2, 1, 0]), _reordered([0])],  # a token that stays, one token
)


@check_permutation.mistake("inverse permutation")
def _(head, inputs, outputs):
    """You found the inverse: entry i must say which input stands in place i of the shuffled
    sentence, and yours says where input i went. Compare each row of outputs with all of
    head(inputs), not the other way round."""
    return np.argsort(find_permutation(head, inputs, outputs))


@check_permutation.mistake("identity")
def _(head, inputs, outputs):
    """You returned 0, 1, 2, …, as if nothing had been shuffled: the rows of outputs stand in
    another order than those of head(inputs)."""
    return np.arange(len(inputs))


@check_permutation.mistake("inputs compared with outputs")
def _(head, inputs, outputs):
    """You compared outputs with the inputs themselves. Rows that belong together are equal only
    after the head: compare with head(inputs)."""
    return _nearest(outputs, inputs)


@check_permutation.mistake("permutation matrix")
def _(head, inputs, outputs):
    """You returned the matrix P. Return the order instead: P.argmax(axis=1)."""
    return np.eye(len(inputs))[find_permutation(head, inputs, outputs)]


@check_permutation.mistake("counted from 1")
def _(head, inputs, outputs):
    """Your order is right, but counted from 1; rows are counted from 0."""
    return find_permutation(head, inputs, outputs) + 1


@check_permutation.harmless_on("exact comparison")
def _(rng, size):
    """You asked for rows that are exactly equal. The shuffled head adds up in another order, so the
    rows agree only up to rounding: take the nearest row, or compare with np.isclose."""
    head, x, order = _shuffled_sentence(rng, size)
    return head, x, head(x)[order]
