"""Kerple: a learned fall with distance, as a logarithm or as a power, two numbers per head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from posviz.arrays import (
    Array,
    as_numbers,
    check_memory,
    in_dtype,
    like,
    namespace,
    require_alike,
    wide_integers,
    widened,
)
from posviz.encodings.checks import require_above
from posviz.encodings.doors import Encoding, adds_bias
from posviz.encodings.relative import add_bias, once_per_diagonal

__all__ = ["KerpleLog", "KerplePower", "kerple_log_bias", "kerple_power_bias"]


def kerple_log_bias(r1: Array, r2: Array, offsets: Any) -> Array:
    """Return −r₁ · ln(1 + r₂ · |offset|), to add to the scaled scores; r₁ and r₂ are above 0.

    Shapes: r1 and r2 [heads], offsets [..., q_len, k_len], result [..., heads, q_len, k_len].
    Units: score, 1/tokens, tokens. The dtype is that of r1. With NumPy and evenly spaced positions
    the result is a read-only view of q_len + k_len − 1 numbers per head.

    Raises:
        TypeError: when r1 and r2 are not floating-point arrays alike, or offsets not real numbers.
        ValueError: for other shapes, numbers that are not above 0, or when memory is short.

    Source: Chi et al. 2022 (Kerple), equation 7; the released code clamps both at 0.01.
    """
    return _spread(_log_bias, r1, r2, offsets)


def kerple_power_bias(r1: Array, r2: Array, offsets: Any) -> Array:
    """Return −r₁ · |offset|^r₂, to add to the scaled scores; r₁ > 0 and 0 < r₂ ≤ 2.

    With r₂ = 1 it is ALiBi, with slopes r₁. Shapes, units and errors: ``kerple_log_bias``.

    Source: Chi et al. 2022 (Kerple), equation 6.
    """
    return _spread(_power_bias, r1, r2, offsets)


def _spread(rule: Callable, r1: Array, r2: Array, offsets: Any) -> Array:
    _require_numbers(r1, r2, at_most=2.0 if rule is _power_bias else None)
    offsets = wide_integers(as_numbers(offsets, "offsets"))  # of 8 bits, |−128| is −128
    if offsets.ndim < 2:
        raise ValueError(f"offsets must be [..., q_len, k_len], got shape {tuple(offsets.shape)}")
    made = partial(rule, *_columns(*widened(r1, r2)))
    return in_dtype(once_per_diagonal(made, like(offsets, r1, "offsets")), r1.dtype)


def _log_bias(r1: Array, r2: Array, offsets: Array) -> Array:
    return -r1 * namespace(r2).log1p(r2 * _distances(r1, offsets))


def _power_bias(r1: Array, r2: Array, offsets: Array) -> Array:
    distances = _distances(r1, offsets)
    apart = distances > 0  # the derivative of 0^r₂ by the distance is infinite where r₂ < 1
    xp = namespace(r1)
    return -r1 * xp.where(apart, xp.where(apart, distances, 1.0) ** r2, 0.0)


def _columns(r1: Array, r2: Array) -> tuple[Array, Array]:
    return r1[:, None, None], r2[:, None, None]


def _distances(r1: Array, offsets: Array) -> Array:
    """Return |offsets| [..., 1, q_len, k_len] in the dtype of r1 [heads, 1, 1]."""
    shape = (len(r1), *offsets.shape)
    check_memory("r1 × offsets", shape, itemsize=r1.dtype.itemsize, x=offsets, copies=3)
    return in_dtype(abs(offsets), r1.dtype)[..., None, :, :]


def _require_numbers(r1: Array, r2: Array, at_most: float | None) -> None:
    require_alike(r1=r1, r2=r2)
    if r1.ndim != 1 or r1.shape != r2.shape:
        raise ValueError(f"r1 and r2 must be [heads], got {tuple(r1.shape)} and {tuple(r2.shape)}")
    require_above(r1, "r1")
    require_above(r2, "r2", at_most=at_most)


@dataclass(frozen=True, eq=False)
class _Kerple(Encoding):
    """Two numbers per head, r1 and r2 [heads], which a model trains and keeps above 0."""

    r1: Array
    r2: Array

    def __post_init__(self) -> None:
        _require_numbers(self.r1, self.r2, at_most=None)

    def _added(self, rule: Callable, scores: Array, q_positions: Any, k_positions: Any) -> Array:
        if len(self.r1) != scores.shape[-3]:
            raise ValueError(
                f"r1 must have the {scores.shape[-3]} heads of q, got {len(self.r1)} numbers"
            )
        named = {"r1": self.r1, "r2": self.r2}  # vars(self) cannot be compiled by torch 2.11
        both = (like(r, scores, name, scores.dtype) for name, r in named.items())
        return add_bias(scores, q_positions, k_positions, partial(rule, *_columns(*both)))


@dataclass(frozen=True, eq=False)
class KerpleLog(_Kerple):
    """Kerple's logarithm at the scores: near tokens are told apart well, far ones hardly.

    Shapes: r1 and r2 [heads], above 0.
    """

    @adds_bias(by="offset")
    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add −r₁ · ln(1 + r₂ · distance) to scores [batch, heads, q_len, k_len]."""
        return self._added(_log_bias, scores, q_positions, k_positions)


@dataclass(frozen=True, eq=False)
class KerplePower(_Kerple):
    """Kerple's power at the scores; r₂ = 1 makes it ALiBi with slopes r₁.

    Shapes: r1 and r2 [heads], above 0; r2 at most 2.
    """

    def __post_init__(self) -> None:
        _require_numbers(self.r1, self.r2, at_most=2.0)

    @adds_bias(by="offset")
    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add −r₁ · distance^r₂ to scores [batch, heads, q_len, k_len]."""
        return self._added(_power_bias, scores, q_positions, k_positions)
