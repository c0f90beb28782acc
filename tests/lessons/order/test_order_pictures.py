"""The mathematics of lesson 01's pictures, beside slow loops."""

import numpy as np
import pytest

from posviz import FourTerms, ShuffledSentence
from posviz_course.lessons.order.masked_attention import BLOCKED, MaskedAttention
from posviz_course.lessons.order.score_variance import PAIRS, ScoreVariance
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
    arrays, (*_, shown, _) = drawn(ShuffledSentence(**setting))
    assert shown.artist.get_text() == sign
    shuffled_after, shuffled_before, _ = arrays.outputs
    assert (abs(shuffled_after - shuffled_before).max() < 1e-14) == (sign == "=")


def test_each_way_leads_from_a_row_to_an_equal_one():
    arrays = ShuffledSentence(sentence="a b c d", seed=3).compute()
    shuffled, _, original = arrays.outputs
    for start, end in arrays.ways[1].reshape(-1, 3)[:, :2].astype(int):
        np.testing.assert_array_equal(original[start], shuffled[end])


@pytest.mark.parametrize("mask", ["none", "causal"])
def test_weights_are_shared_out_by_the_mask(mask):
    weights = MaskedAttention(seq_len=7, mask=mask).compute().weights
    for query, key in np.ndindex(7, 7):
        seen = 7 if mask == "none" else query + 1
        assert weights[query, key] == (1 / seen if key < seen else BLOCKED)


def test_the_variance_of_scores_is_the_mean_square_of_a_loop():
    arrays = ScoreVariance(head_dim=9).compute()
    q, k = np.random.default_rng(4).standard_normal((2, PAIRS, 256), dtype=np.float32)
    for divisor, (_, [variance]) in zip((1, 3), arrays.here, strict=True):
        scores = [product(q[i, :9], k[i, :9]) / divisor for i in range(PAIRS)]
        np.testing.assert_allclose(variance, np.mean(np.square(scores)), rtol=1e-5)


@pytest.mark.parametrize("projection", ["random", "identity"])
def test_ends_hold_all_pairs_at_their_offset(projection):
    arrays = FourTerms(projection=projection).compute()
    largest = float(arrays.sizes[3].split()[1])
    for offset, (low, high) in zip(range(-15, 16), arrays.ends, strict=True):
        shares = [arrays.shares[3][i, j] for i, j in np.ndindex(16, 16) if i - j == offset]
        np.testing.assert_allclose(
            (low, high), (largest * min(shares), largest * max(shares)), atol=0.06
        )


def test_equal_words_that_change_places_are_not_said_to_stay():
    picture = ShuffledSentence(sentence="dog bites dog", order="reversed")
    assert picture.caption(picture.compute()).startswith("Every place has the same word")
