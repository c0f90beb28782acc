"""T5's relative bias: one learned number per head for each bucket of distances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_float64, as_integers, as_like, namespace, together
from posviz.encodings.checks import require_integer, require_shape
from posviz.encodings.relative import BiasByOffset

__all__ = ["T5", "t5_bias", "t5_bucket"]


def t5_bucket(
    offsets: Any, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Array:
    """Return the bucket of each offset: one per distance at first, then wider and wider ones.

    Of n buckets for one direction the first m = n//2 have one distance each; distance d above them
    is in bucket m + ⌊(n − m) · ln(d/m) / ln(max_distance/m)⌋, at most n − 1. Bidirectional, each
    direction has half of the buckets, and future keys the upper half, whose first stays empty.
    Otherwise future keys, which a mask hides, share bucket 0.

    Shapes: any, result alike, int64. Units: tokens. T5 counts key − query, the opposite of i − j.

    Source: Raffel et al. 2020 (T5), section 2.1; ``_relative_position_bucket`` in its code.

    >>> t5_bucket([0, 7, 8, 64, 500, -1]).tolist()  # a future key: 16 + 1
    [0, 7, 8, 14, 15, 17]
    """
    require_integer(num_buckets, "num_buckets", low=4 if bidirectional else 2)
    if bidirectional and num_buckets % 2:
        raise ValueError(f"num_buckets must be even, a half each direction, got {num_buckets}.")
    in_one_direction = num_buckets // 2 if bidirectional else num_buckets
    exact = in_one_direction // 2
    max_distance = require_integer(max_distance, "max_distance", low=exact + 1)
    offsets = as_integers(offsets, "offsets")
    xp = namespace(offsets)
    distances = abs(offsets) if bidirectional else xp.clip(offsets, 0, None)
    far = xp.clip(as_float64(distances, "offsets") / exact, 1.0, None)
    share = xp.log(far) / math.log(max_distance / exact)
    # Distance 64 has a share of 6/8: rounding of logarithms must not make it a little less.
    far_buckets = exact + xp.floor((in_one_direction - exact) * share + 1e-9)
    far_buckets = as_like(xp.clip(far_buckets, None, in_one_direction - 1), offsets, xp.int64)
    buckets = xp.where(distances < exact, distances, far_buckets)
    return buckets + in_one_direction * (offsets < 0) if bidirectional else buckets


def t5_bias(table: Array, buckets: Any) -> Array:
    """Return each head's number for each bucket, to add to the unscaled scores.

    Shapes: table [num_buckets, heads], buckets [..., q_len, k_len], result [..., heads, q_len,
    k_len].

    Source: Raffel et al. 2020 (T5), section 2.1.
    """
    table, buckets = together(table, as_integers(buckets, "buckets"))
    require_shape(table, "table", "num_buckets", "heads")
    # [..., q_len, k_len, heads] → [..., heads, q_len, k_len]
    return namespace(table).moveaxis(table[buckets], -1, -3)


@dataclass(frozen=True, eq=False)
class T5(BiasByOffset):
    """T5's bias at the scores, which T5 does not divide by √head_dim.

    Shapes: table [num_buckets, heads]. T5's encoder is bidirectional, its decoder is not; all
    layers of one share the table.
    """

    table: Array
    bidirectional: bool = True
    max_distance: int = 128

    def scale(self, head_dim: int) -> float:
        """Return 1: T5 does not scale q·k, and starts with smaller weights instead."""
        return 1.0

    def bias(self, offsets: Array, num_heads: int) -> Array:
        """Return the number of each head and bucket, [..., heads, q_len, k_len]."""
        require_shape(self.table, "table", "num_buckets", num_heads)
        buckets = t5_bucket(
            offsets,
            bidirectional=self.bidirectional,
            num_buckets=len(self.table),
            max_distance=self.max_distance,
        )
        return t5_bias(self.table, buckets)
