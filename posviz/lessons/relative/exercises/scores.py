"""Exercise: mend the score of Transformer-XL."""

import numpy as np

from posviz.attention import softmax
from posviz.encodings.relative import offsets
from posviz.encodings.transformer_xl import transformer_xl_scores
from posviz.teaching.checker import Checker


def _xl_scores(q, k, r, u, v):
    heads_first = (x[None] for x in (r[::-1], u, v))
    scores = transformer_xl_scores(q[None, None], k[None, None], *heads_first)[0, 0]
    return np.tril(np.where(np.isinf(scores), 0, scores))


def _xl_inputs(rng, size):
    head_dim = 2 + size % 3
    return *rng.normal(size=(3, size + 1, head_dim)), *rng.normal(size=(2, head_dim))


# The answer is a function (q, k, r [len, head_dim], u, v [head_dim]) -> scores [len, len], unscaled
# and 0 for keys ahead of their query. Row o of r is the key of offset o.
check_transformer_xl_scores = Checker(
    "The scores of Transformer-XL",
    reference=_xl_scores,
    inputs=_xl_inputs,
    edges=[  # one token
        (
            *np.array([[[1.0, 2.0]], [[3.0, 1.0]], [[1.0, -1.0]]]),
            *np.array([[2.0, 0.5], [0.0, 1.5]]),
        )
    ],
)


@check_transformer_xl_scores.mistake("a common claim")
def _(q, k, r, u, v):
    """Your u meets the query and your v the key, as a common claim has it. u·q_i is the same along
    a row, so the softmax never sees it: write (q_i + u)·k_j + (q_i + v)·r, with r of i − j."""
    return np.tril(_xl_scores(q, k, r, 0 * u, 0 * v) + (q @ u)[:, None] + k @ v)


@check_transformer_xl_scores.mistake("a common claim, scaled")
def _(q, k, r, u, v):
    """You wrote down what a common claim has: part of it divided by √head_dim, u with the query and
    v with the key. Write (q_i + u)·k_j + (q_i + v)·r, with r of i − j, and divide nothing."""
    by_query = _xl_scores(q, k, r, 0 * u, 0 * v) / np.sqrt(len(u))
    return np.tril(by_query + (q @ u)[:, None] + k @ v)


@check_transformer_xl_scores.mistake("u with the query")
def _(q, k, r, u, v):
    """Your u meets the query. u·q_i is the same along a row, so the softmax never sees it: let u
    meet the key, u·k_j, for contents that matter whatever the query."""
    return np.tril(_xl_scores(q, k, r, 0 * u, v) + (q @ u)[:, None])


@check_transformer_xl_scores.mistake("v with the key")
def _(q, k, r, u, v):
    """Your v meets the key, as u does. Let it meet r of i − j, for distances that matter whatever
    the query."""
    return _xl_scores(q, k, r, u + v, 0 * v)


@check_transformer_xl_scores.mistake("u and v swapped")
def _(q, k, r, u, v):
    """You swapped u and v: u stands beside q where it meets k, v where it meets r."""
    return _xl_scores(q, k, r, v, u)


@check_transformer_xl_scores.mistake("u in both places")
def _(q, k, r, u, v):
    """You added u in both places: beside r stands v, so that a model can weigh contents and
    distances apart."""
    return _xl_scores(q, k, r, u, u)


@check_transformer_xl_scores.mistake("v missing")
def _(q, k, r, u, v):
    """The fourth term is missing: v·r, the same for every query and key at the same offset."""
    return _xl_scores(q, k, r, u, 0 * v)


@check_transformer_xl_scores.mistake("u missing")
def _(q, k, r, u, v):
    """The third term is missing: u·k_j, the same for every query that meets this key."""
    return _xl_scores(q, k, r, 0 * u, v)


@check_transformer_xl_scores.mistake("u and v missing")
def _(q, k, r, u, v):
    """You have the two terms of the query, as in Shaw's method. Add u·k_j and v·r, which stand for
    the query's own position."""
    return _xl_scores(q, k, r, 0 * u, 0 * v)


@check_transformer_xl_scores.mistake("q with r missing")
def _(q, k, r, u, v):
    """The second term is missing: q_i·r, how much this query minds the distance. Only v met r."""
    return _xl_scores(q, k, r, u, v) - _xl_scores(q, 0 * k, r, 0 * u, 0 * v)


@check_transformer_xl_scores.mistake("q with k missing")
def _(q, k, r, u, v):
    """The first term is missing: q_i·k_j, the score of attention without positions. Only u met
    k."""
    return _xl_scores(q, k, r, u, v) - _xl_scores(q, k, 0 * r, 0 * u, 0 * v)


