"""Biases of forget gates, against products of the gates between a query and a key."""

import math

import numpy as np
import pytest

from posviz.pictures.content.forget_gates import ForgetGates
from posviz.pictures.tokens import are, is_word, tokens_of
from tests.pictures.alibi.test_alibi_labels import lines_in, points
from tests.pictures.by_hand import caption_of, every_setting
from tests.pictures.xpos.test_xpos_pictures import each_drawn


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


def test_the_caption_tells_the_difference_from_alibi():
    assert caption_of(ForgetGates()) == (
        "“.”, 1 of 12 tokens, has the gate 0.05, all others 0.9: the largest difference from "
        "ALiBi’s with the slope -ln 0.9 = 0.1054, is 2.89; the last query’s bias for the first key "
        "is -4.05, a factor of 0.017 on its weight (ALiBi -1.16, 0.31)."
    )
    assert math.log(0.05 / 0.9) == pytest.approx(-2.89, abs=0.005)
    assert caption_of(ForgetGates(gate=0.9)) == (
        "12 gates, all 0.9: the biases are ALiBi’s with the slope -ln 0.9 = 0.1054; the largest "
        "difference is below 1e-14."
    )
    assert caption_of(ForgetGates(sentence="one")).startswith("One gate, 0.9: ")
    assert caption_of(ForgetGates(word="dog")) == caption_of(ForgetGates(gate=0.9))


def test_a_stop_parts_what_came_before_it_from_itself_and_what_follows():
    bias = ForgetGates(others=1.0).compute().bias
    stop = tokens_of(ForgetGates().sentence).index(".")
    assert np.nanmax(abs(bias[:stop])) == np.nanmax(abs(bias[stop:, stop:])) == 0
    assert bias[stop:, :stop] == pytest.approx(math.log(0.05))


def test_the_row_and_its_marks():
    picture = ForgetGates(word="the", gate=0.2)
    found, gates = lines_in(picture.figure()), gates_of(picture)
    row = [(key, math.log(product_of_gates(gates, 11, key))) for key in range(12)]
    assert found["FoX"] == [points(*row)]
    assert found["ALiBi"] == [points(*((key, (11 - key) * math.log(0.9)) for key in range(12)))]
    [[marks]] = [line.reshape(-1, 3, 2)[None, :, :2] for line in found["the word"]]
    assert marks == points(*([[at, 0], [at, 1]] for at in (0, 4)))


def test_all_of_the_row_is_on_its_axis():
    for _, _, (*_, alibi, fox) in each_drawn(ForgetGates, sentence="a b. a, b. A c " * 5):
        low, high = fox.line.axes.get_ylim()
        for curve in (alibi, fox):
            assert low < curve.line.get_ydata().min() <= curve.line.get_ydata().max() == 0 < high
