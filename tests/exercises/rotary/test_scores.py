"""Scores with RoPE, and every listed mistake as a reader would write it."""

import cmath
import math

import numpy as np

from posviz.exercises.rotary.scores import check_rotary_scores
from tests.exercises.every_mistake import mistake_tests


def neighbours(vector):
    return [complex(vector[i], vector[i + 1]) for i in range(0, len(vector), 2)]


def halves(vector):
    half = len(vector) // 2
    return [complex(vector[i], vector[i + half]) for i in range(half)]


def turn(vector, angle, base, *, pairs=neighbours, width=None):
    """Return the pairs of a vector as complex numbers, turned by angle, angle · base^(−2/d), …"""
    d = width or len(vector)
    return [z * cmath.exp(1j * angle / base ** (2 * i / d)) for i, z in enumerate(pairs(vector))]


def dot(first, second):
    return sum((a * b.conjugate()).real for a, b in zip(first, second, strict=True))


def back(turned):
    return [part for z in turned for part in (z.real, z.imag)]


def head(*, q_by=1, k_by=1, divisor=lambda x, q: math.sqrt(len(q)), width=lambda x: None):
    """The scores query by query, key by key; turned by q_by and k_by times the position."""

    def answer(x, w_q, w_k, positions, base):
        given = list(zip(x @ w_q, x @ w_k, positions.tolist(), strict=True))
        queries = [turn(q, q_by * p, base, width=width(x)) for q, _, p in given]
        keys = [turn(k, k_by * p, base, width=width(x)) for _, k, p in given]
        root = divisor(x[0], given[0][0])
        return np.array([[dot(q, k) / root for k in keys] for q in queries])

    return answer


def laid_out(q_pairs, k_pairs):
    """The scores where queries and keys are each turned in a layout of their own."""

    def written_back(vector, angle, base, pairs):
        turned = turn(vector, angle, base, pairs=pairs)
        if pairs is neighbours:
            return back(turned)
        return [z.real for z in turned] + [z.imag for z in turned]

    def answer(x, w_q, w_k, positions, base):
        q = [written_back(v, p, base, q_pairs) for v, p in zip(x @ w_q, positions, strict=True)]
        k = [written_back(v, p, base, k_pairs) for v, p in zip(x @ w_k, positions, strict=True)]
        return np.einsum("qd,kd->qk", q, k) * len(q[0]) ** -0.5

    return answer


def rotated_first(x, w_q, w_k, positions, base):
    x = np.array([back(turn(row, p, base)) for row, p in zip(x, positions, strict=True)])
    return head(q_by=0, k_by=0)(x, w_q, w_k, positions, base)


def softmaxed(*given):
    powers = [[math.exp(score) for score in row] for row in head()(*given)]
    return [[power / sum(row) for power in row] for row in powers]


def counting(x, w_q, w_k, positions, base):
    return head()(x, w_q, w_k, np.array(range(len(x))), base)


def keys_first(x, w_q, w_k, positions, base):
    return head()(x, w_q, w_k, positions, base).T


def masked(*given, hidden=-math.inf):
    rows = head()(*given).tolist()
    return [
        [score if j <= i else hidden for j, score in enumerate(row)] for i, row in enumerate(rows)
    ]


MISTAKES = {
    "rotated before projection": rotated_first,
    "1/√head_dim missing": head(divisor=lambda x, q: 1),
    "divided by head_dim": head(divisor=lambda x, q: len(q)),
    "divided by √d_model": head(divisor=lambda x, q: math.sqrt(len(x))),
    "divided by √len": lambda x, *given: head(divisor=lambda *_: math.sqrt(len(x)))(x, *given),
    "nothing turned": head(q_by=0, k_by=0),
    "only the queries turned": head(k_by=0),
    "only the keys turned": head(q_by=0),
    "keys turned the other way": head(k_by=-1),
    "sign of the sine": head(q_by=-1, k_by=-1),
    "transposed": keys_first,
    "two layouts mixed": laid_out(neighbours, halves),
    "half_split instead of interleaved": laid_out(halves, halves),
    "frequencies over d_model": head(width=lambda x: x.shape[1]),
    "positions ignored": counting,
    "base ignored": lambda x, w_q, w_k, positions, base: head()(x, w_q, w_k, positions, 10_000),
    "causal mask applied": masked,
    "keys ahead set to 0": lambda *given: masked(*given, hidden=0),
    "keys ahead hidden by a number": lambda *given: masked(*given, hidden=-1e9),
    "weights returned": softmaxed,
}


def test_the_solution_is_correct():
    assert check_rotary_scores(head()).status == "correct"
    assert check_rotary_scores(laid_out(neighbours, neighbours)).status == "correct"


def test_scores_computed_in_float32_are_correct():
    def answer(x, w_q, w_k, positions, base):
        x, w_q, w_k, positions = map(np.float32, (x, w_q, w_k, positions))
        head_dim = np.float32(w_q.shape[1])
        inv_freq = np.float32(base) ** (-np.arange(0, head_dim, 2, dtype="float32") / head_dim)
        turns = np.exp(1j * np.outer(positions, inv_freq).astype("float32")).astype("complex64")
        q, k = ((x @ w)[:, ::2] + 1j * (x @ w)[:, 1::2] for w in (w_q, w_k))
        scores = ((q * turns) @ (k * turns).conj().T).real / np.sqrt(head_dim)
        assert scores.dtype == "float32"
        return scores

    assert check_rotary_scores(answer).status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_rotary_scores, MISTAKES)]
)


def test_swapped_projections_are_told_as_transposed_scores():
    swapped = check_rotary_scores(lambda x, w_q, w_k, *rest: head()(x, w_k, w_q, *rest))
    assert swapped.mistake == "transposed"
    assert "make q with w_q, k with w_k" in swapped.message


def test_rotating_before_the_projection_is_told_in_these_words():
    message = check_rotary_scores(MISTAKES["rotated before projection"]).message
    assert message.startswith("You turned x before you projected it.")
    assert "project first, then turn q and k" in message
