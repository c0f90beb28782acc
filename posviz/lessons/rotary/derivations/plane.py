"""RoPE derived for one pair of dimensions: the score, its functional equation, and the order."""

from __future__ import annotations

import numpy as np

from posviz.lessons.rotary.derivations.chain import Derivation, Line
from posviz.lessons.rotary.derivations.setting import Setting

# Two projections that no rotation may pass.
W_Q = np.array([(0.9, 0.2), (0.1, -0.3)])
W_K = np.array([(0.2, 0.3), (-0.4, 0.9)])
FURTHER = 10  # tokens by which query and key are both moved


def _multiplied_out(s: Setting) -> float:
    (a, b), (c, d) = ((np.cos(p * s.inv_freq), np.sin(p * s.inv_freq)) for p in (s.m, s.n))
    return s.q @ [[a * c + b * d, b * c - a * d], [a * d - b * c, a * c + b * d]] @ s.k


def _angle_sums(s: Setting) -> float:
    cos, sin = np.cos(-s.offset_angle), np.sin(-s.offset_angle)
    return s.q @ [[cos, -sin], [sin, cos]] @ s.k


_matrices = (
    Line("(Rₘ q)ᵀ (Rₙ k)", lambda s: s.score, why="the score of a rotated query and key"),
    Line(
        "= qᵀ Rₘᵀ Rₙ k",
        lambda s: s.q @ s.r(s.m).T @ s.r(s.n) @ s.k,
        why="the transpose of a product is turned round",
    ),
    Line(
        "= qᵀ [[cₘcₙ + sₘsₙ, sₘcₙ − cₘsₙ],\n     [cₘsₙ − sₘcₙ, cₘcₙ + sₘsₙ]] k",
        _multiplied_out,
        why="multiplied out, with c for cos and s for sin of mθ and nθ",
    ),
    Line(
        "= qᵀ [[cos (n−m)θ, −sin (n−m)θ],\n     [sin (n−m)θ, cos (n−m)θ]] k",
        _angle_sums,
        why="the sums of angles",
    ),
    Line("= qᵀ Rₙ₋ₘ k", lambda s: s.q @ s.r(s.n - s.m) @ s.k, why="which is a rotation by n − m"),
)
MATRICES = Derivation(
    "RoPE's score, with matrices",
    _matrices,
    {
        "sign": (
            *_matrices[:4],
            Line("= qᵀ Rₘ₋ₙ k", lambda s: s.q @ s.r(s.m - s.n) @ s.k, why="m and n exchanged"),
        ),
        "transpose": (
            _matrices[0],
            Line(
                "= qᵀ Rₘ Rₙ k",
                lambda s: s.q @ s.r(s.m) @ s.r(s.n) @ s.k,
                why="the transpose forgotten",
            ),
            Line("= qᵀ Rₘ₊ₙ k", lambda s: s.q @ s.r(s.m + s.n) @ s.k, why="angles add"),
        ),
    },
    uses=("q", "k", "m", "n", "inv_freq"),
)


def _turn(s: Setting, position: float) -> complex:
    return np.exp(1j * position * s.inv_freq)


