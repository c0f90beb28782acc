"""PoPE: content says how strong a dimension is, position alone says where it points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from posviz.arrays import (
    Array,
    as_complex,
    as_float64,
    beside,
    in_dtype,
    in_float64,
    like,
    namespace,
    require_alike,
    side_by_side,
    softplus,
    widened,
)
from posviz.encodings.checks import broadcasts_to, require_base
from posviz.encodings.frequencies import angles_at, rotary_frequencies
from posviz.encodings.relative import positions_of
from posviz.encodings.rotary import Turning, waves_of

__all__ = ["PoPE", "apply_pope"]


def apply_pope(x: Array, angles: Any) -> Array:
    """Give each dimension the length softplus(x) and the direction of its angle.

    Scores are then Σ μ_q μ_k cos(angle_q − angle_k) over the dimensions, where μ = ln(1 + e^x) is
    above 0: what a token is turns nothing. It is RoPE of twice as many dimensions, for pairs
    (softplus(x), 0).

    Shapes: x [..., len, head_dim], angles [..., len, head_dim] (leading axes broadcast to those of
    x), result [..., len, 2·head_dim], cosine and sine in turn. Units: radians.

    Raises:
        TypeError: when x is not a floating array, angles are not real numbers, or kinds differ.
        ValueError: when shapes or devices do not match, or angles are not finite.

    Source: Gopalakrishnan et al. 2025 (PoPE).
    """
    require_alike(x=x)
    angles = as_float64(angles, "angles")
    shape = tuple(angles.shape)
    if x.ndim < 2 or shape[-1:] != tuple(x.shape[-1:]) or not broadcasts_to(shape, x.shape):
        raise ValueError(
            f"angles must be [..., len, head_dim] for x [..., len, head_dim], got angles {shape} "
            f"for x {tuple(x.shape)}"
        )
    [wave] = waves_of(angles, x, "interleaved")
    return _pointing(x, wave)


def _pointing(x: Array, wave: Array) -> Array:
    [wide] = widened(x)
    return in_dtype(side_by_side(softplus(wide) * wave), x.dtype)


@dataclass(frozen=True, eq=False)
class PoPE(Turning):
    """PoPE at the query and key, which leave their doors twice as wide; the values do not.

    All head_dim dimensions have a frequency of their own, base^(−c/head_dim), c = 0 … head_dim − 1.
    delta [heads, head_dim] (None: 0) is learned, and added to the angle from a query to a key; it
    is clipped to −2π … 0. It turns the query back, so that heads may share keys.

    Source: Gopalakrishnan et al. 2025 (PoPE); ``PolarEmbedding`` in x_transformers.
    """

    delta: Array = None
    base: float = 10_000.0

    def __post_init__(self) -> None:
        require_base(self.base)
        if self.delta is not None:
            require_alike(delta=self.delta)
            if self.delta.ndim != 2:
                raise ValueError(
                    f"delta must be [heads, head_dim], got shape {tuple(self.delta.shape)}"
                )

    def scale(self, head_dim: int) -> float:
        """Return 1/√head_dim of what came to the doors, half of what leaves them."""
        return (head_dim / 2) ** -0.5

    def _waves(self, x: Array, positions: Any) -> tuple[Array, ...]:
        positions = in_float64(positions_of(positions, x))
        inv_freq = beside(positions, rotary_frequencies, 2 * int(x.shape[-1]), float(self.base))
        return waves_of(angles_at(positions, inv_freq)[..., None, :, :], x, "interleaved")

    def _turned(self, x: Array, waves: tuple[Array, ...], sign: int) -> Array:
        [wave] = waves
        if sign > 0 and self.delta is not None:
            wave = wave * self._back(x)
        return _pointing(x, wave)

    def _back(self, q: Array) -> Array:
        """Return e^(−i·delta) for queries [batch, heads, len, head_dim]."""
        heads, dims = q.shape[1], q.shape[3]
        if tuple(self.delta.shape) != (heads, dims):
            raise ValueError(
                f"delta must be [{heads}, {dims}], as many heads and as wide as q, "
                f"got {tuple(self.delta.shape)}"
            )
        xp, [wide] = namespace(q), widened(q)
        delta = xp.clip(like(self.delta, q, "delta", wide.dtype), -2 * math.pi, 0.0)[:, None]
        return as_complex(xp.cos(delta), -xp.sin(delta))
