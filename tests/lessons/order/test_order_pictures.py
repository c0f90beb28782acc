"""The mathematics of lesson 01's pictures, beside slow loops."""

import numpy as np
import pytest

from posviz import FourTerms, HeadCut, ShuffledSentence
from posviz.lessons.order.masked_attention import BLOCKED, MaskedAttention
from posviz.lessons.order.score_variance import PAIRS, ScoreVariance
from tests.lessons.by_hand import drawn, product


@pytest.mark.parametrize(
    ("setting", "sign"),
    [
        ({}, "="),
        ({"encoding": "sinusoidal"}, "≠"),
        ({"encoding": "ALiBi", "order": "reversed"}, "="),
        ({"encoding": "ALiBi", "order": "reversed", "mask": "causal"}, "≠"),
        ({"mask": "causal", "order": "original"}, "="),
    ],
)
def test_a_sign_tells_whether_its_neighbours_are_equal(setting, sign):
    arrays, (*_, shown) = drawn(ShuffledSentence(**setting))
    assert shown.sign.get_text() == sign
    shuffled_after, shuffled_before, _ = arrays.outputs
    assert (abs(shuffled_after - shuffled_before).max() < 1e-14) == (sign == "=")


def test_each_way_leads_from_a_row_to_an_equal_one():
    arrays = ShuffledSentence(sentence="a b c d", seed=3).compute()
    shuffled, _, original = arrays.outputs
    for start, end in arrays.ways[1].reshape(-1, 3)[:, :2].astype(int):
        np.testing.assert_array_equal(original[start], shuffled[end])


@pytest.mark.parametrize("num_heads", [1, 2, 4, 8])
def test_a_reshape_alone_mixes_the_columns_of_heads(num_heads):
    cut, reshaped = (
        HeadCut(num_heads=num_heads, way=way).compute().mixed
        for way in ("cut the columns", "reshape only")
    )
    assert (cut, reshaped > 0) == (0, num_heads > 1)


@pytest.mark.parametrize("mask", ["none", "causal", "blockwise"])
def test_weights_are_shared_out_by_mask_and_padding(mask):
    picture = MaskedAttention(seq_len=7, padding=2, mask=mask, block=2, same_token=True)
    weights = picture.compute().weights

    def looks(query, key):
        causal = key <= query
        return {"none": True, "causal": causal}.get(mask, causal and query // 2 - key // 2 <= 1)

    places = range(-2, 5)  # of the real tokens, the first at 0
    for i, query in enumerate(places):
        keys = [key >= 0 and looks(max(query, 0), key) for key in places]
        expected = [1 / sum(keys) if each else BLOCKED for each in keys]
        np.testing.assert_allclose(weights[i], expected)


def test_the_variance_of_scores_is_the_mean_square_of_a_loop():
    arrays = ScoreVariance(head_dim=9, seed=2).compute()
    q, k = np.random.default_rng(2).standard_normal((2, PAIRS, 256), dtype=np.float32)
    for divisor, (_, [variance]) in zip((1, 3), arrays.here, strict=True):
        scores = [product(q[i, :9], k[i, :9]) / divisor for i in range(PAIRS)]
        np.testing.assert_allclose(variance, np.mean(np.square(scores)), rtol=1e-5)


@pytest.mark.parametrize("projection", ["random", "identity"])
def test_ends_hold_all_pairs_at_their_offset(projection):
    arrays = FourTerms(seq_len=9, projection=projection).compute()
    largest = float(arrays.sizes[3].split()[1])
    for offset, (low, high) in zip(range(-8, 9), arrays.ends, strict=True):
        shares = [arrays.shares[3][i, j] for i, j in np.ndindex(9, 9) if i - j == offset]
        np.testing.assert_allclose(
            (low, high), (largest * min(shares), largest * max(shares)), atol=0.06
        )
