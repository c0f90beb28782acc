"""The frequency of each pair of dimensions, and its angle at a position."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from posviz.arrays import Array, as_float64, namespace, together
from posviz.encodings.checks import require_base, require_even, require_real, require_shape

__all__ = [
    "Frequencies",
    "proportional_frequencies",
    "rotary_angles",
    "rotary_frequencies",
    "wavelengths",
]


class Frequencies(NamedTuple):
    """What context extension changes in a trained RoPE.

    Shapes: inv_freq [rotary_dim/2]. Units: radians per token. attention_factor multiplies queries
    and keys, so scores are multiplied by its square.
    """

    inv_freq: Array
    attention_factor: float = 1.0


def rotary_frequencies(rotary_dim: int, base: float = 10_000.0) -> np.ndarray:
    """Return the frequency of each pair k: θₖ = base^(−2k/rotary_dim).

    Shapes: [rotary_dim/2]. Units: radians per token.

    Source: Vaswani et al. 2017, section 3.5; Su et al. 2021 (RoFormer), equation 15.

    >>> rotary_frequencies(8).round(4).tolist()
    [1.0, 0.1, 0.01, 0.001]
    """
    rotary_dim, base = require_even(rotary_dim, "rotary_dim"), require_base(base)
    return base ** (-np.arange(0, rotary_dim, 2) / rotary_dim)


def tensor2tensor_frequencies(d_model: int, base: float = 10_000.0) -> np.ndarray:
    """Return base^(−k/(d_model/2 − 1)) for each pair k: from 1 down to 1/base, both reached.

    Shapes: [d_model/2]. Units: radians per token.

    Source: tensor2tensor, ``get_timing_signal_1d``, the first released code of the 2017 paper.
    """
    pairs, base = require_even(d_model, "d_model") // 2, require_base(base)
    return base ** (-np.arange(pairs) / max(pairs - 1, 1))


def proportional_frequencies(head_dim: int, fraction: float, base: float = 10_000.0) -> np.ndarray:
    """Return the frequencies of p-RoPE: the first int(fraction · head_dim/2) pairs rotate.

    Shapes: [head_dim/2]. Units: radians per token; 0 for the other pairs.

    Source: Barbero et al. 2024, "Round and Round We Go!", on p-RoPE.

    >>> proportional_frequencies(8, 0.5).round(4).tolist()  # two of four pairs rotate
    [1.0, 0.1, 0.0, 0.0]
    """
    fraction = require_real(fraction, "fraction")
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction must be in [0, 1], got {fraction:g}.")
    inv_freq = rotary_frequencies(head_dim, base)
    inv_freq[int(fraction * len(inv_freq)) :] = 0.0
    return inv_freq


def rotary_angles(positions: Any, inv_freq: Any) -> Array:
    """Return the angle of each pair at each position: position × inv_freq.

    Shapes: positions [...], inv_freq [rotary_dim/2], result [..., rotary_dim/2]. Units: tokens,
    radians per token, radians. Always float64: in float32 an angle at position 131 072 is off by
    more than 1e-3.

    Source: Su et al. 2021 (RoFormer), equation 15.

    >>> rotary_angles([0, 1, 2], [1.0, 0.01]).tolist()
    [[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]
    """
    positions, inv_freq = as_float64(positions, "positions"), as_float64(inv_freq, "inv_freq")
    require_shape(inv_freq, "inv_freq", "rotary_dim/2")
    positions, inv_freq = together(positions, inv_freq)
    return positions[..., None] * inv_freq


def wavelengths(inv_freq: Any) -> Array:
    """Return the period of each pair, 2π / inv_freq: infinite where the frequency is 0.

    Shapes: any. Units: radians per token in, tokens out.

    Source: Peng et al. 2023 (YaRN), section 2.

    >>> wavelengths(rotary_frequencies(64))[[0, -1]].round(1).tolist()  # tokens
    [6.3, 47117.2]
    """
    inv_freq = as_float64(inv_freq, "inv_freq")
    xp, still = namespace(inv_freq), inv_freq == 0
    return xp.where(still, math.inf, 2 * math.pi / xp.where(still, 1.0, inv_freq))
