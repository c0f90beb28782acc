"""RoPE from 2 to d dimensions: the sparse form of the rotation, and the row of frequencies."""

from __future__ import annotations

import numpy as np

from posviz.encodings.rotary import apply_rotary, rotation_matrix
from posviz.lessons.rotary.derivations.chain import Derivation, Line
from posviz.lessons.rotary.derivations.setting import Setting


def _row_by_row(s: Setting) -> np.ndarray:
    rows = np.empty(s.head_dim)
    for i, angle in enumerate(s.angles):
        first, second = s.long_q[2 * i : 2 * i + 2]
        rows[2 * i] = first * np.cos(angle) - second * np.sin(angle)
        rows[2 * i + 1] = second * np.cos(angle) + first * np.sin(angle)
    return rows


def _sparse(s: Setting, swapped: np.ndarray) -> np.ndarray:
    return s.long_q * np.repeat(np.cos(s.angles), 2) + swapped * np.repeat(np.sin(s.angles), 2)


def _swapped(s: Setting) -> np.ndarray:
    """[−q₁, q₀, −q₃, q₂, …]"""
    return np.stack([-s.long_q[1::2], s.long_q[::2]], axis=1).ravel()


def _without_the_last_minus(s: Setting) -> np.ndarray:
    swapped = _swapped(s)
    swapped[-2] = s.long_q[-1]
    return swapped


def _halves_swapped(s: Setting) -> np.ndarray:
    first, second = np.split(s.long_q, 2)
    return np.concatenate([-second, first])


_sparse_form = (
    Line(
        "Rₘ q, in blocks of 2 × 2",
        lambda s: rotation_matrix(s.angles) @ s.long_q,
        why="each pair i turns by its own angle mθᵢ",
    ),
    Line(
        "= q₂ᵢ cos mθᵢ − q₂ᵢ₊₁ sin mθᵢ,\n   q₂ᵢ₊₁ cos mθᵢ + q₂ᵢ sin mθᵢ",
        _row_by_row,
        why="the two rows of each block",
    ),
    Line(
        "= q ⊗ cos + sin ⊗\n   [−q₁, q₀, −q₃, q₂, …]",
        lambda s: _sparse(s, _swapped(s)),
        why="⊗ multiplies entry by entry, and each cos and sin stands twice",
    ),
    Line(
        "= apply_rotary(q, mθ)",
        lambda s: apply_rotary(s.long_q[None], s.angles[None])[0],
        why="which is what the code computes",
    ),
)
SPARSE = Derivation(
    "The sparse form in d dimensions",
    _sparse_form,
    {
        "minus": (
            *_sparse_form[:2],
            Line(
                "= q ⊗ cos + sin ⊗\n   [−q₁, q₀, …, q[d−1], q[d−2]]",
                lambda s: _sparse(s, _without_the_last_minus(s)),
                why="the last pair lost its minus",
            ),
        ),
        "layout": (
            *_sparse_form[:2],
            Line(
                "= q ⊗ cos + sin ⊗\n   [−q[d/2], …, q₀, q₁, …]",
                lambda s: _sparse(s, _halves_swapped(s)),
                why="halves exchanged as in the other layout",
            ),
        ),
    },
    uses=("q", "m", "head_dim", "base"),
    entries=(-2, -1),
)


def _powers(s: Setting) -> np.ndarray:
    powers = [1.0]
    while len(powers) < s.head_dim // 2:
        powers.append(powers[-1] * s.ratio)
    return np.array(powers)


def _exponentials(s: Setting, first: int = 0, factor: int = 2) -> np.ndarray:
    pairs = np.arange(first, first + s.head_dim // 2)
    return s.base ** (-factor * pairs / s.head_dim)


_ends = "(first, last)"
_frequencies = (
    Line(
        "r^(d/2) = 1 / base",
        left=lambda s: s.ratio ** (s.head_dim // 2),
        right=lambda s: 1 / s.base,
        why="wanted: d/2 equal steps from 1 down to 1 / base, which is not reached",
    ),
    Line(
        "r = base^(−2/d)",
        left=lambda s: s.ratio,
        right=lambda s: s.base ** (-2 / s.head_dim),
        why="the root of both sides",
    ),
    Line(
        "inv_freqᵢ = rⁱ,\n   i = 0 … d/2−1",
        left=lambda s: s.frequencies,
        right=_powers,
        why="pair 0 turns by 1 radian a token, each next pair by r times as much",
    ),
    Line("= base^(−2i/d),\n   i = 0 … d/2−1", _exponentials, why="exponents multiply"),
    Line(
        f"{_ends}\n   = (1, base^(2/d) / base)",
        left=lambda s: s.frequencies[[0, -1]],
        right=lambda s: np.array([1, s.base ** (2 / s.head_dim) / s.base]),
        why="i = 0 and i = d/2 − 1",
    ),
)
FREQUENCIES = Derivation(
    "The row of frequencies",
    _frequencies,
    {
        "from one": (
            *_frequencies[:3],
            Line(
                "= base^(−2i/d),\n   i = 1 … d/2",
                lambda s: _exponentials(s, first=1),
                why="counted from 1, so that the frequency 1 is lost",
            ),
            Line(
                f"{_ends}\n   = (base^(−2/d), 1 / base)",
                left=lambda s: _exponentials(s, first=1)[[0, -1]],
                right=lambda s: np.array([s.base ** (-2 / s.head_dim), 1 / s.base]),
                why="i = 1 and i = d/2",
            ),
        ),
        "doubled": (
            *_frequencies[:3],
            Line(
                "= base^(−4i/d),\n   i = 0 … d/2−1",
                lambda s: _exponentials(s, factor=4),
                why="the exponent doubled, as where d/2 is taken for d",
            ),
            Line(
                f"{_ends}\n   = (1, base^(4/d) / base²)",
                left=lambda s: _exponentials(s, factor=4)[[0, -1]],
                right=lambda s: np.array([1, s.base ** (4 / s.head_dim) / s.base**2]),
                why="i = 0 and i = d/2 − 1",
            ),
        ),
    },
    uses=("head_dim", "base"),
)
