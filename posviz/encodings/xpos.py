"""xPos: RoPE whose scores also decay with distance, pair by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz.arrays import Array, as_array, as_float64, as_like, namespace, upcast_half
from posviz.encodings.checks import require_base, require_choice, require_even, require_positive
from posviz.encodings.doors import Encoding
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.relative import positions_of
from posviz.encodings.rotary import LAYOUTS, apply_rotary

__all__ = ["XPos", "apply_xpos", "resolution", "xpos_scale"]


def xpos_scale(
    positions: Any, head_dim: int, *, gamma: float = 0.4, scale_base: float = 512.0
) -> Array:
    """Return ζₖ^(p/scale_base) of each pair k, where ζₖ = (2k/head_dim + γ)/(1 + γ).

    Shapes: positions [...], result [..., head_dim/2], float64. Units: tokens. The pairs of the
    highest frequencies decay most; the larger gamma or scale_base, the nearer to RoPE.

    Source: Sun et al. 2022 (xPos), equation 9; scale_base is from torchscale, the released code.
    """
    head_dim = require_even(head_dim, "head_dim")
    gamma = require_positive(gamma, "gamma")
    scale_base = require_positive(scale_base, "scale_base")
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
    and grows without bound for future keys, so xPos is for causal attention only. Adding one number
    to all positions changes no score, but it changes where numbers overflow (see ``XPos``).

    Shapes: q [..., q_len, head_dim], k [..., k_len, head_dim], positions [..., len], results as q
    and k. Units: tokens.

    Source: Sun et al. 2022 (xPos), algorithm 1.
    """
    namespace(q, k)  # refuses a mixture
    options = vars(XPos(base, gamma, scale_base, layout))
    q_positions = _require_length(q_positions, q, "q")
    k_positions = _require_length(k_positions, k, "k")
    return (
        _rotate_and_scale(q, q_positions, sign=1, **options),
        _rotate_and_scale(k, k_positions, sign=-1, **options),
    )


def _rotate_and_scale(
    x: Array,
    positions: Any,
    *,
    sign: int,
    base: float,
    gamma: float,
    scale_base: float,
    layout: str,
) -> Array:
    """Rotate x [..., len, head_dim] by its positions [..., len], times ζₖ^(sign · p/scale_base)."""
    positions, head_dim = as_float64(positions, "positions"), x.shape[-1]
    scale = xpos_scale(sign * positions, head_dim, gamma=gamma, scale_base=scale_base)
    angles = rotary_angles(positions, rotary_frequencies(head_dim, base))
    rotated = apply_rotary(upcast_half(x), angles, layout=layout)
    # Scaled after the rotation: ∞ − ∞ within it would be NaN.
    xp, scale = namespace(x), as_like(scale, rotated, rotated.dtype)
    if layout == "interleaved":
        scale = xp.repeat(scale, 2, axis=-1)
    else:
        scale = xp.concat([scale, scale], axis=-1)
    return xp.astype(rotated * scale, x.dtype, copy=False)


def _require_length(positions: Any, x: Array, name: str) -> Array:
    positions = as_array(positions, f"{name}_positions")
    if x.ndim < 2 or tuple(positions.shape[-1:]) != tuple(x.shape[-2:-1]):
        raise ValueError(
            f"{name} must be [..., len, head_dim] for positions [..., len], got shape "
            f"{tuple(x.shape)} for positions {tuple(positions.shape)}."
        )
    return positions


def resolution(scores: Array) -> Array:
    """Return how well attention distinguishes neighbouring distances: Σ pₙ (pₙ − pₙ₊₁).

    p is the softmax of the scores s[n] expected at distances n = 0, 1, 2…, so this is the paper's
    Σ e^s[n] (e^s[n] − e^s[n+1]) / (Σ e^s[n])². The last distance, which has no next one, counts in
    the denominator alone. At most 1; 0 when all scores are equal; below 0 when they rise. A score
    of −∞ is a masked distance.

    Shapes: [..., distances], at least 2 of them, result [...].

    Source: Sun et al. 2022 (xPos), equation 3.
    """
    xp = namespace(scores)
    if scores.ndim < 1 or scores.shape[-1] < 2:
        raise ValueError(
            f"scores must be [..., distances], at least 2 of them, got shape {tuple(scores.shape)}."
        )
    wide = upcast_half(scores)
    peak = xp.max(wide, axis=-1, keepdims=True)
    powers = xp.exp(wide - xp.where(peak == -xp.inf, 0.0, peak))
    total = xp.sum(powers, axis=-1, keepdims=True)
    p = powers / xp.where(total == 0, 1.0, total)
    steps = p[..., :-1] - p[..., 1:]
    return xp.astype(xp.sum(p[..., :-1] * steps, axis=-1), scores.dtype, copy=False)


@dataclass(frozen=True)
class XPos(Encoding):
    """xPos at the query and key, for causal attention only: scores of future keys would explode.

    Positions count from 0, so that a cached key stays right as the text grows. (torchscale counts
    from the middle of the text, which changes no score.) But keys grow as ζ₀^(−p/scale_base), as do
    queries at negative positions. With gamma 0.4 and scale_base 512, as in the released code,
    float32 overflows to infinity after position 36 260 (float16: 4 532), and 0 becomes NaN. With
    scale_base 1, as in the paper, it overflows after 70 (8).
    """

    base: float = 10_000.0
    gamma: float = 0.4
    scale_base: float = 512.0
    layout: str = "interleaved"

    def __post_init__(self) -> None:
        require_base(self.base)
        require_positive(self.gamma, "gamma")
        require_positive(self.scale_base, "scale_base")
        require_choice(self.layout, "layout", LAYOUTS)

    def at_query(self, q: Array, positions: Any) -> Array:
        """Rotate q [batch, heads, len, head_dim] by its positions, and multiply it by its scale."""
        positions = positions_of(positions, q)[..., None, :]  # the same for all heads
        return _rotate_and_scale(q, positions, sign=1, **vars(self))

    def at_key(self, k: Array, positions: Any) -> Array:
        """Rotate k [batch, heads, len, head_dim] by its positions, and divide it by its scale."""
        positions = positions_of(positions, k)[..., None, :]
        return _rotate_and_scale(k, positions, sign=-1, **vars(self))
