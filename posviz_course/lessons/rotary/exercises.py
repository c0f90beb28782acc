"""Exercises of RoPE: rotate a head, compute its scores, find the matrix between q and k."""

from functools import partial

import numpy as np

from posviz.attention import softmax
from posviz.encodings.rotary import change_layout, rotation_matrix
from posviz.teaching.mistakes import (
    BASE_100,
    BASE_IGNORED,
    DEGREES,
    ODD_NUMERATORS,
    PAIRS_FROM_1,
    POSITIONS_IGNORED,
    WHOLE_EXPONENTS,
    answer,
    argument,
    looks_like,
    step,
    wrong,
)
from posviz_course.lesson_checker import LessonChecker

ONE_MINUS = (
    "You have two minus signs, and only the first of a pair needs one: (x, y) becomes "
    "(x cos − y sin, x sin + y cos)."
)
TOLERANCE = 1e-3  # computed in float32, an angle of 1000 radians is off by up to 1e-4


def vectors(rng, *shape):
    """Return numbers below 1, so that the tolerance means the same for every rotated vector."""
    return rng.uniform(-1, 1, size=shape)


def power_of(width):
    """Return the exponent of the base for each column, [width]: −2k/width in both of pair k."""
    return -np.arange(0, width, 2).repeat(2) / width


def tiled(width):
    """Return the exponents of the base in the order of half_split, [width]."""
    return np.tile(power_of(width)[::2], 2)


def partners(x, minus=-1):
    """Return of each column the other one of its pair, [−x₁, x₀, −x₃, x₂, …], [len, head_dim]."""
    return np.stack([minus * x[:, 1::2], x[:, ::2]], axis=-1).reshape(x.shape)


def rotate_half(x):
    """Return the partners of the other layout, [−x[d/2], …, x₀, …], [len, head_dim]."""
    first, second = np.split(x, 2, axis=1)
    return np.hstack([-second, first])


def rotated(x, positions, base, *, layout="interleaved", power=power_of, partner=partners):
    """Rotate pairs of x [len, head_dim] by positions [len] · base^(−2k/head_dim): the same shape.

    Source: Su et al. 2021 (RoFormer), equation 34.
    """
    x = change_layout(x, source=layout, target="interleaved")
    angles = np.outer(positions, base ** power(x.shape[1]))
    out = x * np.cos(angles) + partner(x) * np.sin(angles)
    return change_layout(out, source="interleaved", target=layout)


def overwritten(x, positions, base):
    """Rotate as code does that writes the first of a pair before it computes the second."""
    out = rotated(x, positions, base)
    angles = np.outer(positions, base ** power_of(x.shape[1])[::2])
    out[:, 1::2] = out[:, ::2] * np.sin(angles) + x[:, 1::2] * np.cos(angles)
    return out


def wave_added(x, positions, base):
    """Add the sine and cosine of each pair's angle, as a table of sinusoids does."""
    angles = np.outer(positions, base ** power_of(x.shape[1]))
    return x + np.where(np.arange(x.shape[1]) % 2, np.cos(angles), np.sin(angles))


def minus_twice(x, positions, base):
    """Return x cos − y sin and x sin − y cos for each pair (x, y)."""
    out = rotated(x, positions, base)
    out[:, 1::2] = -rotated(x, -positions, base)[:, 1::2]
    return out


def rotary_inputs(rng, size):
    """Return x, positions and base; more tokens than pairs, so that angles [pairs, len] fail."""
    positions = rng.choice(2 ** (size + 3), size=size + 1, replace=False)
    return vectors(rng, size + 1, 2 * size), positions, float(rng.choice([100, 1_234.5, 10_000]))


