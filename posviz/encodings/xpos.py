"""xPos: RoPE whose scores also decay with distance, pair by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz.arrays import Array, as_float64, as_like, namespace, softmax, upcast_half
from posviz.encodings.checks import (
    require_base,
    require_choice,
    require_even,
    require_real,
    require_shape,
)
from posviz.encodings.doors import Encoding
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.relative import positions_of
from posviz.encodings.rotary import LAYOUTS, apply_rotary, join_pairs

__all__ = ["XPos", "apply_xpos", "resolution", "xpos_scale"]


def xpos_scale(
    positions: Any, head_dim: int, *, gamma: float = 0.4, scale_base: float = 512.0
) -> Array:
    """Return ζₖ^(p/scale_base) of each pair k, where ζₖ = (2k/head_dim + γ)/(1 + γ).

    Shapes: positions [...], result [..., head_dim/2], float64. Units: tokens. The pairs of the
    highest frequencies decay most; the larger gamma or scale_base, the nearer to RoPE.

    Source: Sun et al. 2022 (xPos), equation 9; scale_base is from torchscale, the released code.

    >>> xpos_scale([0, 512], 8).round(2).tolist()  # after 512 tokens each pair's ζ
    [[1.0, 1.0, 1.0, 1.0], [0.29, 0.46, 0.64, 0.82]]
    """
    head_dim = require_even(head_dim, "head_dim")
    positions = as_float64(positions, "positions")
    zeta = (np.arange(0, head_dim, 2) / head_dim + gamma) / (1 + gamma)
    return as_like(zeta, positions) ** (positions[..., None] / scale_base)


def apply_xpos(
    q: Array,
    k: Array,
    q_positions: Any,
    k_positions: Any,
    *,
    base: float = 10_000.0,
    gamma: float = 0.4,
    scale_base: float = 512.0,
    layout: str = "interleaved",
) -> tuple[Array, Array]:
    """Rotate q and k as RoPE does, multiply q by its scale and divide k by its own.

    A pair's part of the score is that of RoPE · ζₖ^((i − j)/scale_base). It decays for past keys
    and grows without bound for future keys, so xPos is for causal attention only.

    Shapes: q [..., q_len, head_dim], k [..., k_len, head_dim], positions [..., len], results as q
    and k. Units: tokens.

    Source: Sun et al. 2022 (xPos), algorithm 1.
    """
    xpos = XPos(base, gamma, scale_base, layout)
    return xpos._rotate_and_scale(q, q_positions, 1), xpos._rotate_and_scale(k, k_positions, -1)


def resolution(scores: Array) -> Array:
    """Return how well attention distinguishes neighbouring distances: Σ pₙ (pₙ − pₙ₊₁).

    p is the softmax of the scores s[n] expected at distances n = 0, 1, 2…, so this is the paper's
    Σ e^s[n] (e^s[n] − e^s[n+1]) / (Σ e^s[n])². The last distance, which has no next one, counts in
    the denominator alone. At most 1; 0 when all scores are equal; below 0 when they rise.

    Shapes: [..., distances], at least 2 of them, result [...].

    Source: Sun et al. 2022 (xPos), equation 3.
    """
    xp = namespace(scores)
    p = softmax(upcast_half(scores))
    steps = p[..., :-1] - p[..., 1:]
    return xp.astype(xp.sum(p[..., :-1] * steps, axis=-1), scores.dtype, copy=False)


@dataclass(frozen=True)
class XPos(Encoding):
    """xPos at the query and key, for causal attention only: scores of future keys would explode.

    Positions count from 0, so that a cached key stays right as the text grows. (torchscale counts
    from the middle of the text, which changes no score.) But keys grow as ζ₀^(−p/scale_base): with
    the numbers of the released code float32 overflows after position 36 260 (float16: 4 532).
    """

    base: float = 10_000.0
    gamma: float = 0.4
    scale_base: float = 512.0
    layout: str = "interleaved"

    def __post_init__(self) -> None:
        require_base(self.base)
        require_real(self.gamma, "gamma", above=0)
        require_real(self.scale_base, "scale_base", above=0)
        require_choice(self.layout, "layout", LAYOUTS)

    def at_query(self, q: Array, positions: Any) -> Array:
        """Rotate q [batch, heads, len, head_dim] by its positions, and multiply it by its scale."""
        return self._rotate_and_scale(q, positions_of(positions, q)[..., None, :], 1)

    def at_key(self, k: Array, positions: Any) -> Array:
        """Rotate k [batch, heads, len, head_dim] by its positions, and divide it by its scale."""
        return self._rotate_and_scale(k, positions_of(positions, k)[..., None, :], -1)

    def _rotate_and_scale(self, x: Array, positions: Any, sign: int) -> Array:
        """Rotate x [..., len, head_dim] at positions [..., len], times ζₖ^(sign · p/scale_base)."""
        positions, head_dim = as_float64(positions, "positions"), x.shape[-1]
        length = positions.shape[-1]
        require_shape(x, "q" if sign == 1 else "k", *x.shape[:-2], length, "head_dim")
        angles = rotary_angles(positions, rotary_frequencies(head_dim, self.base))
        rotated = apply_rotary(upcast_half(x), angles, layout=self.layout)
        scale = xpos_scale(sign * positions, head_dim, gamma=self.gamma, scale_base=self.scale_base)
        # Scaled after the rotation: ∞ − ∞ within it would be NaN.
        scale = as_like(scale, rotated, rotated.dtype)
        scaled = rotated * join_pairs(scale, scale, self.layout)
        return namespace(x).astype(scaled, x.dtype, copy=False)
