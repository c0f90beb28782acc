"""PaTH: each token between key and query reflects, and the score has the product of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_like, namespace, sigmoid, upcast_half
from posviz.encodings.checks import require_shape
from posviz.encodings.doors import Encoding
from posviz.encodings.relative import BiasFromInput

__all__ = ["PaTH", "path_bias"]


def path_bias(q: Array, k: Array, w: Array, beta: Array) -> Array:
    """Return k_jᵀ H_{j+1} ⋯ H_i q_i − k_jᵀ q_i, where H_t = I − β_t w_t w_tᵀ.

    The query's own reflection H_i comes first, the key's own does not count. All products come from
    one triangular matrix: −tril(Q Wᵀ) (I + stril(B W Wᵀ))⁻¹ stril(B W Kᵀ) with B = diag(β), where
    tril keeps tokens up to the query and stril those after the key. Future keys get 0.

    Shapes: q [..., q_len, head_dim], k and w [..., k_len, head_dim], beta [..., k_len], result
    [..., q_len, k_len]: queries are the last q_len of k_len tokens.

    Source: Yang et al. 2025 (PaTH); ``PaTHAttention`` in flash-linear-attention.
    """
    xp, (q_len, k_len) = namespace(q, k, w, beta), (q.shape[-2], k.shape[-2])
    by_query = xp.tril(q @ w.mT, k=k_len - q_len)
    among = xp.tril(beta[..., None] * (w @ w.mT), k=-1)
    by_key = xp.tril(beta[..., None] * (w @ k.mT), k=-1)
    identity = xp.eye(k_len, dtype=w.dtype, device=w.device)
    return -by_query @ xp.linalg.solve(identity + among, by_key)


@dataclass(frozen=True, eq=False)
class PaTH(Encoding):
    """PaTH at the scores, with reflections made from the layer's input; for causal attention.

    Shapes: w_w [d_model, w_heads·head_dim] makes each token's w, of norm 1; w_beta [d_model,
    w_heads] and b_beta [w_heads] (None: 0) make its β = 2σ(x·w_beta + b_beta); w_heads divides the
    heads of q. Tokens count in their order. In the released code w passes a convolution, too.
    """

    w_w: Array
    w_beta: Array
    b_beta: Array = None

    def __post_init__(self) -> None:
        d_model, w_heads = require_shape(self.w_beta, "w_beta", "d_model", "w_heads").shape
        require_shape(self.w_w, "w_w", d_model, "w_heads·head_dim")
        if self.w_w.shape[1] % w_heads:
            raise ValueError(f"w_w must have a multiple of {w_heads} columns, as w_beta has.")
        if self.b_beta is not None:
            require_shape(self.b_beta, "b_beta", w_heads)

    def for_input(self, x: Array, positions: Any, carried: Any) -> tuple[Encoding, Any]:
        """Return the reflections of these tokens; the cache carries w and β of all so far."""
        xp, x, w_heads = namespace(x), upcast_half(x), self.w_beta.shape[1]
        # [batch, len, w_heads·head_dim] → [batch, w_heads, len, head_dim]
        w = (x @ as_like(self.w_w, x, x.dtype)).reshape(*x.shape[:2], w_heads, -1)
        w = xp.permute_dims(w, (0, 2, 1, 3))
        # A w of zeros stays so, and its gradient is finite.
        squares = xp.sum(w * w, axis=-1, keepdims=True)
        w = w / xp.sqrt(xp.where(squares == 0, 1.0, squares))
        # [batch, len, w_heads] → [batch, w_heads, len]
        logits = x @ as_like(self.w_beta, x, x.dtype)
        if self.b_beta is not None:
            logits = logits + as_like(self.b_beta, x, x.dtype)
        beta = xp.permute_dims(2 * sigmoid(logits), (0, 2, 1))
        if carried is not None:
            w = xp.concat([carried[0], w], axis=2)
            beta = xp.concat([carried[1], beta], axis=2)

        def bias(scores: Array, q: Array, k: Array, *_: Any) -> Array:
            shared = q.shape[1] // w_heads
            w_and_beta = (as_like(x, scores, scores.dtype) for x in (w, beta))
            repeated = (xp.repeat(x, shared, axis=1) for x in w_and_beta)
            return path_bias(self.scale(q.shape[-1]) * q, k, *repeated)

        return BiasFromInput(bias), (w, beta)
