"""PoPE: content gives the norm of each dimension, position alone its direction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_array, as_float64, as_like, namespace, softplus, upcast_half
from posviz.encodings.checks import require_shape
from posviz.encodings.doors import Encoding
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.relative import positions_of
from posviz.encodings.rotary import join_pairs

__all__ = ["PoPE", "apply_pope"]


def apply_pope(x: Array, angles: Any) -> Array:
    """Give each dimension the norm μ = ln(1 + e^x) and the direction of its angle.

    Scores are then Σ μ_q μ_k cos(angle_q − angle_k) over the dimensions: as μ is above 0, content
    rotates nothing. It is RoPE of twice as many dimensions, for pairs (μ, 0).

    Shapes: x and angles [..., len, head_dim], result [..., len, 2·head_dim], where cosine and sine
    alternate. Units: radians.

    Source: Gopalakrishnan et al. 2025 (PoPE); ``PolarEmbedding`` in x_transformers.
    """
    x, angles = as_array(x, "x"), as_float64(angles, "angles")
    xp, norm = namespace(angles), softplus(upcast_half(x))
    cos = norm * as_like(xp.cos(angles), norm, norm.dtype)
    sin = norm * as_like(xp.sin(angles), norm, norm.dtype)
    return namespace(x).astype(join_pairs(cos, sin, "interleaved"), x.dtype, copy=False)


@dataclass(frozen=True, eq=False)
class PoPE(Encoding):
    """PoPE at the query and key, which leave their doors twice as wide; the values do not.

    Each of the head_dim dimensions has its own frequency, base^(−c/head_dim) for dimension c.
    delta [heads, head_dim] (None: 0) is learned, clipped to −2π … 0, and subtracted from the
    query's angles.
    """

    delta: Array = None
    base: float = 10_000.0

    def scale(self, head_dim: int) -> float:
        """Return 1/√head_dim of the queries before at_query, half of what leaves it."""
        return (head_dim / 2) ** -0.5

    def at_query(self, q: Array, positions: Any) -> Array:
        """Return q [batch, heads, len, head_dim] at the angles of its positions, minus delta."""
        angles = self._angles(q, positions)
        if self.delta is not None:
            require_shape(self.delta, "delta", q.shape[1], q.shape[3])
            delta = as_like(as_float64(self.delta, "delta"), angles)
            angles = angles - namespace(delta).clip(delta, -2 * math.pi, 0.0)[:, None]
        return apply_pope(q, angles)

    def at_key(self, k: Array, positions: Any) -> Array:
        """Return k [batch, heads, len, head_dim] at the angles of its positions."""
        return apply_pope(k, self._angles(k, positions))

    def _angles(self, x: Array, positions: Any) -> Array:
        """Return the angles [(batch,) 1, len, head_dim], the same for all heads."""
        inv_freq = rotary_frequencies(2 * x.shape[-1], self.base)
        return rotary_angles(positions_of(positions, x), inv_freq)[..., None, :, :]
