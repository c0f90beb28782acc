"""Inkling's relative bias: each token mixes learned curves over distance into its own curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_integers, as_like, namespace
from posviz.encodings.checks import require_shape
from posviz.encodings.doors import Encoding
from posviz.encodings.relative import BiasFromInput, offsets, pick

__all__ = ["Inkling", "inkling_bias"]


def inkling_bias(states: Array, bank: Array, offsets: Any) -> Array:
    """Return states_i · bank[:, i − j]: 0 for future keys and beyond the bank.

    Shapes: states [..., heads, q_len, d_rel], one for each query; bank [d_rel, extent], d_rel
    curves over the distances 0 … extent − 1, shared by the heads; offsets [(batch,) q_len, k_len],
    result [..., heads, q_len, k_len], to add to the scaled scores. Units: tokens, score.

    Source: ``InklingRelativeLogits`` in transformers 5.23; there is no paper.
    """
    xp = namespace(states, bank)
    offsets = as_like(as_integers(offsets, "offsets"), states)[..., None, :, :]
    extent = bank.shape[1]
    # [..., heads, q_len, d_rel] @ [d_rel, extent] → each query's own curve, [..., q_len, extent]
    bias = pick(states @ bank, xp.clip(offsets, 0, extent - 1))
    return xp.where((offsets >= 0) & (offsets < extent), bias, 0.0)


@dataclass(frozen=True, eq=False)
class Inkling(Encoding):
    """Inkling's bias at the scores, with the queries' own mixtures of curves.

    Shapes: w_r [d_model, heads·d_rel], bank [d_rel, extent]. The released model has d_rel 16,
    extent 1024 (512 beside a window), and scores divided by head_dim, not by its root.

    Source: ``InklingAttention`` in transformers 5.23; ``RelativeProjPositionalBias`` in
    x_transformers.
    """

    w_r: Array
    bank: Array

    def __post_init__(self) -> None:
        d_rel = require_shape(self.bank, "bank", "d_rel", "extent").shape[0]
        require_shape(self.w_r, "w_r", "d_model", "heads·d_rel")
        if self.w_r.shape[1] % d_rel:
            raise ValueError(f"w_r must have a multiple of {d_rel} columns, the bank's curves.")

    def for_input(self, x: Array, positions: Any, carried: Any) -> tuple[Encoding, Any]:
        """Return the bias of these queries; nothing is carried, because keys do not change it."""
        states = x @ as_like(self.w_r, x, x.dtype)
        # [batch, len, heads·d_rel] → [batch, heads, len, d_rel]
        states = states.reshape(*x.shape[:2], -1, self.bank.shape[0])
        states = namespace(x).permute_dims(states, (0, 2, 1, 3))

        def bias(scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any) -> Array:
            own, bank = (as_like(x, scores, scores.dtype) for x in (states, self.bank))
            return inkling_bias(own, bank, offsets(q_positions, k_positions))

        return BiasFromInput(bias), None
