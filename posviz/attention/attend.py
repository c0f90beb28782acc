"""One attention that takes every encoding at its doors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from posviz.arrays import Array, as_array, as_like, namespace, softmax, upcast_half
from posviz.attention.cache import KeyValueCache
from posviz.attention.masks import window_mask
from posviz.encodings.checks import require_integer, require_real
from posviz.encodings.doors import Encoding, doors
from posviz.encodings.relative import positions_of
from posviz.encodings.temperatures import LogN

Temperature = float | Callable[[Array], Array] | LogN


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
) -> Any:
    """Return the values weighted by softmax(scale · q·k), with position entering at its doors.

    Shapes: q [batch, heads, q_len, head_dim], k [batch, kv_heads, k_len, head_dim], v [batch,
    kv_heads, k_len, v_dim], where kv_heads divides heads; positions [len] or [batch, len], in
    tokens; mask boolean, True where a query may look, broadcast to [batch, heads, q_len, k_len], or
    a function that makes one of the positions of queries and keys, such as ``causal_mask``.
    Result [batch, heads, q_len, v_dim]; with return_weights also the weights [batch, heads, q_len,
    k_len]. A query that may look nowhere has weights 0 and output 0.

    Within a window (None: no limit) a query sees only keys less than so many tokens away. Queries
    that have passed their door are divided by the temperature: one number, a function that makes
    one for each of the query's positions, or ``LogN``, for which the keys that it sees are counted.

    Source: Vaswani et al. 2017, equation 1; Ainslie et al. 2023 for fewer key than query heads;
    Beltagy et al. 2020 (Longformer), section 3.1, for the window.
    """
    if doors(encoding) == ("at_input",) or type(encoding).for_input is not Encoding.for_input:
        raise ValueError(
            f"attention begins at queries and keys, and {type(encoding).__name__} acts on the "
            "embeddings: call attend."
        )
    _require_shapes(q, k, v)
    q_positions = positions_of(q_positions, q, "q_positions")
    k_positions = positions_of(k_positions, k, "k_positions")
    q, k = encoding.at_query(q, q_positions), encoding.at_key(k, k_positions)
    output, weights = _weigh(
        q, k, v, encoding, (q_positions, k_positions), mask, window, temperature
    )
    return (output, weights) if return_weights else output


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
) -> Any:
    """Attend from embeddings: the input door, the projections, the heads, then the other doors.

    Shapes: x [batch, len, d_model], w_q [d_model, num_heads·head_dim], w_k and w_v [d_model,
    kv_heads·head_dim], where kv_heads divides num_heads; positions [len] or [batch, len], in
    tokens. Result [batch, len, num_heads·head_dim], heads side by side; with return_weights also
    the weights [batch, num_heads, len, k_len]. With a cache, queries see what it holds and then
    these tokens, k_len in all, and the cache grows by them. mask, window and temperature are those
    of ``attention``.

    In a model of several layers the input door is passed once: call at_input before the first
    layer, and leave an encoding that acts nowhere else out of ``attend``.

    Source: Vaswani et al. 2017, section 3.2.2; Ainslie et al. 2023 for fewer key than query heads.

    >>> from posviz import Alibi, causal_mask
    >>> x, w = np.ones((1, 3, 4)), np.eye(4)  # three equal tokens
    >>> layer = {"num_heads": 4, "encoding": Alibi(), "mask": causal_mask, "return_weights": True}
    >>> _, weights = attend(x, w, w, w, positions=range(3), **layer)
    >>> weights[0, 0].round(2).tolist()
    [[1.0, 0.0, 0.0], [0.44, 0.56, 0.0], [0.25, 0.33, 0.42]]
    """
    doors(encoding)  # refuses what is no Encoding
    head_dim = _head_dim(x, w_q, w_k, w_v, num_heads)
    positions = positions_of(positions, x)
    seen = KeyValueCache() if cache is None else cache

    x = encoding.at_input(x, positions)
    encoding, carried = encoding.for_input(x, positions, seen.carried)
    q, k, v = (_split_heads(x @ w, head_dim) for w in (w_q, w_k, w_v))
    q, k = encoding.at_query(q, positions), encoding.at_key(k, positions)
    seen = seen.joined(k, v, positions)
    output, weights = _weigh(
        q, seen.keys, seen.values, encoding, (positions, seen.positions), mask, window, temperature
    )
    if cache is not None:
        cache.take(seen, carried)
    side_by_side = namespace(x).permute_dims(output, (0, 2, 1, 3))
    output = side_by_side.reshape(*x.shape[:2], num_heads * output.shape[3])
    return (output, weights) if return_weights else output


def _weigh(
    q: Array,
    k: Array,
    v: Array,
    encoding: Encoding,
    positions: tuple[Array, Array],
    mask: Any,
    window: int | None,
    temperature: Temperature | None,
) -> tuple[Array, Array]:
    """Score, bias, mask, softmax and sum: q and k have passed their doors."""
    xp, dtype = namespace(q, k, v), v.dtype
    q, k, v = upcast_half(q), upcast_half(k), upcast_half(v)
    k, v = _for_query_heads(k, q), _for_query_heads(v, q)
    allowed = _allowed(mask, window, q, (*q.shape[:3], k.shape[2]), positions)
    if temperature is not None:
        q = _tempered(q, temperature, positions[0], allowed, k.shape[2])
    # q·k / √head_dim: [batch, heads, q_len, head_dim] @ [batch, heads, head_dim, k_len]
    scores = (q * encoding.scale(q.shape[-1])) @ xp.matrix_transpose(k)
    scores = encoding.at_scores(scores, q, k, *positions)
    if allowed is not None:
        scores = xp.where(allowed, scores, -xp.inf)
    weights = softmax(scores)
    output = encoding.at_values(weights @ v, weights, *positions)
    return xp.astype(output, dtype, copy=False), xp.astype(weights, dtype, copy=False)


def _for_query_heads(x: Array, q: Array) -> Array:
    """Repeat keys or values [batch, kv_heads, len, dims] for the query heads that share them."""
    shared = q.shape[1] // x.shape[1]
    return x if shared == 1 else namespace(x).repeat(x, shared, axis=1)


def _allowed(
    mask: Any, window: int | None, q: Array, shape: tuple[int, ...], positions: tuple[Array, Array]
) -> Array | None:
    """Return where a query may look, to broadcast to the shape of scores; None: anywhere."""
    if mask is not None:
        mask = mask(*positions) if callable(mask) else mask
        mask = as_like(mask, q)
        if "bool" not in str(mask.dtype):
            raise TypeError(f"mask must be boolean, True where a query may look, got {mask.dtype}.")
        if not _fits(mask.shape, shape):
            raise ValueError(f"mask must broadcast to {shape}, got shape {tuple(mask.shape)}.")
    if window is not None:
        near = window_mask(*positions, window)
        mask = near if mask is None else mask & near
    return mask


def _fits(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Tell whether an array of this shape broadcasts to the target."""
    lengths = zip(reversed(shape), reversed(target), strict=False)
    return len(shape) <= len(target) and all(n in (1, wanted) for n, wanted in lengths)


