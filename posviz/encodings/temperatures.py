"""Temperatures: queries grow with their position, or with the number of keys that they see.

The longer the row, the more keys share the softmax; a query that grows with the logarithm keeps its
largest weight. ``attention`` divides queries by a temperature, so each here is one over the factor
that a paper or released code multiplies by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz.arrays import Array, as_numbers, in_float64, is_readable, is_torch, like, namespace
from posviz.encodings.checks import require_positive, require_real

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

    In Llama 4 that is so in layers without position alone. The text's token 8192, at position
    8191, is the first whose factor is above 1.

    Shapes: positions [...], result alike, float64. Units: tokens.

    Raises:
        TypeError: when an argument is not real numbers.
        ValueError: for NaN, infinity, positions below −1, or a floor_scale that is not above 0.

    Source: transformers 5.23, ``Llama4TextAttention.forward``.
    """
    return _by_floor(positions, 1.0, attn_scale, require_positive(floor_scale, "floor_scale"))


def ministral3_factor(
    positions: Any, *, beta: float = 0.1, original_max_seq_len: float = 16_384
) -> Array:
    """Return 1 + beta · ln(1 + ⌊p / original_max_seq_len⌋), by which queries are multiplied.

    Counted from p, where Llama 4 counts from p + 1; and in all layers, after RoPE.

    Shapes: positions [...], result alike, float64. Units: tokens.

    Raises:
        TypeError: when an argument is not real numbers.
        ValueError: for NaN, infinity, positions below −1, or an original_max_seq_len that is
            not above 0.

    Source: transformers 5.23, ``get_llama_4_attn_scale`` of its Ministral 3.
    """
    length = require_positive(original_max_seq_len, "original_max_seq_len")
    return _by_floor(positions, 0.0, beta, length)


def _by_floor(positions: Any, first: float, strength: float, length: float) -> Array:
    strength = require_real(strength, "the strength of the temperature")
    places = in_float64(as_numbers(positions, "positions"))
    xp = namespace(places)
    if is_readable(places) and bool((places < -1).any()):
        raise ValueError(f"positions must be at least -1, got {float(places.min()):g}")
    return 1 + strength * xp.log1p(xp.floor((places + first) / length))


def log_n_factor(seen: Any, scale: Any = 1.0) -> Array:
    """Return scale · ln n, by which scores are multiplied before their softmax.

    n is how many keys the row itself sees: masks, windows, padding and caches count. With 1 key
    the factor is 0, and so with none. Subtracting ln n from all scores would change nothing.

    Shapes: seen [...], scale a number or what broadcasts to it, result alike, float64 for numbers.
    Units: keys.

    Raises:
        TypeError: when an argument is not real numbers.
        ValueError: for NaN or infinity.

    Source: Nakanishi 2025 (Scalable-Softmax), equation 4, where scale, the paper's s, is learned
    in each layer and head; Su 2021 and Chiang and Cholak 2022 with a scale of one.
    """
    seen = in_float64(as_numbers(seen, "seen"))
    xp = namespace(seen)
    as_numbers(scale, "scale")
    return scale * xp.log(xp.clip(seen, 1, None))


@dataclass(frozen=True)
class Llama4Temperature:
    """The temperature of Llama 4's layers without position: 1 / ``llama4_factor``."""

    attn_scale: float = 0.1
    floor_scale: float = 8192

    def __post_init__(self) -> None:
        require_real(self.attn_scale, "attn_scale")
        require_positive(self.floor_scale, "floor_scale")

    def __call__(self, positions: Any) -> Array:
        """Return what queries at these positions [...] are divided by."""
        options = {"attn_scale": self.attn_scale, "floor_scale": self.floor_scale}
        return 1 / llama4_factor(positions, **options)


@dataclass(frozen=True)
class Ministral3Temperature:
    """The temperature of all layers of Ministral 3: 1 / ``ministral3_factor``."""

    beta: float = 0.1
    original_max_seq_len: float = 16_384

    def __call__(self, positions: Any) -> Array:
        """Return what queries at these positions [...] are divided by."""
        length = self.original_max_seq_len
        return 1 / ministral3_factor(positions, beta=self.beta, original_max_seq_len=length)


@dataclass(frozen=True, eq=False)
class LogN:
    """log-n scaling (Scalable-Softmax): queries are multiplied by scale · ln n.

    n is how many keys a query sees, by mask, window and cache, so ``attention`` counts them: the
    only temperature that is not made of positions. A bias at the scores is not multiplied.

    Shapes: scale one number, or [heads], learned.
    """

    scale: Any = 1.0

    def __post_init__(self) -> None:
        shape = tuple(as_numbers(self.scale, "scale").shape)
        if len(shape) > 1:
            raise ValueError(f"scale must be one number or [heads], got shape {shape}")

    def factor(self, seen: Array, x: Array) -> Array:
        """Return scale · ln n, beside x and in its dtype: [batch or 1, heads or 1, q_len].

        Shapes: seen [batch or 1, heads or 1, q_len], x [batch, heads, q_len, head_dim].
        """
        logarithms = like(log_n_factor(seen), x, "seen", x.dtype)
        if not np.shape(self.scale):
            return self.scale * logarithms
        if len(self.scale) != x.shape[1]:
            raise ValueError(f"scale must have the {x.shape[1]} heads of q, got {len(self.scale)}")
        scale = self.scale if is_torch(self.scale) else np.asarray(self.scale)
        return like(scale, x, "scale", x.dtype)[:, None] * logarithms
