"""Lesson 04: Shaw's rows and Transformer-XL's scores, and every mistake as a reader writes it."""

import math

import numpy as np
import pytest
import torch

from posviz.exercises.relative import check_shaw_index, check_transformer_xl_scores
from tests.exercises.every_mistake import mistake_tests


def shaw_rows(row):
    """Fill the matrix cell by cell: row(query, key, max_distance) -> number of the row."""

    def answer(q_positions, k_positions, most):
        return [[row(query, key, most) for key in k_positions] for query in q_positions]

    return answer


def clipped(ahead, low, high):
    return max(low, min(high, ahead))


def by_place(q_positions, k_positions, most):
    places = range(len(q_positions)), range(len(k_positions))
    return [[clipped(j - i, -most, most) + most for j in places[1]] for i in places[0]]


SHAW_MISTAKES = {
    "sign of the offset": shaw_rows(lambda q, k, most: clipped(q - k, -most, most) + most),
    "not clipped": shaw_rows(lambda q, k, most: k - q + most),
    "clipped, not shifted": shaw_rows(lambda q, k, most: clipped(k - q, -most, most)),
    "neither clipped nor shifted": shaw_rows(lambda q, k, most: k - q),
    "clipped before 0": shaw_rows(lambda q, k, most: clipped(k - q, 0, 2 * most)),
    "shifted before clipped": shaw_rows(lambda q, k, most: clipped(k - q + most, -most, most)),
    "clipped to max_distance − 1": shaw_rows(
        lambda q, k, most: clipped(k - q + most, 0, 2 * most - 1)
    ),
    "rows from 1": shaw_rows(lambda q, k, most: clipped(k - q, -most, most) + most + 1),
    "distances": shaw_rows(lambda q, k, most: min(abs(q - k), most)),
    "distances, shifted": shaw_rows(lambda q, k, most: min(abs(q - k), most) + most),
    "wrapped around": shaw_rows(lambda q, k, most: (k - q + most) % (2 * most + 1)),
    "positions ignored": by_place,
}


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
    "scaled": lambda *given: np.array(xl_scores(four_terms)(*given)) / len(given[3]) ** 0.5,
    "weights returned": softmax_of_the_past,
    "u or v misplaced": xl_scores(lambda q, k, i, j, r, u, v: dot(q + u + v, k + r[i - j])),
    "r misplaced": xl_scores(lambda q, k, i, j, r, u, v: dot(q + u, k) + dot(q + v, r[i - j - 1])),
}

MISTAKES = [(check_shaw_index, SHAW_MISTAKES), (check_transformer_xl_scores, XL_MISTAKES)]

right_rows = shaw_rows(lambda q, k, most: clipped(k - q, -most, most) + most)


def rows_in_numpy(q_positions, k_positions, max_distance):
    return np.clip(k_positions - q_positions[:, None] + max_distance, 0, 2 * max_distance)


def rows_in_torch(q_positions, k_positions, max_distance):
    ahead = torch.tensor(k_positions)[None] - torch.tensor(q_positions)[:, None]
    return ahead.clamp(-max_distance, max_distance) + max_distance


def scores_in_numpy(q, k, r, u, v):
    i, j = np.indices((len(q), len(q)))
    return np.tril((q + u) @ k.T + np.einsum("id,ijd->ij", q + v, r[i - j]))


@pytest.mark.parametrize("answer", [right_rows, rows_in_numpy, rows_in_torch])
def test_shaws_rows_may_be_found_in_many_ways(answer):
    assert check_shaw_index(answer).status == "correct"


@pytest.mark.parametrize("answer", [xl_scores(four_terms), scores_in_numpy, in_torch])
def test_the_scores_may_be_written_in_many_ways(answer):
    assert check_transformer_xl_scores(answer).status == "correct"


def test_scores_computed_in_float32_are_correct():
    def answer(*given):
        return scores_in_numpy(*map(np.float32, given))

    assert answer(*np.ones((3, 2, 2)), *np.ones((2, 2))).dtype == "float32"
    assert check_transformer_xl_scores(answer).status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(MISTAKES)


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


def test_a_wrong_answer_of_no_known_kind_is_told_with_its_input():
    halved = check_shaw_index(lambda *given: rows_in_numpy(*given) / 2)
    negated = check_transformer_xl_scores(lambda *given: -scores_in_numpy(*given))
    assert (halved.status, halved.mistake) == (negated.status, negated.mistake) == ("wrong", None)
    assert halved.message.startswith("The largest difference is")
    assert "max_distance = 1" in halved.evidence
    assert "u = [" in negated.evidence
    by_key = check_shaw_index(lambda *given: rows_in_numpy(*given).T)
    assert by_key.message.startswith("Your answer is the transpose")
    one_row = check_shaw_index(lambda q, k, most: rows_in_numpy(q, k, most)[0])
    assert "shape" in one_row.message


@pytest.mark.parametrize("check", [check for check, _ in MISTAKES], ids=lambda check: check.title)
def test_what_is_not_attempted_is_told_so(check):
    def empty(*given): ...

    assert check(...).status == check(empty).status == "not attempted"


def test_far_keys_are_met_on_both_sides_and_the_query_itself():
    met = set()
    for q_positions, k_positions, most in check_shaw_index.cases():
        for ahead in {key - query for key in k_positions for query in q_positions}:
            met |= {"behind"} if ahead < -most else {"ahead"} if ahead > most else {ahead}
        assert 0 in met
        met.discard(0)
    assert {"behind", "ahead", -1, 1} <= met
