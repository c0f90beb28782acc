"""What the letters of RoPE's derivations stand for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary, rotation_matrix

LETTERS = {"inv_freq": "θ = inv_freq", "head_dim": "d = head_dim"}


@dataclass(frozen=True, eq=False)
class Setting:
    """What the letters stand for: q and k [2], positions m and n, θ = inv_freq, d = head_dim."""

    q: np.ndarray
    k: np.ndarray
    m: float
    n: float
    inv_freq: float
    head_dim: int
    base: float
    _turned: dict[tuple, np.ndarray] = field(default_factory=dict, repr=False)

    def turned(self, x: np.ndarray, position: float) -> np.ndarray:
        """Rotate a vector [2] as RoPE does; once, for many lines ask for the same."""
        asked = (*x, position)
        if asked not in self._turned:
            angles = rotary_angles([position], [self.inv_freq])
            self._turned[asked] = apply_rotary(x[None], angles)[0]
        return self._turned[asked]

    def f(self, x: np.ndarray, position: float) -> complex:
        """Rotate a vector [2] as RoPE does, and read it as a complex number."""
        return complex(*self.turned(x, position))

    def r(self, position: float) -> np.ndarray:
        """Return the matrix R of a position, [2, 2]."""
        return rotation_matrix(rotary_angles(position, [self.inv_freq]))

    @property
    def offset_angle(self) -> float:
        """(m − n)θ"""
        return (self.m - self.n) * self.inv_freq

    @property
    def score(self) -> float:
        """(Rₘ q)ᵀ (Rₙ k), rotated and multiplied."""
        return self.turned(self.q, self.m) @ self.turned(self.k, self.n)

    @property
    def q_and_k(self) -> complex:
        """q k*"""
        return complex(*self.q) * complex(*self.k).conjugate()

    def phase(self, x: np.ndarray, position: float) -> float:
        """φ: by how much f has turned x at a position, in radians from −π to π."""
        return float(np.angle(self.f(x, position) * complex(*x).conjugate()))

    @property
    def long_q(self) -> np.ndarray:
        """Return q and head_dim − 2 entries that stay, [head_dim]."""
        return np.concatenate([self.q, np.random.default_rng(0).standard_normal(self.head_dim)[2:]])

    @property
    def frequencies(self) -> np.ndarray:
        """inv_freq of every pair, [head_dim/2]"""
        return rotary_frequencies(self.head_dim, self.base)

    @property
    def angles(self) -> np.ndarray:
        """Angle of every pair at position m, [head_dim/2]"""
        return rotary_angles(self.m, self.frequencies)

    @property
    def ratio(self) -> float:
        """The frequency of pair 1 over that of pair 0."""
        return float(self.frequencies[1] / self.frequencies[0])

    def described(self, names: Iterable[str]) -> str:
        """Return "q = (1, 0.5), m = 7, …" for the letters that enter."""
        said = []
        for name in names:
            value = getattr(self, name)
            text = "({:g}, {:g})".format(*value) if name in ("q", "k") else f"{value:,.10g}"
            said.append(f"{LETTERS.get(name, name)} = {text}".replace("-", "−"))
        return ", ".join(said)
