"""The numbers in lesson 04's pictures: offsets, terms and buckets by loops."""

import itertools
import math

import numpy as np
import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from posviz.encodings.transformer_xl import rel_shift
from posviz_course.lessons.relative.combed_scores import CombedScores
from posviz_course.lessons.relative.deberta_terms import DebertaTerms
from posviz_course.lessons.relative.four_relative_terms import TERMS, FourRelativeTerms
from posviz_course.lessons.relative.offset_bias import OffsetBias
from posviz_course.lessons.relative.offset_matrix import OffsetMatrix
from posviz_course.lessons.relative.rel_shift import RelShift
from posviz_course.lessons.relative.t5_buckets import T5Buckets
from posviz_course.models.real import trained_table
from tests.lessons.by_hand import complex_scores, every_setting, product, softmax

PAIRS = list(itertools.product(range(16), repeat=2))


def test_each_pair_has_its_clipped_offset():
    for picture in every_setting(OffsetMatrix):
        arrays, clip, places = picture.compute(), picture.clip, range(picture.seq_len)
        expected = [[max(-clip, min(i - j, clip)) for j in places] for i in places]
        assert arrays.clipped.tolist() == expected
        assert arrays.rows[0][1].tolist() == [min(6, places[-1]) - key for key in places]


def combed_scores(method):
    """The scores of one repeated token by a loop, NaN where ALiBi sees no key."""
    random = np.random.default_rng(3)
    w_q, w_k = random.standard_normal((2, 384, 64))
    x = [random.standard_normal(384)] * 32
    if method == "learned table":
        table = trained_table()[1:33]
        x = [token + row / table.std() for token, row in zip(x, table, strict=True)]
    if method == "sinusoidal table":
        waves = [10_000 ** (-pair / 192) for pair in range(192)]
        rows = [[f(p * w) for w in waves for f in (math.sin, math.cos)] for p in range(32)]
        x = [token + row for token, row in zip(x, rows, strict=True)]
    q, k = (np.array([token @ w for token in x]) for w in (w_q, w_k))
    scores = complex_scores(q, k, 10_000) if method == "RoPE" else q @ k.T
    numbers = random.standard_normal(63)
    for i, j in itertools.product(range(32), repeat=2):
        if method == "relative bias":
            scores[i, j] += numbers[i - j + 31]
        if method == "ALiBi":
            scores[i, j] = scores[i, j] - (i - j) if j <= i else np.nan
    return (scores - np.nanmean(scores)) / np.nanstd(scores)


@pytest.mark.parametrize("method", CombedScores.knobs()["method"].options)
def test_rows_slide_until_each_column_has_one_offset(method):
    scores, cells = combed_scores(method), slice(2, None, 6)  # of each cell one column
    square = CombedScores(method=method, combed=0).compute().image
    np.testing.assert_allclose(square[:, 93:285][:, cells], scores, atol=1e-8)
    assert np.isnan(square[:, :93]).all()
    arrays = CombedScores(method=method).compute()
    combed = arrays.image[:, cells]
    diagonals = [np.diagonal(scores, -offset) for offset in range(31, -32, -1)]
    for column, diagonal in zip(combed.T, diagonals, strict=True):
        found = column[~np.isnan(column)]
        np.testing.assert_allclose(found, diagonal[~np.isnan(diagonal)], atol=1e-8)
    rest = np.concatenate([d - d.mean() for d in diagonals])
    assert arrays.share == pytest.approx(1 - np.nanmean(rest**2), abs=1e-8)  # the variance is 1
    assert (arrays.share > 1 - 1e-9) == (not method.endswith("table"))


def test_a_reader_s_bias_draws_the_weights_as_it_is():
    def bias(numbers, length):  # key − query
        return [[numbers[j - i + length - 1] for j in range(length)] for i in range(length)]

    right = OffsetBias(offset=1, bonus=2, sentence="a b c d").compute().weights
    mirrored = OffsetBias(bias, offset=1, bonus=2, sentence="a b c d").compute().weights
    np.testing.assert_allclose(mirrored, right[::-1, ::-1], atol=1e-12)
    assert abs(mirrored - right).max() > 0.3


def test_a_bias_that_is_not_written_adds_nothing_and_a_shape_is_refused():
    picture = OffsetBias(lambda numbers, length: ..., sentence="a b c d")
    arrays = picture.compute()
    assert (arrays.weights == 0.25).all()
    assert picture.caption(arrays).startswith("Your function returns no bias yet")
    with pytest.raises(ValueError, match=r"shape \(7,\), not \(4, 4\)"):
        OffsetBias(lambda numbers, length: numbers, sentence="a b c d").compute()


