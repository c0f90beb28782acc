"""PaTH: each token between key and query reflects, and the score sees the product of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import (
    Array,
    check_memory,
    like,
    namespace,
    require_alike,
    sigmoid,
    through_unit_lower,
    widened,
)
from posviz.encodings.doors import Encoding, adds_bias

__all__ = ["PaTH", "householder", "path_scores"]


def householder(w: Array, beta: Array) -> Array:
    """Return H = I − β w wᵀ, which for a w of length 1 scales what lies along it by 1 − β.

    β 0 changes nothing, 1 takes w out, 2 mirrors. Shapes: w [..., head_dim], beta [...], result
    [..., head_dim, head_dim].

    Raises:
        TypeError: when arrays differ in kind or dtype.
        ValueError: when shapes or devices do not match, or memory is short.

    Source: Yang et al. 2025 (PaTH).
    """
    xp = require_alike(w=w, beta=beta)
    if w.ndim < 1 or tuple(w.shape[:-1]) != tuple(beta.shape):
        raise ValueError(
            f"w must be [..., head_dim] and beta [...], got {tuple(w.shape)} and "
            f"{tuple(beta.shape)}"
        )
    shape = (*w.shape, w.shape[-1])
    check_memory("w × head_dim", shape, itemsize=w.dtype.itemsize, x=w, copies=2)
    one = xp.eye(w.shape[-1], dtype=w.dtype, device=w.device)
    return one - beta[..., None, None] * w[..., :, None] * w[..., None, :]


def path_scores(q: Array, k: Array, w: Array, beta: Array) -> Array:
    """Return k_jᵀ H_{j+1} ⋯ H_i q_i, unscaled, H_t = I − β_t w_t w_tᵀ being the token's reflection.

    The query's own comes first, the key's own does not count. All products come from one triangular
    matrix: Q Kᵀ − tril(Q Wᵀ) (I + stril(B W Wᵀ))⁻¹ B stril(W Kᵀ), B = diag(β), where tril keeps
    tokens up to the query and stril those after the key. A key after its query has q·k.

    Shapes: q [..., q_len, head_dim], k and w [..., k_len, head_dim], beta [..., k_len], result
    [..., q_len, k_len]: queries are the last q_len of k_len tokens. Halves are summed in float32.

    Raises:
        TypeError: when arrays differ in kind or dtype.
        ValueError: when shapes or devices do not match, or memory is short.

    Source: Yang et al. 2025 (PaTH).
    """
    xp = require_alike(q=q, k=k, w=w, beta=beta)
    arrays = {"q": q, "k": k, "w": w, "beta": beta}
    came = ", ".join(f"{name} {tuple(x.shape)}" for name, x in arrays.items())
    fits = (
        q.ndim >= 2
        and k.shape == w.shape
        and tuple(beta.shape) == tuple(w.shape[:-1])
        and (*q.shape[:-2], q.shape[-1]) == (*k.shape[:-2], k.shape[-1])
        and q.shape[-2] <= k.shape[-2]
    )
    if not fits:
        raise ValueError(
            "q must be [..., q_len, head_dim], k and w [..., k_len, head_dim], no shorter, and "
            f"beta [..., k_len], got {came}"
        )
    dtype = q.dtype
    q, k, w, beta = widened(q, k, w, beta)
    return xp.astype(q @ xp.matrix_transpose(k) - _taken(q, k, w, beta), dtype, copy=False)


def _taken(q: Array, k: Array, w: Array, beta: Array) -> Array:
    """Return what the reflections between key and query take from q·k."""
    xp, (q_len, k_len) = namespace(q), (q.shape[-2], k.shape[-2])
    shape = (*w.shape[:-1], k_len)
    check_memory("heads × k_len × k_len", shape, itemsize=w.dtype.itemsize, x=w, copies=4)
    tokens = xp.arange(k_len, device=q.device)
    later = tokens[:, None] > tokens
    passed = tokens <= tokens[k_len - q_len :, None]
    by_query = xp.where(passed, q @ xp.matrix_transpose(w), 0.0)
    among = xp.where(later, beta[..., None] * (w @ xp.matrix_transpose(w)), 0.0)
    by_key = xp.where(later, beta[..., None] * (w @ xp.matrix_transpose(k)), 0.0)
    return through_unit_lower(by_query, among) @ by_key


@dataclass(frozen=True, eq=False)
class PaTH(Encoding):
    """PaTH at the scores, with reflections made from the layer's input; for causal attention.

    Shapes: w_w [d_model, w_heads·head_dim] gives each token its w, made 1 long, w_beta [d_model,
    w_heads] and b_beta [w_heads] (None: 0) its β = 2σ(x·w_beta + b_beta); w_heads divides the heads
    of q. Positions are not read: tokens count in the order in which they come. The released code
    also passes w through a short convolution, and makes w_w of two smaller matrices.

    Source: Yang et al. 2025 (PaTH); ``PaTHAttention`` in flash-linear-attention.
    """

    w_w: Array
    w_beta: Array
    b_beta: Array = None

    def __post_init__(self) -> None:
        given = {"w_w": self.w_w, "w_beta": self.w_beta}
        require_alike(**given | ({} if self.b_beta is None else {"b_beta": self.b_beta}))
        w, beta = tuple(self.w_w.shape), tuple(self.w_beta.shape)
        b = beta[1:] if self.b_beta is None else tuple(self.b_beta.shape)
        if not (len(w) == len(beta) == 2 and w[0] == beta[0] and b == beta[1:] and beta[1] > 0) or (
            w[1] % beta[1]
        ):
            raise ValueError(
                "w_w must be [d_model, w_heads·head_dim], w_beta [d_model, w_heads] and b_beta "
                f"[w_heads] or None, got {w}, {beta} and {b}"
            )

    def for_input(self, x: Array, positions: Any, carried: Any) -> tuple[Encoding, Any]:
        """Return the reflections of these tokens; the cache carries w and β of all so far."""
        xp, heads = namespace(x), self.w_beta.shape[1]
        if x.shape[-1] != self.w_w.shape[0]:
            raise ValueError(
                f"w_w must have the {x.shape[-1]} rows of x's d_model, got {self.w_w.shape[0]}"
            )
        [w] = widened(x @ like(self.w_w, x, "w_w", x.dtype))
        [beta] = widened(x @ like(self.w_beta, x, "w_beta", x.dtype))
        if self.b_beta is not None:
            beta = beta + like(self.b_beta, x, "b_beta", beta.dtype)
        shape = (*x.shape[:2], heads, self.w_w.shape[1] // heads)
        w = xp.permute_dims(xp.reshape(w, shape), (0, 2, 1, 3))
        beta = xp.permute_dims(2 * sigmoid(beta), (0, 2, 1))
        w = _unit(w)
        if carried is not None:
            w = xp.concat([carried[0], w], axis=2)
            beta = xp.concat([carried[1], beta], axis=2)
        return Reflecting(w, beta), (w, beta)


def _unit(w: Array) -> Array:
    """Return w of length 1; what is 0 stays so, and its gradient is finite."""
    xp = namespace(w)
    squares = xp.sum(w * w, axis=-1, keepdims=True)
    return w / xp.sqrt(xp.where(squares == 0, 1.0, squares))


@dataclass(frozen=True, eq=False)
class Reflecting(Encoding):
    """PaTH for known reflections, of which the last are the queries' own.

    Shapes: w [batch, w_heads, k_len, head_dim], beta [batch, w_heads, k_len].
    """

    w: Array
    beta: Array

    @adds_bias(by="token")
    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Take from scores [batch, heads, q_len, k_len] what the reflections between take."""
        xp, heads = namespace(scores, q, k), self.w.shape[1]
        shape = tuple(self.w.shape[2:])
        fits = len(self.w) == len(q) and shape == tuple(k.shape[2:])
        if not fits or q.shape[1] % heads or q.shape[2] > k.shape[2]:
            raise ValueError(
                f"w must be [{len(q)}, w_heads, {k.shape[2]}, {k.shape[3]}], where w_heads divides "
                f"{q.shape[1]}, for at most as many queries as keys, got shape "
                f"{tuple(self.w.shape)} for {q.shape[2]} queries"
            )
        w, beta = (xp.astype(x, scores.dtype, copy=False) for x in (self.w, self.beta))
        if heads < q.shape[1]:
            w, beta = (xp.repeat(x, q.shape[1] // heads, axis=1) for x in (w, beta))
        q, k = xp.astype(q, scores.dtype), xp.astype(k, scores.dtype)
        return scores - _taken(self.scale(q.shape[-1]) * q, k, w, beta)
