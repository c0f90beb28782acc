"""What depends on how far apart two tokens are, not on where they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from posviz.arrays import (
    Array,
    as_array,
    as_numbers,
    check_memory,
    is_compiling,
    is_floating,
    is_followed,
    is_readable,
    is_torch,
    like,
    namespace,
    shape_of,
    wide_integers,
)

__all__ = ["offsets"]

FEW = 2**12  # scores of a head
Check = Callable[[Any, str], Array]  # as_array, or one that refuses more


def offsets(q_positions: Any, k_positions: Any) -> Array:
    """Return query position − key position for every query and key: above 0 looks back.

    Shapes: q_positions [..., q_len], k_positions [..., k_len], result [..., q_len, k_len].
    Units: tokens. int64 for integers, else float. Lists and NumPy arrays follow a tensor.

    Raises:
        TypeError: when an argument is not real numbers.
        ValueError: for NaN or infinity, a number instead of a vector, or when memory is short.
    """
    return pairwise_offsets(*both_positions(q_positions, k_positions))


def both_positions(q_positions: Any, k_positions: Any) -> tuple[Array, Array]:
    """Return the positions of queries and keys as ``offsets`` takes them, if these would fit.

    Raises:
        TypeError: when they are not real numbers.
        ValueError: for NaN or infinity, a number instead of a vector, or when memory is short.
    """
    pairs = (*shape_of(q_positions), *shape_of(k_positions)[-1:])
    check_memory("q_positions × k_positions", pairs, x=q_positions, copies=2)  # as masks need
    return as_positions(q_positions, "q_positions"), as_positions(k_positions, "k_positions")


def pairwise_offsets(q_positions: Array, k_positions: Array) -> Array:
    """Return the ``offsets`` of positions whose values have been checked."""
    if is_torch(k_positions) and not is_torch(q_positions):
        q_positions = like(q_positions, k_positions, "q_positions")
    k_positions = like(k_positions, q_positions, "k_positions")
    (*q_batch, q_len), (*k_batch, k_len) = q_positions.shape, k_positions.shape
    try:
        both = q_batch and k_batch
        batch = np.broadcast_shapes(q_batch, k_batch) if both else q_batch or k_batch
    except ValueError:
        came = f"{tuple(q_positions.shape)} and {tuple(k_positions.shape)}"
        raise ValueError(f"q_positions and k_positions must share a batch, got {came}") from None
    check_memory("q_positions × k_positions", (*batch, q_len, k_len), x=q_positions)
    return offsets_at(q_positions, k_positions)


def offsets_at(q_positions: Array, k_positions: Array) -> Array:
    """Return the ``offsets`` of positions that lie beside each other and fit."""
    return q_positions[..., :, None] - k_positions[..., None, :]


def as_positions(positions: Any, name: str) -> Array:
    """Return positions [..., len] as finite numbers, integers in int64, where none wraps around.

    Raises:
        TypeError: when they are not real numbers.
        ValueError: for NaN or infinity, or a number instead of a vector.
    """
    positions = as_numbers(positions, name)
    if positions.ndim < 1:
        raise ValueError(f"{name} must be [len] or [batch, len], got a single number")
    return wide_integers(positions)


def positions_of(
    positions: Any, x: Array, name: str = "positions", check: Check = as_array
) -> Array:
    """Return the positions of the tokens of ``x``, of the kind and on the device of ``x``.

    ``attend`` and ``attention`` read the values (``check`` is as_numbers); the doors trust them.

    Shapes: x [batch, (heads,) len, dims], positions and result [len] or [batch, len]; [1, len] is
    read as [len].

    Raises:
        TypeError: when positions are not real numbers, or torch where x is NumPy.
        ValueError: for other shapes or another device.
    """
    namespace(x)
    return _as_many(check(positions, name), x, x.shape[-2], name)


def _as_many(positions: Array, x: Array, length: int, name: str) -> Array:
    shape, batch = tuple(positions.shape), x.shape[0]
    if shape == (1, length):
        positions = positions[0]
    elif shape not in ((length,), (batch, length)):
        raise ValueError(f"{name} must be [{length}] or [{batch}, {length}], got {shape}")
    return like(wide_integers(positions), x, name)


def positions_beside(
    scores: Array, q_positions: Any, k_positions: Any, check: Check = as_array
) -> tuple[Array, Array]:
    """Return both positions, as many as the queries and keys of scores [..., q_len, k_len].

    Raises:
        TypeError: when they are not what ``check`` lets pass, or torch where scores are NumPy.
        ValueError: for other shapes or another device.
    """
    namespace(scores)
    q_positions, k_positions = check(q_positions, "q_positions"), check(k_positions, "k_positions")
    q_len, k_len = scores.shape[-2:]
    return (
        _as_many(q_positions, scores, q_len, "q_positions"),
        _as_many(k_positions, scores, k_len, "k_positions"),
    )


def position_at(positions: Array, sentence: Any, token: Any) -> Array:
    """Return the position of one token of positions [len] or [batch, len]."""
    return positions[token] if positions.ndim == 1 else positions[sentence, token]


def are_diagonal(offsets: Array) -> bool:
    """Tell whether each diagonal of ``offsets`` [q_len, k_len] is known to hold one number.

    So it is when queries and keys are spaced evenly and alike; q_len + k_len − 1 numbers say all.
    Floats in torch never count: each may be differentiated by, which a short cut would miss.
    Nor does what is not read: only then the answer may follow from the numbers.
    """
    if offsets.ndim != 2 or 0 in offsets.shape or not _may_be_shortened(offsets):
        return False
    return bool((offsets[1:, 1:] == offsets[:-1, :-1]).all())


def diagonals(offsets: Array) -> Array:
    """Return the number on each diagonal: up the first column, then along the first row.

    Shapes: offsets [q_len, k_len] that ``are_diagonal``, result [q_len + k_len − 1].
    """
    xp = namespace(offsets)
    return xp.concat([xp.flip(offsets[:, 0]), offsets[0, 1:]])


def along_diagonals(values: Array, k_len: int) -> Array:
    """Spread one number per diagonal over the matrix: the inverse of ``diagonals``.

    Shapes: values [..., q_len + k_len − 1], result [..., q_len, k_len]: with NumPy a read-only view
    of ``values``, with torch, whose views cannot step backwards, a copy.

    Raises:
        ValueError: when memory is short.
    """
    if is_torch(values):
        shape = (*values.shape[:-1], values.shape[-1] - k_len + 1, k_len)
        check_memory("q_len × k_len", shape, itemsize=values.dtype.itemsize, x=values)
        return values.unfold(-1, k_len, 1).flip(-2)
    return np.lib.stride_tricks.sliding_window_view(values, k_len, axis=-1)[..., ::-1, :]


def once_per_diagonal(rule: Callable[[Array], Array], offsets: Array) -> Array:
    """Return rule(offsets), asking it for one number per diagonal where that says all.

    Shapes: offsets [..., q_len, k_len], of which ``rule`` makes [..., q_len, k_len], perhaps with
    more axes before; each number has to depend on its own offset alone.
    """
    one_row = offsets.ndim == 2 and offsets.shape[0] == 1
    if one_row or not are_diagonal(offsets):
        return rule(offsets)
    return along_diagonals(rule(diagonals(offsets)[None])[..., 0, :], offsets.shape[-1])


def pick(scores: Array, index: Array) -> Array:
    """Pick from the scores of all rows of a table those that ``index`` names.

    Shapes: scores [..., heads, q_len, rows], index [..., 1, q_len, k_len], result [..., heads,
    q_len, k_len].

    Raises:
        ValueError: when memory is short.
    """
    shape = (*scores.shape[:-1], index.shape[-1])
    check_memory("heads × q_len × k_len", shape, itemsize=scores.dtype.itemsize, x=scores)
    index = namespace(scores).broadcast_to(index, shape)
    if is_torch(scores):  # the array API's name for it makes two copies of the index
        return scores.gather(-1, index)
    return np.take_along_axis(scores, index, axis=-1)


def add_bias(
    scores: Array,
    q_positions: Any,
    k_positions: Any,
    bias: Callable[[Array], Array],
    check: Check = as_array,
) -> Array:
    """Add to the scores a bias that depends on the offset.

    Shapes: scores [batch, heads, q_len, k_len], positions [len] or [batch, len]. ``bias`` makes
    [..., heads, q_len, k_len] of offsets [..., q_len, k_len], each number of its own offset; where
    many are evenly spaced it is asked for one row, an offset per diagonal.
    """
    q_positions, k_positions = positions_beside(scores, q_positions, k_positions, check)
    q_len, k_len = scores.shape[-2:]
    # Where scores are few, finding runs would take longer than it saves; torch.export would fix a
    # length that is compared.
    if q_len == 1 or is_compiling() or q_len * k_len < FEW:
        return scores + bias(offsets_at(q_positions, k_positions))
    apart = offsets_of_runs(q_positions, k_positions)
    if apart is None:
        return scores + once_per_diagonal(bias, offsets_at(q_positions, k_positions))
    values = bias(apart[None])[..., 0, :]
    if not is_torch(scores) or is_followed(scores, values):
        return scores + along_diagonals(values, k_len)
    summed = namespace(scores).asarray(scores, copy=True)
    for head in range(len(values)):
        summed[:, head] += along_diagonals(values[head], k_len)
    return summed


def offsets_of_runs(q_positions: Array, k_positions: Array) -> Array | None:
    """Return the offset on each diagonal [q_len + k_len − 1] when all positions are in runs."""
    if not (is_run(q_positions) and is_run(k_positions)):
        return None
    column = pairwise_offsets(q_positions, k_positions[:1])[:, 0]
    row = pairwise_offsets(q_positions[:1], k_positions[1:])[0]
    return namespace(column).concat([namespace(column).flip(column), row])


def is_run(positions: Array) -> bool:
    """Tell whether each of the positions [len] is known to be the one before plus 1.

    As for ``are_diagonal``, floats in torch never count, nor does what is not read.
    """
    if not _may_be_shortened(positions) or positions.ndim != 1 or len(positions) == 0:
        return False  # in this order: torch.export fixes a length that len is asked for
    before, after = positions[:-1], positions[1:]
    # 255 + 1 is 0 where a number has 8 bits
    rises = bool(((after > before) & (after - before == 1)).all())
    if not rises or not is_floating(positions):
        return rises
    return float(positions[-1]) - float(positions[0]) == len(positions) - 1  # differences round


def _may_be_shortened(x: Array) -> bool:
    return is_readable(x) and not (is_torch(x) and is_floating(x))
