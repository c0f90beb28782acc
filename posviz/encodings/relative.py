"""Offsets between tokens, and encodings that add one number per offset to the scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_array, as_like, namespace, together
from posviz.encodings.doors import Encoding

__all__ = ["offsets"]


def offsets(q_positions: Any, k_positions: Any) -> Array:
    """Return i − j for every query position i and key position j: above 0 looks back.

    Shapes: q_positions [..., q_len], k_positions [..., k_len], result [..., q_len, k_len].
    Units: tokens.

    >>> offsets([1, 2], range(3)).tolist()  # a row for each query
    [[1, 0, -1], [2, 1, 0]]
    """
    q_positions = as_array(q_positions, "q_positions")
    k_positions = as_array(k_positions, "k_positions")
    for name, positions in (("q_positions", q_positions), ("k_positions", k_positions)):
        if positions.ndim < 1:
            raise ValueError(f"{name} must be [len] or [batch, len], got a single number.")
    q_positions, k_positions = together(q_positions, k_positions)
    return q_positions[..., :, None] - k_positions[..., None, :]


def positions_of(positions: Any, x: Array, name: str = "positions") -> Array:
    """Return the positions of the tokens of ``x``, of the kind and on the device of ``x``.

    Shapes: x [batch, (heads,) len, dims], positions and result [len] or [batch, len].
    """
    positions = as_array(positions, name)
    batch, length = x.shape[0], x.shape[-2]
    if tuple(positions.shape) not in ((length,), (batch, length), (1, length)):
        raise ValueError(
            f"{name} must be [{length}] or [{batch}, {length}], got shape {tuple(positions.shape)}."
        )
    return as_like(positions, x)


def offsets_of(scores: Array, q_positions: Any, k_positions: Any) -> Array:
    """Return the offset of each score, [q_len, k_len] or [batch, 1, q_len, k_len]."""
    apart = as_like(offsets(q_positions, k_positions), scores)
    return apart if apart.ndim == 2 else apart[:, None]


class BiasByOffset(Encoding):
    """An encoding that adds a number per head and offset to the scores: ALiBi, T5, Kerple."""

    bias_by = "offset"

    def bias(self, offsets: Array, num_heads: int) -> Array:
        """Return the bias [..., heads, q_len, k_len] at offsets [..., q_len, k_len]."""
        raise NotImplementedError

    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add the bias to scores [batch, heads, q_len, k_len]."""
        apart = as_like(offsets(q_positions, k_positions), scores)
        bias = self.bias(apart, scores.shape[-3])
        return scores + namespace(bias).astype(bias, scores.dtype, copy=False)


@dataclass(frozen=True, eq=False)
class BiasFromInput(Encoding):
    """What ``for_input`` returns where a layer's input decides what is added to the scores.

    ``bias`` is a function of what ``at_scores`` is given.
    """

    bias: Callable[..., Array]

    bias_by = "content"

    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add the bias to scores [batch, heads, q_len, k_len]."""
        return scores + self.bias(scores, q, k, q_positions, k_positions)


def pick(by_row: Array, index: Array) -> Array:
    """Pick entries along the last axis: ``by_row[…, i, index[…, i, j]]`` for every i and j.

    Shapes: by_row [..., heads, q_len, rows], index [..., 1, q_len, k_len], result [..., heads,
    q_len, k_len].
    """
    xp = namespace(by_row, index)
    index = xp.broadcast_to(index, (*by_row.shape[:-1], index.shape[-1]))
    return xp.take_along_axis(by_row, index, axis=-1)
