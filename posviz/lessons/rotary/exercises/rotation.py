"""Exercises: write RoPE, and spot the slip in a derivation."""

import numpy as np

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary, change_layout, rotation_matrix
from posviz.teaching.checker import Checker

TOLERANCE = 1e-3  # computed in float32, an angle of 1000 radians is off by up to 1e-4


def vectors(rng, *shape):
    """Return numbers below 1, so that the tolerance means the same for every turned vector."""
    return rng.uniform(-1, 1, size=shape)


def turn(x, positions, base, layout="interleaved"):
    """Return x [len, head_dim] turned by its positions: RoPE, with frequencies from the base."""
    angles = rotary_angles(positions, rotary_frequencies(x.shape[1], base))
    return apply_rotary(x, angles, layout=layout)


def _rotary_inputs(rng, size):
    positions = rng.choice(2 ** (size + 3), size=size + 1, replace=False)
    # More tokens than pairs, so that angles [pairs, len] do not fit.
    return vectors(rng, size + 1, 2 * size), positions, float(rng.choice([100, 1_000, 10_000]))


def _rope(x, positions, base):
    return turn(x, positions, base)


# The answer is a function (x [len, head_dim], positions [len], base) -> turned x [len, head_dim],
# with the layout "interleaved".
check_apply_rotary = Checker(
    "RoPE",
    reference=_rope,
    inputs=_rotary_inputs,
    edges=[
        # The first position, and equal ones.
        (np.arange(1, 13).reshape(3, 4) / 20, np.array([0, 3, 3]), 100.0),
        (np.array([[0.6, 0.8, 0.5, 0.1]]), np.array([2]), 10_000.0),  # one token
    ],
    tolerance=TOLERANCE,
)


def _exponents(x):
    """2i/head_dim for each pair i."""
    return np.arange(0, x.shape[1], 2) / x.shape[1]


def _sparse(x, angles, sign=-1):
    """The sparse form: x times the cosines, and the partners times the sines of every column."""
    partners = np.empty_like(x)
    partners[:, ::2], partners[:, 1::2] = sign * x[:, 1::2], x[:, ::2]
    return x * np.cos(angles) + partners * np.sin(angles)


def _angles_by_column(x, positions, base):
    return np.repeat(rotary_angles(positions, rotary_frequencies(x.shape[1], base)), 2, axis=1)


@check_apply_rotary.mistake("exponent doubled")
def _(x, positions, base):
    """Your pairs slow down too fast: the exponent of pair i is 2i/head_dim, and 2i is already the
    dimension index, so do not double it again."""
    return apply_rotary(x, rotary_angles(positions, base ** (-2 * _exponents(x))))


@check_apply_rotary.mistake("exponent halved")
def _(x, positions, base):
    """Your exponent is half of what it should be: pair i begins at dimension 2i, so divide 2i by
    head_dim, not i."""
    return apply_rotary(x, rotary_angles(positions, base ** (-_exponents(x) / 2)))


@check_apply_rotary.mistake("not divided by head_dim")
def _(x, positions, base):
    """Your exponent of pair i is −2i, so all pairs but the first hardly turn: divide it by
    head_dim."""
    return apply_rotary(x, rotary_angles(positions, base ** (-_exponents(x) * x.shape[1])))


@check_apply_rotary.mistake("half_split instead of interleaved")
def _(x, positions, base):
    """You paired dimension i with i + head_dim/2, the layout half_split. Here neighbours are a
    pair, 2i and 2i+1: take x[:, ::2] and x[:, 1::2]."""
    pairs = change_layout(x, source="half_split", target="interleaved")
    return change_layout(_rope(pairs, positions, base), source="interleaved", target="half_split")


@check_apply_rotary.mistake("sign of the sine")
def _(x, positions, base):
    """You turned clockwise. A pair (x, y) turns to (x cos − y sin, x sin + y cos): swap the signs
    of your two sines."""
    return _rope(x, -positions, base)


@check_apply_rotary.mistake("output concatenated")
def _(x, positions, base):
    """You turned the right pairs, but wrote all first halves and then all second halves. Put each
    pair back where you took it from: out[:, ::2] and out[:, 1::2]."""
    turned = _rope(x, positions, base)
    return change_layout(turned, source="interleaved", target="half_split")


@check_apply_rotary.mistake("halves read, neighbours written")
def _(x, positions, base):
    """You read pairs from the two halves of x and wrote them as neighbours. Read neighbours too:
    x[:, ::2] and x[:, 1::2]."""
    turned = turn(x, positions, base, layout="half_split")
    return change_layout(turned, source="half_split", target="interleaved")


