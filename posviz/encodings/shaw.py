"""Shaw's relative positions: a learned vector per clipped offset joins keys and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_integers, as_like, namespace, upcast_half
from posviz.encodings.checks import require_integer, require_shape
from posviz.encodings.doors import Encoding
from posviz.encodings.relative import offsets, pick

__all__ = ["Shaw", "shaw_index", "shaw_key_scores", "shaw_values"]


def shaw_index(offsets: Any, max_distance: int, ahead: int | None = None) -> Array:
    """Return the row of the table for each offset: clip(key − query, −k, k) + k.

    The paper counts key − query, so a distant past key has row 0, the query itself row k =
    max_distance, and a distant future key row 2k; or k + ahead in speech encoders, which look less
    far ahead than back.

    Shapes: any, result alike, int64. Units: tokens.

    Source: Shaw et al. 2018, section 3.2, where a_ij = w_clip(j − i, k).

    >>> shaw_index([5, 1, 0, -1, -5], max_distance=2).tolist()  # past keys have the first rows
    [0, 1, 2, 3, 4]
    """
    max_distance = require_integer(max_distance, "max_distance", low=0)
    ahead = max_distance if ahead is None else require_integer(ahead, "ahead", low=0)
    offsets = as_integers(offsets, "offsets")
    return namespace(offsets).clip(-offsets, -max_distance, ahead) + max_distance


def shaw_key_scores(q: Array, table: Array, index: Any) -> Array:
    """Return q_i · a_ij, to add to q·k before both are scaled.

    Each query meets each row of the table once, then the score of row index_ij is picked.

    Shapes: q [..., heads, q_len, head_dim], table [rows, head_dim], shared by the heads, index
    [(batch,) q_len, k_len], result [..., heads, q_len, k_len].

    Source: Shaw et al. 2018, equation 4, in the second term of the numerator of equation 5.
    """
    xp, index = namespace(q, table), as_like(as_integers(index, "index"), q)
    # [..., heads, q_len, head_dim] @ [head_dim, rows]
    by_row = upcast_half(q) @ xp.matrix_transpose(upcast_half(table))
    return xp.astype(pick(by_row, index[..., None, :, :]), q.dtype, copy=False)


def shaw_values(weights: Array, table: Array, index: Any) -> Array:
    """Return Σ_j weight_ij · a_ij, to add to the weighted sum of the values.

    The weights that fall on one row of the table are summed first.

    Shapes: weights [..., heads, q_len, k_len], table [rows, head_dim], shared by the heads, index
    [(batch,) q_len, k_len], result [..., heads, q_len, head_dim].

    Source: Shaw et al. 2018, equation 3.
    """
    xp = namespace(weights, table)
    require_shape(table, "table", "rows", "head_dim")
    wide, index = upcast_half(weights), as_like(as_integers(index, "index"), weights)
    index = index[..., None, :, :]  # the same for all heads
    sums = [xp.sum(wide * (index == row), axis=-1) for row in range(len(table))]
    # [..., heads, q_len, rows] @ [rows, head_dim]
    values = xp.stack(sums, axis=-1) @ upcast_half(table)
    return xp.astype(values, weights.dtype, copy=False)


@dataclass(frozen=True, eq=False)
class Shaw(Encoding):
    """Shaw's vectors at the scores (key_table), at the values (value_table), or at both.

    Shapes: each table [2k+1, head_dim], shared by the heads, where offsets are clipped to −k … k;
    [k+1+ahead, head_dim] with ``ahead``, the largest distance of a future key.
    """

    key_table: Array = None
    value_table: Array = None
    ahead: int | None = None

    bias_by = "content"

    def __post_init__(self) -> None:
        if self.key_table is None and self.value_table is None:
            raise ValueError("key_table, value_table or both must be given.")
        for name, table in (("key_table", self.key_table), ("value_table", self.value_table)):
            if table is None:
                continue
            rows = len(require_shape(table, name, "rows", "head_dim"))
            if self.ahead is None and rows % 2 == 0:
                raise ValueError(f"{name} must have 2k+1 rows, or give ahead: got {rows} rows.")
            if self.ahead is not None and rows <= self.ahead:
                raise ValueError(f"{name} must have over ahead = {self.ahead} rows, got {rows}.")

    def _index(self, table: Array, q_positions: Any, k_positions: Any) -> Array:
        """Return the row of the table for each query and key, [(batch,) q_len, k_len]."""
        ahead = len(table) // 2 if self.ahead is None else self.ahead
        return shaw_index(offsets(q_positions, k_positions), len(table) - 1 - ahead, ahead)

    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add scale · q·a, with a from key_table, to scores [batch, heads, q_len, k_len]."""
        if self.key_table is None:
            return scores
        q, table = (as_like(x, scores, scores.dtype) for x in (q, self.key_table))
        index = self._index(table, q_positions, k_positions)
        return scores + self.scale(q.shape[-1]) * shaw_key_scores(q, table, index)

    def at_values(self, output: Array, weights: Array, q_positions: Any, k_positions: Any) -> Array:
        """Add Σ weights · a, with a from value_table, to output [batch, heads, q_len, head_dim]."""
        if self.value_table is None:
            return output
        table = as_like(self.value_table, weights, weights.dtype)
        values = shaw_values(weights, table, self._index(table, q_positions, k_positions))
        return output + as_like(values, output, output.dtype)
