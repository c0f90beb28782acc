"""FoX, the forgetting attention: each token says how much of all earlier tokens is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_like, namespace, softplus, upcast_half
from posviz.encodings.checks import require_shape
from posviz.encodings.doors import Encoding
from posviz.encodings.relative import BiasFromInput

__all__ = ["FoX", "fox_bias", "log_forget_gates"]


def log_forget_gates(x: Array, w_f: Array, b_f: Array = None) -> Array:
    """Return ln σ(x·w_f + b_f): what each token adds to the bias of all earlier tokens.

    Shapes: x [batch, len, d_model], w_f [d_model, heads], b_f [heads] (None: 0), result [batch,
    heads, len], at most 0. Half precision gives float32, because sums of many gates follow.

    Source: Lin et al. 2025 (FoX): f_t = σ(w_f·x_t + b_f), one gate for each head.
    """
    logits = x @ w_f if b_f is None else x @ w_f + b_f
    # ln σ(z) is −ln(1 + e^−z); [batch, len, heads] → [batch, heads, len]
    return namespace(x).permute_dims(-softplus(-upcast_half(logits)), (0, 2, 1))


def fox_bias(log_gates: Array, q_len: int | None = None) -> Array:
    """Return Σ_{l=j+1…i} log_gates_l for query i and key j, to add to the scaled scores.

    The query's own gate counts, the key's own does not. For a future key the result is minus the
    sum between the two, above 0; hiding the future is the mask's business. Long sums lose digits
    in float32: at token 65 536 perhaps the first decimal.

    Shapes: log_gates [..., k_len], result [..., q_len, k_len]: queries are the last q_len of these
    tokens (None: all). Units: score.

    Source: Lin et al. 2025 (FoX): d_ij = Σ_{l=j+1…i} ln f_l, which is c_i − c_j of running sums c;
    ``DataDependentAlibi`` in x_transformers.

    >>> np.exp(fox_bias(np.log([0.1, 0.5, 0.5]), q_len=1)).round(2).tolist()  # key 0: 0.5 · 0.5
    [[0.25, 0.5, 1.0]]
    """
    k_len = log_gates.shape[-1]
    q_len = k_len if q_len is None else q_len
    sums = namespace(log_gates).cumulative_sum(log_gates, axis=-1)
    # [..., q_len, 1] − [..., 1, k_len]
    return sums[..., k_len - q_len :, None] - sums[..., None, :]


@dataclass(frozen=True, eq=False)
class FoX(Encoding):
    """FoX at the scores, with gates made from the layer's input; for causal attention.

    Shapes: w_f [d_model, heads], b_f [heads] (None: 0). FoX does not read positions: tokens count
    in their order. If all gates are equal, FoX is ALiBi with slope −ln(gate).
    """

    w_f: Array
    b_f: Array = None

    def __post_init__(self) -> None:
        heads = require_shape(self.w_f, "w_f", "d_model", "heads").shape[1]
        if self.b_f is not None:
            require_shape(self.b_f, "b_f", heads)

    def for_input(self, x: Array, positions: Any, carried: Any) -> tuple[Encoding, Any]:
        """Return the bias of these tokens; the cache carries the log gates of all so far."""
        b_f = None if self.b_f is None else as_like(self.b_f, x, x.dtype)
        log_gates = log_forget_gates(x, as_like(self.w_f, x, x.dtype), b_f)
        if carried is not None:
            log_gates = namespace(x).concat([carried, log_gates], axis=-1)

        def bias(scores: Array, *_: Any) -> Array:
            return as_like(fox_bias(log_gates, scores.shape[2]), scores, scores.dtype)

        return BiasFromInput(bias), log_gates
