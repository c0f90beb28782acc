"""Rotary position embedding (RoPE): queries and keys turn with their position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz.arrays import (
    Array,
    as_array,
    as_float64,
    check_memory,
    in_float64,
    is_compiled,
    is_followed,
    is_torch,
    like,
    namespace,
    require_alike,
    shape_of,
    side_by_side,
    widened,
)
from posviz.encodings.checks import (
    broadcasts_to,
    require_base,
    require_choice,
    require_even,
    require_integer,
    require_real,
)
from posviz.encodings.doors import Encoding
from posviz.encodings.frequencies import Frequencies, angles_at, rotary_frequencies
from posviz.encodings.relative import positions_of

__all__ = ["Rotary", "apply_rotary", "change_layout", "change_projection_layout", "rotation_matrix"]

LAYOUTS = ("interleaved", "half_split")


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
    factor = require_real(attention_factor, "attention_factor")
    require_alike(x=x)
    angles = as_float64(angles, "angles")
    _require_matching(x, angles)
    cos, sin = cos_and_sin(angles, x, factor)
    return turned(x, cos, sin, layout)


def cos_and_sin(angles: Array, x: Array, factor: float = 1.0) -> tuple[Array, Array]:
    """Return factor × cosine and sine of checked angles, on the device of x, in at least float32.

    Raises:
        TypeError: when x is not a floating array, or of another kind.
        ValueError: when devices differ.
    """
    require_alike(x=x)
    cos, sin = factor * namespace(angles).cos(angles), factor * namespace(angles).sin(angles)
    if is_compiled(angles):  # through complex numbers, or each would be taken anew for every head
        turns = namespace(angles).complex(cos, sin)
        cos, sin = turns.real, turns.imag
    [wide] = widened(x[..., :0])
    return like(cos, x, "angles", wide.dtype), like(sin, x, "angles", wide.dtype)


def turned(x: Array, cos: Array, sin: Array, layout: str) -> Array:
    """Return x [..., len, head_dim], its first pairs turned: cos and sin [..., len, pairs]."""
    xp, rotary_dim = namespace(x), 2 * cos.shape[-1]
    [turning] = widened(x[..., :rotary_dim])
    turning = xp.astype(_turn(turning, cos, sin, layout), x.dtype, copy=False)
    if rotary_dim == x.shape[-1]:
        return turning
    return xp.concat([turning, x[..., rotary_dim:]], axis=-1)


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


def _turn(x: Array, cos: Array, sin: Array, layout: str) -> Array:
    """Turn all of ``x``: each of these routes is the fastest where it can be taken."""
    xp = namespace(x)
    if layout == "interleaved":
        return _turn_as_complex(x, cos, sin)
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    if not is_torch(x) or is_followed(x, cos):
        return xp.concat([first * cos - second * sin, first * sin + second * cos], axis=-1)
    turned = x * xp.concat([cos, cos], axis=-1)
    turned[..., :half].addcmul_(second, sin, value=-1)
    turned[..., half:].addcmul_(first, sin)
    return turned


def _turn_as_complex(x: Array, cos: Array, sin: Array) -> Array:
    """Turn neighbouring pairs: read as complex numbers, they are multiplied by e^(i·angle)."""
    if not is_torch(x):
        if x.strides[-1] != x.itemsize:
            x = np.ascontiguousarray(x)
        pairs = x.view(np.result_type(x.dtype, np.complex64))
        return side_by_side(pairs * (cos + 1j * sin))
    xp = namespace(x)
    start = 0 if is_compiled(x) else x.storage_offset()  # torch.compile cannot ask for it
    steps = (start, *x.stride()[:-1])
    if x.stride(-1) != 1 or any(step % 2 for step in steps):  # a pair must start at an even place
        x = x.clone(memory_format=xp.contiguous_format)
    pairs = xp.view_as_complex(x.unflatten(-1, (-1, 2)))
    return side_by_side(pairs * xp.complex(cos, sin))


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


class Turning(Encoding):
    """RoPE of any kind, at the query and key: attend computes sines and cosines once for both."""

    layout: str

    def _waves(self, x: Array, positions: Any) -> tuple[Array, ...]:
        """Return what turns x at its positions: first cosine and sine, [..., heads or 1, len, n]"""
        raise NotImplementedError

    def _turned(self, x: Array, waves: tuple[Array, ...], sign: int) -> Array:
        """Turn x; sign is 1 for a query and −1 for a key, where these differ."""
        cos, sin = waves
        return turned(x, cos, sin, self.layout)

    def at_query(self, q: Array, positions: Any) -> Array:
        """Turn q [batch, heads, len, head_dim] by its positions."""
        return self._turned(q, self._waves(q, positions), 1)

    def at_key(self, k: Array, positions: Any) -> Array:
        """Turn k [batch, heads, len, head_dim] by its positions."""
        return self._turned(k, self._waves(k, positions), -1)

    def at_query_and_key(self, q: Array, k: Array, positions: Any) -> tuple[Array, Array]:
        """Turn both, with the same sines and cosines."""
        if (type(self).at_query, type(self).at_key) == (Turning.at_query, Turning.at_key):
            waves = self._waves(q, positions)
            if waves[0].shape[-3] in (1, k.shape[-3]):  # for any head, or for as many as k has
                return self._turned(q, waves, 1), self._turned(k, waves, -1)
        return super().at_query_and_key(q, k, positions)


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
        require_real(self.frequencies.attention_factor, "attention_factor")
        if (self.base, self.rotary_dim) != (10_000.0, None):
            raise ValueError("base and rotary_dim must be left out where frequencies are given")

    def _waves(self, x: Array, positions: Any) -> tuple[Array, ...]:
        if self.frequencies is None:
            inv_freq, factor = rotary_frequencies(self.rotary_dim or x.shape[-1], self.base), 1.0
        else:
            inv_freq, factor = self.frequencies
        if 2 * len(inv_freq) > x.shape[-1]:
            raise ValueError(
                f"rotary_dim must be at most head_dim, {x.shape[-1]}, got {2 * len(inv_freq)}"
            )
        inv_freq = in_float64(as_array(inv_freq, "inv_freq"))
        angles = angles_at(in_float64(positions_of(positions, x)), inv_freq)
        return cos_and_sin(angles[..., None, :, :], x, float(factor))
