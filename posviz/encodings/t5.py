"""T5's relative bias: one learned number per head for each bucket of distances."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np

from posviz.arrays import Array, as_integers, as_numbers, beside, like, namespace, take_rows
from posviz.encodings.checks import require_integer
from posviz.encodings.doors import Encoding, adds_bias
from posviz.encodings.learned import require_table, rows_at
from posviz.encodings.relative import add_bias, once_per_diagonal

__all__ = ["T5", "t5_bias", "t5_bucket"]

MOST_BUCKETS = 1024  # exact boundaries take 0.2 s, and 3 s where max_distance is near 2**63


def t5_bucket(
    offsets: Any, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Array:
    """Return the bucket of each offset: one per distance at first, then wider and wider ones.

    Shapes: any, result alike, int64 from 0 to num_buckets − 1; with NumPy, a read-only view when
    offsets [q_len, k_len] are of positions evenly spaced by the same step. Units: tokens. Of n
    buckets for one direction the first m = n//2 hold one distance each; distance d above them is in
    bucket m + ⌊(n − m) · log(d/m) / log(max_distance/m)⌋, at most n − 1. Bidirectional, each
    direction has half of the buckets, and keys after the query the upper half, whose first stays
    empty. Otherwise those keys, which a mask hides, share bucket 0. T5 itself counts key − query,
    the opposite of our offset. Offsets are integers: in between the rule says nothing. The
    boundaries are exact: with logarithms in float64 it depends on the order of the operations
    whether distance 64 reaches the bucket that starts there (8 · log(8) / log(16) is 6, or a little
    less). torch.compile cannot find them: call this outside, or pass a ``T5`` made outside.

    Raises:
        TypeError: when an argument is not integers.
        ValueError: when num_buckets is too small or too large, or odd and bidirectional, or
            max_distance is not above the distances that have a bucket of their own.

    Source: Raffel et al. 2020 (T5), section 2.1; ``_relative_position_bucket`` in its code.
    """
    offsets = as_integers(offsets, "offsets")
    starts = _starts(bidirectional, num_buckets, max_distance)
    return once_per_diagonal(partial(_bucket, starts, bidirectional), offsets)


def _bucket(starts: tuple[int, ...], bidirectional: bool, offsets: Array) -> Array:
    xp, limits = namespace(offsets), beside(offsets, np.array, starts)
    distances = abs(offsets) if bidirectional else offsets.clip(0)
    buckets = xp.searchsorted(limits, distances, side="right") - 1
    if bidirectional:
        return buckets + xp.astype(offsets < 0, xp.int64) * len(starts)
    return buckets


def _starts(bidirectional: bool, num_buckets: int, max_distance: int) -> tuple[int, ...]:
    """Return the smallest distance in each bucket of one direction."""
    num_buckets = require_integer(num_buckets, "num_buckets", low=4 if bidirectional else 2)
    if num_buckets > MOST_BUCKETS:
        raise ValueError(f"num_buckets must be at most {MOST_BUCKETS}, got {num_buckets}")
    if bidirectional and num_buckets % 2:
        raise ValueError(
            f"num_buckets, the rows of a table, must be even when bidirectional, got {num_buckets}"
        )
    in_one_direction = num_buckets // 2 if bidirectional else num_buckets
    low = in_one_direction // 2 + 1
    return _exact_starts(in_one_direction, require_integer(max_distance, "max_distance", low=low))


@lru_cache  # every layer asks for the same ones
def _exact_starts(in_one_direction: int, max_distance: int) -> tuple[int, ...]:
    single = in_one_direction // 2
    wide = in_one_direction - single
    starts = list(range(single + 1))
    for step in range(1, wide):
        # wide · log(d/single) / log(max_distance/single) ≥ step, without its logarithms
        power = max_distance**step * single ** (wide - step)
        starts.append(bisect_left(range(max_distance), power, key=lambda d: d**wide))
    return tuple(starts)


def t5_bias(table: Array, buckets: Any) -> Array:
    """Return each head's number for each bucket, to add to the unscaled scores.

    Shapes: table [num_buckets, heads], buckets [..., q_len, k_len], result [..., heads, q_len,
    k_len]. The dtype is that of the table. With NumPy and positions evenly spaced by the same
    step the result is a read-only view of q_len + k_len − 1 numbers per head.

    Raises:
        TypeError: when the table is not floating-point, buckets are not integers, or are torch
            where the table is NumPy.
        IndexError: for a bucket that is not a row of the table.
        ValueError: for wrong shapes, different devices, or when memory is short.

    Source: Raffel et al. 2020 (T5), section 2.1.
    """
    require_table(table)
    buckets = as_numbers(buckets, "buckets")
    if buckets.ndim < 2:
        raise ValueError(f"buckets must be [..., q_len, k_len], got shape {tuple(buckets.shape)}")
    return once_per_diagonal(lambda rows: _heads_first(rows_at(table, rows, "buckets")), buckets)


def _heads_first(rows: Array) -> Array:
    """[..., q_len, k_len, heads] → [..., heads, q_len, k_len]"""
    *lead, q_axis, k_axis, heads = range(rows.ndim)
    return namespace(rows).permute_dims(rows, (*lead, heads, q_axis, k_axis))


@dataclass(frozen=True, eq=False)
class T5(Encoding):
    """T5's bias at the scores, which T5 does not divide by √head_dim.

    Shapes: table [num_buckets, heads]. Bidirectional in T5's encoder, not in its decoder; all
    layers of one share the table.
    """

    table: Array
    bidirectional: bool = True
    max_distance: int = 128
    _starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_table(self.table)
        starts = _starts(self.bidirectional, self.table.shape[0], self.max_distance)
        object.__setattr__(self, "_starts", starts)

    def scale(self, head_dim: int) -> float:
        """Return 1: T5 leaves q·k as it is, and starts with smaller weights instead."""
        return 1.0

    @adds_bias(by="offset")
    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add the number of each bucket to scores [batch, heads, q_len, k_len]."""
        heads = self.table.shape[1]
        if heads != scores.shape[-3]:
            raise ValueError(f"table must have the {scores.shape[-3]} heads of q, got {heads}")
        table = like(self.table, scores, "table", scores.dtype)

        def bias(offsets: Array) -> Array:
            return _heads_first(
                take_rows(table, _bucket(self._starts, self.bidirectional, offsets))
            )

        return add_bias(scores, q_positions, k_positions, bias, as_integers)
