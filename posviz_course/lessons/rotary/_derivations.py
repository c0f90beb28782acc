"""RoPE derived line by line: with matrices, with complex numbers, from a functional equation.

In formulas i and j are the positions of query and key, and upright i is the imaginary unit.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from posviz.encodings.frequencies import rotary_angles
from posviz.encodings.rotary import apply_rotary, rotation_matrix
from posviz.wording import signed

ROUNDING = 1e-9  # far above what float64 leaves, far below every mistake
Q, K, J, THETA = np.array([1.0, 0.5]), np.array([0.3, 1.2]), 4, 0.5  # θ in radians per token
Q_COMPLEX, K_COMPLEX = complex(*Q), complex(*K)
Q_AND_K = Q_COMPLEX * K_COMPLEX.conjugate()


class Line(NamedTuple):
    """One line: its formula in mathtext, why it follows, and its sides as functions of i.

    A line without ``left`` continues the one before ("= …").
    """

    formula: str
    why: str
    right: Callable[[float], complex]
    left: Callable[[float], complex] | None = None


class Step(NamedTuple):
    """A line with its values: left is what it must equal, None for the first line of a chain."""

    line: Line
    left: complex | None
    right: complex

    @property
    def residual(self) -> float:
        """How far the two sides are apart."""
        return 0.0 if self.left is None else float(abs(self.right - self.left))

    @property
    def follows(self) -> bool:
        """Whether the line equals what it must equal, but for rounding."""
        return self.residual <= ROUNDING


def steps_of(lines: list[Line], i: float) -> list[Step]:
    """Evaluate lines: each is compared with its own left side or with the line before."""
    steps: list[Step] = []
    for line in lines:
        before = steps[-1].right if steps else None
        steps.append(Step(line, line.left(i) if line.left else before, line.right(i)))
    return steps


def value_text(value: complex) -> str:
    """Return a number to four decimals, real or complex."""
    if np.iscomplexobj(value):
        sign = "−" if value.imag < -ROUNDING else "+"
        return f"{value_text(value.real)} {sign} {value_text(abs(value.imag))}ⅈ"
    return signed(value, "z.4f")


def matrix(position: float) -> np.ndarray:
    """Return the matrix R of a position, [2, 2]."""
    return rotation_matrix([position * THETA])


def wave(position: float) -> complex:
    """Return e^(iθ·position)."""
    return np.exp(1j * position * THETA)


def f(x: np.ndarray, position: float) -> complex:
    """Rotate a vector [2] as RoPE does, and read it as a complex number."""
    return complex(*apply_rotary(x[None], rotary_angles([position], [THETA]))[0])


def score(i: float) -> float:
    """Return (Rᵢ q)ᵀ (Rⱼ k), rotated and multiplied."""
    return (f(Q, i) * f(K, J).conjugate()).real


def _multiplied_out(i):
    (a, b), (c, d) = ((np.cos(p * THETA), np.sin(p * THETA)) for p in (i, J))
    return Q @ [[a * c + b * d, b * c - a * d], [a * d - b * c, a * c + b * d]] @ K


def _angle_sums(i):
    cos, sin = np.cos((J - i) * THETA), np.sin((J - i) * THETA)
    return Q @ [[cos, -sin], [sin, cos]] @ K


def _dot_and_cross(i):
    cross = Q[0] * K[1] - Q[1] * K[0]
    return Q @ K * wave(i - J).real + cross * wave(i - J).imag


def _matrix(a, b, c, d):
    """A matrix of two rows in mathtext: two columns, each a fraction without a line."""
    left, right = (
        rf"\genfrac{{[}}{{.}}{{0}}{{0}}{{{a}}}{{{c}}}",
        rf"\genfrac{{.}}{{]}}{{0}}{{0}}{{{b}}}{{{d}}}",
    )
    return rf"{left}\;\;{right}\,"


_SCORE = Line("(R_i q)^T (R_j k)", "the score of a rotated query and key", score)
_SAME = "c_i c_j + s_i s_j"
_COS, _SIN = r"\,\cos\,(j−i)θ", r"\,\sin\,(j−i)θ"
_POLAR_SCORE = "⟨f(q,i), f(k,j)⟩\n" r"= \mathrm{Re}[q k^{*} e^{\mathrm{i}θ(%s)}]"

# Each with its lines, and the last line as people write it who make the usual mistake.
DERIVATIONS: dict[str, tuple[list[Line], Line]] = {
    "matrices": (
        [
            _SCORE,
            Line(
                "= q^T R_i^T R_j k",
                "the transpose reverses the factors",
                lambda i: Q @ matrix(i).T @ matrix(J) @ K,
            ),
            Line(
                f"= q^T {_matrix(_SAME, 's_i c_j − c_i s_j', 'c_i s_j − s_i c_j', _SAME)} k",
                "multiplied out, with c and s for cos and sin",
                _multiplied_out,
            ),
            Line(
                f"= q^T {_matrix(_COS, f'−{_SIN}', _SIN, _COS)} k",
                "the sums of angles",
                _angle_sums,
            ),
            Line("= q^T R_{j−i} k", "a rotation by j − i", lambda i: Q @ matrix(J - i) @ K),
        ],
        Line("= q^T R_{i−j} k", "i and j exchanged", lambda i: Q @ matrix(i - J) @ K),
    ),
    "complex": (
        [
            _SCORE,
            Line(
                r"= \mathrm{Re}[(q e^{\mathrm{i}θi}) (k e^{\mathrm{i}θj})^{*}]",
                "a·b is Re[a b*], and to rotate is to multiply",
                lambda i: (Q_COMPLEX * wave(i) * (K_COMPLEX * wave(J)).conjugate()).real,
            ),
            Line(
                r"= \mathrm{Re}[q k^{*} e^{\mathrm{i}θi} e^{−\mathrm{i}θj}]",
                "the conjugate rotates the other way",
                lambda i: (Q_AND_K * wave(i) * wave(-J)).real,
            ),
            Line(
                r"= \mathrm{Re}[q k^{*} e^{\mathrm{i}θ(i−j)}]",
                "exponents add",
                lambda i: (Q_AND_K * wave(i - J)).real,
            ),
            Line(
                r"= \mathrm{Re}[q k^{*}]\,\cos\,(i−j)θ"
                "\n"
                r"− \mathrm{Im}[q k^{*}]\,\sin\,(i−j)θ",
                "the real part of a product",
                lambda i: Q_AND_K.real * wave(i - J).real - Q_AND_K.imag * wave(i - J).imag,
            ),
            Line(
                r"= (q_0k_0 + q_1k_1)\,\cos\,(i−j)θ" "\n" r"+ (q_0k_1 − q_1k_0)\,\sin\,(i−j)θ",
                "q·k, and a cross term that is 0 for parallel vectors",
                _dot_and_cross,
            ),
        ],
        Line(
            r"= (q_0k_0 + q_1k_1)\,\cos\,(i−j)θ",
            "the cross term dropped",
            lambda i: Q @ K * wave(i - J).real,
        ),
    ),
    "polar": (
        [
            Line(
                "f(q,i) f(k,j)^{*}\n= f(q,i−j) f(k,0)^{*}",
                "wanted: both are g(q, k, i−j)",
                left=lambda i: f(Q, i) * f(K, J).conjugate(),
                right=lambda i: f(Q, i - J) * f(K, 0).conjugate(),
            ),
            Line(
                "|f(q,i)| = |q|",
                "norms: j = i and k = q, where f(q,0) = q",
                left=lambda i: abs(f(Q, i)),
                right=lambda i: abs(Q_COMPLEX),
            ),
            Line(
                "f(q,i) / q = f(k,i) / k",
                "angles: j = i, so all vectors rotate alike",
                left=lambda i: f(Q, i) / Q_COMPLEX,
                right=lambda i: f(K, i) / K_COMPLEX,
            ),
            Line(
                r"f(q,i) / f(q,i−1) = e^{\mathrm{i}θ}",
                "steps: j = i − 1, so every step is the same",
                left=lambda i: f(Q, i) / f(Q, i - 1),
                right=lambda i: wave(1),
            ),
            Line(
                r"f(q,i) = q e^{\mathrm{i}θi}",
                "i steps from f(q,0) = q: a rotation by iθ",
                left=lambda i: f(Q, i),
                right=lambda i: Q_COMPLEX * wave(i),
            ),
            Line(
                _POLAR_SCORE % "i−j",
                "and the score depends on i − j",
                left=score,
                right=lambda i: (Q_AND_K * wave(i - J)).real,
            ),
        ],
        Line(
            _POLAR_SCORE % "j−i",
            "i and j exchanged",
            left=score,
            right=lambda i: (Q_AND_K * wave(J - i)).real,
        ),
    ),
}


def lines_of(name: str, mistake: bool) -> list[Line]:
    """Return the lines of a derivation, with the usual mistake in the last one or without.

    Source: Su et al. 2021 (RoFormer), section 3.4.
    """
    lines, wrong = DERIVATIONS[name]
    return [*lines[:-1], wrong] if mistake else lines
