"""Attention with linear biases (ALiBi): a score falls with distance, at each head's own pace."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from posviz.arrays import (
    Array,
    as_numbers,
    beside,
    check_memory,
    in_dtype,
    is_floating,
    is_torch,
    like,
    namespace,
    plus_product,
    wide_integers,
    widened,
)
from posviz.encodings.checks import require_integer
from posviz.encodings.doors import Encoding, adds_bias
from posviz.encodings.relative import (
    add_bias,
    offsets_at,
    once_per_diagonal,
    positions_beside,
)

__all__ = ["Alibi", "alibi_bias", "alibi_slopes"]


def alibi_slopes(num_heads: int) -> np.ndarray:
    """Return one slope per head: 2^(−8h/n), h = 1…n, for n heads when n is a power of two.

    Otherwise the slopes of the power below, then every second slope of the power above.

    Shapes: [num_heads]. Units: score per token. float64.

    Raises:
        TypeError: when num_heads is not an integer.
        ValueError: when it is below 1, or memory is short.

    Source: Press et al. 2022, section 3, where the formula serves every n; the rule for other
    counts is that of ``get_slopes`` in the released code.
    """
    num_heads = require_integer(num_heads, "num_heads")
    check_memory("num_heads", (num_heads,), copies=4)
    power = 2 ** (num_heads.bit_length() - 1)
    slopes = 2.0 ** (-8 * np.arange(1, power + 1, dtype=np.float64) / power)
    steps = np.arange(1, 2 * power + 1, 2, dtype=np.float64)
    extra = 2.0 ** (-8 * steps / (2 * power))  # of twice the power
    return np.concatenate([slopes, extra[: num_heads - power]])


def alibi_bias(slopes: Any, offsets: Any) -> Array:
    """Return −slope × |offset|, to add to the scaled scores; the future is the mask's business.

    Shapes: slopes [heads], offsets [..., q_len, k_len], result [..., heads, q_len, k_len].
    Units: score per token, tokens, score. The dtype is that of slopes. With NumPy and evenly
    spaced positions the result is a read-only view of q_len + k_len − 1 numbers per head.

    Raises:
        TypeError: when an argument is not real numbers.
        ValueError: for NaN or infinity, wrong shapes, different devices, or when memory is short.

    Source: Press et al. 2022, equation in section 3.
    """
    offsets, slopes = as_numbers(offsets, "offsets"), as_numbers(slopes, "slopes")
    offsets = wide_integers(offsets)  # |−128| is −128 where a number has 8 bits
    if slopes.ndim != 1:
        raise ValueError(f"slopes must be [heads], got shape {tuple(slopes.shape)}")
    if offsets.ndim < 2:
        raise ValueError(f"offsets must be [..., q_len, k_len], got shape {tuple(offsets.shape)}")
    if is_torch(slopes) and not is_torch(offsets):
        offsets = like(offsets, slopes, "offsets")
    slopes = like(slopes, offsets, "slopes")
    if not is_floating(slopes):
        raise TypeError(f"slopes must be floating-point, got dtype {slopes.dtype}")
    [wide] = widened(slopes)  # a distance may be larger than the largest half
    bias = once_per_diagonal(partial(_bias, -wide[:, None, None]), offsets)
    return namespace(bias).astype(bias, slopes.dtype, copy=False)


def _falls(num_heads: int) -> np.ndarray:
    return -alibi_slopes(num_heads)[:, None, None]


def _bias(falls: Array, offsets: Array) -> Array:
    """Return falls [heads, 1, 1] × distances: [..., heads, q_len, k_len]"""
    shape = (falls.shape[0], *offsets.shape)
    check_memory("slopes × offsets", shape, itemsize=falls.dtype.itemsize, x=offsets, copies=2)
    return falls * _distances(offsets, falls.dtype)


def _distances(offsets: Array, dtype: Any) -> Array:
    distances = in_dtype(abs(offsets), dtype)
    return distances if distances.ndim == 2 else distances[..., None, :, :]


@dataclass(frozen=True)
class Alibi(Encoding):
    """ALiBi at the scores, with as many slopes as there are heads."""

    @adds_bias(by="offset")
    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add −slope × |query position − key position| to scores [batch, heads, q_len, k_len]."""
        falls = beside(scores, _falls, scores.shape[-3], dtype=scores.dtype)
        if scores.shape[-2] == 1:  # the biases of one query need not be written down
            offsets = offsets_at(*positions_beside(scores, q_positions, k_positions))
            return plus_product(scores, falls, _distances(offsets, scores.dtype))
        return add_bias(scores, q_positions, k_positions, partial(_bias, falls))
