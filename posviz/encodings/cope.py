"""CoPE: a query counts the tokens that matter to it, and a position is how many it counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import (
    Array,
    check_memory,
    in_dtype,
    in_int64,
    like,
    namespace,
    require_alike,
    sigmoid,
    widened,
)
from posviz.encodings.checks import broadcasts_to
from posviz.encodings.doors import Encoding
from posviz.encodings.learned import require_table
from posviz.encodings.relative import pairwise_offsets, pick, positions_beside

__all__ = ["CoPE", "cope_bias", "cope_gates", "cope_positions"]


def cope_gates(scores: Array, offsets: Array) -> Array:
    """Return σ(score), how much each key counts for a query, and 0 for keys after it.

    Shapes: scores [..., q_len, k_len], scaled as the softmax gets them, offsets [(batch, 1,) q_len,
    k_len], result as scores, in 0 … 1. Units: tokens for offsets.

    Raises:
        TypeError: when scores are not a floating array, or offsets of another kind.
        ValueError: when devices differ, or offsets do not fit scores.

    Source: Golovneva et al. 2024 (CoPE); in x_transformers, too, they read the scaled scores.
    """
    xp = require_alike(scores=scores)
    [wide], offsets = widened(scores), like(offsets, scores, "offsets")
    if not broadcasts_to(offsets.shape, scores.shape):
        raise ValueError(
            f"offsets must be [(batch, 1,) q_len, k_len] for scores {tuple(scores.shape)}, "
            f"got shape {tuple(offsets.shape)}"
        )
    gates = xp.where(offsets >= 0, sigmoid(wide), 0.0)
    return in_dtype(gates, scores.dtype)


def cope_positions(gates: Array) -> Array:
    """Return p_ij = Σ_{k=j…i} gate_ik: how many keys query i counts from key j up to itself.

    Shapes: gates [..., q_len, k_len], keys in the order of the text, 0 after the query; result
    alike. Where all gates are 1 it is i − j + 1; fractions are usual. Halves are summed in float32.

    Raises:
        TypeError: when gates are not a floating array.
        ValueError: when they are a single number.

    Source: Golovneva et al. 2024 (CoPE).
    """
    xp = require_alike(gates=gates)
    if gates.ndim < 1:
        raise ValueError("gates must be [..., q_len, k_len], got a single number")
    [wide] = widened(gates)
    counted = xp.flip(xp.cumulative_sum(xp.flip(wide, axis=-1), axis=-1), axis=-1)
    return in_dtype(counted, gates.dtype)


def cope_bias(q: Array, table: Array, positions: Array) -> Array:
    """Return q_i · e[p_ij], a row between two rows of the table being read as their mixture.

    Shapes: q [..., heads, q_len, head_dim], table [rows, head_dim], shared by the heads, positions
    [..., heads, q_len, k_len] of at least 0, result alike. What is beyond the last row is read
    there. Each query meets each row once, and its scores are mixed: (1 − f) · z[⌊p⌋] + f · z[⌈p⌉].

    Raises:
        TypeError: when arrays differ in kind or dtype.
        ValueError: when shapes or devices do not match, or memory is short.

    Source: Golovneva et al. 2024 (CoPE).
    """
    xp = require_alike(q=q, table=table, positions=positions)
    _require_rows(table)
    if q.ndim < 3 or table.shape[1] != q.shape[-1] or q.shape[:-1] != positions.shape[:-1]:
        raise ValueError(
            "q must be [..., heads, q_len, head_dim], table [rows, head_dim] and positions "
            f"[..., heads, q_len, k_len], got {tuple(q.shape)}, {tuple(table.shape)} and "
            f"{tuple(positions.shape)}"
        )
    wide_q, wide_table, wide = widened(q, table, positions)
    last = table.shape[0] - 1
    wide = xp.clip(wide, 0.0, float(last))
    below = xp.floor(wide)
    row = in_int64(xp.where(below >= 0, below, 0.0))  # a NaN is no row
    scores = wide_q @ xp.matrix_transpose(wide_table)
    low, high = pick(scores, row), pick(scores, xp.clip(row + 1, 0, last))
    return in_dtype(low + (wide - below) * (high - low), q.dtype)


def _require_rows(table: Array) -> None:
    require_table(table)
    if table.shape[0] == 0:
        raise ValueError(f"table must have at least 1 row, got shape {tuple(table.shape)}")


@dataclass(frozen=True, eq=False)
class CoPE(Encoding):
    """CoPE at the scores, for causal attention: keys after the query are at position 0.

    Shapes: table [rows, head_dim], shared by the heads; rows − 1 is the largest position. Gates
    are σ of the scaled scores. All keys from j to i are counted, those too that only a mask hides,
    for the mask comes after this door.

    Source: Golovneva et al. 2024 (CoPE); ``CoPE`` in x_transformers.
    """

    table: Array

    def __post_init__(self) -> None:
        _require_rows(self.table)

    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add q·e[p], unscaled, to scores [batch, heads, q_len, k_len]."""
        if self.table.shape[1] != q.shape[-1]:
            raise ValueError(
                f"table must be as wide as the queries, {q.shape[-1]}, got {self.table.shape[1]}"
            )
        apart = pairwise_offsets(*positions_beside(scores, q_positions, k_positions))
        check_memory("heads × q_len × k_len", tuple(scores.shape), x=scores, copies=4)
        positions = cope_positions(cope_gates(scores, apart if apart.ndim == 2 else apart[:, None]))
        q = namespace(q).astype(q, scores.dtype)
        return scores + cope_bias(q, like(self.table, scores, "table", scores.dtype), positions)
