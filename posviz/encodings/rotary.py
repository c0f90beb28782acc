"""Rotary position embedding (RoPE): queries and keys turn with their position."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from posviz.arrays import (
    Array,
    as_array,
    as_complex,
    as_float64,
    beside,
    check_memory,
    in_dtype,
    in_float32,
    in_float64,
    in_pairs,
    is_abstract,
    is_compiling,
    is_followed,
    is_torch,
    like,
    namespace,
    require_alike,
    shape_of,
    side_by_side,
    version_of,
)
from posviz.encodings.checks import (
    broadcasts_to,
    require_base,
    require_choice,
    require_even,
    require_factor,
    require_integer,
)
from posviz.encodings.doors import Encoding
from posviz.encodings.frequencies import Frequencies, angles_at, rotary_frequencies
from posviz.encodings.relative import positions_of

__all__ = ["Rotary", "apply_rotary", "change_layout", "change_projection_layout", "rotation_matrix"]

LAYOUTS = ("interleaved", "half_split")
PIECE = 2**18  # numbers: 1 MiB in float32


def apply_rotary(
    x: Array, angles: Any, *, layout: str = "interleaved", attention_factor: float = 1.0
) -> Array:
    """Turn each pair of dimensions of ``x`` by its angle: scores then depend on offsets alone.

    Shapes: x [..., len, head_dim], angles [..., len, rotary_dim/2] (leading axes broadcast to
    those of x), result as x. What lies beyond rotary_dim passes through, unscaled; the rest is
    multiplied by attention_factor. Units: radians. Pairs are (2i, 2i+1) when "interleaved",
    (i, i + rotary_dim/2) when "half_split".

    Raises:
        TypeError: when x is not a floating array, angles are not real numbers, or kinds differ.
        ValueError: when shapes or devices do not match, angles are not finite, or the layout is
            unknown.

    Source: Su et al. 2021 (RoFormer), equations 14 to 16.
    """
    require_choice(layout, "layout", LAYOUTS)
    factor = require_factor(attention_factor, "attention_factor")
    require_alike(x=x)
    angles = as_float64(angles, "angles")
    _require_matching(x, angles)
    return turned(x, waves_of(angles, x, layout, factor), layout)


def waves_of(
    angles: Array, x: Array, layout: str, factor: float | Array = 1.0
) -> tuple[Array, ...]:
    """Return what ``turned`` multiplies x by: factor × cosine and sine of checked angles.

    They are of the kind and on the device of x, in at least float32. Interleaved, they are one
    complex number e^(i·angle) a pair; half_split, cosines for both halves, and sines.

    Raises:
        TypeError: when x is not a floating array, or of another kind.
        ValueError: when devices differ.
    """
    xp = require_alike(x=x)
    own, is_learned = namespace(angles), is_torch(factor)
    cos, sin = own.cos(angles), own.sin(angles)
    if not is_learned and factor != 1.0:
        cos, sin = factor * cos, factor * sin
    if x.dtype.itemsize < 8:
        cos, sin = in_float32(cos), in_float32(sin)
    cos, sin = like(cos, x, "angles"), like(sin, x, "angles")
    if is_learned:
        factor = like(factor, x, "attention_factor", cos.dtype)
        cos, sin = factor * cos, factor * sin
    if layout == "interleaved":
        return (as_complex(cos, sin),)
    if is_compiling():  # through complex numbers, or each would be taken anew for every head
        turns = as_complex(cos, sin)
        cos, sin = turns.real, turns.imag
    return xp.concat([cos, cos], axis=-1), sin


def turned(x: Array, waves: tuple[Array, ...], layout: str) -> Array:
    """Return x [..., len, head_dim], its first pairs turned by the ``waves_of`` their angles."""
    rotary_dim = 2 * waves[-1].shape[-1]
    if rotary_dim < x.shape[-1]:
        turning = turned(x[..., :rotary_dim], waves, layout)
        return namespace(x).concat([turning, x[..., rotary_dim:]], axis=-1)
    if x.dtype.itemsize >= 4:
        return _turn(x, waves, layout)
    large = is_torch(x) and x.device.type == "cpu" and math.prod(x.shape) > 2 * PIECE
    if large and not is_followed(x, *waves):
        return _turned_in_pieces(x, waves, layout)
    return in_dtype(_turn(in_float32(x), waves, layout), x.dtype)


def _turned_in_pieces(x: Array, waves: tuple[Array, ...], layout: str) -> Array:
    """Turn halves by pieces that stay in the processor's cache as long as they are float32."""
    length = x.shape[-2]
    step = max(1, PIECE * length // math.prod(x.shape))
    waves = tuple(wave.expand(*wave.shape[:-2], length, wave.shape[-1]) for wave in waves)
    turned = namespace(x).empty_like(x)
    for start in range(0, length, step):
        piece = (..., slice(start, start + step), slice(None))
        turned[piece] = _turn(x[piece].float(), tuple(wave[piece] for wave in waves), layout)
    return turned


def _require_matching(x: Array, angles: Array) -> None:
    x_shape, shape = tuple(x.shape), tuple(angles.shape)
    fits = (
        min(len(shape), len(x_shape)) >= 1
        and 2 * shape[-1] <= x_shape[-1]
        and broadcasts_to(shape[:-1], x_shape[:-1])
    )
    if not fits:
        raise ValueError(
            f"angles must be [..., len, rotary_dim/2] for x [..., len, head_dim] with "
            f"rotary_dim ≤ head_dim, got angles {shape} for x {x_shape}"
        )


def _turn(x: Array, waves: tuple[Array, ...], layout: str) -> Array:
    """Turn all of ``x``: each of these routes is the fastest where it can be taken."""
    if layout == "interleaved":
        return side_by_side(in_pairs(x) * waves[0])
    cos, sin = waves
    turned = x * cos
    if is_torch(x) and not is_followed(turned):
        (first, second), (ahead, behind) = x.chunk(2, -1), turned.chunk(2, -1)
        ahead.addcmul_(second, sin, value=-1)
        behind.addcmul_(first, sin)
        return turned
    half = x.shape[-1] // 2
    ahead = turned[..., :half] - x[..., half:] * sin
    behind = turned[..., half:] + x[..., :half] * sin
    return namespace(x).concat([ahead, behind], axis=-1)


def rotation_matrix(angles: Any, *, layout: str = "interleaved") -> Array:
    """Return the matrix that turns a vector by ``angles``: R @ x is apply_rotary(x, angles).

    Shapes: angles [..., rotary_dim/2], result [..., rotary_dim, rotary_dim]. Units: radians.
    float64, on the CPU where the device has none.

    Raises:
        TypeError: when angles are not real numbers.
        ValueError: for NaN, infinity, a single number or an unknown layout, or short memory.

    Source: Su et al. 2021 (RoFormer), equation 15.
    """
    require_choice(layout, "layout", LAYOUTS)
    if not shape_of(angles):
        as_float64(angles, "angles")
        raise ValueError("angles must be [..., rotary_dim/2], got a single number")
    *lead, pairs = shape_of(angles)
    rotary_dim = 2 * pairs
    check_memory("angles", (*lead, rotary_dim, rotary_dim), x=angles, copies=3)
    angles = as_float64(angles, "angles")
    xp = namespace(angles)
    unit_vectors = xp.eye(rotary_dim, dtype=xp.float64, device=angles.device)
    # Row j of the turned unit vectors is column j of the matrix.
    shape = (*angles.shape[:-1], rotary_dim, rotary_dim)
    rows = apply_rotary(xp.broadcast_to(unit_vectors, shape), angles[..., None, :], layout=layout)
    return xp.matrix_transpose(rows)


def change_layout(x: Array, *, source: str, target: str, rotary_dim: int | None = None) -> Array:
    """Reorder the last axis from the pairing ``source`` to the pairing ``target``.

    Shapes: [..., head_dim], result alike; what lies beyond rotary_dim (None: all of it) stays.
    Turning commutes with it: turn in one layout, or reorder, turn in the other and reorder back.
    Meta's Llama, GPT-J and Cohere's models are interleaved; Hugging Face's Llama and its kin, and
    GPT-NeoX, half_split: their weights were reordered when they were converted.

    Raises:
        TypeError: when x is not an array, or rotary_dim not an integer.
        ValueError: when a layout is unknown, or rotary_dim is odd or larger than the last axis.
    """
    require_choice(source, "source", LAYOUTS)
    require_choice(target, "target", LAYOUTS)
    xp = namespace(x)
    if x.ndim < 1:
        raise ValueError("x must be [..., head_dim], got a single number")
    name = "the last axis of x" if rotary_dim is None else "rotary_dim"
    rotary_dim = require_even(x.shape[-1] if rotary_dim is None else rotary_dim, name)
    if rotary_dim > x.shape[-1]:
        raise ValueError(f"rotary_dim must be at most {x.shape[-1]}, as x has, got {rotary_dim}")
    if source == target:
        return x
    order = np.arange(rotary_dim).reshape((-1, 2) if source == "interleaved" else (2, -1)).T
    order = np.concatenate([order.ravel(), np.arange(rotary_dim, x.shape[-1])])
    return xp.take(x, like(order, x, "x"), axis=-1)


def change_projection_layout(
    w: Array, *, num_heads: int, source: str, target: str, rotary_dim: int | None = None
) -> Array:
    """Reorder a query or key projection, or its bias, so that x @ w comes out in ``target``.

    Shapes: w [d_model, num_heads·head_dim], a bias without d_model, result alike; num_heads is that
    of the keys for a key projection. torch.nn.Linear keeps the transpose: give it weight.T. Scores
    stay as they are when w_q and w_k are changed together.

    Raises:
        TypeError: when w is not an array, or num_heads or rotary_dim not an integer.
        ValueError: when w has other axes, num_heads does not divide the last, or as
            ``change_layout``.
    """
    num_heads = require_integer(num_heads, "num_heads")
    xp = namespace(w)
    if w.ndim not in (1, 2) or w.shape[-1] % num_heads:
        raise ValueError(
            f"w must be [d_model, {num_heads}·head_dim] or a bias, for num_heads {num_heads}, "
            f"got shape {tuple(w.shape)}"
        )
    heads = xp.reshape(w, (*w.shape[:-1], num_heads, -1))
    changed = change_layout(heads, source=source, target=target, rotary_dim=rotary_dim)
    return xp.reshape(changed, tuple(w.shape))


class _Ready(NamedTuple):
    """What turns queries and keys of one kind at one array of positions."""

    positions: Array
    version: int
    kind: tuple
    waves: tuple[Array, ...]


class Turning(Encoding):
    """RoPE of any kind, at the query and key: attend computes sines and cosines once for both."""

    layout: str
    _ready: _Ready | None = None

    def _waves(self, x: Array, positions: Any) -> tuple[Array, ...]:
        """Return the ``waves_of`` x at its positions, each [..., heads or 1, len, n]."""
        raise NotImplementedError

    def _turned(self, x: Array, waves: tuple[Array, ...], sign: int) -> Array:
        """Turn x; sign is 1 for a query and −1 for a key, where these differ."""
        return turned(x, waves, self.layout)

    def prepared(self, x: Array, positions: Array) -> Self:
        """Return this encoding with its sines and cosines at positions: one a step, for all layers.

        It is for queries and keys like x [batch, heads, len, head_dim] at this very tensor
        ``positions``. With any other, or once it is written to, they are made anew.

        Raises:
            TypeError: when positions are not real numbers, or of another kind than x.
            ValueError: when shapes or devices do not match.
        """
        waves, ready = self._waves(x, positions), copy(self)
        if is_torch(positions) and not is_abstract(positions):
            made = _Ready(positions, version_of(positions), _kind(x), waves)
            object.__setattr__(ready, "_ready", made)
        return ready

    def _waves_for(self, x: Array, positions: Any) -> tuple[Array, ...]:
        made = self._ready
        if (
            made is not None
            and positions is made.positions
            and version_of(positions) == made.version
            and _kind(x) == made.kind
            and made.waves[0].shape[-3] in (1, x.shape[-3])
        ):
            return made.waves
        return self._waves(x, positions)

    def at_query(self, q: Array, positions: Any) -> Array:
        """Turn q [batch, heads, len, head_dim] by its positions."""
        return self._turned(q, self._waves_for(q, positions), 1)

    def at_key(self, k: Array, positions: Any) -> Array:
        """Turn k [batch, heads, len, head_dim] by its positions."""
        return self._turned(k, self._waves_for(k, positions), -1)

    def at_query_and_key(self, q: Array, k: Array, positions: Any) -> tuple[Array, Array]:
        """Turn both, with the same sines and cosines."""
        if (type(self).at_query, type(self).at_key) == (Turning.at_query, Turning.at_key):
            waves = self._waves_for(q, positions)
            if waves[0].shape[-3] in (1, k.shape[-3]):  # for any head, or for as many as k has
                return self._turned(q, waves, 1), self._turned(k, waves, -1)
        return super().at_query_and_key(q, k, positions)


def _kind(x: Array) -> tuple:
    return x.dtype, x.device, x.shape[0], x.shape[-1]


@dataclass(frozen=True, eq=False)
class Rotary(Turning):
    """RoPE at the query and key: rotary_dim None turns all of head_dim.

    Frequencies, made by stretching or by hand, stand in for base and rotary_dim: two dimensions
    turn for each, and queries and keys are multiplied by their attention_factor. p-RoPE, for one,
    is Rotary(frequencies=Frequencies(proportional_frequencies(head_dim, fraction))).
    """

    base: float = 10_000.0
    rotary_dim: int | None = None
    layout: str = "interleaved"
    frequencies: Frequencies | None = None

    def __post_init__(self) -> None:
        require_base(self.base)
        require_choice(self.layout, "layout", LAYOUTS)
        if self.rotary_dim is not None:
            require_even(self.rotary_dim, "rotary_dim")
        if self.frequencies is None:
            return
        if not isinstance(self.frequencies, Frequencies):
            raise TypeError(
                f"frequencies must be Frequencies(inv_freq), got {type(self.frequencies).__name__}"
            )
        if as_float64(self.frequencies.inv_freq, "inv_freq").ndim != 1:
            raise ValueError("inv_freq of frequencies must be a vector")
        require_factor(self.frequencies.attention_factor, "attention_factor")
        if (self.base, self.rotary_dim) != (10_000.0, None):
            raise ValueError("base and rotary_dim must be left out where frequencies are given")

    def _waves(self, x: Array, positions: Any) -> tuple[Array, ...]:
        positions, factor = in_float64(positions_of(positions, x)), 1.0
        if self.frequencies is None:
            rotary_dim = int(self.rotary_dim or x.shape[-1])
            inv_freq = beside(positions, rotary_frequencies, rotary_dim, float(self.base))
        else:
            inv_freq, factor = self.frequencies
            inv_freq = in_float64(as_array(inv_freq, "inv_freq"))
            inv_freq = like(inv_freq, positions, "inv_freq")
        if 2 * inv_freq.shape[0] > x.shape[-1]:
            raise ValueError(
                f"rotary_dim must be at most head_dim, {x.shape[-1]}, got {2 * inv_freq.shape[0]}"
            )
        angles = angles_at(positions, inv_freq)
        return waves_of(angles[..., None, :, :], x, self.layout, factor)