check_apply_rotary = LessonChecker(
    "RoPE",
    rotated,
    rotary_inputs,
    edges=[
        # The first position, and equal ones.
        (np.arange(1, 13).reshape(3, 4) / 20, np.array([0, 3, 3]), 100.0),
        (np.array([[0.6, 0.8, 0.5, 0.1]]), np.array([2]), 10_000.0),  # one token
    ],
    tolerance=TOLERANCE,
    mistakes=[
        step("exponent doubled",
            "Your pairs slow down too fast: the exponent of pair n is 2n/head_dim, and 2n is "
            "already the dimension index, so do not double it again.",
            power=lambda width: 2 * power_of(width)),
        step("exponent halved",
            "Your slow pairs rotate too fast: your exponent is n/head_dim. It should be "
            "2n/head_dim, because pair n begins at dimension 2n.",
            power=lambda width: power_of(width) / 2),
        step("minus missing",
            "Your angles grow from pair to pair; they should shrink. Give the exponent of base "
            "its minus sign.", power=lambda width: -power_of(width)),
        step("pairs from 1", PAIRS_FROM_1, power=lambda width: power_of(width) - 2 / width),
        step("odd numerators", ODD_NUMERATORS, power=lambda width: power_of(width) - 1 / width),
        step("odd numerators from −1", ODD_NUMERATORS,
            power=lambda width: power_of(width) + 1 / width),
        step("integer division", WHOLE_EXPONENTS, power=np.zeros),
        step("integer division after the minus", WHOLE_EXPONENTS,
            power=lambda width: np.floor(power_of(width))),
        step("a frequency for every column",
            "You gave every column a frequency of its own, so norms change. The two "
            "columns of a pair rotate by one angle: the exponent is 2n/head_dim for columns 2n and "
            "2n+1.", power=lambda width: -np.arange(width) / width),
        step("pairs from two halves",
            "Your pairs are columns n and n + head_dim/2, one from each half of the columns. Here "
            "neighbours are a pair, columns 2n and 2n+1: take x[:, ::2] and x[:, 1::2].",
            layout="half_split"),
        step("two layouts mixed",
            "Your cosines and sines are those of neighbours, but the partners come from the other "
            "half, as in rotate_half. Let columns 2n and 2n+1 be partners of each other.",
            partner=rotate_half),
        step("angles in two halves",
            "Your partners are neighbours, but the cosines and sines are laid out for two halves. "
            "Columns 2n and 2n+1 need the same angle: np.repeat(angles, 2, axis=1).", power=tiled),
        answer("output concatenated", lambda y: np.hstack([y[:, ::2], y[:, 1::2]]),
            "You rotated the pairs, but wrote all first halves and then all second halves. Put "
            "each pair back where you took it from: out[:, ::2] and out[:, 1::2]."),
        argument("sign of the sine",
            "You rotated clockwise. A pair (x, y) becomes (x cos − y sin, x sin + y cos): swap "
            "the signs of your two sines.", positions=lambda positions: -positions),
        step("minus of the sine missing",
            "You lack a minus: the first of a pair becomes x cos − y sin. With a plus the pair "
            "is not rotated, and its norm changes.", partner=partial(partners, minus=1)),
        step("minus at both sines", ONE_MINUS, partner=lambda x: -partners(x, minus=1)),
        wrong("minus in both", minus_twice, ONE_MINUS),
        answer("reflected", lambda y: y * np.tile([1, -1], y.shape[1] // 2),
            "You reflected each pair: the second has the wrong sign. A pair (x, y) becomes "
            "(x cos − y sin, x sin + y cos)."),
        step("cosines alone",
            "You multiplied by the cosines alone. A rotation mixes the two of a pair: "
            "(x, y) becomes (x cos − y sin, x sin + y cos).", partner=np.zeros_like),
        wrong("waves added", wave_added,
            "You added the sines and cosines, as a table of sinusoids does. RoPE multiplies by "
            "them: (x, y) becomes (x cos − y sin, x sin + y cos)."),
        wrong("overwritten too soon", overwritten,
            "You overwrote the first of each pair and then used it for the second. Keep both of "
            "the old values, or write into a new array."),
        argument("positions from 1",
            "You counted positions from 1: use them as they are given, from 0 on.",
            positions=lambda positions: positions + 1),
        DEGREES,
        POSITIONS_IGNORED,
        BASE_IGNORED,
        BASE_100,
    ],
)


rotated_in_halves = partial(rotated, layout="half_split")


def not_rotated(x, positions, base):
    """Return x [len, head_dim] as it is."""
    return x


def head_scores(x, w_q, w_k, positions, base, *, at_query=rotated, at_key=rotated):
    """Return scores [len, len] of x [len, d_model], w_q and w_k [d_model, head_dim]; no softmax."""
    q, k = at_query(x @ w_q, positions, base), at_key(x @ w_k, positions, base)
    return q @ k.T / np.sqrt(q.shape[1])


def rotated_first(x, w_q, w_k, positions, base):
    """Return the scores of embeddings that are rotated before they are projected."""
    x = rotated(x, positions, base)
    return (x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1])


def scores_inputs(rng, size):
    """Return x, w_q, w_k, positions and base; d_model is not head_dim, and even."""
    d_model, head_dim = 2 * size + 2, 4 + 2 * (size % 2)
    projections = rng.normal(size=(2, d_model, head_dim))
    positions = rng.choice(50, size=size + 1, replace=False)
    base = float(rng.choice([100, 1_234.5]))
    return vectors(rng, size + 1, d_model), *projections, positions, base


def scores_edge(*positions):
    """Return the inputs with these positions; d_model is 2, so that few lines show them."""
    x, w_q, w_k, _, base = scores_inputs(np.random.default_rng(0), 2)
    return x[: len(positions), :2], w_q[:2], w_k[:2], np.array(positions), base


