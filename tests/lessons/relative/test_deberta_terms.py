"""The numbers in lesson 04's picture of DeBERTa: its terms, its clip, and the spread of scores."""

import itertools
import math

import numpy as np
import pytest

from posviz.lessons.relative.deberta_terms import DebertaTerms
from tests.lessons.by_hand import drawn, product


def deberta_maps(picture):
    """q·k, c2p and p2c [16, 16] after 1/√head_dim, by loops."""
    random, head_dim = np.random.default_rng(picture.seed), picture.head_dim
    q, k = random.standard_normal((2, 16, head_dim))
    position_key, position_query = random.standard_normal((2, 16, head_dim))
    maps = np.empty((3, 16, 16))
    for i, j in itertools.product(range(16), repeat=2):
        row = 8 + clipped(i - j, picture.clip)
        other = 8 + clipped(j - i, picture.clip) if picture.reading == "paper" else row
        pairs = ((q[i], k[j]), (q[i], position_key[row]), (k[j], position_query[other]))
        maps[:, i, j] = [product(*pair) / math.sqrt(head_dim) for pair in pairs]
    return maps


def clipped(offset, k):
    return -k if offset < -k else k - 1 if offset > k - 1 else offset


@pytest.mark.parametrize(
    "setting", [DebertaTerms(clip=3), DebertaTerms(reading="paper", p2c=False, seed=4)], ids=repr
)
def test_deberta_terms_are_those_of_a_loop(setting):
    arrays, (*terms, _, _, _, _, _, _) = drawn(setting)
    np.testing.assert_allclose(arrays.maps, np.clip(deberta_maps(setting), -2, 2), atol=1e-9)
    on = (True, setting.c2p, setting.p2c)
    for term, is_on, scores in zip(terms, on, arrays.maps, strict=True):
        assert np.array_equal(term.image.get_array(), scores)
        assert term.image.get_alpha() == (1 if is_on else 0.25)
        assert len(term.cross.get_xdata()) == (0 if is_on else 5)


@pytest.mark.parametrize("head_dim", [4, 64])
def test_the_spread_is_that_of_whole_vectors(head_dim):
    random, count = np.random.default_rng(7), 40_000
    q, k, position_key, position_query = random.standard_normal((4, count, head_dim))
    sums = (q * k + q * position_key + k * position_query).sum(axis=1)
    picture = DebertaTerms(head_dim=head_dim)
    arrays, (*_, plain, scaled, _, _) = drawn(picture)
    for values, density, line, deviation in zip(
        (sums / math.sqrt(head_dim), sums / math.sqrt(3 * head_dim)),
        arrays.densities,
        (plain.line, scaled.line),
        arrays.deviations,
        strict=True,
    ):
        expected, edges = np.histogram(values, 50, (-5, 5))
        error = 5 * np.sqrt(expected + 10) / (count * 0.2)
        assert (abs(density - expected / (count * 0.2)) < error).all()
        assert np.array_equal(line.get_ydata(), density)
        np.testing.assert_allclose(line.get_xdata(), (edges[1:] + edges[:-1]) / 2)
        assert deviation == pytest.approx(values.std(), rel=0.02)
