"""Exercises from practice: convert trained weights, repair cached decoding."""

import numpy as np

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary, change_projection_layout
from posviz.lessons.rotary.exercises.rotation import vectors
from posviz.teaching.checker import Checker


def _interleaved_to_half_split(w, num_heads):
    return change_projection_layout(
        w, num_heads=num_heads, source="interleaved", target="half_split"
    )


def _weights_inputs(rng, size):
    num_heads, head_dim = 1 + size % 3, 2 + 2 * (size // 2)
    width = num_heads * head_dim  # square, so that reordered rows fit as well
    return rng.permutation(width**2).reshape(width, width).astype(float), num_heads


# The answer is a function (w [d_model, num_heads·head_dim], num_heads) -> w with the columns of
# each head reordered from interleaved to half_split.
check_weight_layout = Checker(
    "Weights from interleaved to half_split",
    reference=_interleaved_to_half_split,
    inputs=_weights_inputs,
)


@check_weight_layout.mistake("other direction")
def _(w, num_heads):
    """You converted from half_split to interleaved. Here the columns 0, 2, 4, … of a head come
    first, and the odd ones after them."""
    return change_projection_layout(
        w, num_heads=num_heads, source="half_split", target="interleaved"
    )


@check_weight_layout.mistake("odd columns first")
def _(w, num_heads):
    """You put the odd columns of each head before the even ones. Column 2i comes to place i and
    column 2i+1 to place i + head_dim/2: the even ones come first."""
    even_first = _interleaved_to_half_split(w, num_heads).reshape(len(w), num_heads, 2, -1)
    return even_first[:, :, ::-1].reshape(w.shape)


@check_weight_layout.mistake("heads ignored")
def _(w, num_heads):
    """You reordered the whole width at once, which deals out the columns of a head to others.
    Reorder the head_dim columns of each head among themselves."""
    return _interleaved_to_half_split(w, 1)


@check_weight_layout.mistake("rows instead of columns")
def _(w, num_heads):
    """You reordered the rows, which belong to the inputs. Queries and keys are x @ w: reorder the
    columns."""
    return _interleaved_to_half_split(w.T, num_heads).T


@check_weight_layout.mistake("rows, and heads ignored")
def _(w, num_heads):
    """You reordered all rows at once, as w[::2] and w[1::2] do. Reorder columns, which make the
    queries and keys x @ w, and those of each head among themselves."""
    return _interleaved_to_half_split(w.T, 1).T


@check_weight_layout.mistake("unchanged")
def _(w, num_heads):
    """You returned w as it was. Columns 2i and 2i+1 of a head should become columns i and
    i + head_dim/2."""
    return w


@check_weight_layout.mistake("halves swapped")
def _(w, num_heads):
    """You swapped the two halves of each head. Pick out its even columns and then its odd ones, so
    that column 2i comes to place i."""
    return np.roll(w.reshape(len(w), num_heads, 2, -1), 1, axis=2).reshape(w.shape)


@check_weight_layout.mistake("head_dim before num_heads")
def _(w, num_heads):
    """You split the width into head_dim × num_heads. The columns of a head stand together: reshape
    to [d_model, num_heads, head_dim]."""
    pairs = w.reshape(len(w), -1, 2, num_heads)
    return pairs.swapaxes(1, 2).reshape(w.shape)


def _turned(x, positions, inv_freq):
    return apply_rotary(x, rotary_angles(positions, inv_freq))


def _scores_at(q_position, k_position, q, k, cached_keys, inv_freq):
    """The scores of a new token whose query and key are turned to these two positions."""
    keys = np.vstack([cached_keys, _turned(k[None], [k_position], inv_freq)])
    return keys @ _turned(q[None], [q_position], inv_freq)[0]


def _cached_scores(q, k, cached_keys, inv_freq):
    here = len(cached_keys)
    return _scores_at(here, here, q, k, cached_keys, inv_freq)


def _cached_inputs(rng, size):
    inv_freq = rotary_frequencies(2 * size, float(rng.choice([100, 1_000])))
    q, k, *keys = vectors(rng, size + 2, 2 * size)
    return q, k, _turned(np.array(keys), np.arange(size), inv_freq), inv_freq


# The answer is a function (q, k [head_dim], cached_keys [n, head_dim], inv_freq [head_dim/2]) ->
# scores [n + 1], unscaled, of the new token: the cache holds keys turned at 0 … n − 1.
check_cached_scores = Checker(
    "The scores of cached decoding",
    reference=_cached_scores,
    inputs=_cached_inputs,
    # The first token, which finds an empty cache.
    edges=[(np.array([0.6, 0.8]), np.array([0.5, -0.2]), np.empty((0, 2)), np.array([1.0]))],
)


@check_cached_scores.mistake("query at 0")
def _(q, k, cached_keys, inv_freq):
    """Your query stands at position 0, or is not turned at all. The new token comes after n cached
    ones, at position n: turn its query there, as you did its key."""
    return _scores_at(0, len(cached_keys), q, k, cached_keys, inv_freq)


@check_cached_scores.mistake("key at 0")
def _(q, k, cached_keys, inv_freq):
    """Your new key stands at position 0, or is not turned at all. The new token comes after n
    cached ones, at position n: turn its key there, as you did its query."""
    return _scores_at(len(cached_keys), 0, q, k, cached_keys, inv_freq)


@check_cached_scores.mistake("offset forgotten")
def _(q, k, cached_keys, inv_freq):
    """Your query and key stand at position 0, or you turned the whole cache by n once more, which
    gives the same offsets. The cache is turned already: turn the new token alone, by n."""
    return _scores_at(0, 0, q, k, cached_keys, inv_freq)


@check_cached_scores.mistake("counted from 1")
def _(q, k, cached_keys, inv_freq):
    """Your new token stands at n + 1, one position too far. The cache holds positions 0 … n − 1,
    so the next one is n."""
    here = len(cached_keys) + 1
    return _scores_at(here, here, q, k, cached_keys, inv_freq)


@check_cached_scores.mistake("at the last cached position")
def _(q, k, cached_keys, inv_freq):
    """Your new token stands at n − 1, where the last cached key is. The next position is n, the
    number of cached keys."""
    here = len(cached_keys) - 1
    return _scores_at(here, here, q, k, cached_keys, inv_freq)


@check_cached_scores.mistake("cached keys turned again")
def _(q, k, cached_keys, inv_freq):
    """You turned the cached keys once more. They were turned when they came in, each by its own
    position: turn only the new key."""
    again = _turned(cached_keys, np.arange(len(cached_keys)), inv_freq)
    return _cached_scores(q, k, again, inv_freq)


@check_cached_scores.mistake("new key not appended")
def _(q, k, cached_keys, inv_freq):
    """You scored the cached keys alone. A token looks at itself too: append its key, turned by n,
    for n + 1 scores."""
    return _cached_scores(q, k, cached_keys, inv_freq)[:-1]


@check_cached_scores.mistake("new key first")
def _(q, k, cached_keys, inv_freq):
    """You put the new key before the cached ones: append it, for its token comes last."""
    return np.roll(_cached_scores(q, k, cached_keys, inv_freq), 1)


@check_cached_scores.mistake("scaled")
def _(q, k, cached_keys, inv_freq):
    """You divided by √head_dim. That is right in a head, but here return the plain products."""
    return _cached_scores(q, k, cached_keys, inv_freq) / np.sqrt(len(q))
