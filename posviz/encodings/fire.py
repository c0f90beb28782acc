"""FIRE: a small network reads the distance as a share of how far its query can look back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_array, as_float64, as_like, namespace, together
from posviz.encodings.checks import require_shape
from posviz.encodings.doors import Encoding
from posviz.encodings.relative import offsets

__all__ = ["FIRE", "fire_bias", "fire_distances"]


def fire_distances(
    q_positions: Any, k_positions: Any, *, c: Any = 0.1, threshold: Any = 512.0
) -> Array:
    """Return ψ(i − j) / (ψ(max(L, i)) + 1e-6) with ψ(x) = ln(|c·x| + 1): what the network reads.

    L is |threshold|. From i = L on, the first key (j = 0) of each query is at 1, however long the
    text; below L, only the offset counts. A future key is as far as a past one. c and threshold are
    numbers, or learned tensors of one number; the defaults are those of the paper's code.

    Shapes: positions [..., q_len] and [..., k_len], from 0, result [..., q_len, k_len], float64.
    Units: tokens, 1/tokens (c).

    Source: Li et al. 2024 (FIRE), section 3.3, and its code in the appendix.
    """
    q_positions = as_float64(q_positions, "q_positions")
    k_positions = as_float64(k_positions, "k_positions")
    q_positions, k_positions, c, threshold = together(q_positions, k_positions, c, threshold)
    xp, apart = namespace(q_positions), offsets(q_positions, k_positions)
    reach = xp.where(q_positions > abs(threshold), q_positions, abs(threshold))
    return xp.log1p(abs(c * apart)) / (xp.log1p(abs(c * reach)) + 1e-6)[..., None]


def fire_bias(distances: Any, w_in: Array, b_in: Array, w_out: Array, b_out: Array) -> Array:
    """Return relu(distance · w_in + b_in) @ w_out + b_out, to add to the scaled scores.

    Shapes: distances [..., q_len, k_len], as ``fire_distances`` makes them, w_in and b_in [width],
    w_out [width, heads], b_out [heads], result [..., heads, q_len, k_len]. The paper has width 32.

    Source: Li et al. 2024 (FIRE), section 3.3.
    """
    width, heads = require_shape(w_out, "w_out", "width", "heads").shape
    require_shape(w_in, "w_in", width)
    require_shape(b_in, "b_in", width)
    require_shape(b_out, "b_out", heads)
    xp = namespace(w_in, b_in, w_out, b_out)
    distances = as_like(as_array(distances, "distances"), w_in, w_in.dtype)
    # [..., q_len, k_len, width]
    hidden = xp.clip(distances[..., None] * w_in + b_in, 0.0, None)
    # [..., q_len, k_len, heads] → [..., heads, q_len, k_len]
    return xp.moveaxis(hidden @ w_out + b_out, -1, -3)


@dataclass(frozen=True, eq=False)
class FIRE(Encoding):
    """FIRE at the scores: learned weights, and a learned c and threshold (tensors of one number).

    Shapes: w_in and b_in [width], w_out [width, heads], b_out [heads].
    """

    w_in: Array
    b_in: Array
    w_out: Array
    b_out: Array
    c: Any = 0.1
    threshold: Any = 512.0

    bias_by = "position"

    def __post_init__(self) -> None:
        fire_bias([[0]], self.w_in, self.b_in, self.w_out, self.b_out)  # refuses what does not fit

    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add the network's answer to the distances to scores [batch, heads, q_len, k_len]."""
        require_shape(self.b_out, "b_out", scores.shape[-3])
        learned = (self.w_in, self.b_in, self.w_out, self.b_out)
        distances = fire_distances(q_positions, k_positions, c=self.c, threshold=self.threshold)
        return scores + fire_bias(distances, *(as_like(w, scores, scores.dtype) for w in learned))
