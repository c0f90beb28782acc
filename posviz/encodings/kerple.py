"""Kerple: a learned decay with distance, as a logarithm or as a power, two numbers per head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_array, as_like, namespace, together
from posviz.encodings.checks import require_shape
from posviz.encodings.relative import BiasByOffset

__all__ = ["KerpleLog", "KerplePower", "kerple_log_bias", "kerple_power_bias"]


def kerple_log_bias(r1: Array, r2: Array, offsets: Any) -> Array:
    """Return −r₁ · ln(1 + r₂ · |i − j|), to add to the scaled scores; r₁ and r₂ are above 0.

    Shapes: r1 and r2 [heads], offsets [..., q_len, k_len], result [..., heads, q_len, k_len].
    Units: score, 1/tokens, tokens.

    Source: Chi et al. 2022 (Kerple), equation 7; the released code clamps both at 0.01.
    """
    r1, r2, distances = _per_head(r1, r2, offsets)
    return -r1 * namespace(r2).log1p(r2 * distances)


def kerple_power_bias(r1: Array, r2: Array, offsets: Any) -> Array:
    """Return −r₁ · |i − j|^r₂, to add to the scaled scores; r₁ > 0 and 0 < r₂ ≤ 2.

    With r₂ = 1 it is ALiBi with slopes r₁. Shapes and units: ``kerple_log_bias``.

    Source: Chi et al. 2022 (Kerple), equation 6.
    """
    r1, r2, distances = _per_head(r1, r2, offsets)
    return -r1 * distances**r2


def _per_head(r1: Any, r2: Any, offsets: Any) -> tuple[Array, Array, Array]:
    """Return r1 and r2 [heads, 1, 1] and distances [..., 1, q_len, k_len], in the dtype of r1."""
    r1, r2, offsets = together(as_array(r1, "r1"), as_array(r2, "r2"), as_array(offsets, "offsets"))
    require_shape(r1, "r1", "heads")
    require_shape(r2, "r2", len(r1))
    distances = as_like(abs(offsets), r1, r1.dtype)
    return r1[:, None, None], r2[:, None, None], distances[..., None, :, :]


@dataclass(frozen=True, eq=False)
class _Kerple(BiasByOffset):
    """Two numbers per head, r1 and r2 [heads], which a model learns and keeps above 0."""

    r1: Array
    r2: Array

    def __post_init__(self) -> None:
        for name, r in (("r1", self.r1), ("r2", self.r2)):
            if not bool((r > 0).all()):
                raise ValueError(f"{name} must be above 0, got {r.tolist()}.")


class KerpleLog(_Kerple):
    """Kerple's logarithm at the scores, with r1 and r2 [heads] above 0."""

    def bias(self, offsets: Array, num_heads: int) -> Array:
        """Return −r₁ · ln(1 + r₂ · |i − j|), [..., heads, q_len, k_len]."""
        return kerple_log_bias(self.r1, self.r2, offsets)


class KerplePower(_Kerple):
    """Kerple's power at the scores, with r1 and r2 [heads] above 0, and r2 at most 2."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool((self.r2 > 2).any()):
            raise ValueError(f"r2 must be at most 2, got {self.r2.tolist()}.")

    def bias(self, offsets: Array, num_heads: int) -> Array:
        """Return −r₁ · |i − j|^r₂, [..., heads, q_len, k_len]."""
        return kerple_power_bias(self.r1, self.r2, offsets)
