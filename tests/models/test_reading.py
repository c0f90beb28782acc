"""What is measured of heads: against slow loops, and on heads whose kind is known."""

import math

import numpy as np
import pytest

from posviz_course.models.reading import by_offset, left_in_place, look, shuffled


def causal(scores):
    """Causal weights of scores [..., len, len], query by query."""
    weights = np.zeros_like(scores)
    for index in np.ndindex(scores.shape[:-1]):
        seen = np.exp(scores[index][: index[-1] + 1])
        weights[index][: index[-1] + 1] = seen / seen.sum()
    return weights


@pytest.fixture
def weights(rng):
    return causal(2 * rng.standard_normal((2, 3, 7, 7)))


def test_the_correlation_with_the_offset_is_that_of_means_taken_one_by_one(weights):
    found = by_offset(weights)
    for head in np.ndindex(2, 3):
        pairs = [(i, j) for i in range(1, 7) for j in range(i + 1)]
        values = [weights[head][pair] for pair in pairs]
        means = [
            np.mean([weights[head][a, b] for a, b in pairs if a - b == i - j]) for i, j in pairs
        ]
        assert found[head] == pytest.approx(np.corrcoef(values, means)[0, 1], abs=1e-12)


def test_shares_are_those_of_queries_one_by_one(weights):
    others = weights[::-1]
    left = left_in_place(weights, others)
    for head in np.ndindex(2, 3):
        mine, theirs = weights[head], others[head]
        rows = [sum(min(mine[i, j], theirs[i, j]) for j in range(7)) for i in range(1, 7)]
        assert left[head] == pytest.approx(math.fsum(rows) / 6, abs=1e-12)


def test_orders_have_the_same_tokens_and_the_same_first():
    ids = [7, 1, 2, 3, 3, 4, 5, 6]
    orders = shuffled(ids)
    assert all(sorted(order) == sorted(ids) and order[0] == 7 for order in orders)
    assert len({tuple(order) for order in orders}) == len(orders) == 4
    assert shuffled(ids) == orders
    assert shuffled([7]) == [[7]] * 4


class TwoHeads:
    """One head looks at the token before, the other at the last token that is the same."""

    longest = 5

    def ids(self, text):
        return list(text.encode())

    def words(self, ids):
        return [chr(i) for i in ids]

    def weights(self, ids):
        same = np.equal.outer(ids, ids) + 0.1 * np.arange(len(ids)) - 2 * np.eye(len(ids))
        near = -abs(np.subtract.outer(np.arange(len(ids)), np.arange(len(ids))) - 1.0)
        return causal(50 * np.array([[near, same]]))


def test_a_head_by_position_keeps_its_map_and_one_by_content_does_not():
    seen = look(TwoHeads(), "abcabcabc", 9)
    assert seen.words == list("abcab")  # as many as the model reads
    assert sorted(seen.shuffled_words) == sorted(seen.words)
    np.testing.assert_allclose(seen.left_in_place[0, 0], 1, atol=1e-9)
    assert seen.left_in_place[0, 1] < 0.9
    assert seen.by_offset[0, 0] > 0.99 > seen.by_offset[0, 1]
    orders = [TwoHeads().weights(order) for order in shuffled(list(b"abcab"))]
    np.testing.assert_array_equal(seen.shuffled, orders[0])
    mean = np.mean([left_in_place(seen.weights, each) for each in orders], axis=0)
    np.testing.assert_allclose(seen.left_in_place, mean, rtol=1e-12)
    assert look(TwoHeads(), "abcabcabc", 3).words == list("abc")
    assert look(TwoHeads(), "", 3).words == [" "]
