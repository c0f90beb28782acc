"""The numbers in lesson 05's pictures of what turns: vectors, a table of angles, three tokens."""

import cmath
import math

import numpy as np
import pytest

from posviz.lessons.rotary.rotating_vectors import RotatingVectors
from posviz.lessons.rotary.turned_tokens import TurnedTokens
from tests.lessons.by_hand import (
    drawn,
    every_setting,
    product,
    softmax,
    turned,
)

# ---------------------------------------------------------------- rotating vectors

Q, K = 1 + 0.5j, 0.3 + 1.2j


def speed_of(picture):
    return picture.base ** (-picture.pair / 16)


def test_vectors_are_rotated_and_the_score_is_their_product():
    for picture in every_setting(RotatingVectors):
        arrays, speed = picture.compute(), speed_of(picture)
        places = picture.query + picture.together, picture.key + picture.together
        assert arrays.positions == places
        for found, start, place in zip(arrays.vectors, (Q, K), places, strict=True):
            assert complex(*found) == pytest.approx(start * cmath.exp(1j * place * speed))
        product_of_both = (
            Q * (K * cmath.exp(1j * (picture.key - picture.query) * speed)).conjugate()
        )
        assert arrays.score == pytest.approx(product_of_both.real, abs=1e-12)


@pytest.mark.parametrize(("query", "key"), [(7, 4), (0, 30)])
def test_the_score_stands_still_when_both_move(query, key):
    picture = RotatingVectors(query=query, key=key, pair=2)
    at_rest = picture.compute().score
    for together in range(31):
        picture.together = together
        assert picture.compute().score == pytest.approx(at_rest, abs=1e-13)


def test_a_score_that_moves_would_be_owned_up_to():
    picture = RotatingVectors()
    arrays = picture.compute()
    arrays.both[3] += 0.02
    assert picture.caption(arrays).endswith(", but up to 2.0e-02 away from it elsewhere.")


@pytest.mark.parametrize(("query", "pair"), [(7, 1), (30, 0)])
def test_the_arc_runs_from_k_to_q_the_shorter_way(query, pair):
    picture = RotatingVectors(query=query, pair=pair, together=5)
    arrays, (_, _, part, *_) = drawn(picture)
    x, y = part.line.get_data()
    arc = np.unwrap(np.arctan2(y, x))
    q, k = (cmath.phase(complex(*vector)) for vector in arrays.vectors)
    assert math.remainder(arc[0] - k, math.tau) == pytest.approx(0, abs=1e-12)
    assert arc[-1] - arc[0] == pytest.approx(math.remainder(q - k, math.tau))


# ---------------------------------------------------------------- three turned tokens

QUERIES = [(1.16, -0.6), (1.1, 0.76), (-0.5, 1.22)]
KEYS = [(-0.88, 0.8), (0.3, 1.18), (1.2, -0.04)]


def weights_of(picture, first):
    """Attention weights [3, 3], token by token."""
    turn_q, turn_k = picture.turned != "nothing", picture.turned == "queries and keys"
    step = math.radians(picture.step)

    def at(vectors, turns):  # as one pair, whose frequency is 1
        return [turned(x, turns * step * (first + i)) for i, x in enumerate(vectors)]

    q, k = at(QUERIES, turn_q), at(KEYS, turn_k)
    return [softmax([product(a, b) / math.sqrt(2) for b in k]) for a in q]


def test_the_first_sight_is_the_audited_example():
    arrays = TurnedTokens().compute()
    weights = [[0.1093, 0.2032, 0.6875], [0.1547, 0.3914, 0.4538], [0.5172, 0.3744, 0.1084]]
    np.testing.assert_array_equal(arrays.weights.round(4), weights)
    output = [[-0.4485, 0.5688], [-0.1363, 0.6493], [0.5320, 0.5320]]
    np.testing.assert_array_equal(arrays.output.round(4), output)
    queries = [[1.2466, -0.3895], [0.7737, 1.0904], [-1.0430, 0.8066]]
    keys = [[-1.0055, 0.6350], [-0.1217, 1.2114], [1.0592, 0.5654]]
    np.testing.assert_array_equal(arrays.vectors.round(4), [queries, keys])


@pytest.mark.parametrize("knobs", [{"turned": "nothing"}, {"step": 0}])
def test_without_turning_it_is_the_other_audited_example(knobs):
    weights = [[0.0900, 0.2017, 0.7082], [0.1373, 0.4218, 0.4409], [0.4658, 0.4260, 0.1082]]
    np.testing.assert_array_equal(TurnedTokens(**knobs).compute().weights.round(4), weights)


def test_weights_and_their_change_are_those_of_a_loop():
    for picture in every_setting(TurnedTokens):
        arrays = picture.compute()
        here, moved = (weights_of(picture, first) for first in (picture.first, picture.first + 1))
        np.testing.assert_allclose(arrays.weights, here, rtol=0, atol=1e-12)
        change = np.abs(np.subtract(moved, here)).max()
        assert arrays.change == pytest.approx(change, abs=1e-12)
