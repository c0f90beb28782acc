"""Randomised positions: a model trained on short texts meets the positions of long ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from posviz.arrays import check_memory
from posviz.encodings.checks import require_integer
from posviz.wording import quoted

__all__ = ["randomised_positions"]


def randomised_positions(length: int, max_position: int, *, rng: Any) -> np.ndarray:
    """Return ``length`` positions drawn from 0 … max_position − 1 without repetition, in order.

    Give them to any encoding in place of 0 … length − 1, drawn anew in each step of training;
    max_position is a length beyond the longest text to be read later. The order of the tokens is
    told as before, distances only roughly. The paper counts from 1.

    Shapes: [length], int64, NumPy. Units: tokens. rng is a ``np.random.Generator`` or a seed.

    Raises:
        TypeError: when length or max_position are not integers, or rng is neither.
        ValueError: when there are fewer positions than tokens, or memory is short.

    Source: Ruoss et al. 2023, section 3.
    """
    length = require_integer(length, "length", low=0)
    max_position = require_integer(max_position, "max_position")
    if length > max_position:
        raise ValueError(f"max_position must be at least length, {length}, got {max_position}")
    check_memory("length", (length,), copies=4)
    if length > max_position // 20:
        check_memory("max_position", (max_position,))  # for then NumPy writes all of them down
    if not isinstance(rng, np.random.Generator):
        try:
            rng = np.random.default_rng(require_integer(rng, "rng", low=0))
        except TypeError:
            raise TypeError(f"rng must be a NumPy Generator or a seed, got {quoted(rng)}") from None
    drawn = rng.choice(max_position, length, replace=False, shuffle=False)
    return np.sort(drawn).astype(np.int64)
