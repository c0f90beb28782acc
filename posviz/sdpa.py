"""Attention by torch's ``scaled_dot_product_attention``, where it gives what the readable way does.

That function never holds all weights, and reads keys and values once; its CPU kernel takes a fifth
of the time. It is given queries and keys that have passed their doors, and a mask or a bias.
"""

from __future__ import annotations

from posviz.arrays import Array, check_memory, is_compiling, is_torch, namespace, widened
from posviz.encodings.doors import Encoding, bias_by
from posviz.encodings.relative import FEW, along_diagonals, are_diagonal, diagonals, is_run


def why_not(q: Array, k: Array, encoding: Encoding, return_weights: bool) -> str:
    """Return why torch's function cannot stand in for the readable way: "" where it can."""
    if not is_torch(q):
        return "arrays are NumPy's"
    if return_weights:
        return "return_weights asks for the weights, which it does not return"
    if reason := why_never(encoding):
        return reason
    biased = type(encoding).at_scores is not Encoding.at_scores
    if 0 in (*q.shape, *k.shape):
        return "there are no queries or no keys"
    if q.device.type not in ("cpu", "cuda"):
        return f"it is untried on {q.device.type}"
    if q.device.type == "cuda" and biased and _narrowed(q):
        return "on cuda it cannot add a bias in float32 to halves, and one in halves is rounded"
    if _forward_mode():
        return "it has no forward derivatives"
    if biased and _is_transformed():
        return "within torch.vmap and its kin it has no derivative by a bias"
    return ""


def _narrowed(q: Array) -> bool:
    """Tell whether q are halves, or become halves within torch.autocast."""
    import torch

    return q.dtype.itemsize < 4 or (
        q.dtype.itemsize == 4 and torch.is_autocast_enabled(q.device.type)
    )


def why_never(encoding: Encoding) -> str:
    """Return why torch's function cannot do what the encoding does, whatever the arrays are."""
    kind, name = type(encoding), type(encoding).__name__
    if kind.at_values is not Encoding.at_values:
        return f"{name}.at_values acts on the weights, which it does not return"
    if kind.at_scores is not Encoding.at_scores and bias_by(encoding) is None:
        return f"{name}.at_scores may do more than add a bias: mark one that does not by @adds_bias"
    return ""


def _forward_mode() -> bool:
    import torch

    return torch.autograd.forward_ad._current_level >= 0


def _is_transformed() -> bool:
    from torch._C import _functorch

    return not is_compiling() and _functorch.peek_interpreter_stack() is not None


def fused(
    q: Array,
    k: Array,
    v: Array,
    encoding: Encoding,
    positions: tuple[Array, Array],
    mask: Array | None,
) -> Array:
    """Return the weighted values; ``why_not`` has found no reason against it.

    Shapes: as ``attention``; the mask is boolean, None where all may look at all.
    """
    scale = encoding.scale(q.shape[-1])
    if mask is not None:
        mask = mask[(None,) * (4 - mask.ndim)]
    if bias_by(encoding) is None:
        return _of_torch(q, k, v, mask, scale)
    row = _row_of_offsets(q, k, encoding, *positions)
    if row is not None and (mask is None or _is_diagonal(mask, q.shape[2], k.shape[2])):
        if mask is not None:
            row = row.masked_fill(~diagonals(mask[0, 0]), float("-inf"))
        # Row i of what is unfolded starts at i: that is the bias, uncopied, with its rows upside
        # down. Queries are few beside it, so they are turned over, and the output back.
        upside_down = row.unfold(-1, k.shape[2], 1)
        return _of_torch(q.flip(-2), k, v, upside_down, scale).flip(-2)
    bias = _bias(q, k, encoding, *positions) if row is None else along_diagonals(row, k.shape[2])
    if mask is not None:
        bias = bias.where(mask, float("-inf"))
    return _of_torch(q, k, v, bias, scale)


def _of_torch(q: Array, k: Array, v: Array, mask: Array | None, scale: float) -> Array:
    """Let neighbouring query heads share a key head: they are read as queries of one head."""
    import torch

    kind = q.device.type
    if torch.is_autocast_enabled(kind) and q.dtype != torch.float64:
        # Narrowed by hand, or the bias would be rounded with them.
        q, k, v = (x.to(torch.get_autocast_dtype(kind)) for x in (q, k, v))
        with torch.autocast(kind, enabled=False):
            return _of_torch(q, k, v, mask, scale)
    together = k.shape[1] < q.shape[1] and q.shape[2] == 1
    shape = q.shape
    if together:
        q = q.reshape(shape[0], k.shape[1], -1, shape[3])
        if mask is not None and mask.shape[1] > 1:
            mask = mask.reshape(mask.shape[0], k.shape[1], -1, mask.shape[3])
    found = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, scale=scale, enable_gqa=k.shape[1] < q.shape[1]
    )
    return found.reshape(*shape[:3], v.shape[3]) if together else found


def _bias(q: Array, k: Array, encoding: Encoding, q_positions: Array, k_positions: Array) -> Array:
    """What ``at_scores`` makes of scores that are all 0, [batch or 1, heads, q_len, k_len]."""
    by_token = bias_by(encoding) == "token"
    batch = q.shape[0] if by_token or max(q_positions.ndim, k_positions.ndim) > 1 else 1
    shape = (batch, q.shape[1], q.shape[2], k.shape[2])
    check_memory("heads × q_len × k_len", shape, itemsize=max(q.dtype.itemsize, 4), x=q, copies=2)
    if by_token and k.shape[1] < q.shape[1]:
        k = namespace(k).repeat(k, q.shape[1] // k.shape[1], axis=1)
    zeros = _zeros(q, shape)
    return encoding.at_scores(zeros, q, k, q_positions, k_positions).to(zeros.dtype)


def _row_of_offsets(
    q: Array, k: Array, encoding: Encoding, q_positions: Array, k_positions: Array
) -> Array | None:
    """Return the bias of the last query at as many keys as there are offsets, or None.

    Shapes: [1, heads, 1, q_len + k_len − 1]. Where positions are consecutive, the query before sees
    the same numbers one key later. Where scores are few, or a GPU would have to be waited for,
    finding that out takes longer than it saves; where torch.export makes a graph for any length,
    it would be fixed.
    """
    if bias_by(encoding) != "offset" or q.shape[2] == 1 or is_compiling():
        return None
    if q.shape[2] * k.shape[2] < FEW or not (is_run(q_positions) and is_run(k_positions)):
        return None
    xp, length = namespace(q), q.shape[2] + k.shape[2] - 1
    later = k_positions[:1] + xp.arange(length, dtype=k_positions.dtype)
    zeros = _zeros(q, (1, q.shape[1], 1, length))
    row = encoding.at_scores(zeros, None, None, q_positions[-1:], later)
    return row[:, :, 0].to(zeros.dtype)


def _is_diagonal(mask: Array, q_len: int, k_len: int) -> bool:
    return tuple(mask.shape) == (1, 1, q_len, k_len) and are_diagonal(mask[0, 0])


def _zeros(q: Array, shape: tuple[int, ...]) -> Array:
    """Scores of 0 in the dtype in which scores are summed: one number, read many times."""
    [wide] = widened(q.new_zeros(()))
    return wide.expand(shape)
