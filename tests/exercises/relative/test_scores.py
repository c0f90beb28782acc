"""Transformer-XL's scores, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest
import torch

from posviz.exercises.relative.scores import check_transformer_xl_scores
from tests.exercises.every_mistake import mistake_tests


def dot(first, second):
    return sum(a * b for a, b in zip(first, second, strict=True))


def xl_scores(score, *, ahead=lambda *given: 0.0):
    """Fill the scores cell by cell: score(q_i, k_j, i, j, r, u, v), and ahead(…) where j > i."""

    def answer(q, k, r, u, v):
        cells = range(len(q))
        return [
            [(ahead if j > i else score)(q[i], k[j], i, j, r, u, v) for j in cells] for i in cells
        ]

    return answer


def four_terms(q, k, i, j, r, u, v):
    return dot(q, k) + dot(q, r[i - j]) + dot(u, k) + dot(v, r[i - j])


def in_torch(q, k, r, u, v):
    """The released code's way: keys of the farthest offset first, then the rows are shifted."""
    q, k, r, u, v = map(torch.tensor, (q, k, r, u, v))
    by_offset = (q + v) @ r.flip(0).T
    n = len(q)
    padded = torch.nn.functional.pad(by_offset, (1, 0))
    shifted = padded.reshape(n + 1, n)[1:].reshape(n, n)
    return ((q + u) @ k.T + shifted).tril()


def softmax_of_the_past(*given):
    rows = np.exp(np.array(xl_scores(four_terms, ahead=lambda *given: -np.inf)(*given)))
    return rows / rows.sum(axis=1, keepdims=True)


def returned_too_early(q, k, r, u, v):
    scores = np.zeros((len(q), len(q)))
    for i in range(len(q)):
        for j in range(i + 1):
            scores[i, j] = dot(q[i] + u, k[j]) + dot(q[i] + v, r[i - j])
        return scores


XL_MISTAKES = {
    "a common claim": xl_scores(
        lambda q, k, i, j, r, u, v: dot(q, k + r[i - j]) + dot(u, q) + dot(v, k)
    ),
    "a common claim, scaled": xl_scores(
        lambda q, k, i, j, r, u, v: dot(q, k + r[i - j]) / len(q) ** 0.5 + dot(u, q) + dot(v, k)
    ),
    "u with the query": xl_scores(
        lambda q, k, i, j, r, u, v: dot(q, k) + dot(q, r[i - j]) + dot(u, q) + dot(v, r[i - j])
    ),
    "v with the key": xl_scores(lambda q, k, i, j, r, u, v: dot(q + u + v, k) + dot(q, r[i - j])),
    "u and v swapped": xl_scores(lambda q, k, i, j, r, u, v: dot(q + v, k) + dot(q + u, r[i - j])),
    "u in both places": xl_scores(lambda q, k, i, j, r, u, v: dot(q + u, k + r[i - j])),
    "v missing": xl_scores(lambda q, k, i, j, r, u, v: dot(q + u, k) + dot(q, r[i - j])),
    "u missing": xl_scores(lambda q, k, i, j, r, u, v: dot(q, k) + dot(q + v, r[i - j])),
    "u and v missing": xl_scores(lambda q, k, i, j, r, u, v: dot(q, k + r[i - j])),
    "q with r missing": xl_scores(lambda q, k, i, j, r, u, v: dot(q + u, k) + dot(v, r[i - j])),
    "q with k missing": xl_scores(
        lambda q, k, i, j, r, u, v: dot(u, k) + dot(q, r[i - j]) + dot(v, r[i - j])
    ),
    "q missing": xl_scores(lambda q, k, i, j, r, u, v: dot(u, k) + dot(v, r[i - j])),
    "rows of r reversed": xl_scores(
        lambda q, k, i, j, r, u, v: dot(q + u, k) + dot(q + v, r[len(r) - 1 - (i - j)])
    ),
    "sign of the offset": xl_scores(
        lambda q, k, i, j, r, u, v: dot(q + u, k) + dot(q + v, r[j - i])
    ),
    "r by the place of the key": xl_scores(
        lambda q, k, i, j, r, u, v: dot(q + u, k) + dot(q + v, r[j])
    ),
    "r by the place of the query": xl_scores(
        lambda q, k, i, j, r, u, v: dot(q + u, k) + dot(q + v, r[i])
    ),
    "keys ahead scored": xl_scores(four_terms, ahead=four_terms),
    "keys ahead as those behind": xl_scores(
        four_terms,
        ahead=lambda q, k, i, j, *rest: four_terms(q, k, j, i, *rest),
    ),
    "keys ahead without r": xl_scores(
        four_terms, ahead=lambda q, k, i, j, r, u, v: dot(q, k) + dot(u, k)
    ),
    "−∞ ahead": xl_scores(four_terms, ahead=lambda *given: -math.inf),
    "only the first query": returned_too_early,
    "scaled": lambda *given: np.array(xl_scores(four_terms)(*given)) / len(given[3]) ** 0.5,
    "weights returned": softmax_of_the_past,
    "u or v misplaced": xl_scores(lambda q, k, i, j, r, u, v: dot(q + u + v, k + r[i - j])),
    "r misplaced": xl_scores(lambda q, k, i, j, r, u, v: dot(q + u, k) + dot(q + v, r[i - j - 1])),
}


