"""Temperatures: queries grow with their position, or with the number of keys that they see.

``attention`` divides queries by a temperature. The classes of Llama 4 and Ministral 3 are therefore
one over the factor of their released code; ``LogN`` multiplies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_array, as_float64, as_like, namespace
from posviz.encodings.checks import require_shape

__all__ = [
    "Llama4Temperature",
    "LogN",
    "Ministral3Temperature",
    "llama4_factor",
    "log_n_factor",
    "ministral3_factor",
]


def llama4_factor(positions: Any, *, attn_scale: float = 0.1, floor_scale: float = 8192) -> Array:
    """Return 1 + attn_scale · ln(1 + ⌊(p + 1) / floor_scale⌋), by which queries are multiplied.

    Llama 4 does so in its NoPE layers alone. Position 8191 is the first whose factor is above 1.

    Shapes: positions [...], result alike, float64. Units: tokens.

    Source: transformers 5.23, ``Llama4TextAttention.forward``.
    """
    positions = as_float64(positions, "positions")
    xp = namespace(positions)
    return 1 + attn_scale * xp.log1p(xp.floor((positions + 1) / floor_scale))


def ministral3_factor(
    positions: Any, *, beta: float = 0.1, original_max_seq_len: float = 16_384
) -> Array:
    """Return 1 + beta · ln(1 + ⌊p / original_max_seq_len⌋), by which queries are multiplied.

    Ministral 3 counts from p, where Llama 4 counts from p + 1, and does so in all layers.

    Shapes: positions [...], result alike, float64. Units: tokens.

    Source: transformers 5.23, ``get_llama_4_attn_scale`` of its Ministral 3.
    """
    positions = as_float64(positions, "positions")
    xp = namespace(positions)
    return 1 + beta * xp.log1p(xp.floor(positions / original_max_seq_len))


def log_n_factor(seen: Any, scale: Any = 1.0) -> Array:
    """Return scale · ln n, by which scores are multiplied before their softmax.

    n is the number of keys that the query itself sees, after mask, window, padding and cache. With
    one key, or none, the factor is 0.

    Shapes: seen [...], scale a number or what broadcasts to seen, result alike, float64. Units:
    keys.

    Source: Nakanishi 2025 (Scalable-Softmax), equation 4, where scale, the paper's s, is learned
    in each layer and head; Su 2021 and Chiang and Cholak 2022 with a scale of one.
    """
    seen = as_float64(seen, "seen")
    xp = namespace(seen)
    return scale * xp.log(xp.clip(seen, 1, None))


@dataclass(frozen=True)
class Llama4Temperature:
    """The temperature of Llama 4's NoPE layers: 1 / ``llama4_factor``."""

    attn_scale: float = 0.1
    floor_scale: float = 8192

    def __call__(self, positions: Any) -> Array:
        """Return what queries at these positions [...] are divided by."""
        return 1 / llama4_factor(positions, **vars(self))


@dataclass(frozen=True)
class Ministral3Temperature:
    """The temperature of all layers of Ministral 3: 1 / ``ministral3_factor``."""

    beta: float = 0.1
    original_max_seq_len: float = 16_384

    def __call__(self, positions: Any) -> Array:
        """Return what queries at these positions [...] are divided by."""
        return 1 / ministral3_factor(positions, **vars(self))


@dataclass(frozen=True, eq=False)
class LogN:
    """log-n scaling (Scalable-Softmax): queries are multiplied by scale · ln n.

    n is the number of keys that a query sees: ``attention`` counts them. A bias at the scores is
    not multiplied.

    Shapes: scale one number, or [heads], learned.
    """

    scale: Any = 1.0

    def factor(self, seen: Array, x: Array) -> Array:
        """Return scale · ln n in the dtype of x.

        Shapes: seen and result [batch or 1, heads or 1, q_len], x [batch, heads, q_len, head_dim].
        """
        logarithms = as_like(log_n_factor(seen), x, x.dtype)
        scale = as_like(as_array(self.scale, "scale"), x, x.dtype)
        if scale.ndim:
            scale = require_shape(scale, "scale", x.shape[1])[:, None]
        return scale * logarithms
