"""The numbers in lesson 05's pictures, one by one, with complex numbers and loops."""

import cmath
import math

import numpy as np
import pytest

from posviz_course.lessons.rotary.real_head import RealHead
from posviz_course.lessons.rotary.rotary_scores import RotaryScores
from posviz_course.lessons.rotary.rotating_vectors import RotatingVectors
from posviz_course.lessons.rotary.score_decay import ScoreDecay
from posviz_course.models import real
from tests.lessons.by_hand import (
    caption_of,
    complex_scores,
    every_setting,
    frequencies,
    product,
    softmax,
    turned,
)

# ---------------------------------------------------------------- vectors in the plane

Q, K = 1 + 0.5j, 0.3 + 1.2j


def test_the_score_of_rotated_vectors_depends_on_their_offset_alone():
    for picture in every_setting(RotatingVectors):
        arrays, frequency = picture.compute(), 10_000 ** (-picture.pair / 40)
        zeta = ((picture.pair / 40 + 0.4) / 1.4) ** (1 / 256) if picture.xpos else 1
        apart = picture.query - picture.key
        k_seen = K * cmath.exp(-1j * apart * frequency) * zeta**apart
        assert arrays.score == pytest.approx((Q * k_seen.conjugate()).real, abs=1e-12)
        for found, start, place, way in zip(
            arrays.vectors, (Q, K), arrays.positions, (1, -1), strict=True
        ):
            expected = start * cmath.exp(1j * place * frequency) * zeta ** (way * place)
            assert complex(*found) == pytest.approx(expected)
        assert arrays.both[1] == pytest.approx(arrays.score, abs=1e-12)
        upright = 1j * Q.conjugate() / abs(Q)  # what rotates Q until it points up
        for found, vector in zip(arrays.seen, (Q, k_seen), strict=True):
            assert complex(*found) == pytest.approx(vector * upright, abs=1e-12)
        before = [max(picture.together - ago, 0) - picture.together for ago in range(10, 0, -1)]
        for trail, vector, way in zip(arrays.trails, arrays.vectors, (1, -1), strict=True):
            places = [cmath.exp(1j * ago * frequency) * zeta ** (way * ago) for ago in before]
            assert trail[0] + 1j * trail[1] == pytest.approx(complex(*vector) * np.array(places))


def test_a_score_that_moves_would_be_owned_up_to():
    picture = RotatingVectors()
    arrays = picture.compute()
    arrays.both[1][3] += 0.02
    assert "changes by up to 0.02 wherever" in picture.caption(arrays)


# ---------------------------------------------------------------- all scores of a text


@pytest.mark.parametrize("content", RotaryScores.knobs()["content"].options)
@pytest.mark.parametrize(("seq_len", "head_dim", "base"), [(64, 64, 10_000), (500, 32, 100)])
def test_maps_and_means_are_those_of_all_scores(content, seq_len, head_dim, base):
    picture = RotaryScores(content=content, seq_len=seq_len, head_dim=head_dim, base=base)
    arrays, (q, k) = picture.compute(), picture._vectors(seq_len)
    apart = np.subtract.outer(np.arange(seq_len), np.arange(seq_len))
    for i, products in enumerate((q @ k.T, complex_scores(q, k, base))):
        scores = products / math.sqrt(head_dim)
        np.testing.assert_allclose(arrays.maps[i], scores, rtol=0, atol=1e-10)
        diagonals = [np.diagonal(scores, -offset).mean() for offset in range(1 - seq_len, seq_len)]
        assert arrays.curves[i][1] == pytest.approx(diagonals, abs=1e-10)
    means = arrays.curves[1][1][apart + seq_len - 1]
    assert arrays.spread == pytest.approx(abs(scores - means).max(), abs=1e-10)
    assert ("at one offset it differs" in picture.caption(arrays)) == (content == "sentence")


# ---------------------------------------------------------------- scores by offset

ALIGNED = {1: 0.9702, 2: 0.8966, 4: 0.7592, 8: 0.7144, 16: 0.6203, 64: 0.4769, 256: 0.3207}


def test_the_aligned_score_rises_on_115_of_256_steps():
    assert "rises on 115 of 256 steps" in caption_of(ScoreDecay())
    for offset, expected in ALIGNED.items():
        assert round(ScoreDecay(offset=offset).compute().mark[1][0], 4) == expected


@pytest.mark.parametrize("content", ["aligned", "random"])
@pytest.mark.parametrize(("head_dim", "base"), [(128, 10_000), (2, 10)])
def test_curve_envelope_and_rises_are_those_of_every_offset(content, head_dim, base):
    picture = ScoreDecay(content=content, head_dim=head_dim, base=base)
    arrays, q, k, unit = picture.compute(), np.ones(head_dim), np.ones(head_dim), head_dim
    if content == "random":
        (q,), (k,) = np.random.default_rng(0).standard_normal((2, 1, head_dim))
        unit = math.sqrt(head_dim)
    products = (q[0::2] + 1j * q[1::2]) * (k[0::2] - 1j * k[1::2]) / unit
    sums = np.zeros(257, complex)
    for each, frequency in zip(products, frequencies(head_dim, base), strict=True):
        sums += each * np.exp(1j * frequency * np.arange(257))
    np.testing.assert_allclose(arrays.curve[1], sums.real, atol=1e-10)
    assert arrays.rises == sum(sums.real[1:] > sums.real[:-1])
    np.testing.assert_allclose(arrays.around[1][:257], abs(sums), atol=1e-10)


def test_the_papers_bound_is_6_times_the_plainest_one_or_more():
    """Su et al., section 3.4.3, with 128 dimensions and q = k: the mean of partial sums."""
    offsets = np.arange(257)[:, None]
    partial = np.cumsum(np.exp(1j * offsets * np.array(frequencies(128, 10_000))), axis=1)
    # |h(j + 1) − h(j)| is 0 but for the last pair, and the plainest bound is 64 |h|.
    assert abs(partial).sum(axis=1).min() / 64 == pytest.approx(6.41, abs=0.005)


# ---------------------------------------------------------------- real heads


@pytest.mark.parametrize("name", list(real.TELLING)[:2])
@pytest.mark.parametrize(
    ("positions", "layout"), [("given", "right"), ("all the same", "right"), ("given", "mixed up")]
)
def test_weights_are_those_of_pairs_rotated_one_by_one(name, positions, layout):
    arrays = RealHead(head=name, sentence="cat", positions=positions, layout=layout).compute()
    head = real.heads(real.SENTENCES["cat"])[name]
    pairing = {"right": "half_split", "mixed up": "interleaved"}[layout]
    at = range(len(head.words)) if positions == "given" else [0] * len(head.words)
    q, k = (
        [turned(x, p, 100_000, pairing) for x, p in zip(rows, at, strict=True)]
        for rows in (head.q, head.k)
    )
    expected = np.full(head.weights.shape, np.nan)
    for i, query in enumerate(q):
        expected[i, : i + 1] = softmax([product(query, key) / 8 for key in k[: i + 1]])
    np.testing.assert_allclose(arrays.maps[1], expected, atol=1e-9)


def test_without_rope_or_with_a_wrong_layout_the_previous_word_is_lost():
    assert RealHead(layout="right").compute().share > 0.75
    assert RealHead(positions="all the same").compute().share < 0.05
    assert RealHead().compute().share < 0.01
