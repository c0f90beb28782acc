"""Transformer-XL and XLNet: a query meets each key's content and a sinusoid of its offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_float64, as_like, namespace
from posviz.encodings.checks import require_base, require_shape
from posviz.encodings.doors import Encoding
from posviz.encodings.relative import offsets_of, pick
from posviz.encodings.sinusoidal import sinusoidal

__all__ = ["TransformerXL", "rel_shift"]


def rel_shift(scores: Array) -> Array:
    """Move each query's scores from one column per offset to one column per key.

    Column c of the input has offset k_len − 1 − c, down to 0 in the last. The result at (i, j) is
    the score of offset i − j + k_len − q_len: the last query has the position of the last key.
    Future keys have no column: they get −∞, where the released code leaves numbers of the next
    query for a mask to hide.

    Shapes: scores [..., q_len, k_len], result alike.

    Source: Dai et al. 2019, appendix B.

    >>> rel_shift(np.array([[2.0, 1.0, 0.0]] * 3)).tolist()  # offsets 2, 1, 0
    [[0.0, -inf, -inf], [1.0, 0.0, -inf], [2.0, 1.0, 0.0]]
    """
    xp = namespace(scores)
    *lead, q_len, k_len = scores.shape
    if k_len < q_len:
        raise ValueError(f"scores must have at least {q_len} columns, one a query, got {k_len}.")
    # One more column, which no entry reads. The same numbers in rows one shorter, without the first
    # q_len: row i starts i + 1 later.
    wider = xp.concat([xp.zeros_like(scores[..., :1]), scores], axis=-1)
    flat = xp.reshape(wider, (*lead, q_len * (k_len + 1)))[..., q_len:]
    shifted = xp.reshape(flat, (*lead, q_len, k_len))
    keys = xp.arange(k_len, device=scores.device)
    return xp.where(keys > keys[k_len - q_len :, None], -xp.inf, shifted)


@dataclass(frozen=True, eq=False)
class TransformerXL(Encoding):
    """The relative positions of Transformer-XL and XLNet at the scores, for any positions.

    Shapes: w_r [d_model, heads·head_dim] projects the sinusoid of an offset, u and v [heads,
    head_dim]. Sines come before cosines, as in the released code.
    """

    w_r: Array
    u: Array
    v: Array
    base: float = 10_000.0

    bias_by = "content"

    def __post_init__(self) -> None:
        require_base(self.base)
        heads, head_dim = require_shape(self.u, "u", "heads", "head_dim").shape
        require_shape(self.v, "v", heads, head_dim)
        require_shape(self.w_r, "w_r", "d_model", heads * head_dim)

    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add scale · (u·k_j + (q_i + v)·r_{i−j}) to scores [batch, heads, q_len, k_len]."""
        heads, head_dim = require_shape(self.u, "u", q.shape[1], q.shape[3]).shape
        xp = namespace(scores, q, k)
        w_r, u, v = (as_like(x, scores, scores.dtype) for x in (self.w_r, self.u, self.v))
        # Each offset is projected once: index is the row of r for each query and key.
        apart, index = xp.unique_inverse(offsets_of(scores, q_positions, k_positions))
        waves = sinusoidal(
            as_float64(apart, "offsets"), len(w_r), base=self.base, layout="concatenated"
        )
        # [offsets, heads·head_dim] → [heads, offsets, head_dim]
        r = as_like(waves, scores, scores.dtype) @ w_r
        r = xp.permute_dims(xp.reshape(r, (-1, heads, head_dim)), (1, 0, 2))
        by_key = u[:, None] @ xp.matrix_transpose(k)
        by_offset = pick((q + v[:, None]) @ xp.matrix_transpose(r), index)
        return scores + self.scale(head_dim) * (by_key + by_offset)
