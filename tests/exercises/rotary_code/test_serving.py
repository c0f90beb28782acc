"""Weights and cached decoding, and every listed mistake as a reader would write it."""

import cmath
import math
import re

import numpy as np

from posviz.exercises.rotary_code.serving import check_cached_scores, check_weight_layout
from tests.exercises.every_mistake import mistake_tests


def reordered(place):
    """Move column by column: place(old column of the head, head_dim) -> its new place there."""

    def answer(w, num_heads):
        head_dim = w.shape[1] // num_heads
        out = np.zeros_like(w)
        for head in range(num_heads):
            for j in range(head_dim):
                out[:, head * head_dim + place(j, head_dim)] = w[:, head * head_dim + j]
        return out

    return answer


def to_half_split(j, d):
    return j // 2 + (d // 2) * (j % 2)


def to_interleaved(j, d):
    return 2 * j if j < d // 2 else 2 * (j - d // 2) + 1


def by_rows(w, num_heads):
    groups = np.split(w, num_heads)
    return np.concatenate([part for rows in groups for part in (rows[::2], rows[1::2])])


def heads_inside(w, num_heads):
    columns = w.T.reshape(-1, num_heads, len(w))
    return np.concatenate([columns[::2], columns[1::2]]).reshape(-1, len(w)).T


WEIGHT_MISTAKES = {
    "other direction": reordered(to_interleaved),
    "odd columns first": reordered(lambda j, d: j // 2 + (d // 2) * (1 - j % 2)),
    "heads ignored": lambda w, num_heads: np.hstack([w[:, ::2], w[:, 1::2]]),
    "rows instead of columns": by_rows,
    "rows, and heads ignored": lambda w, num_heads: np.concatenate([w[0::2], w[1::2]]),
    "unchanged": lambda w, num_heads: w.copy(),
    "halves swapped": reordered(lambda j, d: (j + d // 2) % d),
    "head_dim before num_heads": heads_inside,
}


def turn(vector, position, inv_freq):
    turned = []
    for i, frequency in enumerate(inv_freq):
        z = complex(vector[2 * i], vector[2 * i + 1]) * cmath.exp(1j * position * frequency)
        turned += [z.real, z.imag]
    return turned


def decoded(*, q_at=lambda n: n, k_at=lambda n: n, again=lambda p, n: 0):
    """The scores key by key; again(p, n) is how far a cached key turns once more."""

    def answer(q, k, cached_keys, inv_freq):
        n = len(cached_keys)
        keys = [turn(key, again(p, n), inv_freq) for p, key in enumerate(cached_keys)]
        keys.append(turn(k, k_at(n), inv_freq))
        q = turn(q, q_at(n), inv_freq)
        return [sum(a * b for a, b in zip(q, key, strict=True)) for key in keys]

    return answer


CACHE_MISTAKES = {
    "query at 0": decoded(q_at=lambda n: 0),
    "key at 0": decoded(k_at=lambda n: 0),
    "offset forgotten": decoded(q_at=lambda n: 0, k_at=lambda n: 0),
    "counted from 1": decoded(q_at=lambda n: n + 1, k_at=lambda n: n + 1),
    "at the last cached position": decoded(q_at=lambda n: n - 1, k_at=lambda n: n - 1),
    "cached keys turned again": decoded(again=lambda p, n: p),
    "new key not appended": lambda *given: decoded()(*given)[: len(given[2])],
    "new key first": lambda *given: [decoded()(*given)[i] for i in range(-1, len(given[2]))],
    "scaled": lambda *given: [score / math.sqrt(len(given[0])) for score in decoded()(*given)],
}

MISTAKES = [(check_weight_layout, WEIGHT_MISTAKES), (check_cached_scores, CACHE_MISTAKES)]


def test_the_solutions_are_correct():
    assert check_weight_layout(reordered(to_half_split)).status == "correct"
    assert check_cached_scores(decoded()).status == "correct"


def test_answers_computed_in_float32_are_correct():
    def weights(w, num_heads):
        return reordered(to_half_split)(w.astype("float32"), num_heads)

    def scores(q, k, cached_keys, inv_freq):
        angles = np.float32(len(cached_keys)) * np.float32(inv_freq)
        turns = np.exp(1j * angles).astype("complex64")
        pairs = np.float32([*cached_keys, k, q]).view("complex64")
        pairs[-2:] *= turns
        return (pairs[:-1] @ pairs[-1].conj()).real

    assert check_weight_layout(weights).status == "correct"
    assert check_cached_scores(scores).status == "correct"


def test_the_cache_turned_by_n_once_more_is_told_with_the_forgotten_offset():
    # Everything turned by n, the query too: the offsets are those of a query at 0.
    feedback = check_cached_scores(decoded(again=lambda p, n: n))
    assert feedback.mistake == "offset forgotten"
    assert "turned the whole cache by n once more" in feedback.message


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(MISTAKES)


def test_two_pairs_do_not_tell_the_directions_apart_and_three_do():
    # Columns 0 2 1 3 undo themselves; 0 2 4 1 3 5 do not.
    feedback = check_weight_layout(WEIGHT_MISTAKES["other direction"])
    failing = next(w for w, heads in check_weight_layout.cases() if w.shape[1] // heads == 6)
    assert float(re.search(r"\d+", feedback.evidence)[0]) == failing[0, 0]
