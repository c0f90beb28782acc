"""Biases of forget gates, against products of the gates between a query and a key."""

import math

import numpy as np
import pytest

from posviz.lessons.content.forget_gates import ForgetGates
from posviz.pictures.tokens import are, is_word, tokens_of
from tests.lessons.by_hand import every_setting


def product_of_gates(gates, query, key):
    return math.prod(gates[key + 1 : query + 1])


def gates_of(picture):
    word = picture.word.strip().lower()
    return [
        picture.gate if token.lower() == word else picture.others
        for token in tokens_of(picture.sentence)
    ]


def test_a_sentence_is_words_and_marks():
    tokens = tokens_of("Don’t go, well-known “A”…")
    assert tokens == ["Don’t", "go", ",", "well-known", "“", "A", "”", "…"]
    assert [is_word(token) for token in tokens] == [
        True,
        True,
        False,
        True,
        False,
        True,
        *[False] * 2,
    ]
    assert tokens_of(" \t") == ["∅"]
    assert are(["The", "mat", "the"], " THE ") == [True, False, True]


def test_a_bias_is_the_logarithm_of_the_gates_between():
    for picture in every_setting(ForgetGates, count=8, sentence="a b. a, b. A c"):
        arrays, gates = picture.compute(), gates_of(picture)
        for query, key in np.ndindex(arrays.bias.shape):
            if key > query:
                assert math.isnan(arrays.bias[query, key])
                continue
            between = product_of_gates(gates, query, key)
            assert arrays.bias[query, key] == pytest.approx(math.log(between), abs=1e-12)


@pytest.mark.parametrize("gate", [0.01, 0.37, 0.9, 1.0])
@pytest.mark.parametrize("sentence", ["one", "a b c d", ". " * 40])
def test_equal_gates_are_alibi_to_the_bound_that_is_told(gate, sentence):
    arrays = ForgetGates(gate=gate, others=gate, sentence=sentence).compute()
    at = np.arange(len(arrays.tokens))
    exact = math.log(gate) * (at[:, None] - at)
    assert np.nanmax(abs(arrays.bias - exact)) <= arrays.rounding
    assert arrays.rounding < 1e-10
    assert "; the largest difference is below 1e-1" in ForgetGates().caption(arrays)


def test_a_stop_parts_what_came_before_it_from_itself_and_what_follows():
    bias = ForgetGates(others=1.0).compute().bias
    stop = tokens_of(ForgetGates().sentence).index(".")
    assert np.nanmax(abs(bias[:stop])) == np.nanmax(abs(bias[stop:, stop:])) == 0
    assert bias[stop:, :stop] == pytest.approx(math.log(0.05))
