"""CoPE: a query counts the tokens that matter to it, and the count is the position of a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_like, namespace, sigmoid
from posviz.encodings.checks import require_shape
from posviz.encodings.doors import Encoding
from posviz.encodings.relative import offsets_of, pick

__all__ = ["CoPE", "cope_bias", "cope_gates", "cope_positions"]


def cope_gates(scores: Array, offsets: Array) -> Array:
    """Return σ(score), how much each key counts for a query, and 0 for future keys.

    Shapes: scores [..., q_len, k_len], scaled as the softmax gets them, offsets [(batch, 1,) q_len,
    k_len], result as scores, in 0 … 1. Units: tokens for offsets.

    Source: Golovneva et al. 2024 (CoPE); ``CoPE`` in x_transformers reads scaled scores too.
    """
    return namespace(scores).where(as_like(offsets, scores) >= 0, sigmoid(scores), 0.0)


def cope_positions(gates: Array) -> Array:
    """Return p_ij = Σ_{k=j…i} gate_ik: what query i counts from key j up to itself.

    Shapes: gates [..., q_len, k_len], keys in the order of the text, 0 after the query; result
    alike. Where all gates are 1, p is i − j + 1; fractions are usual.

    Source: Golovneva et al. 2024 (CoPE).
    """
    xp = namespace(gates)
    # The running sum begins at the last key, so both ends of the axis are exchanged twice.
    return xp.flip(xp.cumulative_sum(xp.flip(gates, axis=-1), axis=-1), axis=-1)


def cope_bias(q: Array, table: Array, positions: Array) -> Array:
    """Return q_i · e[p_ij], where a position between two rows mixes their scores.

    The mixture is (1 − f) · z[⌊p⌋] + f · z[⌈p⌉], with z = q·e and f the fraction of p. Positions
    beyond the last row read the last row.

    Shapes: q [..., heads, q_len, head_dim], table [rows, head_dim], shared by the heads, positions
    [..., heads, q_len, k_len] of at least 0, result alike.

    Source: Golovneva et al. 2024 (CoPE).
    """
    xp = namespace(q, table, positions)
    require_shape(table, "table", "rows", q.shape[-1])
    last = table.shape[0] - 1
    positions = xp.clip(positions, 0.0, float(last))
    below = xp.floor(positions)
    row = xp.astype(below, xp.int64)
    # Each query meets each row once: [..., heads, q_len, head_dim] @ [head_dim, rows]
    by_row = q @ table.T
    low, high = pick(by_row, row), pick(by_row, xp.clip(row + 1, 0, last))
    return low + (positions - below) * (high - low)


@dataclass(frozen=True, eq=False)
class CoPE(Encoding):
    """CoPE at the scores, for causal attention: future keys are at position 0.

    Shapes: table [rows, head_dim], shared by the heads; rows − 1 is the largest position. Keys that
    only a mask hides are counted, because the mask comes after this door.
    """

    table: Array

    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add q·e[p], unscaled, to scores [batch, heads, q_len, k_len]."""
        gates = cope_gates(scores, offsets_of(scores, q_positions, k_positions))
        table = as_like(self.table, scores, scores.dtype)
        return scores + cope_bias(q, table, cope_positions(gates))
