"""Transformer-XL and XLNet: keys meet the query by content and by a sinusoid of the offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import (
    Array,
    check_memory,
    in_float64,
    like,
    namespace,
    require_alike,
    widened,
)
from posviz.encodings.checks import require_base, require_even
from posviz.encodings.doors import Encoding, adds_bias
from posviz.encodings.relative import along_diagonals, offsets_of_runs, pick, positions_beside
from posviz.encodings.sinusoidal import waves_at

__all__ = ["TransformerXL", "rel_shift", "transformer_xl_scores"]


def rel_shift(scores: Array, *, bidirectional: bool = False) -> Array:
    """Move each query's scores from one column per offset to one column per key.

    Column c of the input belongs to offset k_len − 1 − c, from the farthest behind to 0. The
    result at (i, j) is the score of offset i − j + k_len − q_len: the last query stands with the
    last key, and what k_len has more is memory. Keys after their query have no offset here: they
    get −∞, where the released code leaves numbers of the next query for a mask to hide.
    Bidirectional (XLNet): columns run from offset k_len to −q_len + 1, and every key has one.

    Shapes: scores [..., q_len, k_len], result alike; bidirectional [..., q_len, q_len + k_len],
    result [..., q_len, k_len].

    Raises:
        TypeError: when scores are not a floating array.
        ValueError: when there are fewer columns than queries, or memory is short.

    Source: Dai et al. 2019, appendix B; ``rel_shift`` in the released code of XLNet.
    """
    xp = require_alike(scores=scores)
    if scores.ndim < 2 or scores.shape[-1] < scores.shape[-2]:
        raise ValueError(
            f"scores must be [..., q_len, columns], at least as many columns as queries, "
            f"got shape {tuple(scores.shape)}"
        )
    *lead, q_len, columns = scores.shape
    if q_len == 0:
        return scores
    check_memory("scores", tuple(scores.shape), itemsize=scores.dtype.itemsize, x=scores, copies=2)
    if not bidirectional:  # XLNet's first column, which no entry reads
        scores = xp.concat([xp.zeros_like(scores[..., :1]), scores], axis=-1)
    width = scores.shape[-1]
    turned = xp.reshape(scores, (*lead, width, q_len))[..., 1:, :]
    shifted = xp.reshape(turned, (*lead, q_len, width - 1))  # each row starts one entry later
    if bidirectional:
        return shifted[..., : columns - q_len]
    keys = xp.arange(columns, device=scores.device)
    queries = xp.arange(columns - q_len, columns, device=scores.device)
    ahead = keys > queries[:, None]
    return xp.where(ahead, -xp.inf, shifted)


def transformer_xl_scores(
    q: Array, k: Array, r: Array, u: Array, v: Array, *, bidirectional: bool = False
) -> Array:
    """Return (q_i + u)·k_j + (q_i + v)·r_{i−j}, unscaled, for consecutive positions.

    u and v stand for the query's own position, which is gone: u asks for contents and v for
    distances that matter whatever the query. Rows of r are keys made of a fixed sinusoid, one per
    offset, in the order of ``rel_shift``; of them only the projection, u and v are learned.

    Shapes: q [batch, heads, q_len, head_dim], k [batch, heads, k_len, head_dim], r [heads, k_len,
    head_dim], bidirectional [heads, q_len + k_len, head_dim], u and v [heads, head_dim], result
    [batch, heads, q_len, k_len]; k_len − q_len tokens are memory. Halves are summed in float32.

    Raises:
        TypeError: when arrays differ in kind or dtype.
        ValueError: when shapes or devices do not match, or memory is short.

    Source: Dai et al. 2019, section 3.3, and appendix B; Yang et al. 2019 (XLNet), bidirectional.
    """
    xp = require_alike(q=q, k=k, r=r, u=u, v=v)
    _require_shapes(q, k, r, u, v, bidirectional)
    dtype = q.dtype
    q, k, r, u, v = widened(q, k, r, u, v)
    by_content = (q + u[:, None]) @ xp.matrix_transpose(k)
    by_offset = (q + v[:, None]) @ xp.matrix_transpose(r)
    return xp.astype(by_content + rel_shift(by_offset, bidirectional=bidirectional), dtype)


def _require_shapes(q: Array, k: Array, r: Array, u: Array, v: Array, bidirectional: bool) -> None:
    arrays = {"q": q, "k": k, "r": r, "u": u, "v": v}
    came = ", ".join(f"{name} {tuple(x.shape)}" for name, x in arrays.items())
    if q.ndim != 4 or k.ndim != 4:
        raise ValueError(f"q and k must be [batch, heads, len, head_dim], got {came}")
    batch, heads, q_len, head_dim = q.shape
    k_len = k.shape[2]
    if tuple(k.shape) != (batch, heads, k_len, head_dim) or k_len < q_len:
        raise ValueError(f"k must be as q, but of the same len or longer, got {came}")
    rows = q_len + k_len if bidirectional else k_len
    if tuple(r.shape) != (heads, rows, head_dim):
        raise ValueError(f"r must be [{heads}, {rows}, {head_dim}], a row per offset, got {came}")
    if not tuple(u.shape) == tuple(v.shape) == (heads, head_dim):
        raise ValueError(f"u and v must be [{heads}, {head_dim}], got {came}")


@dataclass(frozen=True, eq=False)
class TransformerXL(Encoding):
    """The relative positions of Transformer-XL, and of XLNet, at the scores.

    Shapes: w_r [d_model, heads·head_dim] projects the sinusoid of an offset, u and v [heads,
    head_dim]. Sines come before cosines, as in the released code; they are not learned.
    """

    w_r: Array
    u: Array
    v: Array
    base: float = 10_000.0

    def __post_init__(self) -> None:
        require_base(self.base)
        require_alike(w_r=self.w_r, u=self.u, v=self.v)
        w_r, u, v = (tuple(x.shape) for x in (self.w_r, self.u, self.v))
        if not (len(u) == 2 and u == v and len(w_r) == 2 and w_r[1] == u[0] * u[1]):
            raise ValueError(
                "w_r must be [d_model, heads·head_dim], u and v [heads, head_dim], "
                f"got {w_r}, {u} and {v}"
            )
        require_even(w_r[0], "the number of rows of w_r")

    @adds_bias(by="token")
    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add scale × (u·k + (q + v)·r) to scores [batch, heads, q_len, k_len].

        Each offset is projected once, q_len + k_len − 1 in all, where positions are known to be
        consecutive. Elsewhere queries are projected to d_model dimensions, and turned.
        """
        heads, head_dim = self.u.shape
        if (q.shape[-3], q.shape[-1]) != (heads, head_dim):
            raise ValueError(
                f"u and v must be [{q.shape[-3]}, {q.shape[-1]}], as many heads and as wide as q, "
                f"got {tuple(self.u.shape)}"
            )
        xp = namespace(scores, q, k)
        u, v = (like(x, scores, name, scores.dtype) for name, x in (("u", self.u), ("v", self.v)))
        q, k = xp.astype(q, scores.dtype), xp.astype(k, scores.dtype)
        w_r = like(self.w_r, scores, "w_r", scores.dtype)
        w_r = xp.permute_dims(xp.reshape(w_r, (-1, heads, head_dim)), (1, 0, 2))
        positions = positions_beside(scores, q_positions, k_positions)
        scale = self.scale(head_dim)  # before the products: smaller than the scores
        by_key = xp.matrix_transpose(k @ (scale * u)[..., None])
        return scores + by_key + self._by_offset(scale * (q + v[:, None]), w_r, *positions)

    def _by_offset(self, q: Array, w_r: Array, q_positions: Array, k_positions: Array) -> Array:
        """Return q·r for each pair: q [batch, heads, q_len, head_dim], w_r [heads, d_model, …]."""
        xp, half = namespace(q), w_r.shape[1] // 2
        offsets = offsets_of_runs(q_positions, k_positions)
        if offsets is not None:
            shape = (*q.shape[:-1], len(offsets))
            check_memory("heads × q_len × offsets", shape, itemsize=q.dtype.itemsize, x=q)
            r = self._waves(offsets, q) @ w_r
            index = xp.arange(len(offsets), device=offsets.device)
            return pick(q @ xp.matrix_transpose(r), along_diagonals(index, k_positions.shape[-1]))
        # sin(a − b) = sin a · cos b − cos a · sin b, cos(a − b) = cos a · cos b + sin a · sin b
        waves = self._waves(q_positions, q)[..., None, :, :]
        q_sin, q_cos = waves[..., :half], waves[..., half:]
        asked = q @ xp.matrix_transpose(w_r)
        of_sin, of_cos = asked[..., :half], asked[..., half:]
        of_k_sin, of_k_cos = of_cos * q_sin - of_sin * q_cos, of_sin * q_sin + of_cos * q_cos
        k_waves = self._waves(k_positions, q)[..., None, :, :]
        return xp.concat([of_k_sin, of_k_cos], axis=-1) @ xp.matrix_transpose(k_waves)

    def _waves(self, positions: Array, x: Array) -> Array:
        """Return the sinusoids of positions or offsets as x has its numbers: first all sines."""
        settings = (self.w_r.shape[0], self.base, "concatenated", "paper")
        return like(waves_at(in_float64(positions), *settings), x, "positions", x.dtype)
