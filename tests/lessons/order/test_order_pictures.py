"""What masks leave in lesson 01's picture, and what its scores vary by, beside slow loops."""

import numpy as np
import pytest

from posviz.lessons.order.masked_attention import BLOCKED, MaskedAttention
from posviz.lessons.order.score_variance import KEYS, PAIRS, ScoreVariance
from tests.lessons.by_hand import drawn, named_lines, product, softmax


@pytest.mark.parametrize("mask", ["none", "causal", "blockwise"])
def test_who_looks_at_whom_and_padding_comes_first(mask):
    picture = MaskedAttention(seq_len=7, padding=2, mask=mask, block=2, same_token=True)
    arrays, _ = drawn(picture)

    def looks(query, key):
        causal = key <= query
        return {"none": True, "causal": causal}.get(mask, causal and query // 2 - key // 2 <= 1)

    places = range(-2, 5)  # of the real tokens, the first at 0
    for i, query in enumerate(places):
        keys = [key >= 0 and looks(max(query, 0), key) for key in places]
        expected = [1 / sum(keys) if each else BLOCKED for each in keys]
        np.testing.assert_allclose(arrays.weights[i], expected)
    lines = named_lines(picture)
    assert lines["its position"][0].tolist() == [0, 0, 0, 1, 2, 3, 4]
    assert lines["keys it looks at"][0].tolist() == (arrays.weights >= 0).sum(axis=1).tolist()


def test_scores_vary_by_head_dim_and_by_1_when_divided_by_its_root():
    picture = ScoreVariance(head_dim=9, seed=2)
    arrays, _ = drawn(picture)
    q, k = np.random.default_rng(2).standard_normal((2, PAIRS, 256), dtype=np.float32)
    for divisor, variance, name in zip(
        (1, 3), arrays.here, ("q·k", "q·k / √head_dim"), strict=True
    ):
        scores = [product(q[i, :9], k[i, :9]) / divisor for i in range(PAIRS)]
        np.testing.assert_allclose(variance, np.mean(np.square(scores)), rtol=1e-5)
        weights = softmax([product(q[0, :9], k[i, :9]) / divisor for i in range(KEYS)])
        shown = named_lines(picture)[name][1]
        np.testing.assert_allclose(shown, sorted(weights, reverse=True), rtol=1e-5)
