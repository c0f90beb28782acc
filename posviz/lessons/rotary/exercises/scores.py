"""Exercise: the scores of an attention head with RoPE."""

import numpy as np

from posviz.attention import softmax
from posviz.encodings.frequencies import rotary_angles
from posviz.encodings.rotary import apply_rotary
from posviz.lessons.rotary.exercises.rotation import TOLERANCE, turn, vectors
from posviz.teaching.checker import Checker


def _scores(q, k):
    """Scaled scores of queries and keys [len, head_dim] that are turned already."""
    return q @ k.T / np.sqrt(q.shape[1])


def _rotary_scores(x, w_q, w_k, positions, base):
    return _scores(turn(x @ w_q, positions, base), turn(x @ w_k, positions, base))


def _scores_inputs(rng, size):
    d_model, head_dim = 2 * size + 2, 4 + 2 * (size % 2)  # unlike, and x can be turned too
    projections = rng.normal(size=(2, d_model, head_dim))
    positions = rng.choice(50, size=size + 1, replace=False)
    return vectors(rng, size + 1, d_model), *projections, positions, float(rng.choice([100, 1_000]))


def _at(positions):
    x, w_q, w_k, _, base = _scores_inputs(np.random.default_rng(0), 2)
    return x[: len(positions)], w_q, w_k, np.array(positions), base


# The answer is a function (x [len, d_model], w_q, w_k [d_model, head_dim], positions [len], base)
# -> scores [len, len], scaled by 1/√head_dim and not yet softmaxed.
check_rotary_scores = Checker(
    "The scores of a head with RoPE",
    reference=_rotary_scores,
    inputs=_scores_inputs,
    edges=[
        _at([0, 2, 2]),  # the first position, and equal ones
        _at([3]),  # one token
    ],
    tolerance=TOLERANCE,
)


@check_rotary_scores.mistake("rotated before projection")
def _(x, w_q, w_k, positions, base):
    """You turned x before you projected it. A projection mixes the pairs, so the score no longer
    depends on the offset alone: project first, then turn q and k."""
    x = turn(x, positions, base)
    return _scores(x @ w_q, x @ w_k)


@check_rotary_scores.mistake("1/√head_dim missing")
def _(x, w_q, w_k, positions, base):
    """You forgot to divide the scores by √head_dim. Turning keeps lengths, so RoPE changes nothing
    about the scale."""
    return _rotary_scores(x, w_q, w_k, positions, base) * np.sqrt(w_q.shape[1])


@check_rotary_scores.mistake("divided by head_dim")
def _(x, w_q, w_k, positions, base):
    """You divided the scores by head_dim; divide by its square root, as in a head without RoPE."""
    return _rotary_scores(x, w_q, w_k, positions, base) / np.sqrt(w_q.shape[1])


@check_rotary_scores.mistake("divided by √d_model")
def _(x, w_q, w_k, positions, base):
    """You divided the scores by √d_model. The sum in q·k has head_dim terms: divide by
    √head_dim, the width of the queries and keys."""
    return _rotary_scores(x, w_q, w_k, positions, base) * np.sqrt(w_q.shape[1] / x.shape[1])


@check_rotary_scores.mistake("divided by √len")
def _(x, w_q, w_k, positions, base):
    """You divided the scores by √len, which counts the tokens. The sum in q·k has head_dim terms:
    divide by √head_dim, the width of the queries and keys."""
    return _rotary_scores(x, w_q, w_k, positions, base) * np.sqrt(w_q.shape[1] / len(x))


@check_rotary_scores.mistake("nothing turned")
def _(x, w_q, w_k, positions, base):
    """You turned neither queries nor keys, so positions play no part. Turn both, after the
    projection."""
    return _scores(x @ w_q, x @ w_k)


@check_rotary_scores.mistake("only the queries turned")
def _(x, w_q, w_k, positions, base):
    """You turned the queries alone, so the score depends on the query's position, whatever the
    key's is. Turn the keys too, each by its own position."""
    return _scores(turn(x @ w_q, positions, base), x @ w_k)