@check_apply_rotary.mistake("two layouts mixed")
def _(x, positions, base):
    """Your cosines and sines stand for neighbours, but the partners come from the other half, as
    in rotate_half. Let columns 2i and 2i+1 be partners of each other."""
    first, second = np.split(x, 2, axis=1)
    angles = _angles_by_column(x, positions, base)
    return x * np.cos(angles) + np.hstack([-second, first]) * np.sin(angles)


@check_apply_rotary.mistake("nothing turned")
def _(x, positions, base):
    """You returned x as it was: turn each pair of columns, 2i and 2i+1, by position ·
    base^(−2i/head_dim)."""
    return x


@check_apply_rotary.mistake("positions ignored")
def _(x, positions, base):
    """You turned row by row by 0, 1, 2, …: use the positions that are given, whatever they are."""
    return _rope(x, np.arange(len(x)), base)


@check_apply_rotary.mistake("positions from 1")
def _(x, positions, base):
    """You turned every row one position too far. Use the positions as they are given: what stands
    at position 0 does not turn."""
    return _rope(x, positions + 1, base)


@check_apply_rotary.mistake("pairs from 1")
def _(x, positions, base):
    """You counted the pairs from 1: i runs from 0 to head_dim/2 − 1, and pair 0 turns by one
    radian per token."""
    step = 2 / x.shape[1]
    return apply_rotary(x, rotary_angles(positions, base ** -(_exponents(x) + step)))


@check_apply_rotary.mistake("one angle for all pairs")
def _(x, positions, base):
    """You turned all pairs by one angle, the position: multiply it by base^(−2i/head_dim), so that
    each pair has a speed of its own."""
    return apply_rotary(x, rotary_angles(positions, np.ones_like(_exponents(x))))


@check_apply_rotary.mistake("a frequency for every column")
def _(x, positions, base):
    """You gave every column a frequency of its own, so lengths are not kept. The two columns of a
    pair turn by one angle: the exponent is 2i/head_dim for columns 2i and 2i+1."""
    columns = np.arange(x.shape[1]) / x.shape[1]
    return _sparse(x, rotary_angles(positions, base**-columns))


@check_apply_rotary.mistake("column number as i")
def _(x, positions, base):
    """You put the number of the column for i in 2i/head_dim: i is the number of the pair, and both
    of its columns turn by the same angle."""
    columns = 2 * np.arange(x.shape[1]) / x.shape[1]
    return _sparse(x, rotary_angles(positions, base**-columns))


@check_apply_rotary.mistake("base ignored")
def _(x, positions, base):
    """You wrote 10000 into the formula: use the argument base, which is not always 10000."""
    return _rope(x, positions, 10_000)


@check_apply_rotary.mistake("base and head_dim swapped")
def _(x, positions, base):
    """You swapped base and head_dim: base is what is raised to the power, head_dim divides 2i."""
    width = float(x.shape[1])
    return apply_rotary(x, rotary_angles(positions, width ** (-_exponents(x) * width / base)))


@check_apply_rotary.mistake("minus of the exponent missing")
def _(x, positions, base):
    """Your pairs turn faster and faster; they should slow down. Give the exponent of base its
    minus sign."""
    return apply_rotary(x, rotary_angles(positions, base ** _exponents(x)))


@check_apply_rotary.mistake("minus of the sine missing")
def _(x, positions, base):
    """You lack a minus: the first of a pair becomes x cos − y sin. With a plus the pair is not
    turned, and its length changes."""
    return _sparse(x, _angles_by_column(x, positions, base), sign=1)


@check_apply_rotary.mistake("minus missing in the last pair")
def _(x, positions, base):
    """Your last pair lacks its minus; all others are right. There too the first becomes
    x cos − y sin: the last pair turns slowly, so this hides at small positions."""
    turned = _rope(x, positions, base)
    wrong = _sparse(x, _angles_by_column(x, positions, base), sign=1)
    return np.hstack([turned[:, :-2], wrong[:, -2:]])


@check_apply_rotary.mistake("overwritten too soon")
def _(x, positions, base):
    """You overwrote the first of each pair and then used it for the second. Keep both of the old
    values, or write into a new array."""
    angles = rotary_angles(positions, rotary_frequencies(x.shape[1], base))
    turned = _rope(x, positions, base)
    turned[:, 1::2] = turned[:, ::2] * np.sin(angles) + x[:, 1::2] * np.cos(angles)
    return turned


@check_apply_rotary.mistake("angles taken for degrees")
def _(x, positions, base):
    """You took the angles for degrees. They are radians, as np.cos and np.sin want them: leave out
    np.radians, or the factor π/180."""
    return _rope(x, np.radians(positions), base)


