"""Sinusoidal encodings: a position as the hands of many clocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_array, as_float64, as_like, is_torch, namespace
from posviz.encodings.checks import require_base, require_choice, require_even
from posviz.encodings.doors import Encoding
from posviz.encodings.frequencies import (
    rotary_angles,
    rotary_frequencies,
    tensor2tensor_frequencies,
)
from posviz.encodings.relative import positions_of
from posviz.encodings.rotary import join_pairs, rotation_matrix

__all__ = ["Sinusoidal", "shift_matrix", "sinusoidal"]

LAYOUTS = ("interleaved", "concatenated")
FREQUENCIES = {"paper": rotary_frequencies, "tensor2tensor": tensor2tensor_frequencies}


def sinusoidal(
    positions: Any,
    d_model: int,
    *,
    base: float = 10_000.0,
    layout: str = "interleaved",
    frequencies: str = "paper",
) -> Array:
    """Return sin(p·θₖ) and cos(p·θₖ) of every pair k at each position p.

    Shapes: positions [...], result [..., d_model]. Units: tokens. Pair k is at (2k, 2k+1) when
    "interleaved" (the paper), at (k, k + d_model/2) when "concatenated".

    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal([0, 1], 4).round(2).tolist()  # sin and cos of pair 0, then of pair 1
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    require_choice(layout, "layout", LAYOUTS)
    positions = as_array(positions, "positions")
    angles = rotary_angles(positions, _frequencies(d_model, base, frequencies))
    xp = namespace(angles)
    table = join_pairs(xp.sin(angles), xp.cos(angles), layout)
    return as_like(table, positions, _float_dtype(positions))


def _frequencies(d_model: int, base: float, rule: str) -> Array:
    require_choice(rule, "frequencies", tuple(FREQUENCIES))
    return FREQUENCIES[rule](require_even(d_model, "d_model"), base)


def _float_dtype(positions: Array) -> Any:
    """Return the dtype of floating positions, and the library's default for integers."""
    xp = namespace(positions)
    if xp.isdtype(positions.dtype, "real floating"):
        return positions.dtype
    return xp.float32 if is_torch(positions) else xp.float64


def shift_matrix(
    offset: Any,
    d_model: int,
    *,
    base: float = 10_000.0,
    layout: str = "interleaved",
    frequencies: str = "paper",
) -> Array:
    """Return the rotation M that moves every position: sinusoidal(p + offset) = M @ sinusoidal(p).

    Shapes: offset a number (or [...]), result [d_model, d_model] (or [..., d_model, d_model]).
    Units: tokens. A pair is (sine, cosine), so it is rotated by −offset · θₖ.

    Source: Vaswani et al. 2017, section 3.5, where it is stated without the matrix.

    >>> moved = shift_matrix(5, 8) @ sinusoidal(2, 8)
    >>> bool(np.allclose(moved, sinusoidal(7, 8)))
    True
    """
    require_choice(layout, "layout", LAYOUTS)
    angles = rotary_angles(offset, _frequencies(d_model, base, frequencies))
    rotary_layout = "interleaved" if layout == "interleaved" else "half_split"
    return rotation_matrix(-angles, layout=rotary_layout)


@dataclass(frozen=True)
class Sinusoidal(Encoding):
    """Sinusoidal encodings added at the input."""

    base: float = 10_000.0
    layout: str = "interleaved"
    frequencies: str = "paper"

    def __post_init__(self) -> None:
        require_base(self.base)
        require_choice(self.layout, "layout", LAYOUTS)
        require_choice(self.frequencies, "frequencies", tuple(FREQUENCIES))

    def at_input(self, x: Array, positions: Any) -> Array:
        """Add the encodings of the positions to x [batch, len, d_model]."""
        positions = as_float64(positions_of(positions, x), "positions")
        table = sinusoidal(positions, x.shape[-1], **vars(self))
        return x + as_like(table, x, x.dtype)
