"""Randomised positions: training on short texts covers the positions of long ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from posviz.encodings.checks import require_integer

__all__ = ["randomised_positions"]


def randomised_positions(length: int, max_position: int, *, rng: Any) -> np.ndarray:
    """Return ``length`` distinct positions drawn from 0 … max_position − 1, in order.

    Give them to any encoding in place of 0 … length − 1, drawn anew in each training step;
    max_position exceeds the longest text to be read later. The paper counts from 1.

    Shapes: [length], int64. Units: tokens. rng is a ``np.random.Generator`` or a seed.

    Source: Ruoss et al. 2023, section 3.
    """
    length = require_integer(length, "length", low=0)
    max_position = require_integer(max_position, "max_position")
    if length > max_position:
        raise ValueError(f"max_position must be at least length, {length}, got {max_position}.")
    drawn = np.random.default_rng(rng).choice(max_position, length, replace=False, shuffle=False)
    return np.sort(drawn).astype(np.int64)
