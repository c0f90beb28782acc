"""RoPE derived line by line: with matrices, with complex numbers, from a functional equation.

In formulas i and j are the positions of query and key, and upright i is the imaginary unit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from posviz.encodings.frequencies import rotary_angles
from posviz.encodings.rotary import apply_rotary, rotation_matrix
from posviz.wording import signed

ROUNDING = 1e-9  # far above what float64 leaves, far below every mistake
TURN = 2 * np.pi
Q, K, J, THETA = np.array([1.0, 0.5]), np.array([0.3, 1.2]), 4, 0.5  # θ in radians per token
Q_COMPLEX, K_COMPLEX = complex(*Q), complex(*K)
Q_AND_K = Q_COMPLEX * K_COMPLEX.conjugate()


def matrix(position: float) -> np.ndarray:
    """Return the matrix R of a position, [2, 2]."""
    return rotation_matrix([position * THETA])


def wave(position: float) -> complex:
    """Return e^(iθ·position)."""
    return np.exp(1j * position * THETA)


def f(x: np.ndarray, position: float) -> complex:
    """Rotate a vector [2] as RoPE does, and read it as a complex number."""
    return complex(*apply_rotary(x[None], rotary_angles([position], [THETA]))[0])


def phase(x: np.ndarray, position: float) -> float:
    """φ: by how much f rotates x at a position, in radians from −π to π."""
    return float(np.angle(f(x, position) * complex(*x).conjugate()))


def score(i: float) -> float:
    """Return (Rᵢ q)ᵀ (Rⱼ k), rotated and multiplied."""
    return (f(Q, i) * f(K, J).conjugate()).real


class Line(NamedTuple):
    """One line: its formula in mathtext and, as functions of i, its value or its two sides.

    A line without ``left`` continues the one before ("= …"). Values are numbers or complex
    numbers. Angles, in radians, are compared around the circle.
    """

    formula: str
    right: Callable[[float], complex]
    why: str
    left: Callable[[float], complex] | None = None
    angle: bool = False


@dataclass(frozen=True)
class Step:
    """A line with its values: left is what it must equal, None for the first line of a chain."""

    line: Line
    left: complex | None
    right: complex

    @property
    def residual(self) -> float:
        """How far the two sides are apart."""
        if self.left is None:
            return 0.0
        apart = self.right - self.left
        return float(abs(np.angle(np.exp(1j * apart)) if self.line.angle else apart))

    @property
    def follows(self) -> bool:
        """Whether the line equals what it must equal, but for rounding."""
        return self.residual <= ROUNDING

    @property
    def value(self) -> str:
        """The value to four decimals; both sides where an equation of its own does not hold."""
        if self.follows or self.line.left is None or self.left is None:
            return value_text(self.right)
        return f"{value_text(self.left)} ≠ {value_text(self.right)}"


def steps_of(lines: tuple[Line, ...], i: float) -> list[Step]:
    """Evaluate lines: each is compared with its own left side or with the line before."""
    steps: list[Step] = []
    for line in lines:
        left = steps[-1].right if steps else None
        if line.left is not None:
            left = _within_a_turn(line.left(i), line.angle)
        steps.append(Step(line, left, _within_a_turn(line.right(i), line.angle)))
    return steps


def _within_a_turn(value, angle):
    """Return an angle from −π, not reached, to π; other values as they are."""
    return value - TURN * np.ceil(value / TURN - 0.5 - ROUNDING) if angle else value


def value_text(value: complex) -> str:
    """Return a number to four decimals or, if small, to five digits; or a complex number.

    Rounding errors differ from machine to machine: what they leave of 0 is shown as 0.
    """
    if np.iscomplexobj(value):
        sign = "−" if value.imag < -ROUNDING else "+"
        return f"{value_text(value.real)} {sign} {value_text(abs(value.imag))}ⅈ"
    number = float(value) if abs(value) >= ROUNDING else 0.0
    return signed(number, ".4f" if not number or abs(number) >= 0.01 else ".5g")


def _multiplied_out(i):
    (a, b), (c, d) = ((np.cos(p * THETA), np.sin(p * THETA)) for p in (i, J))
    return Q @ [[a * c + b * d, b * c - a * d], [a * d - b * c, a * c + b * d]] @ K


def _angle_sums(i):
    cos, sin = np.cos((J - i) * THETA), np.sin((J - i) * THETA)
    return Q @ [[cos, -sin], [sin, cos]] @ K


def _matrix(a, b, c, d):
    """A matrix of two rows in mathtext: two columns, each a fraction without a line."""
    left, right = (
        rf"\genfrac{{[}}{{.}}{{0}}{{0}}{{{a}}}{{{c}}}",
        rf"\genfrac{{.}}{{]}}{{0}}{{0}}{{{b}}}{{{d}}}",
    )
    return rf"{left}\;\;{right}\,"


_SCORE = Line("(R_i q)^T (R_j k)", score, "the score of a rotated query and key")
_SAME = "c_i c_j + s_i s_j"
_COS, _SIN = r"\,\cos\,(j−i)θ", r"\,\sin\,(j−i)θ"
_POLAR_SCORE = Line(
    "⟨f(q,i), f(k,j)⟩\n" r"= \mathrm{Re}[q k^{*} e^{\mathrm{i}θ(i−j)}]",
    left=score,
    right=lambda i: (Q_AND_K * wave(i - J)).real,
    why="and the score depends on i − j",
)
# The right lines, and the last line as people write it who make the usual mistake.
DERIVATIONS: dict[str, tuple[tuple[Line, ...], Line]] = {
    "matrices": (
        (
            _SCORE,
            Line(
                "= q^T R_i^T R_j k",
                lambda i: Q @ matrix(i).T @ matrix(J) @ K,
                "the transpose of a product is turned round",
            ),
            Line(
                f"= q^T {_matrix(_SAME, 's_i c_j − c_i s_j', 'c_i s_j − s_i c_j', _SAME)} k",
                _multiplied_out,
                "multiplied out, with c and s for cos and sin",
            ),
            Line(
                f"= q^T {_matrix(_COS, f'−{_SIN}', _SIN, _COS)} k",
                _angle_sums,
                "the sums of angles",
            ),
            Line("= q^T R_{j−i} k", lambda i: Q @ matrix(J - i) @ K, "a rotation by j − i"),
        ),
        Line("= q^T R_{i−j} k", lambda i: Q @ matrix(i - J) @ K, "i and j exchanged"),
    ),
    "complex": (
        (
            _SCORE,
            Line(
                r"= \mathrm{Re}[(q e^{\mathrm{i}θi}) (k e^{\mathrm{i}θj})^{*}]",
                lambda i: (Q_COMPLEX * wave(i) * (K_COMPLEX * wave(J)).conjugate()).real,
                "a·b is Re[a b*], and to rotate is to multiply",
            ),
            Line(
                r"= \mathrm{Re}[q k^{*} e^{\mathrm{i}θi} e^{−\mathrm{i}θj}]",
                lambda i: (Q_AND_K * wave(i) * wave(-J)).real,
                "the conjugate rotates the other way",
            ),
            Line(
                r"= \mathrm{Re}[q k^{*} e^{\mathrm{i}θ(i−j)}]",
                lambda i: (Q_AND_K * wave(i - J)).real,
                "exponents add",
            ),
            Line(
                r"= \mathrm{Re}[q k^{*}]\,\cos\,(i−j)θ"
                "\n"
                r"− \mathrm{Im}[q k^{*}]\,\sin\,(i−j)θ",
                lambda i: Q_AND_K.real * wave(i - J).real - Q_AND_K.imag * wave(i - J).imag,
                "the real part of a product",
            ),
            Line(
                r"= (q_0k_0 + q_1k_1)\,\cos\,(i−j)θ" "\n" r"+ (q_0k_1 − q_1k_0)\,\sin\,(i−j)θ",
                lambda i: (
                    (Q[0] * K[0] + Q[1] * K[1]) * wave(i - J).real
                    + (Q[0] * K[1] - Q[1] * K[0]) * wave(i - J).imag
                ),
                "q·k, and a cross term that is 0 for parallel vectors",
            ),
        ),
        Line(
            r"= (q_0k_0 + q_1k_1)\,\cos\,(i−j)θ",
            lambda i: Q @ K * wave(i - J).real,
            "the cross term dropped",
        ),
    ),
    "polar": (
        (
            Line(
                "f(q,i) f(k,j)^{*}\n= f(q,i−j) f(k,0)^{*}",
                left=lambda i: f(Q, i) * f(K, J).conjugate(),
                right=lambda i: f(Q, i - J) * f(K, 0).conjugate(),
                why="wanted: both are g(q, k, i−j)",
            ),
            Line(
                "|f(q,i)| |f(k,i)| = |q| |k|",
                left=lambda i: abs(f(Q, i)) * abs(f(K, i)),
                right=lambda i: abs(Q_COMPLEX) * abs(K_COMPLEX),
                why="lengths for j = i, where f(q,0) = q",
            ),
            Line(
                "|f(q,i)| = |q|",
                left=lambda i: abs(f(Q, i)),
                right=lambda i: abs(Q_COMPLEX),
                why="the same with k = q",
            ),
            Line(
                "Θ[f(q,i)] − Θ[f(k,i)]\n= Θ[q] − Θ[k]",
                left=lambda i: np.angle(f(Q, i)) - np.angle(f(K, i)),
                right=lambda i: np.angle(Q_COMPLEX) - np.angle(K_COMPLEX),
                why="phases for j = i",
                angle=True,
            ),
            Line(
                "Θ[f(q,i)] − Θ[q]\n= Θ[f(k,i)] − Θ[k]",
                left=lambda i: phase(Q, i),
                right=lambda i: phase(K, i),
                why="so a phase φ(i) is added, the same for q and k",
                angle=True,
            ),
            Line(
                "φ(i) − φ(i−1) = φ(1)",
                left=lambda i: phase(Q, i) - phase(Q, i - 1),
                right=lambda i: phase(Q, 1),
                why="phases for j = i − 1",
                angle=True,
            ),
            Line(
                "φ(i) = iθ",
                left=lambda i: phase(Q, i),
                right=lambda i: i * THETA,
                why="equal steps θ from φ(0) = 0",
                angle=True,
            ),
            Line(
                r"f(q,i) = |q| e^{\mathrm{i}(Θ[q] + θi)}",
                left=lambda i: f(Q, i),
                right=lambda i: abs(Q_COMPLEX) * np.exp(1j * (np.angle(Q_COMPLEX) + i * THETA)),
                why="length and phase together",
            ),
            Line(r"= q e^{\mathrm{i}θi}", lambda i: Q_COMPLEX * wave(i), "a rotation by iθ"),
            _POLAR_SCORE,
        ),
        _POLAR_SCORE._replace(
            formula=_POLAR_SCORE.formula.replace("i−j", "j−i"),
            right=lambda i: (Q_AND_K * wave(J - i)).real,
            why="i and j exchanged",
        ),
    ),
}


def lines_of(name: str, mistake: bool) -> tuple[Line, ...]:
    """Return the lines of a derivation, with the usual mistake in the last one or without.

    Source: Su et al. 2021 (RoFormer), section 3.4.
    """
    lines, wrong = DERIVATIONS[name]
    return (*lines[:-1], wrong) if mistake else lines