check_rotary_scores = LessonChecker(
    "The scores of a head with RoPE",
    head_scores,
    scores_inputs,
    # The first position, equal ones, one token; the fewest lines first.
    edges=[scores_edge(0, 2), scores_edge(0, 2, 2), scores_edge(3)],
    tolerance=TOLERANCE,
    mistakes=[
        wrong("rotated before projection", rotated_first,
            "You rotated x before you projected it. A projection mixes the pairs, so the score no "
            "longer depends on the offset alone: project first, then rotate q and k."),
        answer("1/√head_dim missing", lambda y, w_q: y * np.sqrt(w_q.shape[1]),
            "You forgot to divide the scores by √head_dim. A rotation keeps norms, so RoPE "
            "does not change the scale."),
        answer("divided by √d_model", lambda y, x, w_q: y * np.sqrt(w_q.shape[1] / x.shape[1]),
            "You divided the scores by √d_model. The sum in q·k has head_dim terms: divide by "
            "√head_dim, the width of the queries and keys."),
        answer("divided by head_dim", lambda y, w_q: y / np.sqrt(w_q.shape[1]),
            "You divided the scores by head_dim; divide by its square root, the standard "
            "deviation of a sum of head_dim products."),
        step("pairs from two halves",
            "Your pairs are columns n and n + head_dim/2, one from each half of the columns. Here "
            "neighbours are a pair, columns 2n and 2n+1.",
            at_query=rotated_in_halves, at_key=rotated_in_halves),
        step("nothing rotated",
            "You rotated neither queries nor keys, so positions make no difference. Rotate both, "
            "after the projection.", at_query=not_rotated, at_key=not_rotated),
        step("only the queries rotated",
            "You rotated the queries alone, so the score depends on the query's position, "
            "whatever the key's is. Rotate the keys too, each by its own position.",
            at_key=not_rotated),
        step("keys rotated the other way",
            "You rotated the keys backwards, so the score depends on i + j. Rotate both the same "
            "way: the product itself makes the difference i − j.",
            at_key=lambda x, positions, base: rotated(x, -positions, base)),
        argument("both rotated clockwise",
            "You rotated queries and keys clockwise. Check the signs of the sines in your "
            "rotation, which may be my_rotary of exercise 1.",
            positions=lambda positions: -positions),
        answer("masked", lambda y: np.where(np.tri(len(y), dtype=bool), y, -np.inf),
            "You masked the future keys. No mask is asked for here: return the scores of all "
            "pairs."),
        answer("softmax", softmax,
            "You applied the softmax, so you have weights. Return the scores that go into it."),
        answer("transposed", lambda y: y.T,
            "Your scores are transposed: row i belongs to query i. Compute q @ k.T, not k @ q.T, "
            "and make q with w_q, k with w_k."),
        POSITIONS_IGNORED,
        BASE_IGNORED,
        BASE_100,
    ],
)


def matrix_between(*, offset=4 - 7, inv_freq=0.5, radians=float) -> np.ndarray:
    """Return the matrix R [2, 2] of the score qᵀRk: query at 7, key at 4, 0.5 radians per token."""
    return rotation_matrix([radians(offset * inv_freq)])


def is_no_rotation(matrix):
    """Tell whether a matrix [2, 2] changes lengths or mirrors."""
    back_and_forth = matrix.T @ matrix
    return not np.allclose(back_and_forth, np.eye(2), atol=0.05) or np.linalg.det(matrix) < 0


check_slip = LessonChecker(
    "The matrix between q and k",
    matrix_between,
    tolerance=TOLERANCE,  # three digits after the point are enough
    mistakes=[
        step("i − j instead of j − i",
            "That is R at i − j, a common mistake. The rotation of the query is transposed, so it "
            "goes back by i, and the key's goes on by j: R rotates by (j − i) · 0.5.",
            offset=7 - 4),
        step("i + j",
            "You added the two rotations. (R_i q)ᵀ is qᵀR_iᵀ, and R_iᵀ rotates back by i: what is "
            "left is the difference j − i.", offset=4 + 7),
        step("degrees",
            "You took the angle for degrees. It is in radians, as np.cos and np.sin want it: do "
            "not convert it.", radians=np.radians),
        step("sine and cosine swapped",
            "You swapped sine and cosine. In a rotation both cosines are on the diagonal: "
            "[[cos, −sin], [sin, cos]].", radians=lambda angle: np.pi / 2 - angle),
        step("inv_freq forgotten",
            "You rotated by a number of positions. A token rotates by inv_freq = 0.5 radians for "
            "each position: multiply j − i by it.", inv_freq=1),
        step("the query's matrix",
            "That is the rotation of the query alone, R_i. Multiply R_iᵀ by R_j, that of the key.",
            offset=7),
        step("the key's matrix",
            "That is the rotation of the key alone, R_j. Multiply R_iᵀ, the query's transposed, "
            "by it.", offset=4),
        looks_like("identity", lambda matrix: np.allclose(matrix, np.eye(2), atol=TOLERANCE),
            "That is the identity, which rotates by 0. The query and the key have different "
            "positions, so what is left between them is a rotation by (j − i) · 0.5."),
        looks_like("no rotation", is_no_rotation,
            "That matrix is no rotation, and R is one: [[cos, −sin], [sin, cos]] of one angle. "
            "Both cosines are the same, and the two sines have opposite signs."),
    ],
)