_complex = (
    Line("(Rₘ q)ᵀ (Rₙ k)", lambda s: s.score, why="the score of a rotated query and key"),
    Line(
        "= Re[(q e^(imθ)) (k e^(inθ))*]",
        lambda s: (
            (complex(*s.q) * _turn(s, s.m) * (complex(*s.k) * _turn(s, s.n)).conjugate()).real
        ),
        why="a·b is Re[a b*], and rotating is multiplying by e^(imθ)",
    ),
    Line(
        "= Re[q k* e^(imθ) e^(−inθ)]",
        lambda s: (s.q_and_k * _turn(s, s.m) * _turn(s, -s.n)).real,
        why="the conjugate turns the other way",
    ),
    Line(
        "= Re[q k* e^(i(m−n)θ)]",
        lambda s: (s.q_and_k * _turn(s, s.m - s.n)).real,
        why="exponents add",
    ),
    Line(
        "= Re[q k*] cos (m−n)θ\n   − Im[q k*] sin (m−n)θ",
        lambda s: s.q_and_k.real * np.cos(s.offset_angle) - s.q_and_k.imag * np.sin(s.offset_angle),
        why="the real part of a product",
    ),
    Line(
        "= (q₀k₀ + q₁k₁) cos (m−n)θ\n   + (q₀k₁ − q₁k₀) sin (m−n)θ",
        lambda s: (
            (s.q[0] * s.k[0] + s.q[1] * s.k[1]) * np.cos(s.offset_angle)
            + (s.q[0] * s.k[1] - s.q[1] * s.k[0]) * np.sin(s.offset_angle)
        ),
        why="q·k, and the cross term that is 0 for parallel q and k",
    ),
)
COMPLEX = Derivation(
    "RoPE's score, with complex numbers",
    _complex,
    {
        "cross": (
            *_complex[:5],
            Line(
                "= (q₀k₀ + q₁k₁) cos (m−n)θ",
                lambda s: s.q @ s.k * np.cos(s.offset_angle),
                why="the cross term dropped",
            ),
        ),
        "conjugate": (
            _complex[0],
            Line(
                "= Re[(q e^(imθ)) (k e^(inθ))]",
                lambda s: (complex(*s.q) * _turn(s, s.m) * complex(*s.k) * _turn(s, s.n)).real,
                why="the conjugate forgotten",
            ),
            Line(
                "= Re[q k e^(i(m+n)θ)]",
                lambda s: (complex(*s.q) * complex(*s.k) * _turn(s, s.m + s.n)).real,
                why="exponents add",
            ),
        ),
    },
    uses=("q", "k", "m", "n", "inv_freq"),
)

_score_of_f = "⟨f(q,m), f(k,n)⟩"
_polar = (
    Line(
        "f(q,m) f(k,n)*\n   = f(q,m−n) f(k,0)*",
        left=lambda s: s.f(s.q, s.m) * s.f(s.k, s.n).conjugate(),
        right=lambda s: s.f(s.q, s.m - s.n) * s.f(s.k, 0).conjugate(),
        why="wanted: both are g(q, k, m−n), and the score is the real part",
    ),
    Line(
        "|f(q,m)| |f(k,m)| = |q| |k|",
        left=lambda s: abs(s.f(s.q, s.m)) * abs(s.f(s.k, s.m)),
        right=lambda s: np.hypot(*s.q) * np.hypot(*s.k),
        why="lengths for n = m, where g is that of offset 0, and f(q,0) = q",
    ),
    Line(
        "|f(q,m)| = |q|",
        left=lambda s: abs(s.f(s.q, s.m)),
        right=lambda s: np.hypot(*s.q),
        why="the same with k = q",
    ),
    Line(
        "Θ[f(q,m)] − Θ[f(k,m)]\n   = Θ[q] − Θ[k]",
        left=lambda s: np.angle(s.f(s.q, s.m)) - np.angle(s.f(s.k, s.m)),
        right=lambda s: np.angle(complex(*s.q)) - np.angle(complex(*s.k)),
        why="phases for n = m",
        angle=True,
    ),
    Line(
        "Θ[f(q,m)] − Θ[q]\n   = Θ[f(k,m)] − Θ[k]",
        left=lambda s: s.phase(s.q, s.m),
        right=lambda s: s.phase(s.k, s.m),
        why="so a phase φ(m) is added, the same for q and k",
        angle=True,
    ),
    Line(
        "φ(m) − φ(m−1) = φ(1)",
        left=lambda s: s.phase(s.q, s.m) - s.phase(s.q, s.m - 1),
        right=lambda s: s.phase(s.q, 1),
        why="phases for n = m − 1, where g is that of offset 1 whatever m is",
        angle=True,
    ),
    Line(
        "φ(m) = mθ",
        left=lambda s: s.phase(s.q, s.m),
        right=lambda s: s.m * s.inv_freq,
        why="m equal steps from φ(0) = 0, each of them called θ",
        angle=True,
    ),
    Line(
        "f(q,m) = |q| e^(i(Θ[q] + mθ))",
        left=lambda s: s.f(s.q, s.m),
        right=lambda s: np.hypot(*s.q) * np.exp(1j * (np.angle(complex(*s.q)) + s.m * s.inv_freq)),
        why="length and phase together",
    ),
    Line("= q e^(imθ)", lambda s: complex(*s.q) * _turn(s, s.m), why="a rotation by mθ"),
    Line(
        f"{_score_of_f}\n   = Re[q k* e^(i(m−n)θ)]",
        left=lambda s: s.score,
        right=lambda s: (s.q_and_k * _turn(s, s.m - s.n)).real,
        why="and the score depends on m − n",
    ),
)
POLAR = Derivation(
    "The functional equation, solved in polar form",
    _polar,
    {
        "conjugate": (
            *_polar[:9],
            Line(
                f"{_score_of_f}\n   = Re[q k e^(i(m+n)θ)]",
                left=lambda s: s.score,
                right=lambda s: (complex(*s.q) * complex(*s.k) * _turn(s, s.m + s.n)).real,
                why="the conjugate forgotten",
            ),
        ),
        "sign": (
            *_polar[:9],
            Line(
                f"{_score_of_f}\n   = Re[q k* e^(i(n−m)θ)]",
                left=lambda s: s.score,
                right=lambda s: (s.q_and_k * _turn(s, s.n - s.m)).real,
                why="m and n exchanged",
            ),
        ),
    },
    uses=("q", "k", "m", "n", "inv_freq"),
    note=(
        "A solution, not the only one: every θ will do, two functions for q and k may grow and\n"
        "shrink against each other (xPos), and in more dimensions other rotations that commute."
    ),
)


