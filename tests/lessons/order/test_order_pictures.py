"""The mathematics of lesson 01's pictures, beside slow loops."""

import itertools

import numpy as np
import pytest

from posviz import FourTerms, ShuffledSentence, attend
from posviz_course.lessons.order.masked_attention import BLOCKED, MaskedAttention
from posviz_course.lessons.order.score_variance import PAIRS, ScoreVariance
from posviz_course.lessons.order.shuffled_sentence import ENCODINGS, _projections, word_vector
from posviz_course.lessons.order.word_orders import WordOrders, orders_of
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
def test_band_and_dots_hold_the_pairs_at_their_offset(projection):
    arrays = FourTerms(projection=projection).compute()
    pairs = [(i - j, arrays.terms[3][i, j]) for i, j in np.ndindex(16, 16)]
    assert sorted(pairs) == sorted(zip(*arrays.pairs, strict=True))
    [outline] = arrays.band
    for offset in range(-15, 16):
        scores = [score for place, score in pairs if place == offset]
        ends = outline[outline[:, 0] == offset, 1]
        assert sorted(ends) == [min(scores), max(scores)]


@pytest.mark.parametrize(
    ("setting", "different"),
    [({"step": 0}, 1), ({}, 24), ({"encoding": "ALiBi"}, 12), ({"step": 0, "mask": "causal"}, 24)],
)
def test_orders_lie_on_as_many_points_as_a_loop_finds(setting, different):
    arrays = WordOrders(sentence="a b c d", **setting).compute()
    step, encoding = setting.get("step", 1), ENCODINGS[setting.get("encoding", "sinusoidal")]
    mask = np.tri(4, dtype=bool) if setting.get("mask") == "causal" else None
    means = []
    for order in itertools.permutations("abcd"):
        x = np.stack([word_vector(word) for word in order])[None]
        layer = {"num_heads": 8, "encoding": encoding, "mask": mask}
        output = attend(x, *_projections(), positions=[step * i for i in range(4)], **layer)
        means.append(output[0].mean(axis=0))
    gaps = [
        min(abs(mean - other).max() for other in means[:i]) for i, mean in enumerate(means) if i
    ]
    assert 1 + sum(gap > 1e-12 for gap in gaps) == arrays.different == different


def test_rings_lie_on_both_marked_orders():
    picture = WordOrders(sentence="a b c d e")
    arrays, orders = picture.compute(), orders_of(tuple("abcde"))
    marked = [orders.index(tuple(order)) for order in ("abcde", "decab")]
    np.testing.assert_array_equal(arrays.marked, arrays.points[marked])


def test_equal_words_that_change_places_are_not_said_to_stay():
    picture = ShuffledSentence(sentence="dog bites dog", order="reversed")
    assert picture.caption(picture.compute()).startswith("Every place has the same word")
