"""Inkling's relative bias: each token mixes learned curves over distance into one of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from posviz.arrays import (
    Array,
    as_integers,
    check_memory,
    in_dtype,
    like,
    namespace,
    require_alike,
    widened,
)
from posviz.encodings.checks import broadcasts_to
from posviz.encodings.doors import Encoding, adds_bias
from posviz.encodings.relative import offsets_at, pick, positions_beside

__all__ = ["Inkling", "inkling_bias"]


def inkling_bias(states: Array, bank: Array, offsets: Any) -> Array:
    """Return states_i · bank[:, i − j], to add to the scaled scores; 0 ahead and beyond the bank.

    Shapes: states [..., heads, q_len, d_rel], one for each query, bank [d_rel, extent], shared by
    the heads: d_rel curves, a number for each distance from 0; offsets [(batch,) q_len, k_len],
    result [..., heads, q_len, k_len]. Units: tokens, score. Halves are summed in float32.

    Raises:
        TypeError: when arrays differ in kind or dtype, or offsets are not integers.
        ValueError: when shapes or devices do not match, or memory is short.

    Source: ``InklingRelativeLogits`` in transformers 5.23; there is no paper.
    """
    xp = require_alike(states=states, bank=bank)
    _require_bank(bank)
    offsets = like(as_integers(offsets, "offsets"), states, "offsets")
    if (
        states.ndim < 3
        or states.shape[-1] != bank.shape[0]
        or offsets.ndim < 2
        or offsets.shape[-2] != states.shape[-2]
        or not broadcasts_to((*offsets.shape[:-2], 1), states.shape[:-2])
    ):
        raise ValueError(
            f"states must be [..., heads, q_len, {bank.shape[0]}] and offsets [(batch,) q_len, "
            f"k_len], got {tuple(states.shape)} and {tuple(offsets.shape)}"
        )
    wide_states, wide_bank = widened(states, bank)
    extent, offsets = bank.shape[1], offsets[..., None, :, :]
    bias = pick(wide_states @ wide_bank, xp.clip(offsets, 0, extent - 1))
    shown = (offsets >= 0) & (offsets < extent)
    return in_dtype(xp.where(shown, bias, 0.0), states.dtype)


def _require_bank(bank: Array) -> None:
    if bank.ndim != 2 or bank.shape[1] == 0:
        raise ValueError(f"bank must be [d_rel, extent], got shape {tuple(bank.shape)}")


@dataclass(frozen=True, eq=False)
class Inkling(Encoding):
    """Inkling's bias at the scores, with the queries' own mixtures of curves.

    Shapes: w_r [d_model, heads·d_rel], bank [d_rel, extent]. The released model has d_rel 16,
    extent 1024, and 512 in the layers with a window; it divides by head_dim, not by its root, for
    its queries and keys are normalised, and its temperature multiplies this bias, too.

    Source: ``InklingAttention`` in transformers 5.23; ``RelativeProjPositionalBias`` in
    x_transformers.
    """

    w_r: Array
    bank: Array

    def __post_init__(self) -> None:
        require_alike(w_r=self.w_r, bank=self.bank)
        _require_bank(self.bank)
        if self.w_r.ndim != 2 or self.bank.shape[0] == 0 or self.w_r.shape[1] % self.bank.shape[0]:
            raise ValueError(
                f"w_r must be [d_model, heads·{self.bank.shape[0]}] for bank "
                f"{tuple(self.bank.shape)}, got shape {tuple(self.w_r.shape)}"
            )

    def for_input(self, x: Array, positions: Any, carried: Any) -> tuple[Encoding, Any]:
        """Return the bias of these queries; nothing is carried, for keys have no say in it."""
        if x.shape[-1] != self.w_r.shape[0]:
            raise ValueError(
                f"w_r must have the {x.shape[-1]} rows of x's d_model, got {self.w_r.shape[0]}"
            )
        xp, states = namespace(x), x @ like(self.w_r, x, "w_r", x.dtype)
        d_rel = self.bank.shape[0]
        states = xp.reshape(states, (*x.shape[:2], self.w_r.shape[1] // d_rel, d_rel))
        return Mixing(xp.permute_dims(states, (0, 2, 1, 3)), self.bank), None


@dataclass(frozen=True, eq=False)
class Mixing(Encoding):
    """Inkling's bias for known states [batch, heads, q_len, d_rel] and bank [d_rel, extent]."""

    states: Array
    bank: Array

    @adds_bias(by="token")
    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add each query's curve to scores [batch, heads, q_len, k_len]."""
        self._require_states_for(*scores.shape[:3])
        check_memory("heads × q_len × k_len", tuple(scores.shape), x=scores, copies=3)
        apart = offsets_at(*positions_beside(scores, q_positions, k_positions, as_integers))
        states = namespace(scores).astype(self.states, scores.dtype, copy=False)
        return scores + inkling_bias(states, like(self.bank, scores, "bank", scores.dtype), apart)

    def bias_of_pair(
        self, q: Array, k: Array, q_positions: Array, k_positions: Array
    ) -> Callable[..., Array]:
        """Return a number of a query's own curve, of all [batch, heads, q_len, extent]."""
        self._require_states_for(*q.shape[:3])
        states, bank = widened(self.states, like(self.bank, self.states, "bank", self.states.dtype))
        curves, extent = states @ bank, bank.shape[1]

        def bias(b: Any, h: Any, i: Any, j: Any) -> Array:
            apart = _at(q_positions, b, i) - _at(k_positions, b, j)
            return curves[b, h, i, apart.clip(0, extent - 1)] * (apart >= 0) * (apart < extent)

        return bias

    def _require_states_for(self, batch: int, heads: int, q_len: int) -> None:
        if tuple(self.states.shape[:3]) != (batch, heads, q_len):
            raise ValueError(
                f"states must be [{batch}, {heads}, {q_len}, d_rel], as many heads and queries as "
                f"q, got shape {tuple(self.states.shape)}"
            )


def _at(positions: Array, b: Any, i: Any) -> Array:
    """Return the position of token i in sentence b, positions [len] or [batch, len]."""
    return positions[i] if positions.ndim == 1 else positions[b, i]
