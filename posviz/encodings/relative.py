"""What depends on how far apart two tokens are, not on where they stand."""

from __future__ import annotations

from typing import Any

from posviz.arrays import Array, as_numbers, check_memory, is_floating, like, namespace


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
