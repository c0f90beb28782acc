"""RoPE for images and video: a token stands at a row and a column, and perhaps at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from posviz.arrays import (
    Array,
    as_array,
    as_float64,
    as_numbers,
    beside,
    check_memory,
    in_float64,
    is_torch,
    like,
    namespace,
    shape_of,
    to_numpy,
)
from posviz.encodings.checks import require_base, require_choice, require_integer
from posviz.encodings.frequencies import angles_at, rotary_frequencies
from posviz.encodings.learned import rows_at
from posviz.encodings.relative import positions_of
from posviz.encodings.rotary import LAYOUTS, Turning, waves_of
from posviz.wording import quoted

__all__ = [
    "AxialRotary",
    "MRotary",
    "MixedRotary",
    "axial_angles",
    "centres",
    "first_mixed_frequencies",
    "mixed_angles",
    "mrope_angles",
    "pixtral_frequencies",
    "raster",
]

AXES = ("column", "row")

# ---------------------------------------------------------------- angles


def raster(height: int, width: int) -> np.ndarray:
    """Return (row, column) of each patch of an image, line by line as images are read.

    Shapes: [height·width, 2]. Units: patches. int64.

    Raises:
        TypeError: when an argument is not an integer.
        ValueError: when one is below 1, or memory is short.
    """
    height, width = require_integer(height, "height"), require_integer(width, "width")
    check_memory("height × width", (height * width, 2), copies=3)
    return np.stack(np.divmod(np.arange(height * width), width), axis=-1)


def centres(height: int, width: int) -> np.ndarray:
    """Return 2π times the centre of each patch, where an image goes from −1 to 1 on each axis.

    Shapes: [height·width, 2] of (row, column), line by line. Units: radians at frequency 1. So an
    image keeps its angles when it is cut into more patches. DINOv3 is AxialRotary(centres(height,
    width), base=100, first="row", layout="half_split"), with (0, 0) before for tokens of no patch.

    Raises:
        TypeError: when an argument is not an integer.
        ValueError: when one is below 1, or memory is short.

    Source: Siméoni et al. 2025 (DINOv3), in its released code.
    """
    return 2 * np.pi * ((2 * raster(height, width) + 1) / (height, width) - 1)


def axial_angles(
    rows: Any, columns: Any, head_dim: int, *, base: float = 10_000.0, first: str = "column"
) -> Array:
    """Return how far each pair has turned, half of them with one axis, half with the other.

    Shapes: rows and columns [...], result [..., head_dim/2]. Units: patches (or fractions of one),
    radians. float64. Both axes have the frequencies of head_dim/2 dimensions; the first half of
    the pairs follows the axis ``first``: the column in the paper, the row in Qwen2-VL. The paper's
    base is 100, for images are shorter than texts; Qwen2-VL keeps 10 000, the default here.

    Raises:
        TypeError: when rows or columns are not real numbers, or head_dim is not an integer.
        ValueError: for NaN or infinity, different shapes or devices, head_dim not divisible by 4,
            base not above 1, an unknown axis, or when memory is short.

    Source: Heo et al. 2024 (RoPE-ViT), section 3.2, "axial frequency", with halves as in its code.
    """
    require_choice(first, "first", AXES)
    inv_freq = _frequencies_of_an_axis(head_dim, base)
    check_memory("rows × pairs", (*shape_of(rows), head_dim // 2), x=rows, copies=2)
    return _axial(*_alike(rows, columns), inv_freq, first)


def _frequencies_of_an_axis(head_dim: int, base: float) -> np.ndarray:
    if require_integer(head_dim, "head_dim", low=4) % 4:
        raise ValueError(f"head_dim must be divisible by 4, for pairs on two axes, got {head_dim}")
    return rotary_frequencies(head_dim // 2, base)


def _axial(rows: Array, columns: Array, inv_freq: Array, first: str) -> Array:
    inv_freq = like(inv_freq, rows, "inv_freq")
    axes = (columns, rows) if first == "column" else (rows, columns)
    return namespace(rows).concat([angles_at(axis, inv_freq) for axis in axes], axis=-1)


def mixed_angles(rows: Any, columns: Any, frequencies: Any) -> Array:
    """Return how far each pair has turned when both axes turn it: column · f₀ + row · f₁.

    Shapes: rows and columns [..., len], frequencies [2, head_dim/2] or, when each head has its
    own, [2, heads, head_dim/2], index 0 for columns. Result [..., len, head_dim/2], with heads
    [..., heads, len, head_dim/2]. Units: patches, radians per patch, radians. float64. The
    frequencies are learned in the paper, and gradients reach them. Where a pair's f₀ and f₁ are
    equal it sees the sum of row and column alone; where one of them is 0 it is an axial pair.

    Raises:
        TypeError: when an argument is not real numbers.
        ValueError: for NaN or infinity, wrong shapes, different devices, or when memory is short.

    Source: Heo et al. 2024 (RoPE-ViT), section 3.2, "mixed learnable frequency".
    """
    frequencies = as_float64(frequencies, "frequencies")
    if frequencies.ndim not in (2, 3) or frequencies.shape[0] != 2:
        raise ValueError(
            "frequencies must be [2, head_dim/2] or [2, heads, head_dim/2], "
            f"got shape {tuple(frequencies.shape)}"
        )
    _check_memory(rows, frequencies)
    rows, columns = _alike(rows, columns)
    if rows.ndim < 1:
        raise ValueError("rows and columns must be [..., len], got single numbers")
    return _mixed(rows, columns, frequencies)


def first_mixed_frequencies(head_dim: int, directions: Any, *, base: float = 10.0) -> np.ndarray:
    """Return what mixed RoPE begins to learn from: each head's two axes at right angles.

    Half of the pairs of a head see a step in its direction, the other half one across.

    Shapes: directions [heads], result [2, heads, head_dim/2] for ``MixedRotary``. Units: radians
    (the released code draws each evenly from 0 to 2π), radians per patch. float64.

    Raises:
        TypeError: when head_dim is not an integer, or directions are not real numbers.
        ValueError: for NaN or infinity, head_dim not divisible by 4, directions that are no
            vector, or base not above 1.

    Source: Heo et al. 2024 (RoPE-ViT), ``init_random_2d_freqs`` in its released code.
    """
    inv_freq = _frequencies_of_an_axis(head_dim, base)
    directions = to_numpy(as_float64(directions, "directions"))
    if directions.ndim != 1:
        raise ValueError(f"directions must be [heads], got shape {directions.shape}")
    across = directions + np.pi / 2
    return np.stack(
        [
            np.concatenate([wave(along)[:, None] * inv_freq for along in (directions, across)], 1)
            for wave in (np.cos, np.sin)
        ]
    )


def pixtral_frequencies(head_dim: int, base: float = 10_000.0) -> np.ndarray:
    """Return Pixtral's frequencies: RoPE's, of which rows and columns take every second one.

    Shapes: [2, head_dim/2] for MixedRotary(raster(height, width), …, layout="half_split").
    Units: radians per patch. float64.

    Raises:
        TypeError: when head_dim is not an integer, or base not a number.
        ValueError: when head_dim is not divisible by 4, base is not above 1, or memory is short.

    Source: Agrawal et al. 2024 (Pixtral 12B), in its released code.
    """
    _frequencies_of_an_axis(head_dim, base)
    inv_freq = rotary_frequencies(head_dim, base)
    of_rows, of_columns = inv_freq[0::2], inv_freq[1::2]
    nothing = np.zeros(len(of_rows))
    return np.stack([np.append(nothing, of_columns), np.append(of_rows, nothing)])


def _check_memory(rows: Any, frequencies: Array) -> None:
    shape = (*shape_of(rows), *frequencies.shape[1:])
    check_memory("rows × frequencies", shape, x=rows, copies=3)


def _mixed(rows: Array, columns: Array, frequencies: Array) -> Array:
    if is_torch(frequencies) and not is_torch(rows):
        rows, columns = like(rows, frequencies, "rows"), like(columns, frequencies, "columns")
    frequencies = like(frequencies, rows, "frequencies")
    _check_memory(rows, frequencies)
    if frequencies.ndim == 3:  # an axis for the heads, before that of the tokens
        rows, columns = rows[..., None, :], columns[..., None, :]
        frequencies = frequencies[:, :, None]
    return columns[..., None] * frequencies[0] + rows[..., None] * frequencies[1]


def mrope_angles(
    positions_thw: Any, inv_freq: Any, sections: Sequence[int], *, interleaved: bool = False
) -> Array:
    """Return how far each pair has turned when some follow the time, some the row, some the column.

    Shapes: positions_thw [3, ..., len] in the order time, row, column; inv_freq [pairs]; sections
    three counts of pairs in that order; result [..., len, pairs]. Units: tokens, radians per token,
    radians. float64. In Qwen2-VL the pairs of an axis stand together, so time has all the high
    frequencies; interleaved, as in Qwen3-VL, they take turns, T H W T H W …, until rows and
    columns have theirs, and the rest follow the time. With three equal positions, as text has
    them, both are RoPE.

    Raises:
        TypeError: when an argument is not real numbers, or sections are no list of integers.
        ValueError: for NaN or infinity, wrong shapes, different devices, sections that are all 0,
            do not add up to the pairs or cannot take turns, or when memory is short.

    Source: Wang et al. 2024 (Qwen2-VL), section 2.1; Bai et al. 2025 (Qwen3-VL) for interleaving.
    """
    inv_freq, shape = as_float64(inv_freq, "inv_freq"), shape_of(positions_thw)
    check_memory("positions_thw × pairs", (*shape, *inv_freq.shape), x=positions_thw)
    positions = as_float64(positions_thw, "positions_thw")
    if positions.ndim < 1 or positions.shape[0] != 3:
        raise ValueError(f"positions_thw must be [3, ...], got shape {tuple(positions.shape)}")
    axes = _axis_of_each_pair(sections, interleaved)
    if tuple(inv_freq.shape) != axes.shape:
        raise ValueError(
            f"inv_freq must be [{len(axes)}], as sections add up, got {tuple(inv_freq.shape)}"
        )
    if is_torch(inv_freq) and not is_torch(positions):
        positions = like(positions, inv_freq, "positions_thw")
    return _mrope(namespace(positions).moveaxis(positions, 0, -1), inv_freq, axes)


def _mrope(coordinates: Array, inv_freq: Array, axes: Array) -> Array:
    """Let each pair turn by the coordinate of its axis: coordinates [..., 3]."""
    shape = (*coordinates.shape[:-1], len(axes))
    check_memory("positions_thw × pairs", shape, x=coordinates, copies=2)
    chosen = coordinates[..., like(axes, coordinates, "sections")]
    return chosen * like(inv_freq, coordinates, "inv_freq")


def _axis_of_each_pair(sections: Sequence[int], interleaved: bool) -> np.ndarray:
    try:
        axis_count = len(sections)
    except TypeError:
        raise TypeError(f"sections must be three counts of pairs, got {quoted(sections)}") from None
    if axis_count != 3:
        raise ValueError(f"sections must be three counts of pairs, got {quoted(sections)}")
    time, row, column = (require_integer(count, "sections", low=0) for count in sections)
    pairs = time + row + column
    if pairs == 0:
        raise ValueError(f"sections must count at least one pair, got {quoted(sections)}")
    check_memory("sections", (pairs,), copies=2)
    if not interleaved:
        return np.repeat([0, 1, 2], [time, row, column])
    axes = np.zeros(pairs, int)
    axes[1 : 3 * row : 3] = 1
    axes[2 : 3 * column : 3] = 2
    if np.bincount(axes, minlength=3).tolist() != [time, row, column]:
        raise ValueError(
            "sections must let axes take turns, T H W T H W …, when interleaved, "
            f"got {quoted(sections)}"
        )
    return axes


def _alike(rows: Any, columns: Any) -> tuple[Array, Array]:
    """Return both in float64 and of one kind: lists and NumPy arrays follow a tensor."""
    rows, columns = as_float64(rows, "rows"), as_float64(columns, "columns")
    if rows.shape != columns.shape:
        raise ValueError(
            f"rows and columns must share a shape, got {tuple(rows.shape)} and "
            f"{tuple(columns.shape)}"
        )
    if is_torch(columns):
        return like(rows, columns, "rows"), columns
    return rows, like(columns, rows, "columns")


# ---------------------------------------------------------------- encodings


class _RotaryOnGrid(Turning):
    """RoPE by the coordinates of each token, looked up by its position in the sequence."""

    coordinates: Array

    def _angles(self, coordinates: Array, x: Array) -> Array:
        """Return the angles [..., (heads,) len, pairs] of x at coordinates [..., len, axes]."""
        raise NotImplementedError

    def _require(self, *axes: str) -> None:
        shape = tuple(as_numbers(self.coordinates, "coordinates").shape)
        if len(shape) != 2 or shape[1] != len(axes):
            raise ValueError(
                f"coordinates must be ({', '.join(axes)}) of each token, got shape {shape}"
            )
        require_choice(self.layout, "layout", LAYOUTS)

    def _waves(self, x: Array, positions: Any) -> tuple[Array, ...]:
        table = like(as_array(self.coordinates, "coordinates"), x, "coordinates")
        coordinates = in_float64(rows_at(table, positions_of(positions, x), "positions"))
        return waves_of(self._angles(coordinates, x), x, self.layout)


@dataclass(frozen=True, eq=False)
class AxialRotary(_RotaryOnGrid):
    """Axial RoPE at the query and key, for coordinates [tokens, 2] of (row, column).

    RoPE-ViT is base=100, Qwen2-VL's image encoder first="row", layout="half_split".
    """

    coordinates: Array
    base: float = 10_000.0
    first: str = "column"
    layout: str = "interleaved"

    def __post_init__(self) -> None:
        self._require("row", "column")
        require_base(self.base)
        require_choice(self.first, "first", AXES)

    def _angles(self, coordinates: Array, x: Array) -> Array:
        rows, columns = coordinates[..., 0], coordinates[..., 1]
        inv_freq = beside(coordinates, _frequencies_of_an_axis, x.shape[-1], float(self.base))
        return _axial(rows, columns, inv_freq, self.first)[..., None, :, :]


@dataclass(frozen=True, eq=False)
class MixedRotary(_RotaryOnGrid):
    """Mixed RoPE at the query and key, for coordinates [tokens, 2] of (row, column).

    Shapes: frequencies [2, head_dim/2] or [2, heads, head_dim/2], index 0 for columns; where each
    head has its own, there are as many key heads as query heads.
    """

    coordinates: Array
    frequencies: Array
    layout: str = "interleaved"

    def __post_init__(self) -> None:
        self._require("row", "column")
        mixed_angles([0], [0], self.frequencies)

    def _angles(self, coordinates: Array, x: Array) -> Array:
        frequencies = in_float64(as_array(self.frequencies, "frequencies"))
        frequencies = like(frequencies, coordinates, "frequencies")
        heads, pairs = x.shape[-3] if x.ndim > 2 else 1, x.shape[-1] // 2
        by_head = frequencies.shape[1] if frequencies.ndim == 3 else 1
        if frequencies.shape[-1] > pairs or by_head not in (1, heads):
            raise ValueError(
                f"frequencies must be [2, {pairs}] or, for each of {heads} heads, queries and keys "
                f"alike, [2, {heads}, {pairs}], got shape {tuple(frequencies.shape)}"
            )
        angles = _mixed(coordinates[..., 0], coordinates[..., 1], frequencies)
        return angles if frequencies.ndim == 3 else angles[..., None, :, :]


@dataclass(frozen=True, eq=False)
class MRotary(_RotaryOnGrid):
    """Multimodal RoPE at the query and key, for coordinates [tokens, 3] of (time, row, column).

    A text token has the same number three times. Sections count the pairs of each axis; what lies
    beyond them in head_dim is not turned. ``interleaved`` says which axis a pair follows,
    ``layout`` which two dimensions are a pair: Qwen2-VL is layout="half_split", Qwen3-VL that and
    interleaved=True.
    """

    coordinates: Array
    sections: Sequence[int]
    base: float = 10_000.0
    interleaved: bool = False
    layout: str = "interleaved"
    _axes: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._require("time", "row", "column")
        require_base(self.base)
        axes = _axis_of_each_pair(self.sections, self.interleaved)
        object.__setattr__(self, "_axes", tuple(axes.tolist()))

    def _angles(self, coordinates: Array, x: Array) -> Array:
        pairs, head_dim = sum(self.sections), x.shape[-1]
        if 2 * pairs > head_dim:
            raise ValueError(
                f"sections must add up to at most {head_dim // 2} pairs, half of head_dim "
                f"{head_dim}, got {quoted(self.sections)}"
            )
        inv_freq = beside(coordinates, rotary_frequencies, 2 * pairs, float(self.base))
        axes = beside(coordinates, np.array, self._axes)
        return _mrope(coordinates, inv_freq, axes)[..., None, :, :]
