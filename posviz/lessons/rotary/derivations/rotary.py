"""RoPE derived line by line: with matrices, with complex numbers, from a functional equation.

In formulas i and j are the positions of query and key, and ⅈ is the imaginary unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from posviz.encodings.checks import require_choice, require_real
from posviz.encodings.frequencies import rotary_angles
from posviz.encodings.rotary import apply_rotary, rotation_matrix
from posviz.lessons.rotary.derivations.chain import Derived, Line, steps_of
from posviz.wording import quoted


@dataclass(frozen=True, eq=False)
class Setting:
    """What the letters stand for: q and k [2], positions i and j, θ in radians per token."""

    q: np.ndarray
    k: np.ndarray
    i: float
    j: float
    theta: float

    def r(self, position: float) -> np.ndarray:
        """Return the matrix R of a position, [2, 2]."""
        return rotation_matrix([position * self.theta])

    def e(self, position: float) -> complex:
        """Return e^(ⅈθ·position)."""
        return np.exp(1j * position * self.theta)

    def f(self, x: np.ndarray, position: float) -> complex:
        """Rotate a vector [2] as RoPE does, and read it as a complex number."""
        return complex(*apply_rotary(x[None], rotary_angles([position], [self.theta]))[0])

    def phase(self, x: np.ndarray, position: float) -> float:
        """φ: by how much f rotates x at a position, in radians from −π to π."""
        return float(np.angle(self.f(x, position) * complex(*x).conjugate()))

    @property
    def score(self) -> float:
        """(Rᵢ q)ᵀ (Rⱼ k), rotated and multiplied."""
        return (self.f(self.q, self.i) * self.f(self.k, self.j).conjugate()).real

    @property
    def q_and_k(self) -> complex:
        """q k*"""
        return complex(*self.q) * complex(*self.k).conjugate()

    @property
    def angle(self) -> float:
        """(i − j)θ"""
        return (self.i - self.j) * self.theta


class Derivation(NamedTuple):
    """The right lines, and the last line as people write it who make the usual mistake."""

    title: str
    lines: tuple[Line, ...]
    mistake: Line
    note: str = ""


def _multiplied_out(s: Setting) -> float:
    (a, b), (c, d) = ((np.cos(p * s.theta), np.sin(p * s.theta)) for p in (s.i, s.j))
    return s.q @ [[a * c + b * d, b * c - a * d], [a * d - b * c, a * c + b * d]] @ s.k


def _angle_sums(s: Setting) -> float:
    cos, sin = np.cos(-s.angle), np.sin(-s.angle)
    return s.q @ [[cos, -sin], [sin, cos]] @ s.k


_SCORE = Line("(Rᵢ q)ᵀ (Rⱼ k)", lambda s: s.score, "the score of a rotated query and key")
_POLAR_SCORE = Line(
    "⟨f(q,i), f(k,j)⟩\n   = Re[q k* e^(ⅈθ(i−j))]",
    left=lambda s: s.score,
    right=lambda s: (s.q_and_k * s.e(s.i - s.j)).real,
    why="and the score depends on i − j",
)
DERIVATIONS = {
    "matrices": Derivation(
        "RoPE's score, with matrices",
        (
            _SCORE,
            Line(
                "= qᵀ Rᵢᵀ Rⱼ k",
                lambda s: s.q @ s.r(s.i).T @ s.r(s.j) @ s.k,
                "the transpose of a product is turned round",
            ),
            Line(
                "= qᵀ [[cᵢcⱼ + sᵢsⱼ, sᵢcⱼ − cᵢsⱼ],\n     [cᵢsⱼ − sᵢcⱼ, cᵢcⱼ + sᵢsⱼ]] k",
                _multiplied_out,
                "multiplied out, with c and s for cos and sin",
            ),
            Line(
                "= qᵀ [[cos (j−i)θ, −sin (j−i)θ],\n     [sin (j−i)θ, cos (j−i)θ]] k",
                _angle_sums,
                "the sums of angles",
            ),
            Line("= qᵀ Rⱼ₋ᵢ k", lambda s: s.q @ s.r(s.j - s.i) @ s.k, "a rotation by j − i"),
        ),
        mistake=Line("= qᵀ Rᵢ₋ⱼ k", lambda s: s.q @ s.r(s.i - s.j) @ s.k, "i and j exchanged"),
    ),
    "complex": Derivation(
        "RoPE's score, with complex numbers",
        (
            _SCORE,
            Line(
                "= Re[(q e^(ⅈθi)) (k e^(ⅈθj))*]",
                lambda s: (complex(*s.q) * s.e(s.i) * (complex(*s.k) * s.e(s.j)).conjugate()).real,
                "a·b is Re[a b*], and to rotate is to multiply",
            ),
            Line(
                "= Re[q k* e^(ⅈθi) e^(−ⅈθj)]",
                lambda s: (s.q_and_k * s.e(s.i) * s.e(-s.j)).real,
                "the conjugate rotates the other way",
            ),
            Line(
                "= Re[q k* e^(ⅈθ(i−j))]",
                lambda s: (s.q_and_k * s.e(s.i - s.j)).real,
                "exponents add",
            ),
            Line(
                "= Re[q k*] cos (i−j)θ\n   − Im[q k*] sin (i−j)θ",
                lambda s: s.q_and_k.real * np.cos(s.angle) - s.q_and_k.imag * np.sin(s.angle),
                "the real part of a product",
            ),
            Line(
                "= (q₀k₀ + q₁k₁) cos (i−j)θ\n   + (q₀k₁ − q₁k₀) sin (i−j)θ",
                lambda s: (
                    (s.q[0] * s.k[0] + s.q[1] * s.k[1]) * np.cos(s.angle)
                    + (s.q[0] * s.k[1] - s.q[1] * s.k[0]) * np.sin(s.angle)
                ),
                "q·k, and a cross term that is 0 for parallel vectors",
            ),
        ),
        mistake=Line(
            "= (q₀k₀ + q₁k₁) cos (i−j)θ",
            lambda s: s.q @ s.k * np.cos(s.angle),
            "the cross term dropped",
        ),
    ),
    "polar": Derivation(
        "The functional equation, solved in polar form",
        (
            Line(
                "f(q,i) f(k,j)*\n   = f(q,i−j) f(k,0)*",
                left=lambda s: s.f(s.q, s.i) * s.f(s.k, s.j).conjugate(),
                right=lambda s: s.f(s.q, s.i - s.j) * s.f(s.k, 0).conjugate(),
                why="wanted: both are g(q, k, i−j)",
            ),
            Line(
                "|f(q,i)| |f(k,i)| = |q| |k|",
                left=lambda s: abs(s.f(s.q, s.i)) * abs(s.f(s.k, s.i)),
                right=lambda s: np.hypot(*s.q) * np.hypot(*s.k),
                why="lengths for j = i, where f(q,0) = q",
            ),
            Line(
                "|f(q,i)| = |q|",
                left=lambda s: abs(s.f(s.q, s.i)),
                right=lambda s: np.hypot(*s.q),
                why="the same with k = q",
            ),
            Line(
                "Θ[f(q,i)] − Θ[f(k,i)]\n   = Θ[q] − Θ[k]",
                left=lambda s: np.angle(s.f(s.q, s.i)) - np.angle(s.f(s.k, s.i)),
                right=lambda s: np.angle(complex(*s.q)) - np.angle(complex(*s.k)),
                why="phases for j = i",
                angle=True,
            ),
            Line(
                "Θ[f(q,i)] − Θ[q]\n   = Θ[f(k,i)] − Θ[k]",
                left=lambda s: s.phase(s.q, s.i),
                right=lambda s: s.phase(s.k, s.i),
                why="so a phase φ(i) is added, the same for q and k",
                angle=True,
            ),
            Line(
                "φ(i) − φ(i−1) = φ(1)",
                left=lambda s: s.phase(s.q, s.i) - s.phase(s.q, s.i - 1),
                right=lambda s: s.phase(s.q, 1),
                why="phases for j = i − 1",
                angle=True,
            ),
            Line(
                "φ(i) = iθ",
                left=lambda s: s.phase(s.q, s.i),
                right=lambda s: s.i * s.theta,
                why="equal steps θ from φ(0) = 0",
                angle=True,
            ),
            Line(
                "f(q,i) = |q| e^(ⅈ(Θ[q] + θi))",
                left=lambda s: s.f(s.q, s.i),
                right=lambda s: (
                    np.hypot(*s.q) * np.exp(1j * (np.angle(complex(*s.q)) + s.i * s.theta))
                ),
                why="length and phase together",
            ),
            Line("= q e^(ⅈθi)", lambda s: complex(*s.q) * s.e(s.i), "a rotation by iθ"),
            _POLAR_SCORE,
        ),
        mistake=replace(
            _POLAR_SCORE,
            formula=_POLAR_SCORE.formula.replace("i−j", "j−i"),
            right=lambda s: (s.q_and_k * s.e(s.j - s.i)).real,
            why="i and j exchanged",
        ),
        note="A solution, not the only one: every θ will do, and one function for q and another\n"
        "for k may grow and shrink against each other (xPos).",
    ),
}


def derive(
    name: str,
    *,
    mistake: bool = False,
    q: Sequence[float] = (1.0, 0.5),
    k: Sequence[float] = (0.3, 1.2),
    i: float = 7,
    j: float = 4,
    theta: float = 0.5,
) -> Derived:
    """Return a derivation of RoPE, "matrices", "complex" or "polar", each line with its value.

    mistake: whether the last line has the usual mistake; printed, it says how far it is off.
    Shapes: q and k [2]. Units: i and j in tokens, theta in radians per token; beyond 100,000
    radians rounding may show.

    Raises ValueError for another name, and for q or k of another shape or without length.

    Source: Su et al. 2021 (RoFormer), section 3.4.
    """
    require_choice(name, "name", tuple(DERIVATIONS))
    numbers = [require_real(*pair) for pair in ((i, "i"), (j, "j"), (theta, "theta"))]
    setting = Setting(_pair(q, "q"), _pair(k, "k"), *numbers)
    lines, note = lines_of(name, mistake), DERIVATIONS[name].note
    steps = steps_of(lines, setting, scale=float(np.hypot(*setting.q) * np.hypot(*setting.k)))
    values = f"q = {_shown(q)}, k = {_shown(k)}, i = {i:g}, j = {j:g}, θ = {theta:g}"
    return Derived(f"{name}{' with a mistake' * mistake}: {values}".replace("-", "−"), steps, note)


def lines_of(name: str, mistake: bool) -> tuple[Line, ...]:
    """Return the lines of a derivation, with the usual mistake in the last one or without."""
    derivation = DERIVATIONS[name]
    return (*derivation.lines[:-1], derivation.mistake) if mistake else derivation.lines


def _pair(value: Sequence[float], name: str) -> np.ndarray:
    pair = np.array([require_real(number, name) for number in value])
    if pair.shape != (2,) or not pair.any():
        raise ValueError(f"{name} must be two numbers, not both 0, got {quoted(value)}")
    return pair


def _shown(pair):
    return "({:g}, {:g})".format(*pair)