def test_a_reader_s_rows_draw_the_clipped_offsets():
    def rows(q_positions, k_positions, max_distance):
        apart = k_positions - q_positions[:, None]
        return np.clip(apart, -max_distance, max_distance) + max_distance

    expected = OffsetMatrix(clip=2).compute().clipped
    np.testing.assert_array_equal(OffsetMatrix(rows, clip=2).compute().clipped, expected)
    mirrored = OffsetMatrix(lambda *given: rows(*given).T, clip=2).compute().clipped
    np.testing.assert_array_equal(mirrored, -expected)
    empty = OffsetMatrix(lambda *_: ..., clip=2)
    assert empty.caption(empty.compute()).startswith("Your function returns no rows yet")


def xl_terms():
    """The five terms of each query and each key not ahead of it, {(query, key): numbers}."""
    random = np.random.default_rng(71)
    x = random.standard_normal((16, 64))
    w_q, w_k, w_r = random.standard_normal((3, 64, 32)) / 8
    u, v = random.standard_normal((2, 32))
    q, k, terms = x @ w_q, x @ w_k, {}
    angles = np.outer(range(16), [10_000 ** (-pair / 32) for pair in range(32)])
    r = math.sqrt(2) * (np.hstack([np.sin(angles), np.cos(angles)]) @ w_r)
    for i, j in PAIRS:
        if j <= i:
            pairs = ((q[i], k[j]), (q[i], r[i - j]), (u, k[j]), (v, r[i - j]), (u, q[i]))
            terms[i, j] = [product(*pair) / math.sqrt(32) for pair in pairs]
    return terms


@pytest.mark.parametrize("setting", [*every_setting(FourRelativeTerms, 2)], ids=repr)
def test_four_terms_are_those_of_a_loop(setting):
    arrays, terms = setting.compute(), xl_terms()
    for i, j in PAIRS:
        found = arrays.terms[:, i, j]
        expected = np.clip(terms[i, j], -2, 2) if j <= i else -20
        np.testing.assert_allclose(found, expected, atol=1e-10)
    for on, (_, weights) in zip(
        ([True] * 4, [name != setting.without for name in TERMS]), arrays.rows, strict=True
    ):
        last = softmax([math.fsum(np.multiply(on, terms[15, j][:4])) for j in range(16)])
        np.testing.assert_allclose(weights, last, atol=1e-12)


def test_the_shift_ends_where_the_function_ends():
    arrays = RelShift(step=4).compute()
    shifted = rel_shift(np.tile([4.0, 3, 2, 1, 0], (4, 1)))
    assert np.array_equal(np.where(arrays.gone, -np.inf, arrays.offset), shifted)
    assert (arrays.query[~arrays.gone] == np.nonzero(~arrays.gone)[0]).all()


@pytest.mark.parametrize(
    "setting", [DebertaTerms(clip=3), DebertaTerms(reading="paper", p2c=False)], ids=repr
)
def test_deberta_terms_are_those_of_a_loop(setting):
    random, clip = np.random.default_rng(0), setting.clip
    q, k = random.standard_normal((2, 16, 64))
    position_key, position_query = random.standard_normal((2, 16, 64))
    terms = setting.compute().terms
    for i, j in PAIRS:
        row, other = (8 + max(-clip, min(offset, clip - 1)) for offset in (i - j, j - i))
        other = other if setting.reading == "paper" else row
        pairs = ((q[i], k[j]), (q[i], position_key[row]), (k[j], position_query[other]))
        expected = [product(*pair) / 8 for pair in pairs]
        np.testing.assert_allclose(terms[:, i, j], np.clip(expected, -2, 2), atol=1e-9)


def test_the_spread_is_that_of_whole_vectors():
    random, count = np.random.default_rng(7), 40_000
    q, k, position_key, position_query = random.standard_normal((4, count, 64))
    sums = (q * k + q * position_key + k * position_query).sum(axis=1)
    arrays = DebertaTerms().compute()
    for terms, (_, density), deviation in zip(
        (1, 3), arrays.densities, arrays.deviations, strict=True
    ):
        values = sums / math.sqrt(terms * 64)
        expected, _ = np.histogram(values, 50, (-5, 5))
        error = 5 * np.sqrt(expected + 10) / (count * 0.2)
        assert (abs(density - expected / (count * 0.2)) < error).all()
        assert deviation == pytest.approx(values.std(), rel=0.02)


@pytest.mark.parametrize("num_buckets", [4, 32, 64])
def test_every_pair_has_the_colour_of_its_bucket_in_transformers(num_buckets):
    arrays, offsets = T5Buckets(num_buckets=num_buckets).compute(), range(-200, 201)
    theirs = T5Attention._relative_position_bucket(  # it counts key − query
        -torch.tensor(offsets), True, num_buckets, 128
    ).tolist()
    runs = arrays.runs.tolist()
    found = {at: bucket for first, last, bucket in runs for at in range(first, last + 1)}
    assert found == dict(zip(offsets, theirs, strict=True))
    for query, key in np.ndindex(128, 128):
        assert arrays.pairs[query, key] == arrays.colours[found[query - key]]
