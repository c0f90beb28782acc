"""Sinusoidal encodings: a position as the hands of many clocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from posviz.arrays import (
    Array,
    as_numbers,
    beside,
    check_memory,
    in_float64,
    is_floating,
    like,
    namespace,
    shape_of,
    side_by_side,
)
from posviz.encodings.checks import require_base, require_choice, require_even
from posviz.encodings.doors import Encoding
from posviz.encodings.frequencies import (
    angles_at,
    rotary_angles,
    rotary_frequencies,
    tensor2tensor_frequencies,
)
from posviz.encodings.relative import is_run, positions_of
from posviz.encodings.rotary import rotation_matrix

__all__ = ["Sinusoidal", "shift_matrix", "sinusoidal", "sinusoidal_on_grid"]

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
    """Return the sine and cosine of each pair's angle at each position.

    Shapes: positions [...], result [..., d_model]. Units: tokens. Pair i is at (2i, 2i+1) when
    "interleaved" (the paper), at (i, i + d_model/2) when "concatenated". The result has the dtype
    of floating positions, and the library's default for integers; angles are in float64.

    Raises:
        TypeError: when positions are not real numbers, d_model not an integer, base not a number.
        ValueError: for NaN or infinity, an odd d_model, base not above 1, an unknown layout or
            frequency rule, or when memory is short.

    Source: Vaswani et al. 2017, section 3.5.
    """
    require_choice(layout, "layout", LAYOUTS)
    d_model = require_even(d_model, "d_model")
    _check_memory(positions, d_model)
    positions = as_numbers(positions, "positions")
    return waves_at(positions, d_model, base, layout, frequencies)


def sinusoidal_on_grid(
    rows: Any,
    columns: Any,
    d_model: int,
    *,
    base: float = 10_000.0,
    layout: str = "concatenated",
    first: str = "row",
) -> Array:
    """Return the sinusoids of the row beside those of the column, each half as wide.

    Shapes: rows and columns [...], result [..., d_model]. Units: patches. The axis ``first`` has
    the first half. In MAE's encoder each half is "concatenated"; in DETR it is "interleaved" and
    counts from 1, and boxes there stretch each axis to 2π. As a table it is added by ``Learned``.

    Raises:
        TypeError: when rows or columns are not real numbers, or d_model is not an integer.
        ValueError: for different shapes, d_model not divisible by 4, an unknown axis, or as
            ``sinusoidal``.

    Source: He et al. 2021 (MAE) and Carion et al. 2020 (DETR), in their released code.
    """
    require_choice(first, "first", ("row", "column"))
    if require_even(d_model, "d_model") % 4:
        raise ValueError(f"d_model must be divisible by 4, for two axes, got {d_model}")
    if shape_of(rows) != shape_of(columns):
        raise ValueError(
            f"rows and columns must share a shape, got {shape_of(rows)} and {shape_of(columns)}"
        )
    axes = (rows, columns) if first == "row" else (columns, rows)
    halves = [sinusoidal(axis, d_model // 2, base=base, layout=layout) for axis in axes]
    return namespace(*halves).concat(halves, axis=-1)


def waves_at(positions: Array, d_model: int, base: float, layout: str, frequencies: str) -> Array:
    """Return the ``sinusoidal`` of positions whose values have been checked."""
    d_model = require_even(d_model, "d_model")
    _check_memory(positions, d_model)
    dtype = _float_dtype(positions)
    rule = FREQUENCIES[require_choice(frequencies, "frequencies", tuple(FREQUENCIES))]
    waves = _waves(positions, (rule, d_model, require_base(base)), dtype)
    if layout == "interleaved":
        table = side_by_side(waves)
    else:
        table = namespace(waves).concat([waves.real, waves.imag], axis=-1)
    return like(table, positions, "positions", dtype)


def _check_memory(positions: Any, d_model: int) -> None:
    check_memory("positions × d_model", (*shape_of(positions), d_model), x=positions, copies=4)


def _waves(positions: Array, inv_freq: tuple, dtype: Any) -> Array:
    """sin + i·cos of each angle [..., d_model/2], in float64 except for a long run of positions.

    e^(i(a + b)) is e^(ia)·e^(ib): a run of n positions needs sines of only about 2√n angles.
    inv_freq is how it is made: the rule, d_model and base.
    """
    if not is_run(positions) or len(positions) < 256:
        angles = _angles(positions, inv_freq)
        xp = namespace(angles)
        return xp.sin(angles) + 1j * xp.cos(angles)
    block = math.isqrt(len(positions))
    turns = []
    for part in (positions[::block, None], positions[:block] - positions[0]):
        angles = _angles(part, inv_freq)
        xp = namespace(angles)
        narrow = xp.complex128 if "float64" in str(dtype) else xp.complex64
        turns.append(xp.astype(xp.exp(-1j * angles), narrow))
    starts, steps = turns
    waves = 1j * starts * steps  # i·e^(−i·angle) is sin + i·cos
    return xp.reshape(waves, (-1, waves.shape[-1]))[: len(positions)]


def _angles(positions: Array, inv_freq: tuple) -> Array:
    positions = in_float64(positions)
    return angles_at(positions, beside(positions, *inv_freq))


def _float_dtype(positions: Array) -> Any:
    if is_floating(positions):
        return positions.dtype
    return namespace(positions).__array_namespace_info__().default_dtypes()["real floating"]


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
    Units: tokens. A pair is (sine, cosine), so it turns by −offset × inv_freq. float64.

    Raises:
        TypeError: when offset is not real numbers, d_model not an integer, base not a number.
        ValueError: for NaN or infinity, an odd d_model, base not above 1, an unknown layout or
            frequency rule, or when memory is short.

    Source: Vaswani et al. 2017, section 3.5, where it is stated without the matrix.
    """
    require_choice(layout, "layout", LAYOUTS)
    d_model = require_even(d_model, "d_model")
    check_memory("d_model × d_model", (*shape_of(offset), d_model, d_model), x=offset, copies=3)
    offset = as_numbers(offset, "offset")
    rule = FREQUENCIES[require_choice(frequencies, "frequencies", tuple(FREQUENCIES))]
    angles = rotary_angles(offset, rule(d_model, base))
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
        positions = in_float64(positions_of(positions, x))
        table = waves_at(positions, x.shape[-1], self.base, self.layout, self.frequencies)
        return x + like(table, x, "positions", x.dtype)
