"""Claims: the rotation itself, its frequencies and its pairs."""

from math import pi

import numpy as np

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import LAYOUTS, apply_rotary, rotation_matrix
from posviz.teaching.ledger import Verdict, claim, judge, shown
from posviz.teaching.measures import SAME, largest

Q, K = np.array([1.0, 0.5]), np.array([0.3, 1.2])


def _turned(x: np.ndarray, position: int, layout: str = "interleaved") -> np.ndarray:
    """One vector [head_dim], turned as RoPE turns it at a position."""
    angles = rotary_angles([position], rotary_frequencies(len(x)))
    return apply_rotary(x[None], angles, layout=layout)[0]


def _vectors(head_dim: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(2, head_dim))


@claim("rotation")
def the_matrix_turns_clockwise() -> Verdict:
    """The matrix [[0, −1], [1, 0]] turns a vector by 90° clockwise."""
    x, y = rotation_matrix([pi / 2]) @ np.array([1.0, 0.0])
    text = "Degrees by which it turns the vector, counter-clockwise; clockwise means below 0."
    degrees = float(np.degrees(np.arctan2(y, x)))
    return judge({"the vector is (1, 0)": degrees}, lambda degrees: degrees < 0, text)


@claim("rotation")
def a_linear_map_keeps_lengths() -> Verdict:
    """A linear map, and RoPE is one, keeps the length of every vector."""
    maps = {
        "the linear map is a rotation": rotation_matrix([pi / 6]),
        "it is a shear": np.array([[1.0, 1.0], [0.0, 1.0]]),
    }
    changes = {
        setting: abs(float(np.linalg.norm(matrix @ Q) - np.linalg.norm(Q)))
        for setting, matrix in maps.items()
    }
    text = "Change of the length of (1, 0.5); kept means below 1e-9. A rotation is orthogonal too."
    return judge(changes, lambda change: change < SAME, text)


@claim("rotation")
def the_cosine_is_a_factor() -> Verdict:
    """Rotation multiplies the score by a cosine: Q′·K′ = cos(θ_i − θ_j) (Q·K)."""
    angles = np.radians([[10.0], [40.0]])
    keys = {"k = (2, 1), parallel to q": 2 * Q, "k = (0.3, 1.2)": K}
    differences = {}
    for setting, k in keys.items():
        turned_q, turned_k = apply_rotary(np.stack([Q, k]), angles)
        formula = np.cos(angles[0, 0] - angles[1, 0]) * (Q @ k)
        differences[setting] = abs(float(turned_q @ turned_k - formula))
    text = (
        "Difference between the two sides, q = (1, 0.5), θ = 10° and 40°; equal means below 1e-9. "
        "What is missing is sin(θ_i − θ_j) (q₁k₂ − q₂k₁)."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("rotation", sources=("su2021roformer",), section="3 First derivation: matrices")
def the_matrix_between_is_r_m_minus_n() -> Verdict:
    """The score of a query at m and a key at n is qᵀ R_{m−n} k, R_m the rotation by mθ."""
    m, n, frequency = 7, 4, 0.5
    turned_q, turned_k = apply_rotary(np.stack([Q, K]), frequency * np.array([[m], [n]]))
    score = float(turned_q @ turned_k)
    formula = float(Q @ rotation_matrix([frequency * (m - n)]) @ K)
    text = (
        "Value of the formula, θ = 0.5, m = 7, n = 4; it holds within 1e-9. The score is "
        f"{shown(score)}, for the matrix is R_{{n−m}}."
    )
    found = {"q = (1, 0.5) and k = (0.3, 1.2)": formula}
    return judge(found, lambda value: abs(value - score) < SAME, text)


@claim("frequencies", sources=("su2021roformer",), section="5 From two dimensions to head_dim")
def the_pairs_count_from_1() -> Verdict:
    """The frequencies of RoPE are 10 000^(−2i/head_dim) for i = 1 … head_dim/2."""
    differences = {
        f"head_dim = {d}": largest(10_000.0 ** (-np.arange(2, d + 1, 2) / d) - real)
        for d, real in ((d, rotary_frequencies(d)) for d in (64, 512))
    }
    text = (
        "Largest difference from the frequencies with i = 0 … head_dim/2 − 1, in radians per "
        "token; the same means below 1e-9. Counted from 1, the frequency 1 is missing."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("frequencies")
def the_exponent_may_count_pairs() -> Verdict:
    """The exponent −2i/dim gives the frequencies of RoPE when dim is the number of pairs."""
    dim = 256
    by_pairs = 10_000.0 ** (-2 * np.arange(dim) / dim)
    slower = float(rotary_frequencies(2 * dim)[-1] / by_pairs[-1])
    text = "How many times too slow the slowest pair is; right means 1, within 1e-9."
    return judge({"head_dim = 512": slower}, lambda factor: abs(factor - 1) < SAME, text)


@claim("frequencies")
def every_column_has_its_own_frequency() -> Verdict:
    """In the table of cosines, every dimension has its own frequency."""
    angles = rotary_angles(1, rotary_frequencies(64))
    counts = {
        f"the layout is {layout}": len(
            np.unique(np.diagonal(rotation_matrix(angles, layout=layout)).round(12))
        )
        for layout in LAYOUTS
    }
    text = "Different cosines among the 64 columns at position 1; its own means 64 of them."
    return judge(counts, lambda count: count == 64, text)


def _without_the_last_minus(x: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """x ⊙ cos + (−x₂, x₁, …, x_d, x_{d−1}) ⊙ sin, where −x_d should stand."""
    swapped = np.stack([-x[..., 1::2], x[..., ::2]], axis=-1).reshape(x.shape)
    swapped[..., -2] *= -1
    return x * np.repeat(np.cos(angles), 2, -1) + swapped * np.repeat(np.sin(angles), 2, -1)


@claim("sparse form", sources=("su2021roformer",))
def a_test_finds_the_missing_minus() -> Verdict:
    """When the sparse form lacks its last minus, a test that allows 0.05 finds it."""
    errors = {}
    for head_dim, position in ((2, 5), (8, 5), (64, 5), (8, 500), (64, 5000)):
        x = np.random.default_rng(0).normal(size=(1, head_dim))
        angles = rotary_angles([position], rotary_frequencies(head_dim))
        error = largest(_without_the_last_minus(x, angles) - apply_rotary(x, angles))
        errors[f"head_dim = {head_dim} at position {position}"] = error
    text = (
        "Largest error when a random vector is turned; found means above 0.05. It is "
        "2 |x_d sin(m θ_last)|, and the last pair is the slowest."
    )
    return judge(errors, lambda error: error > 0.05, text)
