"""How fast each pair of dimensions turns, and how far it has turned at a position."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from posviz.arrays import (
    Array,
    as_float64,
    check_memory,
    is_readable,
    is_torch,
    like,
    namespace,
    shape_of,
)
from posviz.encodings.checks import require_base, require_even, require_real

__all__ = [
    "Frequencies",
    "proportional_frequencies",
    "rotary_angles",
    "rotary_frequencies",
    "wavelengths",
]


class Frequencies(NamedTuple):
    """What stretching a trained RoPE to longer texts changes.

    Shapes: inv_freq [rotary_dim/2]. Units: radians per token. attention_factor multiplies queries
    and keys, so that scores get its square.
    """

    inv_freq: Array
    attention_factor: float = 1.0


def rotary_frequencies(rotary_dim: int, base: float = 10_000.0) -> np.ndarray:
    """Return inv_freq = base^(−2i/rotary_dim) for each pair i, as sinusoids and RoPE have it.

    Shapes: [rotary_dim/2]. Units: radians per token. float64.

    Raises:
        TypeError: when rotary_dim is not an integer or base not a number.
        ValueError: when rotary_dim is odd or below 2, base is not above 1, or memory is short.

    Source: Vaswani et al. 2017, section 3.5; Su et al. 2021 (RoFormer), equation 15.
    """
    rotary_dim, base = require_even(rotary_dim, "rotary_dim"), require_base(base)
    check_memory("rotary_dim", (rotary_dim,), copies=3)  # as YaRN needs
    return base ** (-np.arange(0, rotary_dim, 2, dtype=np.float64) / rotary_dim)


def tensor2tensor_frequencies(d_model: int, base: float = 10_000.0) -> np.ndarray:
    """Return base^(−k/(d_model/2 − 1)) for each pair k: from 1 down to 1/base, both reached.

    Shapes: [d_model/2]. Units: radians per token. float64.

    Raises:
        TypeError: when d_model is not an integer or base not a number.
        ValueError: when d_model is odd or below 2, base is not above 1, or memory is short.

    Source: tensor2tensor, ``get_timing_signal_1d``, the first released code of the 2017 paper.
    """
    d_model, base = require_even(d_model, "d_model"), require_base(base)
    check_memory("d_model", (d_model,), copies=2)
    pairs = d_model // 2
    return base ** (-np.arange(pairs, dtype=np.float64) / max(pairs - 1, 1))


def proportional_frequencies(head_dim: int, fraction: float, base: float = 10_000.0) -> np.ndarray:
    """Return the frequencies of p-RoPE: the first ``fraction`` of the pairs turn, the rest stand.

    Their number is int(fraction · head_dim/2), rounded down: 0.29 of 100 pairs is 28.999…, so 28.

    Shapes: [head_dim/2]. Units: radians per token; 0 for a pair that stands still. float64.

    Raises:
        TypeError: when head_dim is not an integer or another argument not a number.
        ValueError: when head_dim is odd or below 2, base is not above 1, fraction is not in [0, 1].

    Source: Barbero et al. 2024, "Round and Round We Go!", on p-RoPE.
    """
    inv_freq = rotary_frequencies(require_even(head_dim, "head_dim"), base)
    fraction = require_real(fraction, "fraction")
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction must be in [0, 1], got {fraction:g}")
    inv_freq[int(fraction * len(inv_freq)) :] = 0.0
    return inv_freq


def rotary_angles(positions: Any, inv_freq: Any) -> Array:
    """Return how far each pair has turned at each position: position × inv_freq.

    Shapes: positions [...], inv_freq [rotary_dim/2], result [..., rotary_dim/2]. Units: tokens,
    radians per token, radians. Always float64: in float32 an angle at position 131 072 is off by
    more than 1e-3. On a device without float64 the result waits on the CPU.

    Raises:
        TypeError: when an argument is not real numbers.
        ValueError: for NaN or infinity, inv_freq that is not a vector, different devices, or when
            memory is short.

    Source: Su et al. 2021 (RoFormer), equation 15.
    """
    inv_freq = as_float64(inv_freq, "inv_freq")
    if inv_freq.ndim != 1:
        raise ValueError(f"inv_freq must be a vector, got shape {tuple(inv_freq.shape)}")
    check_memory("positions × pairs", (*shape_of(positions), len(inv_freq)), x=positions)
    positions = as_float64(positions, "positions")
    if is_torch(inv_freq) and not is_torch(positions):
        positions = like(positions, inv_freq, "positions")
    return angles_at(positions, like(inv_freq, positions, "inv_freq"))


def angles_at(positions: Array, inv_freq: Array) -> Array:
    """Return the ``rotary_angles`` of arrays in float64 that lie beside each other."""
    check_memory("positions × pairs", (*positions.shape, *inv_freq.shape), x=positions)
    return positions[..., None] * inv_freq


def wavelengths(inv_freq: Any) -> Array:
    """Return after how many tokens each pair has turned once: 2π / inv_freq, infinite at 0.

    Shapes: any. Units: radians per token in, tokens out. float64.

    Raises:
        TypeError: when inv_freq is not real numbers.
        ValueError: for NaN, infinity, or a frequency below 0.

    Source: Peng et al. 2023 (YaRN), section 2.
    """
    inv_freq = as_float64(inv_freq, "inv_freq")
    xp = namespace(inv_freq)
    if is_readable(inv_freq) and bool(xp.any(inv_freq < 0)):
        raise ValueError(
            f"inv_freq must not be negative, got {float(xp.min(inv_freq)):g} among them"
        )
    still = inv_freq == 0
    return xp.where(still, xp.inf, 2 * math.pi / xp.where(still, 1.0, inv_freq))
