"""Rotary position embedding (RoPE): queries and keys are rotated by their position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz.arrays import Array, as_array, as_float64, as_like, namespace, upcast_half
from posviz.encodings.checks import (
    require_base,
    require_choice,
    require_even,
    require_integer,
    require_shape,
)
from posviz.encodings.doors import Encoding
from posviz.encodings.frequencies import Frequencies, rotary_angles, rotary_frequencies
from posviz.encodings.relative import positions_of

__all__ = ["Rotary", "apply_rotary", "change_layout", "change_projection_layout", "rotation_matrix"]

LAYOUTS = ("interleaved", "half_split")


def apply_rotary(
    x: Array, angles: Any, *, layout: str = "interleaved", attention_factor: float = 1.0
) -> Array:
    """Rotate each pair of dimensions of ``x`` by its angle: scores then depend on i − j alone.

    Shapes: x [..., len, head_dim], angles [..., len, rotary_dim/2], result as x. Dimensions beyond
    rotary_dim pass through; the others are multiplied by attention_factor. Units: radians.
    Pairs are (2k, 2k+1) when "interleaved" (GPT-J style), (k, k + rotary_dim/2) when "half_split"
    (rotate_half, GPT-NeoX style).

    Source: Su et al. 2021 (RoFormer), equations 14 to 16 and 34.

    >>> x, angles = np.array([[1.0, 0.0, 0.0, 0.0]]), [[np.pi / 2, 0.0]]  # pair 0 by 90°
    >>> [apply_rotary(x, angles, layout=layout).round(2).tolist() for layout in LAYOUTS]
    [[[0.0, 1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 0.0]]]
    """
    require_choice(layout, "layout", LAYOUTS)
    x, angles = as_array(x, "x"), as_float64(angles, "angles")
    if (rotary_dim := 2 * angles.shape[-1]) > x.shape[-1]:
        raise ValueError(
            f"angles are of rotary_dim {rotary_dim}, more than the {x.shape[-1]} dimensions of x."
        )
    xp = namespace(angles)
    cos, sin = attention_factor * xp.cos(angles), attention_factor * xp.sin(angles)
    wide = upcast_half(x)
    cos, sin = as_like(cos, x, wide.dtype), as_like(sin, x, wide.dtype)
    first, second = _split_pairs(wide[..., :rotary_dim], layout)
    rotated = join_pairs(first * cos - second * sin, first * sin + second * cos, layout)
    xp, rest = namespace(x), x[..., rotary_dim:]
    rotated = xp.astype(rotated, x.dtype, copy=False)
    return xp.concat([rotated, rest], axis=-1) if rest.shape[-1] else rotated


def _split_pairs(x: Array, layout: str) -> tuple[Array, Array]:
    if layout == "interleaved":
        return x[..., 0::2], x[..., 1::2]
    half = x.shape[-1] // 2
    return x[..., :half], x[..., half:]


def join_pairs(first: Array, second: Array, layout: str) -> Array:
    """Return the dimensions [..., 2·pairs] of the first and second of each pair [..., pairs]."""
    xp = namespace(first, second)
    if layout != "interleaved":
        return xp.concat([first, second], axis=-1)
    return xp.reshape(xp.stack([first, second], axis=-1), (*first.shape[:-1], 2 * first.shape[-1]))


def rotation_matrix(angles: Any, *, layout: str = "interleaved") -> Array:
    """Return the matrix R that rotates a vector by ``angles``: R @ x is apply_rotary(x, angles).

    Shapes: angles [..., rotary_dim/2], result [..., rotary_dim, rotary_dim]. Units: radians.

    Source: Su et al. 2021 (RoFormer), equation 15.

    >>> rotation_matrix([np.pi / 2]).round(2).tolist()  # counter-clockwise
    [[0.0, -1.0], [1.0, 0.0]]
    """
    angles = as_float64(angles, "angles")
    xp, size = namespace(angles), 2 * angles.shape[-1]
    unit_vectors = xp.broadcast_to(xp.eye(size, dtype=xp.float64), (*angles.shape[:-1], size, size))
    # Row j is unit vector j, rotated: column j of the matrix.
    rows = apply_rotary(unit_vectors, angles[..., None, :], layout=layout)
    return xp.matrix_transpose(rows)


def change_layout(x: Array, *, source: str, target: str, rotary_dim: int | None = None) -> Array:
    """Reorder the last axis from the pairing ``source`` to the pairing ``target``.

    Shapes: [..., head_dim], result alike; dimensions beyond rotary_dim (None: head_dim) stay.
    Meta's Llama, GPT-J and Cohere's models are interleaved; Hugging Face's Llama and GPT-NeoX are
    half_split.

    >>> change_layout(np.arange(6), source="interleaved", target="half_split").tolist()
    [0, 2, 4, 1, 3, 5]
    """
    require_choice(source, "source", LAYOUTS)
    require_choice(target, "target", LAYOUTS)
    x = as_array(x, "x")
    rotary_dim = require_even(x.shape[-1] if rotary_dim is None else rotary_dim, "rotary_dim")
    if rotary_dim > x.shape[-1]:
        raise ValueError(f"rotary_dim must be at most {x.shape[-1]}, as x has, got {rotary_dim}.")
    if source == target:
        return x
    order = np.arange(rotary_dim).reshape((-1, 2) if source == "interleaved" else (2, -1)).T
    return x[..., [*order.ravel(), *range(rotary_dim, x.shape[-1])]]


def change_projection_layout(
    w: Array, *, num_heads: int, source: str, target: str, rotary_dim: int | None = None
) -> Array:
    """Reorder a query or key projection, or its bias, so that x @ w comes out in ``target``.

    Shapes: w [d_model, num_heads·head_dim] or a bias [num_heads·head_dim], result alike.
    torch.nn.Linear keeps the transpose: give it weight.T. Scores stay as they are when w_q and w_k
    are changed together.
    """
    num_heads = require_integer(num_heads, "num_heads")
    w = as_array(w, "w")
    if w.shape[-1] % num_heads:
        raise ValueError(f"num_heads must divide the {w.shape[-1]} columns of w, got {num_heads}.")
    heads = w.reshape(*w.shape[:-1], num_heads, -1)
    changed = change_layout(heads, source=source, target=target, rotary_dim=rotary_dim)
    return changed.reshape(w.shape)


@dataclass(frozen=True, eq=False)
class Rotary(Encoding):
    """RoPE at the query and key: rotary_dim None rotates all of head_dim.

    ``frequencies``, made by context extension or by hand, replace base and rotary_dim. p-RoPE,
    for one, is Rotary(frequencies=Frequencies(proportional_frequencies(head_dim, fraction))).

    >>> x, encoding = np.ones((1, 1, 1, 8)), Rotary()
    >>> scores = [encoding.at_query(x, [i]) * encoding.at_key(x, [i - 3]) for i in (3, 103)]
    >>> [round(float(score.sum()), 4) for score in scores]  # the offset is 3 in both
    [3.9298, 3.9298]
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
        if self.frequencies is not None:
            inv_freq = as_float64(self.frequencies.inv_freq, "inv_freq")
            require_shape(inv_freq, "inv_freq", "rotary_dim/2")
            if (self.base, self.rotary_dim) != (10_000.0, None):
                raise ValueError("frequencies stand in for base and rotary_dim: leave these out.")

    def at_query(self, q: Array, positions: Any) -> Array:
        """Rotate q [batch, heads, len, head_dim] by its positions."""
        frequencies = self.frequencies
        if frequencies is None:
            rotary_dim = self.rotary_dim or q.shape[-1]
            frequencies = Frequencies(rotary_frequencies(rotary_dim, self.base))
        angles = rotary_angles(positions_of(positions, q), frequencies.inv_freq)
        return apply_rotary(
            q,
            angles[..., None, :, :],  # the same for all heads
            layout=self.layout,
            attention_factor=frequencies.attention_factor,
        )

    def at_key(self, k: Array, positions: Any) -> Array:
        """Rotate k [batch, heads, len, head_dim] by its positions, as a query is."""
        return self.at_query(k, positions)
