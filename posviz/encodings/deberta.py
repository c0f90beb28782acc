"""DeBERTa: content meets position and position meets content, in disentangled scores."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from posviz.arrays import Array, as_integers, beside, like, namespace, require_alike, widened
from posviz.encodings.checks import require_choice, require_integer
from posviz.encodings.doors import Encoding, adds_bias
from posviz.encodings.relative import offsets as offsets_between
from posviz.encodings.relative import pick
from posviz.wording import quoted

__all__ = ["DeBERTa", "deberta_bucket", "deberta_scores"]

TERMS = {"c2p": "position_key", "p2c": "position_query"}  # each with the table that it reads
P2C = ("code", "paper")
MOST_BUCKETS = 1024  # exact limits take 0.2 s, and 5 s where max_position is near 2**62


def deberta_bucket(offsets: Any, bucket_size: int | None, max_position: int) -> Array:
    """Return δ − k for each offset, in −k … k−1: plainly clipped, or in buckets that grow.

    With bucket_size None, k is max_position and offsets are clipped. Otherwise k is bucket_size:
    offsets up to mid = k//2 keep their own bucket, those beyond get mid + ⌈(mid − 1) · ln(|offset|
    / mid) / ln((max_position − 1) / mid)⌉, with their sign. The clip is lopsided, as in the paper:
    the highest index, 2k−1, is of offset k−1. Limits of buckets are exact, where float logarithms
    may miss by one; at the released sizes, 256 and 512, the two agree.

    Shapes: any, result alike, int64. Units: tokens.

    Raises:
        TypeError: when an argument is not integers.
        ValueError: when bucket_size is below 4 or above 1024, or max_position too small for it.

    Source: He et al. 2021, equation 3; ``make_log_bucket_position`` in the released code of v2.
    """
    offsets = as_integers(offsets, "offsets")
    return _bucket(offsets, *_span_and_limits(bucket_size, max_position))


def _bucket(offsets: Array, span: int, limits: tuple[int, ...]) -> Array:
    xp = namespace(offsets)
    if not limits:
        return xp.clip(offsets, -span, span - 1)
    distances = xp.abs(offsets)
    beyond = xp.searchsorted(beside(offsets, np.array, limits), distances)
    return xp.clip(
        xp.sign(offsets) * (xp.clip(distances, None, span // 2) + beyond), -span, span - 1
    )


def _span_and_limits(bucket_size: int | None, max_position: int) -> tuple[int, tuple[int, ...]]:
    """Return k, and the farthest offset of each bucket from mid to k − 1: none without buckets."""
    if bucket_size is None:
        return require_integer(max_position, "max_position"), ()
    span = require_integer(bucket_size, "bucket_size", low=4)
    if span > MOST_BUCKETS:
        raise ValueError(f"bucket_size must be at most {MOST_BUCKETS}, got {span}")
    return span, _limits(span, require_integer(max_position, "max_position", low=span // 2 + 2))


@lru_cache  # every layer asks for the same ones
def _limits(bucket_size: int, max_position: int) -> tuple[int, ...]:
    """Return the farthest offset of each bucket from mid to bucket_size − 1.

    That of mid + t is the largest x with (x/mid)^(mid−1) ≤ ((max_position−1)/mid)^t, in integers.
    """
    mid = bucket_size // 2
    candidates = range(mid, min(max_position**2, 2**62))
    powers = (
        (max_position - 1) ** t * mid ** (mid - 1) // mid**t for t in range(bucket_size - mid)
    )
    return tuple(
        mid - 1 + bisect_right(candidates, power, key=lambda x: x ** (mid - 1)) for power in powers
    )


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
    """Return q·k plus the terms asked for, unscaled: q·position_key and k·position_query.

    For the query i and the key j, "c2p" takes row δ(i, j) of position_key. Of "p2c" there are two
    versions: the paper writes row δ(j, i) of position_query, the released code reads δ(i, j), and
    weights were trained with it; so "code" is the default. Offsets come as they are: their rows
    are those of ``deberta_bucket`` with bucket_size and max_position (by default half the rows).

    Shapes: q [batch, heads, q_len, head_dim], k [batch, heads, k_len, head_dim], position_key and
    position_query [heads, 2k, head_dim], already projected (None if unused), offsets [(batch,)
    q_len, k_len], result [batch, heads, q_len, k_len]. Units: tokens. Halves are summed in float32.

    Raises:
        TypeError: when arrays differ in kind or dtype, or offsets are not integers.
        ValueError: when shapes or devices do not match, a name is unknown, or memory is short.

    Source: He et al. 2021 (DeBERTa), equations 3 and 4; ``disentangled_att_bias``, released code.
    """
    tables = _tables(position_key, position_query, terms)
    require_choice(p2c, "p2c", P2C)
    xp = require_alike(q=q, k=k, **tables)
    offsets = like(as_integers(offsets, "offsets"), q, "offsets")
    _require_shapes(q, k, tables, offsets)
    wide_q, wide_k = widened(q, k)
    tables = dict(zip(tables, widened(*tables.values()), strict=True))
    scores = wide_q @ xp.matrix_transpose(wide_k)
    buckets = _buckets(tables, bucket_size, max_position)
    return xp.astype(
        _with_positions(scores, wide_q, wide_k, tables, offsets, p2c, buckets), q.dtype
    )


def _with_positions(
    scores: Array,
    q: Array,
    k: Array,
    tables: dict[str, Array],
    offsets: Array,
    p2c: str,
    buckets: tuple[int, tuple[int, ...]],
) -> Array:
    """Let each token meet each row of its table once, pick by offset, and add to the scores."""
    xp, (span, _) = namespace(q), buckets
    rows = _bucket(offsets, *buckets) + span
    if "position_key" in tables:
        by_row = q @ xp.matrix_transpose(tables["position_key"])
        scores = scores + pick(by_row, rows[..., None, :, :])
    if "position_query" in tables:
        if p2c == "paper":
            rows = _bucket(-offsets, *buckets) + span
        by_row = k @ xp.matrix_transpose(tables["position_query"])
        for_keys = pick(by_row, xp.matrix_transpose(rows)[..., None, :, :])
        scores = scores + xp.matrix_transpose(for_keys)
    return scores


def _tables(position_key: Array, position_query: Array, terms: tuple[str, ...]) -> dict[str, Array]:
    """Return the tables that the terms read, by name."""
    known = isinstance(terms, tuple | list) and all(
        isinstance(term, str) and term in TERMS for term in terms
    )
    if not known or not terms or len(set(terms)) < len(terms):
        raise ValueError(f"terms must be 'c2p', 'p2c' or both, in a tuple, got {quoted(terms)}")
    given = {"position_key": position_key, "position_query": position_query}
    tables = {TERMS[term]: given[TERMS[term]] for term in terms}
    for term in terms:
        if tables[TERMS[term]] is None:
            raise ValueError(f"{TERMS[term]} must be given for the term {term!r}, got None")
    return tables


def _buckets(
    tables: dict[str, Array], bucket_size: int | None, max_position: int | None
) -> tuple[int, tuple[int, ...]]:
    """Return k, half the rows of every table and max_position where it is not said, and limits."""
    span = next(iter(tables.values())).shape[-2] // 2
    if max_position is None:
        if bucket_size is not None:
            raise ValueError("max_position must be given with bucket_size, got None")
        max_position = span
    name, value = ("bucket_size", bucket_size)
    if bucket_size is None:
        name, value = ("max_position", max_position)
    found = {table: tuple(x.shape) for table, x in tables.items()}
    if any(len(shape) != 3 or shape[1] != 2 * span for shape in found.values()) or value != span:
        raise ValueError(
            f"{', '.join(found)} must be [heads, 2 × {name}, head_dim], "
            f"got {', '.join(map(str, found.values()))} for {name} {quoted(value)}"
        )
    return _span_and_limits(bucket_size, max_position)


def _require_shapes(q: Array, k: Array, tables: dict[str, Array], offsets: Array) -> None:
    batch, heads, q_len, head_dim = q.shape if q.ndim == 4 else (0, 0, 0, 0)
    pairs = (q_len, k.shape[-2] if k.ndim == 4 else 0)
    if q.ndim != 4 or k.ndim != 4 or q.shape[:2] != k.shape[:2] or q.shape[3] != k.shape[3]:
        wanted = "q and k must be [batch, heads, len, head_dim]"
    elif any((x.shape[0], x.shape[-1]) != (heads, head_dim) for x in tables.values()):
        wanted = f"{' and '.join(tables)} must be [{heads}, 2k, {head_dim}] beside q"
    elif tuple(offsets.shape) not in (pairs, (1, *pairs), (batch, *pairs)):
        wanted = f"offsets must be [{q_len}, {pairs[1]}] or a batch of it"
    else:
        return
    arrays = {"q": q, "k": k, **tables, "offsets": offsets}
    came = ", ".join(f"{name} {tuple(x.shape)}" for name, x in arrays.items())
    raise ValueError(f"{wanted}, got {came}")


@dataclass(frozen=True, eq=False)
class DeBERTa(Encoding):
    """DeBERTa at the scores, which are scaled by 1/√(head_dim · (1 + number of terms)).

    Shapes: position_key and position_query [heads, 2k, head_dim], where k is bucket_size, or
    without buckets max_position (half the rows when it is not said).
    """

    position_key: Array = None
    position_query: Array = None
    bucket_size: int | None = None
    max_position: int | None = None
    terms: tuple[str, ...] = ("c2p", "p2c")
    p2c: str = "code"
    _buckets: tuple[int, tuple[int, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        tables = _tables(self.position_key, self.position_query, self.terms)
        require_choice(self.p2c, "p2c", P2C)
        require_alike(**tables)
        buckets = _buckets(tables, self.bucket_size, self.max_position)
        object.__setattr__(self, "_buckets", buckets)

    def scale(self, head_dim: int) -> float:
        """Return 1/√(head_dim · (1 + terms)): each term adds to the variance of the scores."""
        return (head_dim * (1 + len(self.terms))) ** -0.5

    @adds_bias(by="token")
    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add scale × the position terms to scores [batch, heads, q_len, k_len]."""
        scale = self.scale(q.shape[-1])  # on the tables, which are smaller than the scores
        tables = {
            name: scale * like(table, scores, name, scores.dtype)
            for name, table in _tables(self.position_key, self.position_query, self.terms).items()
        }
        q_positions = as_integers(q_positions, "q_positions")
        k_positions = as_integers(k_positions, "k_positions")
        offsets = like(offsets_between(q_positions, k_positions), scores, "offsets")
        _require_shapes(q, k, tables, offsets)
        xp = namespace(scores, q, k)
        q, k = xp.astype(q, scores.dtype), xp.astype(k, scores.dtype)
        return _with_positions(scores, q, k, tables, offsets, self.p2c, self._buckets)
