"""xPos: RoPE whose scores also decay with distance, pair by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz.arrays import (
    Array,
    as_float64,
    beside,
    check_memory,
    in_float64,
    like,
    namespace,
    require_alike,
    shape_of,
    widened,
)
from posviz.encodings.checks import (
    broadcasts_to,
    require_base,
    require_choice,
    require_even,
    require_positive,
)
from posviz.encodings.frequencies import angles_at, rotary_frequencies
from posviz.encodings.relative import positions_of
from posviz.encodings.rotary import LAYOUTS, Turning, turned, waves_of

__all__ = ["XPos", "apply_xpos", "resolution", "xpos_scale"]


def xpos_scale(
    positions: Any, head_dim: int, *, gamma: float = 0.4, scale_base: float = 512.0
) -> Array:
    """Return ζ_i^(position/scale_base) for each pair i, where ζ_i = (2i/head_dim + γ)/(1 + γ).

    Shapes: positions [...], result [..., head_dim/2]. Units: tokens. float64, on the CPU where the
    device has none. Fast pairs decay most; the larger gamma or scale_base, the nearer to RoPE.

    Raises:
        TypeError: when positions are not real numbers, head_dim not an integer, or another
            argument not a number.
        ValueError: for NaN or infinity, an odd head_dim, gamma or scale_base not above 0, or when
            memory is short.

    Source: Sun et al. 2022 (xPos), equation 9; scale_base is from torchscale, the released code.
    """
    head_dim = require_even(head_dim, "head_dim")
    gamma = require_positive(gamma, "gamma")
    scale_base = require_positive(scale_base, "scale_base")
    _check_memory(positions, head_dim)
    positions = as_float64(positions, "positions")
    return _scale(positions, head_dim, gamma, scale_base)


def _check_memory(positions: Any, head_dim: int) -> None:
    shape = (*shape_of(positions), head_dim // 2)
    check_memory("positions × pairs", shape, x=positions, copies=2)


def _scale(positions: Array, head_dim: int, gamma: float, scale_base: float) -> Array:
    _check_memory(positions, head_dim)
    return beside(positions, _zeta, head_dim, float(gamma)) ** (positions[..., None] / scale_base)


def _zeta(head_dim: int, gamma: float) -> np.ndarray:
    return (np.arange(0, head_dim, 2, dtype=np.float64) / head_dim + gamma) / (1 + gamma)


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
    """Turn q and k as RoPE does, multiply q by its scale and divide k by its own.

    A pair's part of the score is that of RoPE × ζ_i^(offset/scale_base), offset being query −
    key position: it decays looking back, and grows without bound looking ahead, so this is for
    causal attention only. Adding one number to all positions, of queries and keys alike, changes
    no score, but moves where numbers overflow: see ``XPos``. (The released code counts from the
    middle of the text for the scale alone, which changes no score either.)

    Shapes: q [..., q_len, head_dim], k [..., k_len, head_dim], positions [..., len] (leading axes
    broadcast to those of q or k), results as q and k. Units: tokens.

    Raises:
        TypeError: when q and k are not floating arrays of one kind and dtype, or positions not
            real numbers.
        ValueError: when shapes or devices do not match, head_dim is odd, base is not above 1,
            gamma or scale_base not above 0, the layout is unknown, or memory is short.

    Source: Sun et al. 2022 (xPos), algorithm 1.
    """
    require_alike(q=q, k=k)
    if q.ndim and k.ndim and q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q and k must share head_dim, got {q.shape[-1]} and {k.shape[-1]}")
    encoding = XPos(base, gamma, scale_base, layout)
    return (
        encoding._changed(q, as_float64(q_positions, "q_positions"), 1, "q"),
        encoding._changed(k, as_float64(k_positions, "k_positions"), -1, "k"),
    )


def resolution(scores: Array) -> Array:
    """Return how sharply attention tells each distance from the next: Σ_i p_i (p_i − p_{i+1}).

    p is the softmax of the scores s[n], expected at distances n = 0, 1, 2…: so this is the paper's
    Σ e^s[i] (e^s[i] − e^s[i+1]) / (Σ e^s[i])². Both sums there run to the same N although only one
    needs s[N+1]; here the last distance, which has no next, counts in the denominator alone. At
    most 1, 0 when all scores are alike, below 0 when they rise. −∞ is a distance that is masked.

    Shapes: [..., distances], at least 2 of them, result [...]. Halves are computed in float32.

    Raises:
        TypeError: when scores are not a floating array.
        ValueError: when there are fewer than 2 distances.

    Source: Sun et al. 2022 (xPos), equation 3.
    """
    xp = require_alike(scores=scores)
    if scores.ndim < 1 or scores.shape[-1] < 2:
        raise ValueError(
            f"scores must be [..., distances] with at least 2 of them, "
            f"got shape {tuple(scores.shape)}"
        )
    [wide] = widened(scores)
    peak = xp.max(wide, axis=-1, keepdims=True)
    powers = xp.exp(wide - xp.where(peak == -xp.inf, 0.0, peak))
    total = xp.sum(powers, axis=-1, keepdims=True)
    weights = powers / xp.where(total == 0, 1.0, total)
    steps = weights[..., :-1] - weights[..., 1:]
    return xp.astype(xp.sum(weights[..., :-1] * steps, axis=-1), scores.dtype, copy=False)


@dataclass(frozen=True)
class XPos(Turning):
    """xPos at the query and key, for causal attention only: the future would be amplified.

    Positions are absolute, so that a cached key stays right as the text grows. The price is range:
    keys grow as ζ_0^(−position/scale_base). With gamma 0.4 and scale_base 512, as in the released
    code, float32 overflows to infinity after position 36 260 (float16: 4 532), and with scale_base
    1, for the paper has none, after 70 (8).
    Nothing is clamped: a 1 becomes infinity, a 0 no number (NaN), and NumPy warns. The same holds
    for queries at negative positions.
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

    def _changed(self, x: Array, positions: Array, sign: int, name: str) -> Array:
        _require_matching(x, positions, name)
        like(positions, x, f"{name}_positions")  # another kind or device is refused by this name
        return self._turned(x, self._waves_at(x, positions), sign)

    def _waves(self, x: Array, positions: Any) -> tuple[Array, ...]:
        return self._waves_at(x, in_float64(positions_of(positions, x))[..., None, :])

    def _waves_at(self, x: Array, positions: Array) -> tuple[Array, ...]:
        head_dim = require_even(x.shape[-1], "head_dim")
        inv_freq = beside(positions, rotary_frequencies, head_dim, float(self.base))
        angles = angles_at(positions, inv_freq)
        return (*waves_of(angles, x, self.layout), positions)

    def _turned(self, x: Array, waves: tuple[Array, ...], sign: int) -> Array:
        """Turn x, multiply a query by its scale and divide a key by its own."""
        positions = waves[-1]
        xp = namespace(x)
        [wide] = widened(x)
        scale = _scale(sign * positions, x.shape[-1], self.gamma, self.scale_base)
        scale = like(scale, x, "positions", wide.dtype)
        wide = turned(wide, waves[:-1], self.layout)
        # Only after the turn: infinity − infinity, in the turn, would be no number.
        if self.layout == "interleaved":
            wide = wide * xp.repeat(scale, 2, axis=-1)
        else:
            wide = wide * xp.concat([scale, scale], axis=-1)
        return xp.astype(wide, x.dtype, copy=False)


def _require_matching(x: Array, positions: Array, name: str) -> None:
    x_shape, shape = tuple(x.shape), tuple(positions.shape)
    if len(x_shape) < 2 or not broadcasts_to(shape, x_shape[:-1]):
        raise ValueError(
            f"{name} must be [..., len, head_dim] for positions [..., len], "
            f"got {name} {x_shape} for positions {shape}"
        )
