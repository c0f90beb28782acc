"""Shaw's relative positions: a learned vector per clipped offset joins the keys and the values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz.arrays import (
    Array,
    as_integers,
    check_memory,
    in_dtype,
    is_torch,
    like,
    namespace,
    require_alike,
    widened,
)
from posviz.encodings.checks import broadcasts_to, require_integer
from posviz.encodings.doors import Encoding, adds_bias
from posviz.encodings.learned import require_rows
from posviz.encodings.relative import offsets_at, pick, position_at, positions_beside

__all__ = ["Shaw", "shaw_index", "shaw_key_scores", "shaw_values"]


def shaw_index(offsets: Any, max_distance: int, ahead: int | None = None) -> Array:
    """Return the row of the table for each offset: clip(key − query, −k, k) + k.

    The paper counts key − query, against this course: a key far behind its query has row 0, the
    query itself row k = max_distance, a key far ahead row 2k; or k + ahead, as speech encoders
    have it, which look less far ahead than back.

    Shapes: any, result alike, int64. Units: tokens.

    Raises:
        TypeError: when an argument is not integers.
        ValueError: when a reach is below 0, or a table so long would not fit in memory.

    Source: Shaw et al. 2018, section 3.2, where a_ij = w_clip(j − i, k).
    """
    max_distance = require_integer(max_distance, "max_distance", low=0)
    ahead = max_distance if ahead is None else require_integer(ahead, "ahead", low=0)
    offsets = as_integers(offsets, "offsets")
    check_memory("max_distance", (max_distance + 1 + ahead,), x=offsets)
    return namespace(offsets).clip(-offsets, -max_distance, ahead) + max_distance


def shaw_key_scores(q: Array, table: Array, index: Any) -> Array:
    """Return q_i · a_ij of the key side, to add to q·k before both are scaled.

    Shapes: q [..., heads, q_len, head_dim], table [rows, head_dim], shared by the heads, index
    [(batch,) q_len, k_len], result [..., heads, q_len, k_len]. Each query meets each row of the
    table once; no array of q_len × k_len × head_dim is made. Halves are summed in float32.

    Raises:
        TypeError: when arrays differ in kind or dtype, or index is not integers.
        ValueError: when shapes or devices do not match, or memory is short.
        IndexError: for an index that is not a row of the table.

    Source: Shaw et al. 2018, equation 4, in the second term of the numerator of equation 5.
    """
    require_alike(q=q, table=table)
    _require_table(table, "table")
    if q.ndim < 3 or q.shape[-1] != table.shape[1]:
        raise ValueError(
            f"q must be [..., heads, q_len, {table.shape[1]}], as wide as the table, "
            f"got shape {tuple(q.shape)}"
        )
    index = _index(index, table, q)
    return _key_scores(q, table, index)


def _key_scores(q: Array, table: Array, index: Array) -> Array:
    xp = namespace(q)
    wide_q, wide_table = widened(q, table)
    return xp.astype(pick(wide_q @ xp.matrix_transpose(wide_table), index), q.dtype)


def shaw_values(weights: Array, table: Array, index: Any) -> Array:
    """Return Σ_j weight_ij · a_ij of the value side, to add to the weighted sum of the values.

    Shapes: weights [..., heads, q_len, k_len], table [rows, head_dim], shared by the heads, index
    [(batch,) q_len, k_len], result [..., heads, q_len, head_dim]. The weights that fall on one row
    of the table are summed first; no array of q_len × k_len × head_dim is made.

    Raises:
        TypeError: when arrays differ in kind or dtype, or index is not integers.
        ValueError: when shapes or devices do not match, or memory is short.
        IndexError: for an index that is not a row of the table.

    Source: Shaw et al. 2018, equation 3.
    """
    require_alike(weights=weights, table=table)
    _require_table(table, "table")
    if weights.ndim < 3:
        raise ValueError(
            f"weights must be [..., heads, q_len, k_len], got shape {tuple(weights.shape)}"
        )
    index = _index(index, table, weights)
    if index.shape[-1] != weights.shape[-1]:
        raise ValueError(
            f"index must have the k_len of the weights, {weights.shape[-1]}, got {index.shape[-1]}"
        )
    return _values(weights, table, index)


def _values(weights: Array, table: Array, index: Array) -> Array:
    xp = namespace(weights)
    wide_weights, wide_table = widened(weights, table)
    return xp.astype(_sums(wide_weights, index, table.shape[0]) @ wide_table, weights.dtype)


def _sums(weights: Array, index: Array, rows: int) -> Array:
    """Σ of the weights of each query on each row: [..., heads, q_len, rows]"""
    shape = (*weights.shape[:-1], rows)
    check_memory("heads × q_len × rows", shape, itemsize=weights.dtype.itemsize, x=weights)
    index = namespace(weights).broadcast_to(index, tuple(weights.shape))
    if is_torch(weights):
        return weights.new_zeros(shape).scatter_add(-1, index, weights)
    sums = np.empty(shape, weights.dtype)
    q_len = shape[-2]
    starts = rows * np.arange(q_len)[:, None]  # one bincount serves all queries of a head
    for head in np.ndindex(shape[:-2]):
        bins = (index[head] + starts).ravel()
        total = np.bincount(bins, weights[head].ravel(), minlength=q_len * rows)
        sums[head] = total.reshape(q_len, rows)
    return sums


def _index(index: Any, table: Array, x: Array) -> Array:
    """Return ``index`` as [..., 1, q_len, k_len] beside x [..., heads, q_len, any]."""
    index = as_integers(index, "index")
    lead, q_len = tuple(x.shape[:-3]), x.shape[-2]
    if index.ndim < 2 or index.shape[-2] != q_len or not broadcasts_to(index.shape[:-2], lead):
        raise ValueError(
            f"index must be [(batch,) {q_len}, k_len] for batch {lead}, "
            f"got shape {tuple(index.shape)}"
        )
    require_rows(index, table.shape[0], "index")
    return like(index, x, "index")[..., None, :, :]


def _require_table(table: Array, name: str) -> None:
    if table.ndim != 2:
        raise ValueError(f"{name} must be [rows, head_dim], got {tuple(table.shape)}")


@dataclass(frozen=True, eq=False)
class Shaw(Encoding):
    """Shaw's method at the scores (key_table), at the values (value_table), or at both.

    Shapes: each table [2k+1, head_dim], shared by the heads, where offsets are clipped to −k … k;
    [k+1+ahead, head_dim] with ``ahead``, the reach to keys that stand after their query.
    """

    key_table: Array = None
    value_table: Array = None
    ahead: int | None = None

    def __post_init__(self) -> None:
        tables = {"key_table": self.key_table, "value_table": self.value_table}
        given = {name: table for name, table in tables.items() if table is not None}
        if not given:
            raise ValueError("key_table, value_table or both must be given, got neither")
        require_alike(**given)
        if self.ahead is not None:
            require_integer(self.ahead, "ahead", low=0)
        for name, table in given.items():
            _require_table(table, name)
            self._require_rows(name, len(table))

    def _require_rows(self, name: str, rows: int) -> None:
        if self.ahead is None and rows % 2 == 0:
            raise ValueError(
                f"{name} must be [2k+1, head_dim], an odd number of rows, got {rows}; or give ahead"
            )
        if self.ahead is not None and rows <= self.ahead:
            raise ValueError(f"{name} must have more than ahead = {self.ahead} rows, got {rows}")

    def _index(self, table: Array, scores: Array, q_positions: Any, k_positions: Any) -> Array:
        """Return the table's row for each query and key: [(batch,) 1, q_len, k_len]"""
        apart = offsets_at(*positions_beside(scores, q_positions, k_positions, as_integers))
        ahead = len(table) // 2 if self.ahead is None else self.ahead
        return shaw_index(apart, len(table) - 1 - ahead, ahead)[..., None, :, :]

    @adds_bias(by="token")
    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add scale × q·a, with a from key_table, to scores [batch, heads, q_len, k_len]."""
        if self.key_table is None:
            return scores
        table = _beside(scores, self.key_table, "key_table", q, "queries")
        table = self.scale(q.shape[-1]) * table  # it is smaller than the scores
        q = namespace(q).astype(q, scores.dtype)
        return scores + _key_scores(q, table, self._index(table, scores, q_positions, k_positions))

    def bias_of_pair(
        self, q: Array, k: Array, q_positions: Array, k_positions: Array
    ) -> Callable[..., Array]:
        """Return the bias of one pair, read from the products of q with the rows of key_table."""
        if self.key_table is None:
            return lambda b, h, i, j: 0.0
        table = _beside(q, self.key_table, "key_table", q, "queries")
        wide_q, wide_table = widened(q, self.scale(q.shape[-1]) * table)
        products = wide_q @ wide_table.mT
        ahead = len(table) // 2 if self.ahead is None else self.ahead
        back = len(table) - 1 - ahead
        rows = k_positions + back  # of the table, for a query at position 0

        def bias(b: Any, h: Any, i: Any, j: Any) -> Array:
            row = position_at(rows, b, j) - position_at(q_positions, b, i)
            return products[b, h, i, row.clip(0, back + ahead)]

        return bias

    def at_values(self, output: Array, weights: Array, q_positions: Any, k_positions: Any) -> Array:
        """Add Σ weights·a, with a from value_table, to output [batch, heads, q_len, head_dim]."""
        if self.value_table is None:
            return output
        table = _beside(weights, self.value_table, "value_table", output, "values")
        index = self._index(table, weights, q_positions, k_positions)
        return output + in_dtype(_values(weights, table, index), output.dtype)


def _beside(scores: Array, table: Array, name: str, x: Array, of: str) -> Array:
    """Return the table in the dtype and on the device of scores, if it is as wide as x."""
    if table.shape[1] != x.shape[-1]:
        raise ValueError(f"{name} must be as wide as the {of}, {x.shape[-1]}, got {table.shape[1]}")
    return like(table, scores, name, scores.dtype)
