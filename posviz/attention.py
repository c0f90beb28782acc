"""One attention that takes every encoding at its doors, and a key/value cache.

It is written out in ``_weigh``, which NumPy always takes and lessons show. With torch the same is
left to its fused function where that can do it (``posviz.sdpa``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz import sdpa
from posviz.arrays import (
    Array,
    as_array,
    as_numbers,
    check_memory,
    is_followed,
    is_torch,
    like,
    namespace,
    require_alike,
    widened,
)
from posviz.encodings.checks import (
    broadcasts_to,
    require_choice,
    require_integer,
    require_positive,
)
from posviz.encodings.doors import Encoding, bias_by, doors
from posviz.encodings.relative import pairwise_offsets, positions_of
from posviz.encodings.temperatures import LogN
from posviz.wording import quoted, shortened

IMPLEMENTATIONS = ("eager", "sdpa")
Temperature = float | Callable[[Array], Array] | LogN


@dataclass(eq=False)
class KeyValueCache:
    """Keys as they came out of at_key, values and positions of the tokens seen so far.

    What has turned stays as it is: frequencies that follow the length, as those of dynamic NTK and
    LongRoPE do, have to be held fixed while it grows.

    Shapes: keys and values [batch, kv_heads, len, head_dim], positions [len] or [batch, len];
    carried is whatever the encoding's for_input hands on. Empty at first; ``attend`` adds to it.
    """

    keys: Array = None
    values: Array = None
    positions: Array = None
    carried: Any = None

    def joined(self, keys: Array, values: Array, positions: Array) -> KeyValueCache:
        """Return a cache of the tokens held and then these; this one is left as it is."""
        if self.keys is None:
            own = namespace(positions).asarray(
                positions, copy=True
            )  # the caller may count on in it
            return KeyValueCache(keys, values, own)
        xp, both = require_alike(cache=self.keys, keys=keys), {}
        tokens = (("keys", keys, 2), ("values", values, 2), ("positions", positions, -1))
        for name, new, axis in tokens:
            old = getattr(self, name)
            wanted = list(old.shape)
            wanted[axis] = new.shape[axis]
            if list(new.shape) != wanted:
                raise ValueError(
                    f"{name} of the cache and of the new tokens must differ in length alone, "
                    f"got {tuple(old.shape)} and {tuple(new.shape)}"
                )
            both[name] = xp.concat([old, new], axis=axis)
        return KeyValueCache(**both)


def attend(
    x: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    *,
    num_heads: int,
    encoding: Encoding,
    positions: Any,
    mask: Any = None,
    window: int | None = None,
    temperature: Temperature | None = None,
    cache: KeyValueCache | None = None,
    return_weights: bool = False,
    implementation: str | None = None,
) -> Any:
    """Attend from embeddings: the input door, the projections, the heads, then the other doors.

    Shapes: x [batch, len, d_model], w_q [d_model, num_heads·head_dim], w_k and w_v [d_model,
    kv_heads·head_dim], where kv_heads divides num_heads; positions [len] or [batch, len], in
    tokens. Result [batch, len, num_heads·head_dim], heads side by side; with return_weights also
    the weights [batch, num_heads, len, k_len]. With a cache, queries see what it holds and then
    these tokens, k_len in all, and the cache grows by them.

    mask, window, temperature and implementation are those of ``attention``. Where layers differ,
    each is given its own encoding, window and temperature; a plan is a list of these. In a model of
    several layers the input door is passed once: call at_input before the first layer, and leave
    an encoding that acts nowhere else out of ``attend``. One that is made from the layer's input
    (``for_input``) is made after that door, and the cache carries what it hands on.

    Raises:
        TypeError: when arrays differ in kind or dtype, or an argument is not of its type.
        ValueError: when shapes or devices do not match, or memory is short.
        IndexError: for positions that a table of the encoding does not have.

    Source: Vaswani et al. 2017, section 3.2.2; Ainslie et al. 2023 for fewer key than query heads.
    """
    doors(encoding)  # refuses what is no Encoding
    if not isinstance(cache, KeyValueCache | None):
        raise TypeError(f"cache must be a KeyValueCache or None, got {quoted(cache)}")
    head_dim = _head_dim(x, w_q, w_k, w_v, num_heads)
    positions = positions_of(positions, x, check=as_numbers)
    x = encoding.at_input(x, positions)
    encoding, carried = encoding.for_input(x, positions, None if cache is None else cache.carried)
    q, k, v = (_split_heads(x @ w, head_dim) for w in (w_q, w_k, w_v))
    q, k = encoding.at_query_and_key(q, k, positions)
    seen = (cache or KeyValueCache()).joined(k, v, positions)
    places, tokens = (positions, seen.positions), (q, seen.keys, seen.values)
    limits = (mask, window, temperature)
    output, weights = _attention(*tokens, encoding, places, *limits, return_weights, implementation)
    if cache is not None:
        cache.keys, cache.values, cache.positions = seen.keys, seen.values, seen.positions
        cache.carried = carried
    xp = namespace(x)
    width = output.shape[1] * output.shape[3]
    output = xp.reshape(xp.permute_dims(output, (0, 2, 1, 3)), (*x.shape[:2], width))
    return (output, weights) if return_weights else output


def attention(
    q: Array,
    k: Array,
    v: Array,
    *,
    encoding: Encoding,
    q_positions: Any,
    k_positions: Any,
    mask: Any = None,
    window: int | None = None,
    temperature: Temperature | None = None,
    return_weights: bool = False,
    implementation: str | None = None,
) -> Any:
    """Return the values weighted by softmax(scale · q·k), with position entering at its doors.

    Shapes: q [batch, heads, q_len, head_dim], k [batch, kv_heads, k_len, head_dim], v [batch,
    kv_heads, k_len, v_dim], where kv_heads divides heads; positions [len] or [batch, len], in
    tokens; mask boolean, True where a query may look, broadcast to [batch, heads, q_len, k_len], or
    a function that makes one of the positions of queries and keys, such as ``causal_mask``.
    Result [batch, heads, q_len, v_dim]; with return_weights also the weights [batch, heads, q_len,
    k_len]. A query that may look nowhere has weights 0 and output 0. Halves are summed in float32,
    except within torch.autocast, which narrows the products again.

    Within a window (None: no limit) a query sees only keys less than so many tokens away. Queries
    that have passed their door are divided by the temperature: one number, a function that makes
    one for each of the query's positions, or ``LogN``, for which the keys that it sees are counted.

    With torch, ``scaled_dot_product_attention`` does the sums wherever it gives the same within the
    rounding of the dtype: weights are not asked for, and the encoding does nothing at the scores
    and values, or adds a bias (``adds_bias``). implementation="sdpa" makes sure of it, and says why
    where it cannot; "eager" is the way written out here, whatever is asked for, and the one to
    differentiate twice.

    Raises:
        TypeError: when arrays differ in kind or dtype, or an argument is not of its type.
        ValueError: when shapes or devices do not match, memory is short, the encoding acts at the
            input alone, where it could do nothing here, or implementation="sdpa" cannot be had.
        IndexError: for positions that a table of the encoding does not have.

    Source: Vaswani et al. 2017, equation 1; Ainslie et al. 2023 for fewer key than query heads;
    Beltagy et al. 2020 (Longformer), section 3.1, for the window.
    """
    if doors(encoding) == ("at_input",):
        raise ValueError(
            f"encoding must act at the query, key, scores or values; {type(encoding).__name__} "
            "acts only at the input: add it there with at_input, or call attend"
        )
    if type(encoding).for_input is not Encoding.for_input:
        raise ValueError(
            f"encoding must be made from the layer's input: give what {type(encoding).__name__}'s "
            "for_input(x, positions, carried) returns first, or call attend"
        )
    _require_shapes(q, k, v)
    alike = q_positions is k_positions and q.shape[2] == k.shape[2]
    q_positions = positions_of(q_positions, q, "q_positions", as_numbers)
    if alike:  # both turn by the same angles
        k_positions = q_positions
        q, k = encoding.at_query_and_key(q, k, q_positions)
    else:
        k_positions = positions_of(k_positions, k, "k_positions", as_numbers)
        q, k = encoding.at_query(q, q_positions), encoding.at_key(k, k_positions)
    places, limits = (q_positions, k_positions), (mask, window, temperature)
    output, weights = _attention(q, k, v, encoding, places, *limits, return_weights, implementation)
    return (output, weights) if return_weights else output


def _attention(
    q: Array,
    k: Array,
    v: Array,
    encoding: Encoding,
    positions: tuple[Array, Array],
    mask: Any,
    window: int | None,
    temperature: Temperature | None,
    return_weights: bool,
    implementation: str | None,
) -> tuple[Array, Array | None]:
    """Go one way or the other; without return_weights, weights may be None."""
    if implementation is not None:
        require_choice(implementation, "implementation", IMPLEMENTATIONS)
    if mask is not None:
        mask = mask(*positions) if callable(mask) else mask
        mask = _mask(mask, (*q.shape[:3], k.shape[2]), q)
    if window is not None:
        near = _near(window, *positions)
        mask = near if mask is None else mask & near
    if temperature is not None:
        q = _tempered(q, temperature, positions[0], mask, k.shape[2])
    if implementation != "eager":
        if not (reason := sdpa.why_not(q, k, encoding, return_weights)):
            return sdpa.fused(q, k, v, encoding, positions, mask), None
        if implementation == "sdpa":
            raise ValueError(f"implementation cannot be 'sdpa': {reason}")
    return _weigh(q, k, v, encoding, positions, mask)


def _weigh(
    q: Array,
    k: Array,
    v: Array,
    encoding: Encoding,
    positions: tuple[Array, Array],
    mask: Array | None,
) -> tuple[Array, Array]:
    """Score, bias, mask, softmax and sum: q and k have passed their doors."""
    xp = namespace(q, k, v)
    shape = (*q.shape[:3], k.shape[2])
    check_memory("heads × q_len × k_len", shape, itemsize=max(q.dtype.itemsize, 4), x=q, copies=3)
    wide_q, wide_k, wide_v = widened(q, k, v)  # a product of halves may overflow
    rows = q.shape[1] // k.shape[1] * q.shape[2]  # neighbouring query heads share a key head
    by_key_head = (q.shape[0], k.shape[1], rows)
    wide_q = xp.reshape(wide_q * encoding.scale(q.shape[-1]), (*by_key_head, q.shape[-1]))
    scores = xp.reshape(wide_q @ xp.matrix_transpose(wide_k), shape)
    if bias_by(encoding) not in ("offset", "position"):
        k = _for_each_query_head(k, q, encoding)
    scores = encoding.at_scores(scores, q, k, *positions)
    if mask is not None:
        scores = xp.where(mask, scores, -xp.inf)
    weights = xp.astype(softmax(scores), wide_v.dtype, copy=False)  # a bias may be wider
    output = xp.reshape(weights, (*by_key_head, shape[-1])) @ wide_v
    output = xp.reshape(output, (*q.shape[:3], v.shape[-1]))
    weights = xp.astype(weights, v.dtype, copy=False)
    if wide_v.dtype != v.dtype:
        output = xp.astype(output, v.dtype, copy=False)
    return encoding.at_values(output, weights, *positions), weights


def _for_each_query_head(k: Array, q: Array, encoding: Encoding) -> Array:
    """Return k with as many heads as q, where a door looks at it."""
    if k.shape[1] == q.shape[1] or type(encoding).at_scores is Encoding.at_scores:
        return k
    return namespace(k).repeat(k, q.shape[1] // k.shape[1], axis=1)


def _near(window: int, q_positions: Array, k_positions: Array) -> Array:
    """Return whether a key is less than ``window`` tokens away: [q_len, k_len], or by batch."""
    window = require_integer(window, "window")
    apart = pairwise_offsets(q_positions, k_positions)
    near = namespace(apart).abs(apart) < window
    return near[:, None] if near.ndim == 3 else near


def _tempered(
    q: Array, temperature: Temperature, positions: Array, mask: Array | None, k_len: int
) -> Array:
    """Divide queries [batch, heads, len, head_dim] by their temperature."""
    [wide] = widened(q)
    if isinstance(temperature, LogN):
        wide = wide * temperature.factor(_seen(mask, k_len, q), wide)[..., None]
    elif callable(temperature):
        values = as_array(temperature(positions), "temperature")
        if tuple(values.shape) != tuple(positions.shape):
            raise ValueError(
                f"temperature must give a number for each of the positions "
                f"{tuple(positions.shape)}, got shape {tuple(values.shape)}"
            )
        wide = wide / like(values, q, "temperature", wide.dtype)[..., None, :, None]
    else:
        wide = wide / require_positive(temperature, "temperature")
    return namespace(q).astype(wide, q.dtype, copy=False)


def _seen(mask: Array | None, k_len: int, q: Array) -> Array:
    """Return how many keys each query sees: [batch or 1, heads or 1, q_len or 1]."""
    xp = namespace(q)
    if mask is None:
        return xp.full((1, 1, 1), k_len, dtype=xp.int64, device=q.device)
    mask = mask[(None,) * (4 - mask.ndim)]
    return xp.sum(mask, axis=-1, dtype=xp.int64) * (1 if mask.shape[-1] == k_len else k_len)


def softmax(scores: Array) -> Array:
    """Return exp(scores) / Σ exp(scores) over the last axis, and 0 where all scores are −∞.

    Shapes: [..., k_len], result alike; a single number gives 1. The largest score is subtracted
    first: exp cannot overflow. Halves are summed in float32.

    Raises:
        TypeError: when scores are not a floating array.
    """
    xp = require_alike(scores=scores)
    if scores.ndim == 0:
        return softmax(scores[None])[0]
    if scores.shape[-1] == 0:
        return scores
    [wide] = widened(scores)
    return xp.astype(_softmax(wide), scores.dtype, copy=False)


def _softmax(scores: Array) -> Array:
    xp = namespace(scores)
    peak = xp.max(scores, axis=-1, keepdims=True)
    powers = scores - xp.where(peak == -xp.inf, 0.0, peak)
    if is_followed(powers):
        powers = xp.exp(powers)
        total = xp.sum(powers, axis=-1, keepdims=True)
        return powers / xp.where(total == 0, 1.0, total)
    # `powers` is not shared and as large as the scores: the next steps write into it.
    powers = powers.exp_() if is_torch(powers) else np.exp(powers, out=powers)
    total = xp.sum(powers, axis=-1, keepdims=True)
    powers /= xp.where(total == 0, 1.0, total)
    return powers


def _split_heads(x: Array, head_dim: int) -> Array:
    """[batch, len, heads·head_dim] → [batch, heads, len, head_dim]"""
    xp = namespace(x)
    heads = x.shape[2] // head_dim
    return xp.permute_dims(xp.reshape(x, (*x.shape[:2], heads, head_dim)), (0, 2, 1, 3))


def _head_dim(x: Array, w_q: Array, w_k: Array, w_v: Array, num_heads: int) -> int:
    require_alike(x=x, w_q=w_q, w_k=w_k, w_v=w_v)
    num_heads = require_integer(num_heads, "num_heads")
    if x.ndim != 3:
        raise ValueError(f"x must be [batch, len, d_model], got shape {tuple(x.shape)}")
    for name, w in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v)):
        if w.ndim != 2 or w.shape[0] != x.shape[2]:
            raise ValueError(f"{name} must be [{x.shape[2]}, …], got shape {tuple(w.shape)}")
    head_dim, rest = divmod(w_q.shape[1], num_heads)
    if rest or head_dim == 0:
        raise ValueError(
            f"num_heads must divide the {w_q.shape[1]} columns of w_q, got {num_heads}"
        )
    kv_heads, rest = divmod(w_k.shape[1], head_dim)
    if rest or kv_heads == 0 or num_heads % kv_heads or w_v.shape[1] != w_k.shape[1]:
        raise ValueError(
            f"w_k and w_v must have as many columns, {head_dim} for each of a number of heads that "
            f"divides {num_heads}, got {w_k.shape[1]} and {w_v.shape[1]}"
        )
    return head_dim


def _require_shapes(q: Array, k: Array, v: Array) -> None:
    require_alike(q=q, k=k, v=v)
    of_q, of_k, of_v = tuple(q.shape), tuple(k.shape), tuple(v.shape)
    wanted = ""
    if not len(of_q) == len(of_k) == len(of_v) == 4:
        wanted = "q, k and v must be [batch, heads, len, head_dim]"
    elif of_q[0] != of_k[0] or of_q[3] != of_k[3] or of_k[:3] != of_v[:3]:
        wanted = "q, k and v must share batch, q and k head_dim, k and v len"
    elif 0 in (of_q[1], of_q[3]):
        wanted = "q must have heads and dimensions"
    elif of_k[1] == 0 or of_q[1] % of_k[1]:
        wanted = "the heads of k must divide the heads of q"
    if wanted:
        raise ValueError(f"{wanted}, got q {of_q}, k {of_k}, v {of_v}")


def _mask(mask: Any, shape: tuple[int, ...], x: Array) -> Array:
    try:
        mask = mask if is_torch(mask) else np.asarray(mask)
    except ValueError as error:
        raise ValueError(f"mask must be rectangular: {error}") from None
    if not namespace(mask).isdtype(mask.dtype, "bool"):
        raise TypeError(
            f"mask must be boolean, True where a query may look, got {shortened(mask.dtype)}"
        )
    if not broadcasts_to(mask.shape, shape):
        raise ValueError(f"mask must broadcast to {shape}, got shape {tuple(mask.shape)}")
    return like(mask, x, "mask")