def scores_in_numpy(q, k, r, u, v):
    i, j = np.indices((len(q), len(q)))
    return np.tril((q + u) @ k.T + np.einsum("id,ijd->ij", q + v, r[i - j]))


@pytest.mark.parametrize("answer", [xl_scores(four_terms), scores_in_numpy, in_torch])
def test_the_scores_may_be_written_in_many_ways(answer):
    assert check_transformer_xl_scores(answer).status == "correct"


def test_scores_computed_in_float32_are_correct():
    def answer(*given):
        return scores_in_numpy(*map(np.float32, given))

    assert answer(*np.ones((3, 2, 2)), *np.ones((2, 2))).dtype == "float32"
    assert check_transformer_xl_scores(answer).status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_transformer_xl_scores, XL_MISTAKES)]
)


@pytest.mark.parametrize(
    ("score", "name"),
    [
        (lambda q, k, i, j, r, u, v: dot(q + v, k + r[i - j]), "u or v misplaced"),
        (lambda q, k, i, j, r, u, v: dot(q, k + r[i - j]) - dot(u, k), "u or v misplaced"),
        (lambda q, k, i, j, r, u, v: dot(q + u + v, k + r[j - i]) - dot(v, k), "r misplaced"),
        (lambda q, k, i, j, r, u, v: dot(q + u, k), "r misplaced"),
    ],
)
def test_what_is_right_is_told_from_what_is_not(score, name):
    assert check_transformer_xl_scores(xl_scores(score)).mistake == name


def softmax(rows):
    powers = np.exp(rows)
    return powers / powers.sum(axis=-1, keepdims=True)


def test_the_term_of_a_common_claim_vanishes_in_the_softmax():
    """As the message says: u·q_i is the same along a row."""
    q, k, r, u, v = check_transformer_xl_scores.cases()[-1]
    last_query = np.array(XL_MISTAKES["u with the query"](q, k, r, u, v))[-1]
    without = np.array(XL_MISTAKES["u with the query"](q, k, r, 0 * u, v))[-1]
    assert np.abs(last_query - without).max() > 0.1
    np.testing.assert_allclose(softmax(last_query), softmax(without), atol=1e-14)
    message = check_transformer_xl_scores(XL_MISTAKES["a common claim"]).message
    assert "u·q_i is the same along a row" in message
    assert "(q_i + u)·k_j + (q_i + v)·r" in message


def test_the_row_of_the_first_query_is_told_wherever_the_return_stands():
    def in_the_inner_loop(q, k, r, u, v):
        scores = np.zeros((len(q), len(q)))
        scores[0, 0] = dot(q[0] + u, k[0]) + dot(q[0] + v, r[0])
        return scores

    assert check_transformer_xl_scores(in_the_inner_loop).mistake == "only the first query"


def test_a_wrong_answer_of_no_known_kind_is_told_with_its_input():
    negated = check_transformer_xl_scores(lambda *given: -scores_in_numpy(*given))
    assert (negated.status, negated.mistake) == ("wrong", None)
    assert negated.message.startswith("The largest difference is")
    assert "u = [" in negated.evidence


def test_what_is_not_attempted_is_told_so():
    def empty(q, k, r, u, v): ...

    assert check_transformer_xl_scores(...).status == "not attempted"
    assert check_transformer_xl_scores(empty).status == "not attempted"
