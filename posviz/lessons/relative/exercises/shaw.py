"""Exercise: find the row of Shaw's table for each pair."""

import numpy as np

from posviz.encodings.relative import offsets
from posviz.encodings.shaw import shaw_index
from posviz.teaching.checker import Checker


def _shaw_rows(q_positions, k_positions, max_distance):
    return shaw_index(offsets(q_positions, k_positions), max_distance)


def _shaw_inputs(rng, size):
    positions = rng.permutation(6 * size)
    return positions[:size], positions[size - 1 : 2 * size], (size + 2) // 2


# The answer is a function (q_positions [q_len], k_positions [k_len], max_distance) -> rows
# [q_len, k_len] of a table of 2·max_distance + 1 vectors.
check_shaw_index = Checker(
    "The rows of Shaw's table",
    reference=_shaw_rows,
    inputs=_shaw_inputs,
    edges=[
        (np.array([0, 3]), np.array([0, 2, 3, 9]), 2),  # the first position, and equal ones
        (np.array([5]), np.array([5]), 1),  # one token
    ],
)


def _ahead(q_positions, k_positions):
    """Shaw's own count: key − query."""
    return -offsets(q_positions, k_positions)


@check_shaw_index.mistake("sign of the offset")
def _(q_positions, k_positions, max_distance):
    """You counted query − key, as this course does. Shaw counts key − query: a key far behind its
    query has row 0, and one far ahead the last row."""
    return _shaw_rows(-q_positions, -k_positions, max_distance)


@check_shaw_index.mistake("not clipped")
def _(q_positions, k_positions, max_distance):
    """You did not clip, so far keys have rows that the table has not. Bring key − query to
    −max_distance … max_distance first, then add max_distance."""
    return _ahead(q_positions, k_positions) + max_distance


@check_shaw_index.mistake("clipped, not shifted")
def _(q_positions, k_positions, max_distance):
    """Some of your rows are negative, and NumPy would take them from the end. Add max_distance
    after you have clipped: the query itself then has row max_distance."""
    return _shaw_rows(q_positions, k_positions, max_distance) - max_distance


@check_shaw_index.mistake("neither clipped nor shifted")
def _(q_positions, k_positions, max_distance):
    """You returned key − query. Clip it to −max_distance … max_distance, then add max_distance, so
    that it is the number of a row."""
    return _ahead(q_positions, k_positions)


@check_shaw_index.mistake("clipped before 0")
def _(q_positions, k_positions, max_distance):
    """You shifted nothing and clipped at 0, so all keys before their query share a row. They have
    rows of their own, 0 … max_distance − 1: clip to −max_distance … max_distance and add
    max_distance."""
    return np.clip(_ahead(q_positions, k_positions), 0, 2 * max_distance)


@check_shaw_index.mistake("shifted before clipped")
def _(q_positions, k_positions, max_distance):
    """You added max_distance before you clipped to −max_distance … max_distance. After the shift
    the rows are 0 … 2·max_distance: clip first, or clip to these."""
    shifted = _ahead(q_positions, k_positions) + max_distance
    return np.clip(shifted, -max_distance, max_distance)


@check_shaw_index.mistake("clipped to max_distance − 1")
def _(q_positions, k_positions, max_distance):
    """You clipped to max_distance − 1 ahead, as DeBERTa does, whose table has 2·max_distance rows.
    Shaw's has one more: −max_distance … max_distance, with both ends."""
    ahead = _ahead(q_positions, k_positions)
    return np.clip(ahead, -max_distance, max_distance - 1) + max_distance


@check_shaw_index.mistake("clipped to 2·max_distance + 1")
def _(q_positions, k_positions, max_distance):
    """You let 2·max_distance + 1 pass, which is how many rows there are, and none of them. Counted
    from 0 the last is 2·max_distance: clip to 0 … 2·max_distance."""
    shifted = _ahead(q_positions, k_positions) + max_distance
    return np.clip(shifted, 0, 2 * max_distance + 1)


@check_shaw_index.mistake("rows from 1")
def _(q_positions, k_positions, max_distance):
    """Your rows are counted from 1: the row of the farthest keys behind is 0."""
    return _shaw_rows(q_positions, k_positions, max_distance) + 1


@check_shaw_index.mistake("distances")
def _(q_positions, k_positions, max_distance):
    """You took the distance, without its sign, so a key behind and a key ahead share a row. Keep
    the sign of key − query, and add max_distance to make rows of it."""
    return np.minimum(np.abs(_ahead(q_positions, k_positions)), max_distance)


@check_shaw_index.mistake("distances, shifted")
def _(q_positions, k_positions, max_distance):
    """You took the distance, without its sign, so the lower half of the table is never read. Keep
    the sign of key − query: keys behind have rows below max_distance."""
    distances = np.abs(_ahead(q_positions, k_positions))
    return np.minimum(distances, max_distance) + max_distance


@check_shaw_index.mistake("wrapped around")
def _(q_positions, k_positions, max_distance):
    """You wrapped far offsets around, so a key far ahead gets a row of the keys behind. Clip
    instead: all that are farther than max_distance share the last row on their side."""
    shifted = _ahead(q_positions, k_positions) + max_distance
    return shifted % (2 * max_distance + 1)


@check_shaw_index.mistake("positions ignored")
def _(q_positions, k_positions, max_distance):
    """You counted the places 0, 1, 2, … of queries and keys: use the positions that are given,
    whatever they are."""
    return _shaw_rows(np.arange(len(q_positions)), np.arange(len(k_positions)), max_distance)