@check_apply_rotary.mistake("angles turned into degrees")
def _(x, positions, base):
    """You turned the angles into degrees. np.cos and np.sin want radians, and radians they are:
    leave out np.degrees, or the factor 180/π."""
    return _rope(x, np.degrees(positions), base)


@check_apply_rotary.mistake("half of each pair written")
def _(x, positions, base):
    """Your odd columns hold only zeros: write the second of each pair too, x sin + y cos."""
    turned = _rope(x, positions, base)
    turned[:, 1::2] = 0
    return turned


@check_apply_rotary.mistake("half of each pair turned")
def _(x, positions, base):
    """Your odd columns are those of x: turn the second of each pair too, to x sin + y cos."""
    turned = _rope(x, positions, base)
    turned[:, 1::2] = x[:, 1::2]
    return turned


def _from_0(positions):
    """The positions with a 0 in front: few bits do no harm on the edges either."""
    return np.concatenate([[0], positions[1:]])


@check_apply_rotary.harmless_on("angles in float16")
def _(rng, size):
    """Your angles are held in float16, which has 11 bits: past 1024 radians it knows only whole
    ones. Compute positions, angles, cosines and sines in float64 and cast the result."""
    pairs = 1 + size % 4  # these frequencies are powers of 2, so that float16 holds every angle
    positions = _from_0(rng.choice(2_000, size=size, replace=False))
    return vectors(rng, size, 2 * pairs), positions, 2.0**pairs


@check_apply_rotary.harmless_on("numbers in bfloat16")
def _(rng, size):
    """Some of your numbers are held in bfloat16, which has 8 bits: past 128 radians it knows only
    whole ones, and a cosine is off by up to 1/512. Compute positions, angles, cosines and sines in
    float64, or at least in float32, and return the result so."""
    pairs = 2 ** (size % 3)
    positions = _from_0(8 * rng.choice(256, size=size, replace=False))  # 8 bits hold these angles
    x = vectors(rng, size, 2 * pairs) / 20  # so small that the errors of 8 bits are forgiven
    return x, positions, 2.0**pairs


def slip_matrix() -> np.ndarray:
    """Return the matrix R between q, turned to m = 7, and k, turned to n = 4: inv_freq is 0.5."""
    m, n, inv_freq = 7, 4, 0.5
    return rotation_matrix([(n - m) * inv_freq])


# The answer is the 2 × 2 matrix R of q_mᵀk_n = qᵀRk; three digits after the point are enough.
check_slip = Checker("The matrix between q and k", reference=slip_matrix, tolerance=TOLERANCE)


@check_slip.mistake("m − n instead of n − m")
def _():
    """That is R at m − n, the common slip. The query's own turn is transposed, so it goes back by
    m, and the key's goes on by n: R stands at (n − m) · 0.5."""
    return rotation_matrix([1.5])


@check_slip.mistake("m + n")
def _():
    """You added the two turns. (R_m q)ᵀ is qᵀR_mᵀ, and R_mᵀ turns back by m: what is left is the
    difference n − m."""
    return rotation_matrix([5.5])


@check_slip.mistake("degrees")
def _():
    """You took the angle for degrees. It is −1.5 radians, as np.cos and np.sin
    want it: do not convert it."""
    return rotation_matrix(np.radians([-1.5]))


@check_slip.mistake("inv_freq forgotten")
def _():
    """You turned by n − m itself. A token turns by inv_freq = 0.5 radians for each position:
    multiply n − m by it."""
    return rotation_matrix([-3])


@check_slip.mistake("the query's matrix")
def _():
    """That is the turn of the query alone, R_m. Multiply R_mᵀ by the turn of the key, R_n."""
    return rotation_matrix([3.5])


@check_slip.mistake("the key's matrix")
def _():
    """That is the turn of the key alone, R_n. Multiply R_mᵀ, the query's turn transposed, by it."""
    return rotation_matrix([2])


@check_slip.recognised_by("identity")
def _(matrix):
    """That is the identity, which turns by 0. The query and the key stand at different positions,
    so what is left between them is a turn by (n − m) · 0.5."""
    return np.allclose(matrix, np.eye(2), atol=TOLERANCE)


@check_slip.recognised_by("no rotation")
def _(matrix):
    """That matrix is no rotation, and R is one: [[cos, −sin], [sin, cos]] of one angle. Both
    cosines are the same, and the two sines have opposite signs."""
    turns_back = np.allclose(matrix.T @ matrix, np.eye(2), atol=0.05)
    return not turns_back or np.linalg.det(matrix) < 0