@check_transformer_xl_scores.mistake("q missing")
def _(q, k, r, u, v):
    """There is no query in your scores. u and v stand beside q and do not replace it: write
    (q_i + u)·k_j + (q_i + v)·r, with r of i − j."""
    return _xl_scores(0 * q, k, r, u, v)


@check_transformer_xl_scores.mistake("rows of r reversed")
def _(q, k, r, u, v):
    """You read r from its end. The released code keeps the farthest offset first, but here row 0 is
    offset 0: take r[i − j]."""
    return _xl_scores(q, k, r[::-1], u, v)


@check_transformer_xl_scores.mistake("sign of the offset")
def _(q, k, r, u, v):
    """You took r[j − i], and NumPy counts rows below 0 from the end. The offset is query − key:
    take r[i − j]."""
    return _xl_scores(q, k, r[-np.arange(len(r))], u, v)


@check_transformer_xl_scores.mistake("r by the place of the key")
def _(q, k, r, u, v):
    """You took r[j], as if it belonged to the key's place. It belongs to an offset, so each query
    shifts its row: take r[i − j]."""
    return np.tril((q + u) @ k.T + (q + v) @ r.T)


@check_transformer_xl_scores.mistake("r by the place of the query")
def _(q, k, r, u, v):
    """You took r[i], which is the same along a row, so the softmax never sees it. r belongs to an
    offset: take r[i − j]."""
    return np.tril((q + u) @ k.T + ((q + v) * r).sum(axis=-1)[:, None])


def _everywhere(q, k, r, u, v, rows):
    """Scores of all keys, those ahead of their query too, with r[rows[i, j]]."""
    return (q + u) @ k.T + ((q + v)[:, None] * r[rows]).sum(axis=-1)


def _own_offsets(q):
    return offsets(np.arange(len(q)), np.arange(len(q)))


@check_transformer_xl_scores.mistake("keys ahead scored")
def _(q, k, r, u, v):
    """You scored keys ahead of their query, with r[i − j] counted from the end. They have no offset
    here: leave 0 where j is above i."""
    return _everywhere(q, k, r, u, v, _own_offsets(q))


@check_transformer_xl_scores.mistake("keys ahead as those behind")
def _(q, k, r, u, v):
    """You gave keys ahead of their query the r of those as far behind. A distance has no sign and
    an offset has: leave 0 where j is above i."""
    return _everywhere(q, k, r, u, v, np.abs(_own_offsets(q)))


@check_transformer_xl_scores.mistake("keys ahead without r")
def _(q, k, r, u, v):
    """Keys ahead of their query still have (q_i + u)·k_j. Leave 0 where j is above i, in the whole
    score."""
    return _xl_scores(q, k, r, u, v) + np.triu((q + u) @ k.T, 1)


@check_transformer_xl_scores.mistake("−∞ ahead")
def _(q, k, r, u, v):
    """Your scores are right, and a mask would put −∞ ahead, as you did. Here leave 0 there, so that
    all of them are numbers."""
    return np.where(_own_offsets(q) < 0, -np.inf, _xl_scores(q, k, r, u, v))


@check_transformer_xl_scores.mistake("only the first query")
def _(q, k, r, u, v):
    """Only the first query has scores; all rows below are 0. Perhaps your return stands inside the
    loop: it belongs after both, as far left as the first `for`."""
    scores = _xl_scores(q, k, r, u, v)
    scores[1:] = 0
    return scores


@check_transformer_xl_scores.mistake("scaled")
def _(q, k, r, u, v):
    """You divided by √head_dim. That is right in a head, but here return the plain sums."""
    return _xl_scores(q, k, r, u, v) / np.sqrt(len(u))


@check_transformer_xl_scores.mistake("weights returned")
def _(q, k, r, u, v):
    """You went one step too far: return the scores, before the mask and the softmax."""
    return softmax(np.where(_own_offsets(q) < 0, -np.inf, _xl_scores(q, k, r, u, v)))


@check_transformer_xl_scores.harmless_on("u or v misplaced")
def _(rng, size):
    """Your scores are right where u and v are 0, so the two terms of the query are there. Add the
    other two, and nothing else: u·k_j, and v·r with r of i − j."""
    q, k, r, u, v = _xl_inputs(rng, size - 1)
    return q, k, r, 0 * u, 0 * v


@check_transformer_xl_scores.harmless_on("r misplaced")
def _(rng, size):
    """Your scores are right where r is 0, so (q_i + u)·k_j is there. Add (q_i + v)·r, with row
    i − j of r."""
    q, k, r, u, v = _xl_inputs(rng, size - 1)
    return q, k, 0 * r, u, v
