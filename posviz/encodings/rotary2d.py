"""RoPE for images and video: a token has a row and a column, and perhaps a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz.arrays import Array, as_float64, as_like, namespace, together
from posviz.encodings.checks import (
    require_choice,
    require_integer,
    require_real,
    require_shape,
)
from posviz.encodings.doors import Encoding
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.learned import learned
from posviz.encodings.relative import positions_of
from posviz.encodings.rotary import LAYOUTS, apply_rotary

__all__ = [
    "AxialRotary",
    "MRotary",
    "MixedRotary",
    "axial_angles",
    "mixed_angles",
    "mrope_angles",
    "mrope_positions",
    "raster",
]


def raster(height: int, width: int) -> np.ndarray:
    """Return (row, column) of each patch of an image, line by line.

    Shapes: [height·width, 2]. Units: patches.

    >>> raster(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    height, width = require_integer(height, "height"), require_integer(width, "width")
    return np.stack(np.divmod(np.arange(height * width), width), axis=-1)


def axial_angles(
    rows: Any, columns: Any, head_dim: int, *, base: float = 10_000.0, first: str = "column"
) -> Array:
    """Return the angles of axial RoPE: half of the pairs follow one axis, half the other.

    Both axes have the frequencies of head_dim/2 dimensions. The first half of the pairs follows the
    axis ``first``: the column in the paper, whose base is 100, and the row in Qwen2-VL.

    Shapes: rows and columns [...], result [..., head_dim/2], float64. Units: patches, radians.

    Source: Heo et al. 2024 (RoPE-ViT), section 3.2, "axial frequency", with halves as in its code.

    >>> axial_angles(2, 5, 8, base=100.0).round(3).tolist()  # row 2, column 5
    [5.0, 0.5, 2.0, 0.2]
    """
    require_choice(first, "first", ("column", "row"))
    if require_integer(head_dim, "head_dim", low=4) % 4:
        raise ValueError(f"head_dim must be divisible by 4, for pairs on two axes, got {head_dim}.")
    inv_freq = rotary_frequencies(head_dim // 2, base)
    rows, columns = together(as_float64(rows, "rows"), as_float64(columns, "columns"))
    require_shape(columns, "rows and columns", *rows.shape)
    axes = (columns, rows) if first == "column" else (rows, columns)
    return namespace(rows).concat([rotary_angles(axis, inv_freq) for axis in axes], axis=-1)


def mixed_angles(rows: Any, columns: Any, frequencies: Any) -> Array:
    """Return the angles of mixed RoPE, where pairs follow both axes: column · f₀ + row · f₁.

    The frequencies are learned in the paper. A pair whose f₀ and f₁ are equal sees only the sum of
    row and column; a pair with f₀ = 0 or f₁ = 0 is axial.

    Shapes: rows and columns [..., len], frequencies [2, head_dim/2], index 0 for columns, result
    [..., len, head_dim/2], float64; with frequencies [2, heads, head_dim/2], one set per head,
    [..., heads, len, head_dim/2]. Units: patches, radians per patch, radians.

    Source: Heo et al. 2024 (RoPE-ViT), section 3.2, "mixed learnable frequency".
    """
    rows, columns = as_float64(rows, "rows"), as_float64(columns, "columns")
    rows, columns, frequencies = together(rows, columns, as_float64(frequencies, "frequencies"))
    require_shape(columns, "rows and columns", *rows.shape)
    heads = ("heads",) if frequencies.ndim == 3 else ()
    require_shape(frequencies, "frequencies", 2, *heads, "head_dim/2")
    if heads:
        rows, columns = rows[..., None, :], columns[..., None, :]  # [..., 1, len]
        frequencies = frequencies[:, :, None]  # [2, heads, 1, head_dim/2]
    return columns[..., None] * frequencies[0] + rows[..., None] * frequencies[1]


def mrope_angles(
    positions_thw: Any, inv_freq: Any, sections: Sequence[int], *, interleaved: bool = False
) -> Array:
    """Return the angles of multimodal RoPE: pairs follow the time, the row or the column.

    In Qwen2-VL the pairs of an axis are neighbours, so time has all the high frequencies. In
    Qwen3-VL they are interleaved, T H W T H W …, until rows and columns have theirs, and the rest
    follow the time. With three equal positions, as text has them, both are RoPE.

    Shapes: positions_thw [3, ..., len] in the order time, row, column; inv_freq [pairs]; sections
    three counts of pairs in that order; result [..., len, pairs], float64. Units: tokens, radians
    per token, radians.

    Source: Wang et al. 2024 (Qwen2-VL), section 2.1; Bai et al. 2025 (Qwen3-VL) for interleaving.

    >>> where = [[9], [2], [5]]  # time 9, row 2, column 5
    >>> mrope_angles(where, np.ones(4), (2, 1, 1)).tolist()
    [[9.0, 9.0, 2.0, 5.0]]
    >>> mrope_angles(where, np.ones(4), (2, 1, 1), interleaved=True).tolist()
    [[9.0, 2.0, 5.0, 9.0]]
    """
    axes = _axis_of_each_pair(sections, interleaved)
    positions = as_float64(positions_thw, "positions_thw")
    positions, inv_freq = together(positions, as_float64(inv_freq, "inv_freq"))
    require_shape(inv_freq, "inv_freq", len(axes))
    require_shape(positions, "positions_thw", 3, *positions.shape[1:])
    # [3, ..., len] → [pairs, ..., len] → [..., len, pairs]
    return namespace(positions).moveaxis(positions[axes], 0, -1) * inv_freq


def mrope_positions(
    parts: Sequence[int | tuple[int, int, int]], *, time_step: float = 1.0
) -> np.ndarray:
    """Return (time, row, column) of each token of texts, images and videos, part by part.

    A part is a number of text tokens, whose three positions are equal, or the (frames, rows,
    columns) of an image or video after its patches were merged. A part begins one after the largest
    position so far.

    In Qwen2.5-VL frames are ``time_step`` = tokens_per_second · second_per_grid_t apart, rounded
    down. In Qwen3-VL each frame is a part, after the text of its timestamp. In transformers
    5.23 times do not count for where the next part begins, so it may begin before a video ends.

    Shapes: result [len, 3]; ``mrope_angles`` takes its transpose. Units: tokens.

    Source: Wang et al. 2024 (Qwen2-VL), section 2.1; ``get_rope_index`` of transformers 4.57.

    >>> mrope_positions([1, (1, 2, 2), 1]).tolist()  # a token, an image of 2 × 2, a token
    [[0, 0, 0], [1, 1, 1], [1, 1, 2], [1, 2, 1], [1, 2, 2], [3, 3, 3]]
    """
    time_step, start, placed = require_real(time_step, "time_step", above=0), 0, []
    for part in parts:
        lengths = part if isinstance(part, tuple | list) else (part,)
        if len(lengths) not in (1, 3):
            raise ValueError(f"A part must be a number or (frames, rows, columns), got {part}.")
        sides = [require_integer(length, "each number of parts") for length in lengths]
        places = np.indices(sides).reshape(len(sides), -1).T  # [len, 1 or 3]
        if len(sides) == 3:
            places[:, 0] = places[:, 0] * time_step  # rounded down
        placed.append(start + np.broadcast_to(places, (len(places), 3)))
        start = placed[-1].max() + 1
    return np.concatenate(placed) if placed else np.empty((0, 3), int)


def _axis_of_each_pair(sections: Sequence[int], interleaved: bool) -> list[int]:
    """Return 0 for a pair that follows the time, 1 for the row, 2 for the column."""
    if len(sections) != 3:
        raise ValueError(f"sections must be three counts of pairs, got {sections}.")
    if not interleaved:
        return np.repeat([0, 1, 2], sections).tolist()
    axes = np.zeros(sum(sections), int)
    axes[1 : 3 * sections[1] : 3] = 1
    axes[2 : 3 * sections[2] : 3] = 2
    if np.bincount(axes, minlength=3).tolist() != list(sections):
        raise ValueError(f"sections must fit T H W T H W … when interleaved, got {sections}.")
    return axes.tolist()


@dataclass(frozen=True, eq=False)
class _GridRotary(Encoding):
    """RoPE at the query and key by the coordinates of each token, looked up by its position."""

    coordinates: Array

    axes = "row, column"
    layout = "interleaved"  # a field of each subclass

    def __post_init__(self) -> None:
        require_choice(self.layout, "layout", LAYOUTS)
        coordinates = as_float64(self.coordinates, "coordinates")
        axis_count = len(self.axes.split(", "))
        require_shape(coordinates, f"coordinates ({self.axes})", "tokens", axis_count)
        self._angles(coordinates[:1], head_dim=4)  # refuses what else does not fit

    def _angles(self, coordinates: Array, head_dim: int) -> Array:
        """Return the angles [..., heads or 1, len, pairs] at coordinates [..., len, axes]."""
        raise NotImplementedError

    def at_query(self, q: Array, positions: Any) -> Array:
        """Rotate q [batch, heads, len, head_dim] by the coordinates at its positions."""
        table = as_like(as_float64(self.coordinates, "coordinates"), q)
        coordinates = learned(table, positions_of(positions, q))
        return apply_rotary(q, self._angles(coordinates, q.shape[-1]), layout=self.layout)

    def at_key(self, k: Array, positions: Any) -> Array:
        """Rotate k [batch, heads, len, head_dim] by the coordinates at its positions."""
        return self.at_query(k, positions)


@dataclass(frozen=True, eq=False)
class AxialRotary(_GridRotary):
    """Axial RoPE at the query and key, for coordinates [tokens, 2] of (row, column).

    RoPE-ViT is base=100, Qwen2-VL's image encoder first="row", layout="half_split". DINOv3 has all
    three, and 2π times the centres of patches, where an image goes from −1 to 1 on each axis.
    """

    base: float = 10_000.0
    first: str = "column"
    layout: str = "interleaved"

    def _angles(self, coordinates: Array, head_dim: int) -> Array:
        rows, columns = coordinates[..., 0], coordinates[..., 1]
        angles = axial_angles(rows, columns, head_dim, base=self.base, first=self.first)
        return angles[..., None, :, :]  # the same for all heads


@dataclass(frozen=True, eq=False)
class MixedRotary(_GridRotary):
    """Mixed RoPE at the query and key, for coordinates [tokens, 2] of (row, column).

    Shapes: frequencies [2, head_dim/2] or [2, heads, head_dim/2], index 0 for columns; where each
    head has its own, there are as many key heads as query heads.
    """

    frequencies: Array
    layout: str = "interleaved"

    def _angles(self, coordinates: Array, head_dim: int) -> Array:
        angles = mixed_angles(coordinates[..., 0], coordinates[..., 1], self.frequencies)
        return angles if np.ndim(self.frequencies) == 3 else angles[..., None, :, :]


@dataclass(frozen=True, eq=False)
class MRotary(_GridRotary):
    """Multimodal RoPE at the query and key, for coordinates [tokens, 3] of (time, row, column).

    Sections count the pairs of each axis; dimensions beyond them are not rotated. Qwen2-VL is
    layout="half_split", Qwen3-VL that and interleaved=True.
    """

    sections: Sequence[int]
    base: float = 10_000.0
    interleaved: bool = False
    layout: str = "interleaved"

    axes = "time, row, column"

    def _angles(self, coordinates: Array, head_dim: int) -> Array:
        thw = namespace(coordinates).moveaxis(coordinates, -1, 0)
        inv_freq = rotary_frequencies(2 * sum(self.sections), self.base)
        angles = mrope_angles(thw, inv_freq, self.sections, interleaved=self.interleaved)
        return angles[..., None, :, :]
