"""What the heads of a model do with a text, and whether they look by position or by content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

SHUFFLES = 4  # of one text: the share that stays moves by about 0.02 from one four to another


class Look(NamedTuple):
    """A text as every head sees it, and as it sees the same words in another order.

    Shapes: weights and shuffled [layers, heads, len, len]; by_offset and left_in_place [layers,
    heads], as the functions of these names have it, the second a mean of SHUFFLES orders.
    """

    words: list[str]
    weights: np.ndarray
    shuffled_words: list[str]
    shuffled: np.ndarray
    by_offset: np.ndarray
    left_in_place: np.ndarray


def look(model: Any, text: str, most: int) -> Look:
    """Let a model read the first tokens of a text, ``most`` of them, and the same ones shuffled.

    The model is a ``SmallModel``, a ``LoadedModel``, or what has their ``ids``, ``words``,
    ``weights`` and ``longest``. An empty text is a blank.
    """
    ids = model.ids(text or " ")[: min(most, model.longest or most)]
    weights, orders = model.weights(ids), shuffled(ids)
    others = [model.weights(order) for order in orders]
    return Look(
        words=model.words(ids),
        weights=weights,
        shuffled_words=model.words(orders[0]),
        shuffled=others[0],
        by_offset=by_offset(weights),
        left_in_place=np.mean([left_in_place(weights, other) for other in others], axis=0),
    )


def shuffled(ids: Sequence[int]) -> list[list[int]]:
    """Return tokens in SHUFFLES other orders; the first stays, which often opens every text."""
    random = np.random.default_rng(0)
    return [[*ids[:1], *random.permutation(ids[1:]).tolist()] for _ in range(SHUFFLES)]


def left_in_place(weights: Any, others: Any) -> np.ndarray:
    """Return the share of weight that is the same in both maps, of all queries after the first.

    1: the maps are the same; 0: no key has weight in both. It is 1 − the total variation distance.

    Shapes: both [..., len, len], result [...]; NaN where there is one token alone.
    """
    shares = np.minimum(weights, others).sum(axis=-1)[..., 1:]
    return shares.mean(axis=-1) if shares.shape[-1] else np.full(shares.shape[:-1], np.nan)


def by_offset(weights: Any) -> np.ndarray:
    """Return the correlation of weights with their mean at each offset, of causal maps.

    1: a weight depends on the offset alone; the first query, whose weight is always 1, is left out.

    Shapes: [..., len, len], result [...]; NaN where weights are all the same.
    """
    count = weights.shape[-1]
    if count < 2:
        return np.full(weights.shape[:-2], np.nan)
    queries, keys = np.tril_indices(count)
    queries, keys = queries[1:], keys[1:]
    offsets, seen = queries - keys, weights[..., queries, keys]
    at = np.eye(count)[offsets]  # which offset a pair has, [pairs, offsets]
    expected = (seen @ at / np.maximum(at.sum(axis=0), 1)) @ at.T
    with np.errstate(invalid="ignore"):
        return np.sqrt(expected.var(axis=-1) / seen.var(axis=-1))
