"""Attention with linear biases (ALiBi): a score falls with distance, with one slope per head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz.arrays import Array, as_array, as_like, together
from posviz.encodings.checks import require_integer, require_shape
from posviz.encodings.relative import BiasByOffset

__all__ = ["Alibi", "alibi_bias", "alibi_slopes"]


def alibi_slopes(num_heads: int) -> np.ndarray:
    """Return one slope per head: m = 2^(−8h/n) for heads h = 1 … n.

    That formula is for n a power of two. Otherwise the released code takes the slopes of the power
    below, then every second slope of the power above.

    Shapes: [num_heads]. Units: score per token.

    Source: Press et al. 2022, section 3; ``get_slopes`` in the released code.

    >>> [alibi_slopes(heads).round(4).tolist() for heads in (2, 3)]  # the third is steepest
    [[0.0625, 0.0039], [0.0625, 0.0039, 0.25]]
    """
    num_heads = require_integer(num_heads, "num_heads")
    power = 2 ** (num_heads.bit_length() - 1)
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    slopes_above = 2.0 ** (-8 * np.arange(1, 2 * power, 2) / (2 * power))
    return np.concatenate([slopes, slopes_above[: num_heads - power]])


def alibi_bias(slopes: Any, offsets: Any) -> Array:
    """Return −m · |i − j|, to add to the scaled scores; hiding the future is the mask's business.

    Shapes: slopes [heads], offsets [..., q_len, k_len], result [..., heads, q_len, k_len].
    Units: score per token, tokens, score.

    Source: Press et al. 2022, equation in section 3.

    >>> alibi_bias([0.5], [[3, -3]]).tolist()  # past and future keys alike
    [[[-1.5, -1.5]]]
    """
    slopes, offsets = together(as_array(slopes, "slopes"), as_array(offsets, "offsets"))
    require_shape(slopes, "slopes", "heads")
    distances = as_like(abs(offsets), slopes, slopes.dtype)
    # [heads, 1, 1] · [..., 1, q_len, k_len]
    return -slopes[:, None, None] * distances[..., None, :, :]


@dataclass(frozen=True)
class Alibi(BiasByOffset):
    """ALiBi at the scores, with as many slopes as there are heads."""

    def bias(self, offsets: Array, num_heads: int) -> Array:
        """Return −m · |i − j|, [..., heads, q_len, k_len]."""
        return alibi_bias(alibi_slopes(num_heads), offsets)