def _tempered(
    q: Array, temperature: Temperature, positions: Array, allowed: Array | None, k_len: int
) -> Array:
    """Divide queries [batch, heads, len, head_dim] by their temperature."""
    if isinstance(temperature, LogN):
        return q * temperature.factor(_seen(allowed, k_len, q), q)[..., None]
    if callable(temperature):
        values = as_like(as_array(temperature(positions), "temperature"), q, q.dtype)
        return q / values[..., None, :, None]
    return q / require_real(temperature, "temperature", above=0)


def _seen(allowed: Array | None, k_len: int, q: Array) -> Array:
    """Return how many keys each query sees: [batch or 1, heads or 1, q_len or 1]."""
    xp = namespace(q)
    if allowed is None:
        return xp.full((1, 1, 1), k_len, dtype=xp.int64, device=q.device)
    allowed = xp.broadcast_to(allowed, (*allowed.shape[:-1], k_len))
    return xp.sum(allowed[(None,) * (4 - allowed.ndim)], axis=-1, dtype=xp.int64)


def _split_heads(x: Array, head_dim: int) -> Array:
    """[batch, len, heads·head_dim] → [batch, heads, len, head_dim]"""
    heads = x.reshape(*x.shape[:2], x.shape[2] // head_dim, head_dim)
    return namespace(x).permute_dims(heads, (0, 2, 1, 3))


def _head_dim(x: Array, w_q: Array, w_k: Array, w_v: Array, num_heads: int) -> int:
    """Return head_dim, if the projections fit x and one another."""
    namespace(x, w_q, w_k, w_v)  # refuses a mixture
    if x.ndim != 3:
        raise ValueError(f"x must be [batch, len, d_model], got shape {tuple(x.shape)}.")
    for name, w in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v)):
        if w.ndim != 2 or w.shape[0] != x.shape[2]:
            raise ValueError(f"{name} must be [{x.shape[2]}, …], got shape {tuple(w.shape)}.")
    head_dim, rest = divmod(w_q.shape[1], require_integer(num_heads, "num_heads"))
    if rest or head_dim == 0:
        raise ValueError(
            f"num_heads must divide the {w_q.shape[1]} columns of w_q, got {num_heads}."
        )
    kv_heads, rest = divmod(w_k.shape[1], head_dim)
    if rest or kv_heads == 0 or num_heads % kv_heads or w_v.shape[1] != w_k.shape[1]:
        raise ValueError(
            f"w_k and w_v must have {head_dim} columns for each of a number of heads that divides "
            f"{num_heads}, got {w_k.shape[1]} and {w_v.shape[1]}."
        )
    return head_dim


def _require_shapes(q: Array, k: Array, v: Array) -> None:
    """Refuse queries, keys and values that do not fit."""
    namespace(q, k, v)  # refuses a mixture
    of_q, of_k, of_v = tuple(q.shape), tuple(k.shape), tuple(v.shape)
    fits = (
        len(of_q) == len(of_k) == len(of_v) == 4
        and (of_q[0], of_q[3]) == (of_k[0], of_k[3])
        and of_k[:3] == of_v[:3]
        and of_q[1] % of_k[1] == 0
    )
    if not fits:
        raise ValueError(
            "q must be [batch, heads, q_len, head_dim], k and v [batch, kv_heads, k_len, head_dim] "
            f"with kv_heads dividing heads, got q {of_q}, k {of_k}, v {of_v}."
        )
