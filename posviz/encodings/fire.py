"""FIRE: a small network reads the distance, measured against how far its query can look back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from posviz.arrays import (
    Array,
    as_numbers,
    check_memory,
    in_dtype,
    is_torch,
    like,
    namespace,
    require_alike,
    wide_dtype,
    widened,
)
from posviz.encodings.checks import require_factor, require_positive
from posviz.encodings.doors import Encoding, adds_bias
from posviz.encodings.relative import (
    both_positions,
    pairwise_offsets,
    position_at,
    positions_beside,
)

__all__ = ["FIRE", "fire_bias", "fire_distances"]

WEIGHTS = ("w_in", "b_in", "w_out", "b_out")


def fire_distances(
    q_positions: Any, k_positions: Any, *, c: Any = 0.1, threshold: Any = 512.0, eps: float = 1e-6
) -> Array:
    """Return ψ(i − j) / (ψ(max(L, i)) + eps), with ψ(x) = ln(|c·x| + 1): what the network reads.

    i is the query's position, j the key's, L = |threshold|: from L on, the farthest key of each
    query (j = 0) is at 1, however long the text; below L, i itself does not count. A key after its
    query, which the mask hides, is as far as one before. c and threshold are learned: numbers, or
    tensors of one. The defaults are those of the paper's code, where L is 512 times a learned 1.

    Shapes: positions [..., q_len] and [..., k_len], from 0, result [..., q_len, k_len], float64.
    Units: tokens, 1/tokens (c).

    Raises:
        TypeError: when an argument is not real numbers.
        ValueError: for NaN or infinity, batches that differ, or when memory is short.

    Source: Li et al. 2024 (FIRE), section 3.3, and its code in the appendix.
    """
    c, threshold = require_factor(c, "c"), require_factor(threshold, "threshold")
    eps = require_positive(eps, "eps")
    q_positions, k_positions = both_positions(q_positions, k_positions)
    apart = pairwise_offsets(q_positions, k_positions)
    for learned in (c, threshold):
        apart = like(apart, learned, "positions") if is_torch(learned) else apart
    dtype = namespace(apart).float64
    places = in_dtype(like(q_positions, apart, "q_positions"), dtype)
    return _distances(in_dtype(apart, dtype), places, c, threshold, eps)


def _distances(apart: Array, q_positions: Array, c: Any, threshold: Any, eps: float) -> Array:
    """Return the distances [..., q_len, k_len] of offsets alike and q_positions [..., q_len]."""
    xp = namespace(apart)
    reach = xp.where(q_positions > abs(threshold), q_positions, abs(threshold))
    return xp.log1p(abs(c * apart)) / (xp.log1p(abs(c * reach)) + eps)[..., None]


def fire_bias(distances: Any, w_in: Array, b_in: Array, w_out: Array, b_out: Array) -> Array:
    """Return relu(distance · w_in + b_in) @ w_out + b_out, to add to the scaled scores.

    Shapes: distances [..., q_len, k_len], as ``fire_distances`` makes them, w_in and b_in [width],
    w_out [width, heads], b_out [heads], result [..., heads, q_len, k_len]. Units: none, score. The
    dtype is that of w_in.

    Raises:
        TypeError: when weights are not floating-point arrays alike, or distances not real numbers.
        ValueError: for other shapes, NaN or infinity, or when memory is short.

    Source: Li et al. 2024 (FIRE), section 3.3: width 32, and all layers share c and L or not.
    """
    weights = _require_weights(w_in, b_in, w_out, b_out)
    distances = like(as_numbers(distances, "distances"), w_in, "distances")
    if distances.ndim < 2:
        raise ValueError(
            f"distances must be [..., q_len, k_len], got shape {tuple(distances.shape)}"
        )
    wide = widened(*weights)
    return in_dtype(_network(in_dtype(distances, wide[0].dtype), *wide), w_in.dtype)


def _network(distances: Array, w_in: Array, b_in: Array, w_out: Array, b_out: Array) -> Array:
    shape = (*distances.shape, len(w_in))
    check_memory("q_len × k_len × width", shape, w_in.dtype.itemsize, x=w_in, copies=2)
    xp = namespace(distances)
    hidden = xp.clip(distances[..., None] * w_in + b_in, 0.0, None)
    *lead, q_axis, k_axis, heads = range(hidden.ndim)
    return xp.permute_dims(hidden @ w_out + b_out, (*lead, heads, q_axis, k_axis))


def _require_weights(w_in: Array, b_in: Array, w_out: Array, b_out: Array) -> tuple[Array, ...]:
    require_alike(w_in=w_in, b_in=b_in, w_out=w_out, b_out=b_out)
    width, heads = (w_in.shape[-1:], w_out.shape[-1:])
    shapes = [tuple(w.shape) for w in (w_in, b_in, w_out, b_out)]
    if shapes != [tuple(width), tuple(width), (*width, *heads), tuple(heads)]:
        names = ", ".join(f"{name} {shape}" for name, shape in zip(WEIGHTS, shapes, strict=True))
        raise ValueError(
            f"weights must be w_in [width], b_in [width], w_out [width, heads], b_out [heads], "
            f"got {names}"
        )
    return w_in, b_in, w_out, b_out


@dataclass(frozen=True, eq=False)
class FIRE(Encoding):
    """FIRE at the scores: learned weights, and a learned c and threshold (tensors of one number).

    Shapes: w_in and b_in [width], w_out [width, heads], b_out [heads].
    """

    w_in: Array
    b_in: Array
    w_out: Array
    b_out: Array
    c: Any = 0.1
    threshold: Any = 512.0
    eps: float = 1e-6

    def __post_init__(self) -> None:
        _require_weights(self.w_in, self.b_in, self.w_out, self.b_out)
        require_factor(self.c, "c")
        require_factor(self.threshold, "threshold")
        require_positive(self.eps, "eps")

    @adds_bias(by="position")
    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add what the network makes of distances to scores [batch, heads, q_len, k_len]."""
        self._require_heads(scores.shape[-3])
        q_positions, k_positions = positions_beside(scores, q_positions, k_positions)
        apart = in_dtype(pairwise_offsets(q_positions, k_positions), scores.dtype)
        rows = in_dtype(q_positions, scores.dtype)
        distances = _distances(apart, rows, self.c, self.threshold, self.eps)
        weights = (like(getattr(self, name), scores, name, scores.dtype) for name in WEIGHTS)
        return scores + _network(in_dtype(distances, scores.dtype), *weights)

    def bias_of_pair(
        self, q: Array, k: Array, q_positions: Array, k_positions: Array
    ) -> Callable[..., Array]:
        """Return the bias of one pair: the network written out, a sum over its width."""
        self._require_heads(q.shape[1])
        dtype = wide_dtype(q)
        w_in, b_in, w_out, b_out = (like(getattr(self, n), q, n, dtype) for n in WEIGHTS)

        def bias(b: Any, h: Any, i: Any, j: Any) -> Array:
            row = in_dtype(position_at(q_positions, b, i), dtype)
            apart = row - position_at(k_positions, b, j)
            distance = _distances(apart[None], row[None], self.c, self.threshold, self.eps)[0, 0]
            total = b_out[h]
            for unit in range(len(w_in)):
                total = total + (distance * w_in[unit] + b_in[unit]).clip(0.0) * w_out[unit, h]
            return total

        return bias

    def _require_heads(self, heads: int) -> None:
        if len(self.b_out) != heads:
            raise ValueError(f"b_out must have the {heads} heads of q, got {len(self.b_out)}")