@check_rotary_scores.mistake("only the keys turned")
def _(x, w_q, w_k, positions, base):
    """You turned the keys alone, so the score depends on the key's position, whatever the query's
    is. Turn the queries too, each by its own position."""
    return _scores(x @ w_q, turn(x @ w_k, positions, base))


@check_rotary_scores.mistake("keys turned the other way")
def _(x, w_q, w_k, positions, base):
    """You turned the keys backwards, so the score depends on m + n. Turn both the same way: the
    product itself takes the difference."""
    return _scores(turn(x @ w_q, positions, base), turn(x @ w_k, -positions, base))


@check_rotary_scores.mistake("sign of the sine")
def _(x, w_q, w_k, positions, base):
    """You turned both clockwise. Scores still depend on the offset alone, but future and past are
    swapped: a pair (x, y) turns to (x cos − y sin, x sin + y cos)."""
    return _rotary_scores(x, w_q, w_k, -positions, base)


@check_rotary_scores.mistake("transposed")
def _(x, w_q, w_k, positions, base):
    """Your scores are transposed: row i belongs to query i. Compute q @ k.T, not k @ q.T, and make
    q with w_q, k with w_k."""
    return _rotary_scores(x, w_k, w_q, positions, base)


@check_rotary_scores.mistake("two layouts mixed")
def _(x, w_q, w_k, positions, base):
    """You turned the queries as neighbours and the keys as halves. Scores follow the offset only if
    both share a layout; here it is interleaved."""
    k = turn(x @ w_k, positions, base, layout="half_split")
    return _scores(turn(x @ w_q, positions, base), k)


@check_rotary_scores.mistake("half_split instead of interleaved")
def _(x, w_q, w_k, positions, base):
    """You paired dimension i with i + head_dim/2, the layout half_split. Your scores follow the
    offset too, but weights made for neighbours need neighbours: pair 2i with 2i+1."""
    q = turn(x @ w_q, positions, base, layout="half_split")
    return _scores(q, turn(x @ w_k, positions, base, layout="half_split"))


@check_rotary_scores.mistake("frequencies over d_model")
def _(x, w_q, w_k, positions, base):
    """You divided 2i by d_model. What turns are the queries and keys: divide by their width,
    head_dim."""
    pairs = np.arange(w_q.shape[1] // 2)
    angles = rotary_angles(positions, base ** (-2 * pairs / x.shape[1]))
    return _scores(apply_rotary(x @ w_q, angles), apply_rotary(x @ w_k, angles))


@check_rotary_scores.mistake("positions ignored")
def _(x, w_q, w_k, positions, base):
    """You turned row by row by 0, 1, 2, …: use the positions that are given, whatever they are."""
    return _rotary_scores(x, w_q, w_k, np.arange(len(x)), base)


@check_rotary_scores.mistake("base ignored")
def _(x, w_q, w_k, positions, base):
    """You wrote 10000 into the formula: use the argument base, which is not always 10000."""
    return _rotary_scores(x, w_q, w_k, positions, 10_000)


@check_rotary_scores.mistake("causal mask applied")
def _(x, w_q, w_k, positions, base):
    """You masked the keys ahead of each query. No mask is asked for here: return all scores."""
    scores = _rotary_scores(x, w_q, w_k, positions, base)
    return np.where(np.tri(len(x), dtype=bool), scores, -np.inf)


@check_rotary_scores.mistake("keys ahead set to 0")
def _(x, w_q, w_k, positions, base):
    """You set the scores of the keys ahead of each query to 0. No mask is asked for here: return
    all scores."""
    return np.tril(_rotary_scores(x, w_q, w_k, positions, base))


@check_rotary_scores.recognised_by("keys ahead hidden by a number")
def _(scores):
    """Your scores hold a large negative number for every key ahead of its query, a causal mask. No
    mask is asked for here: return all scores."""
    return len(scores) > 1 and (scores[np.triu_indices(len(scores), 1)] < -99).all()


@check_rotary_scores.mistake("weights returned")
def _(x, w_q, w_k, positions, base):
    """You went one step too far: return the scores, before the softmax."""
    return softmax(_rotary_scores(x, w_q, w_k, positions, base))
