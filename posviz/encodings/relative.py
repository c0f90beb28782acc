"""What depends on how far apart two tokens are, not on where they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from posviz.arrays import (
    Array,
    as_numbers,
    check_memory,
    is_floating,
    is_followed,
    is_torch,
    like,
    namespace,
)


def offsets(q_positions: Any, k_positions: Any) -> Array:
    """Return query position − key position for every query and key: above 0 looks back.

    Shapes: q_positions [..., q_len], k_positions [..., k_len], result [..., q_len, k_len].
    Units: tokens. int64 for integers, else float.

    Raises:
        TypeError: when an argument is not real numbers, or one is NumPy and the other torch.
        ValueError: for NaN or infinity, a number instead of a vector, or when memory is short.
    """
    q_positions = as_numbers(q_positions, "q_positions")
    k_positions = as_numbers(k_positions, "k_positions")
    for name, positions in (("q_positions", q_positions), ("k_positions", k_positions)):
        if positions.ndim < 1:
            raise ValueError(f"{name} must be [len] or [batch, len], got a single number")
    k_positions = like(k_positions, q_positions, "k_positions")
    xp = namespace(q_positions, k_positions)
    check_memory(
        "q_positions × k_positions", (*q_positions.shape, k_positions.shape[-1]), x=q_positions
    )
    if not is_floating(q_positions):  # unsigned integers would wrap around below 0
        q_positions = xp.astype(q_positions, xp.int64)
    if not is_floating(k_positions):
        k_positions = xp.astype(k_positions, xp.int64)
    return q_positions[..., :, None] - k_positions[..., None, :]


def are_diagonal(offsets: Array) -> bool:
    """Tell whether each diagonal of ``offsets`` [..., q_len, k_len] holds one number, and no batch.

    So it is when queries and keys are evenly spaced; then q_len + k_len − 1 numbers say all.
    """
    if offsets.ndim != 2 or 0 in offsets.shape:
        return False
    return bool(namespace(offsets).all(offsets[1:, 1:] == offsets[:-1, :-1]))


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
    if not are_diagonal(offsets):
        return rule(offsets)
    return along_diagonals(rule(diagonals(offsets)[None])[..., 0, :], offsets.shape[-1])


def pick(scores: Array, index: Array) -> Array:
    """Pick from the scores of all rows of a table those that ``index`` names.

    Shapes: scores [..., heads, q_len, rows], index [..., 1, q_len, k_len], result [..., heads,
    q_len, k_len].

    Raises:
        ValueError: when memory is short.
    """
    xp = namespace(scores)
    shape = (*scores.shape[:-1], index.shape[-1])
    check_memory("heads × q_len × k_len", shape, itemsize=scores.dtype.itemsize, x=scores)
    return xp.take_along_axis(scores, xp.broadcast_to(index, shape), axis=-1)


def add_bias(
    scores: Array, q_positions: Any, k_positions: Any, bias: Callable[[Array], Array]
) -> Array:
    """Add to the scores a bias that depends on the offset.

    Shapes: scores [batch, heads, q_len, k_len], positions [len] or [batch, len]. ``bias`` makes
    [..., heads, q_len, k_len] of offsets [..., q_len, k_len]; where all positions follow each other
    it is asked for one row, of an offset per diagonal, and no second matrix of scores is made.
    """
    q_positions, k_positions = (
        like(as_numbers(positions, name), scores, name)
        for positions, name in ((q_positions, "q_positions"), (k_positions, "k_positions"))
    )
    if not (is_run(q_positions) and is_run(k_positions)):
        return scores + bias(offsets(q_positions, k_positions))
    column, row = offsets(q_positions, k_positions[:1]), offsets(q_positions[:1], k_positions[1:])
    xp, k_len = namespace(scores), scores.shape[-1]
    values = bias(xp.concat([xp.flip(column[:, 0]), row[0]])[None])[..., 0, :]
    if not is_torch(scores) or is_followed(scores, values):
        return scores + along_diagonals(values, k_len)
    summed = xp.empty_like(scores)
    for head in range(len(values)):
        xp.add(scores[:, head], along_diagonals(values[head], k_len), out=summed[:, head])
    return summed


def is_run(positions: Array) -> bool:
    """Tell whether each of the positions [len] is the one before plus 1."""
    if positions.ndim != 1 or len(positions) == 0:
        return False
    rises = bool(namespace(positions).all(positions[1:] - positions[:-1] == 1))
    # 255 + 1 is 0 where a number has 8 bits
    return rises and float(positions[-1]) - float(positions[0]) == len(positions) - 1