def _projected(s: Setting, further: float = 0) -> float:
    q, k = s.turned(W_Q @ s.q, s.m + further), s.turned(W_K @ s.k, s.n + further)
    return q @ k


def _rotated_first(s: Setting, further: float = 0) -> float:
    q, k = W_Q @ s.turned(s.q, s.m + further), W_K @ s.turned(s.k, s.n + further)
    return q @ k


_order = (
    Line("(Rₘ W_Q x)ᵀ (Rₙ W_K y)", _projected, why="tokens x and y, projected, then rotated"),
    Line(
        "= (W_Q x)ᵀ Rₘᵀ Rₙ (W_K y)",
        lambda s: (W_Q @ s.q) @ s.r(s.m).T @ s.r(s.n) @ (W_K @ s.k),
        why="the two rotations stand side by side",
    ),
    Line(
        "= (W_Q x)ᵀ Rₙ₋ₘ (W_K y)",
        lambda s: (W_Q @ s.q) @ s.r(s.n - s.m) @ (W_K @ s.k),
        why="so that they join into one",
    ),
    Line(
        "= (Rₘ₊₁₀ W_Q x)ᵀ (Rₙ₊₁₀ W_K y)",
        lambda s: _projected(s, FURTHER),
        why="the same offset ten tokens further on",
    ),
)
ORDER = Derivation(
    "Project, then rotate",
    _order,
    {
        "rotate first": (
            Line(
                "(W_Q Rₘ x)ᵀ (W_K Rₙ y)",
                _rotated_first,
                why="tokens x and y, rotated, then projected",
            ),
            Line(
                "= xᵀ Rₘᵀ W_Qᵀ W_K Rₙ y",
                lambda s: s.q @ s.r(s.m).T @ W_Q.T @ W_K @ s.r(s.n) @ s.k,
                why="the projections stand between the two rotations",
            ),
            Line(
                "= (W_Q Rₘ₊₁₀ x)ᵀ (W_K Rₙ₊₁₀ y)",
                lambda s: _rotated_first(s, FURTHER),
                why="the same offset ten tokens further on",
            ),
        ),
        "query alone": (
            *_order[:3],
            Line(
                "= (Rₘ₊₁₀ W_Q x)ᵀ (Rₙ W_K y)",
                lambda s: s.turned(W_Q @ s.q, s.m + FURTHER) @ s.turned(W_K @ s.k, s.n),
                why="only the query is ten tokens further on",
            ),
        ),
    },
    uses=("q", "k", "m", "n", "inv_freq"),
    note="Here q and k give the entries of the tokens x and y.",
)
