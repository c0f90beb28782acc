"""DeBERTa: content meets position and position meets content, in disentangled scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_float64, as_integers, as_like, namespace, upcast_half
from posviz.encodings.checks import require_choice, require_integer, require_shape
from posviz.encodings.doors import Encoding
from posviz.encodings.relative import offsets, pick

__all__ = ["DeBERTa", "deberta_bucket", "deberta_scores"]

TERMS = {"c2p": "position_key", "p2c": "position_query"}  # each with the table that it reads
P2C = ("code", "paper")


def deberta_bucket(offsets: Any, bucket_size: int | None, max_position: int) -> Array:
    """Return δ − k for each offset, in −k … k−1: clipped, or in buckets that grow.

    With bucket_size None, k is max_position and offsets are clipped. Otherwise k is bucket_size:
    distances up to mid = k//2 have their own bucket, a longer distance d has mid + ⌈(mid − 1) ·
    ln(d/mid) / ln((max_position − 1)/mid)⌉, with the sign of the offset. As in the paper the
    highest index, 2k−1, is of offset k−1.

    Shapes: any, result alike, int64. Units: tokens.

    Source: He et al. 2021, equation 3; ``make_log_bucket_position`` in the released code of v2.

    >>> deberta_bucket([-600, -1, 0, 1, 600], bucket_size=256, max_position=512).tolist()
    [-256, -1, 0, 1, 255]
    """
    offsets = as_integers(offsets, "offsets")
    xp = namespace(offsets)
    if bucket_size is None:
        k = require_integer(max_position, "max_position")
        return xp.clip(offsets, -k, k - 1)
    k = require_integer(bucket_size, "bucket_size", low=4)
    mid = k // 2
    max_position = require_integer(max_position, "max_position", low=mid + 2)
    distances = abs(offsets)
    far = xp.clip(as_float64(distances, "offsets") / mid, 1.0, None)
    steps = (mid - 1) * xp.log(far) / math.log((max_position - 1) / mid)
    # Rounding of logarithms must not make a whole number of steps a little more.
    wide = as_like(xp.ceil(steps - 1e-9), offsets, xp.int64)
    return xp.clip(xp.sign(offsets) * (xp.clip(distances, None, mid) + wide), -k, k - 1)


def deberta_scores(
    q: Array,
    k: Array,
    position_key: Array,
    position_query: Array,
    offsets: Any,
    *,
    terms: tuple[str, ...] = ("c2p", "p2c"),
    p2c: str = "code",
    bucket_size: int | None = None,
    max_position: int | None = None,
) -> Array:
    """Return q·k plus q·position_key ("c2p") and k·position_query ("p2c"), unscaled.

    For query i and key j, "c2p" reads row δ(i, j) of position_key. For "p2c" the paper writes row
    δ(j, i) of position_query, but the released code reads δ(i, j), and weights were trained with
    it: so "code" is the default.

    Shapes: q [batch, heads, q_len, head_dim], k [batch, heads, k_len, head_dim], position_key and
    position_query [heads, 2k, head_dim], already projected (None if unused), offsets [(batch,)
    q_len, k_len], result [batch, heads, q_len, k_len]. Units: tokens. Offsets choose their rows by
    ``deberta_bucket`` with bucket_size and max_position (None: half the rows).

    Source: He et al. 2021 (DeBERTa), equations 3 and 4; ``disentangled_att_bias``, released code.
    """
    encoding = DeBERTa(position_key, position_query, bucket_size, max_position, terms, p2c)
    xp, dtype = namespace(q, k), q.dtype
    q, k = upcast_half(q), upcast_half(k)
    scores = q @ xp.matrix_transpose(k) + encoding.position_scores(q, k, offsets)
    return xp.astype(scores, dtype, copy=False)


@dataclass(frozen=True, eq=False)
class DeBERTa(Encoding):
    """DeBERTa at the scores, which are scaled by 1/√(head_dim · (1 + number of terms)).

    Shapes: position_key and position_query [heads, 2k, head_dim], with k as ``deberta_scores``.
    """

    position_key: Array = None
    position_query: Array = None
    bucket_size: int | None = None
    max_position: int | None = None
    terms: tuple[str, ...] = ("c2p", "p2c")
    p2c: str = "code"

    bias_by = "content"

    def __post_init__(self) -> None:
        require_choice(self.p2c, "p2c", P2C)
        if not self.terms or not set(self.terms) <= set(TERMS):
            raise ValueError(f"terms must be 'c2p', 'p2c' or both, in a tuple, got {self.terms!r}.")
        for term in self.terms:
            name = TERMS[term]
            if (table := getattr(self, name)) is None:
                raise ValueError(f"{name} must be given for the term {term!r}.")
            require_shape(table, name, "heads", 2 * self._k, "head_dim")
        self._rows(0)  # refuses a bucket_size or max_position that does not fit

    @property
    def _k(self) -> int:
        table = getattr(self, TERMS[self.terms[0]])
        return self.bucket_size or self.max_position or table.shape[1] // 2

    def _rows(self, offsets: Any) -> Array:
        """Return δ, the row of a table for each offset."""
        max_position = self.max_position if self.bucket_size else self._k
        return deberta_bucket(offsets, self.bucket_size, max_position or 0) + self._k

    def scale(self, head_dim: int) -> float:
        """Return 1/√(head_dim · (1 + terms)): each term adds to the variance of the scores."""
        return (head_dim * (1 + len(self.terms))) ** -0.5

    def position_scores(self, q: Array, k: Array, offsets: Any) -> Array:
        """Return the terms of ``deberta_scores`` without q·k, [batch, heads, q_len, k_len]."""
        xp, scores = namespace(q, k), 0.0
        offsets = as_like(as_integers(offsets, "offsets"), q)[..., None, :, :]  # for all heads
        if "c2p" in self.terms:
            # [batch, heads, q_len, 2k]: each query meets each row once
            by_row = q @ xp.matrix_transpose(as_like(self.position_key, q, q.dtype))
            scores = scores + pick(by_row, self._rows(offsets))
        if "p2c" in self.terms:
            # [batch, heads, k_len, 2k]: each key meets each row once
            by_row = k @ xp.matrix_transpose(as_like(self.position_query, k, k.dtype))
            rows = self._rows(-offsets if self.p2c == "paper" else offsets)
            scores = scores + xp.matrix_transpose(pick(by_row, xp.matrix_transpose(rows)))
        return scores

    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add scale · the position terms to scores [batch, heads, q_len, k_len]."""
        added = self.position_scores(q, k, offsets(q_positions, k_positions))
        return scores + self.scale(q.shape[-1]) * added
