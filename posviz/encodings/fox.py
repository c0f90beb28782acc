"""FoX, the forgetting attention: each token says how much of all before it is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from posviz.arrays import (
    Array,
    check_memory,
    in_dtype,
    is_readable,
    like,
    namespace,
    require_alike,
    softplus,
    widened,
)
from posviz.encodings.checks import require_integer
from posviz.encodings.doors import Encoding, adds_bias

__all__ = ["FoX", "fox_bias", "log_forget_gates"]


def log_forget_gates(x: Array, w_f: Array, b_f: Array = None) -> Array:
    """Return ln σ(x·w_f + b_f): what each token adds to the bias of all tokens before it.

    Shapes: x [batch, len, d_model], w_f [d_model, heads], b_f [heads] (None: 0), result [batch,
    heads, len], at most 0. Halves give float32, for sums of many gates follow.

    Raises:
        TypeError: when arrays differ in kind or dtype.
        ValueError: when shapes or devices do not match.

    Source: Lin et al. 2025 (FoX): f_t = σ(w_f·x_t + b_f), one gate for each head.
    """
    arrays = {"x": x, "w_f": w_f} | ({} if b_f is None else {"b_f": b_f})
    xp = require_alike(**arrays)
    _require_gates(w_f, b_f)
    if x.ndim != 3 or x.shape[2] != w_f.shape[0]:
        raise ValueError(
            f"x must be [batch, len, {w_f.shape[0]}] for w_f {tuple(w_f.shape)}, "
            f"got shape {tuple(x.shape)}"
        )
    logits = x @ w_f if b_f is None else x @ w_f + b_f
    [wide] = widened(logits)
    return xp.permute_dims(-softplus(-wide), (0, 2, 1))


def fox_bias(log_gates: Array, q_len: int | None = None) -> Array:
    """Return Σ_{l=j+1…i} log_gates_l for query i and key j, to add to the scaled scores.

    The key's own gate does not count, the query's own does. Looking ahead it is minus the sum
    between the two, above 0, and the mask's business. Long sums lose digits in float32: at token
    65,536, with a mean log gate of −5, hundredths (torch) or tenths (NumPy) near the query.

    Shapes: log_gates [..., k_len], result [..., q_len, k_len]: queries are the last q_len of these
    tokens (None: all). Units: score. Halves are summed in float32.

    Raises:
        TypeError: when log_gates are not a floating array, or q_len not an integer.
        ValueError: for infinity, a q_len above k_len or below 0, or when memory is short.

    Source: Lin et al. 2025 (FoX): d_ij = Σ_{l=j+1…i} ln f_l, which is c_i − c_j of running sums c.
    """
    xp = require_alike(log_gates=log_gates)
    if is_readable(log_gates) and bool(xp.any(xp.isinf(log_gates))):
        raise ValueError("log_gates must be finite, got infinity: a gate of 0 has no logarithm")
    if log_gates.ndim < 1:
        raise ValueError("log_gates must be [..., k_len], got a single number")
    k_len = log_gates.shape[-1]
    if q_len is not None and require_integer(q_len, "q_len", low=0) > k_len:
        raise ValueError(f"q_len must be at most the {k_len} tokens of log_gates, got {q_len}")
    return in_dtype(_bias(log_gates, k_len if q_len is None else q_len), log_gates.dtype)


def _sums(log_gates: Array) -> Array:
    [wide] = widened(log_gates)
    return namespace(wide).cumulative_sum(wide, axis=-1)


def _bias(log_gates: Array, q_len: int) -> Array:
    sums, k_len = _sums(log_gates), log_gates.shape[-1]
    shape = (*log_gates.shape[:-1], q_len, k_len)
    check_memory("q_len × k_len", shape, itemsize=sums.dtype.itemsize, x=sums)
    return sums[..., k_len - q_len :, None] - sums[..., None, :]


def _require_gates(w_f: Array, b_f: Array) -> None:
    if w_f.ndim != 2 or (b_f is not None and tuple(b_f.shape) != tuple(w_f.shape[1:])):
        came = f"{tuple(w_f.shape)} and {None if b_f is None else tuple(b_f.shape)}"
        raise ValueError(f"w_f must be [d_model, heads] and b_f [heads] or None, got {came}")


@dataclass(frozen=True, eq=False)
class FoX(Encoding):
    """FoX at the scores, with gates made from the layer's input; for causal attention.

    Shapes: w_f [d_model, heads], b_f [heads] (None: 0). Positions are not read: tokens count in the
    order in which they come. Gates that are all alike are ALiBi, with slope −ln(gate).

    Source: Lin et al. 2025 (FoX); ``DataDependentAlibi`` in x_transformers.
    """

    w_f: Array
    b_f: Array = None

    def __post_init__(self) -> None:
        require_alike(**{"w_f": self.w_f} | ({} if self.b_f is None else {"b_f": self.b_f}))
        _require_gates(self.w_f, self.b_f)

    def for_input(self, x: Array, positions: Any, carried: Any) -> tuple[Encoding, Any]:
        """Return the bias of these tokens; the cache carries the log gates of all so far."""
        w_f = like(self.w_f, x, "w_f", x.dtype)
        b_f = None if self.b_f is None else like(self.b_f, x, "b_f", x.dtype)
        log_gates = log_forget_gates(x, w_f, b_f)
        if carried is not None:
            log_gates = namespace(x).concat([carried, log_gates], axis=-1)
        return Forgetting(log_gates), log_gates


@dataclass(frozen=True, eq=False)
class Forgetting(Encoding):
    """FoX for known gates, of which the last are the queries': log_gates [batch, heads, k_len]."""

    log_gates: Array

    @adds_bias(by="token")
    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Add the sums of the log gates to scores [batch, heads, q_len, k_len]."""
        self._require_gates_for(scores.shape)
        return scores + in_dtype(_bias(self.log_gates, scores.shape[2]), scores.dtype)

    def bias_of_pair(
        self, q: Array, k: Array, q_positions: Array, k_positions: Array
    ) -> Callable[..., Array]:
        """Return the difference of two running sums, from arrays [batch, heads, q_len or k_len].

        They are two, for torch has a gradient of what is read once.
        """
        self._require_gates_for((*q.shape[:3], k.shape[2]))
        sums = _sums(self.log_gates)
        of_queries = sums[..., sums.shape[-1] - q.shape[-2] :].clone()
        return lambda b, h, i, j: of_queries[b, h, i] - sums[b, h, j]

    def _require_gates_for(self, scores_shape: tuple[int, ...]) -> None:
        batch, heads, q_len, k_len = scores_shape
        if tuple(self.log_gates.shape) != (batch, heads, k_len) or q_len > k_len:
            raise ValueError(
                f"log_gates must be [{batch}, {heads}, {k_len}], one for each head and key, for at "
                f"most as many queries, got shape {tuple(self.log_gates.shape)} for {q_len} queries"
            )
