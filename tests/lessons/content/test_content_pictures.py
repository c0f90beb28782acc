"""Lesson 11's pictures against released code, masks token by token, and powers of matrices."""

import math

import numpy as np
import pytest
import torch
import transformers

from posviz.pictures.live_figure import LiveFigure
from posviz_course.lessons._sentences import is_word, tokens_of
from posviz_course.lessons.content.counted_positions import CountedPositions
from posviz_course.lessons.content.forget_gates import ForgetGates
from posviz_course.lessons.content.layer_plan import MOST, PLANS, LayerPlan, plan_of
from posviz_course.lessons.content.one_matrix import SHEAR, TWO, OneMatrix
from posviz_course.lessons.content.temperature_by_position import factors_at
from tests.lessons.by_hand import every_setting
from tests.pictures.sample import place_of


def test_rhythms_of_layers_are_those_of_the_released_code():
    cohere = transformers.Cohere2Config(num_hidden_layers=MOST).layer_types
    gemma = transformers.Gemma3TextConfig(num_hidden_layers=MOST).layer_types
    for plan, kinds in (("Cohere 2", cohere), ("Gemma 3", gemma)):
        local = [kind == "sliding_attention" for kind in kinds]
        layers, bases = plan_of(plan, MOST, 1024)
        assert [bool(layer.window) for layer in layers] == local
        if plan == "Gemma 3":
            assert bases == tuple(10_000 if near else 1_000_000 for near in local)
        else:
            assert [base > 0 for base in bases] == local
    layers, bases = plan_of("all windowed", MOST, 1024)
    assert {layer.window for layer in layers} == {1024}
    assert len({*bases}) == 1
    assert min(bases) > 0


@pytest.mark.parametrize("plan", PLANS)
def test_reach_is_that_of_masks_one_after_the_other(plan):
    length, window = 1024, 128
    arrays = LayerPlan(plan=plan, layers=6, window=window, length=length).compute()
    query, key = np.ogrid[:length, :length]
    full = {"all windowed": (), "Gemma 3": (5,), "Cohere 2": (3,)}[plan]
    masks = [(key <= query) & ((query - key < window) | (layer in full)) for layer in range(6)]
    known, newest = np.arange(length) == 0, []
    for mask in masks:
        known = mask[:, known].any(axis=1)
        newest.append(np.flatnonzero(known)[-1])
    assert arrays.newest.tolist() == newest
    assert arrays.sees.tolist() == [mask.sum(axis=1).max() for mask in masks]


def test_temperatures_are_those_of_released_code():
    places = np.array([0, 1, 8190, 8191, 8192, 16_382, 16_383, 16_384, 131_071, 10**6])
    found, tokens = factors_at(places), torch.tensor(places)[None].double()
    # As Llama4TextAttention.forward writes it.
    llama = torch.log1p(torch.floor((tokens + 1.0) / 8192)) * 0.1 + 1.0
    assert found["Llama 4"] == pytest.approx(llama[0].numpy())
    assert found["log n"] == pytest.approx([math.log(place + 1, 8192) for place in places])


def test_a_sentence_is_words_and_marks():
    tokens = tokens_of("Don’t go, well-known “A”…")
    assert tokens == ["Don’t", "go", ",", "well-known", "“", "A", "”", "…"]
    words = ["Don’t", "go", "well-known", "A"]
    assert [token for token in tokens if is_word(token)] == words
    assert tokens_of(" \t") == ["∅"]


def test_a_bias_is_the_logarithm_of_the_gates_between():
    for picture in every_setting(ForgetGates, count=4, sentence="a b. a, b! A c"):
        bias, tokens = picture.compute().bias, tokens_of(picture.sentence)
        gates = [picture.gate if token in (".", "!") else 0.9 for token in tokens]
        for i, j in np.ndindex(bias.shape):
            between = math.log(math.prod(gates[j + 1 : i + 1])) if j <= i else math.nan
            assert bias[i, j] == pytest.approx(between, abs=1e-12, nan_ok=True)


def test_a_reader_s_gates_make_the_bias_and_are_asked_for_by_number():
    sentence = "A b. C d"

    def gates(text):
        return [0.5 if token == "C" else 1 for token in text.split()]

    bias = ForgetGates(gates, sentence=sentence).compute().bias
    assert bias[-1].tolist() == [math.log(0.5)] * 3 + [0, 0]
    stub = ForgetGates(lambda text: ..., sentence=sentence)
    arrays = stub.compute()
    assert (np.nan_to_num(arrays.bias) == 0).all()
    assert stub.caption(arrays).startswith("Your function returns no gates yet")
    for wrong in ([1, 1], [0] * 5):
        with pytest.raises(ValueError, match="5 gates above 0"):
            ForgetGates(lambda text, wrong=wrong: wrong, sentence=sentence).compute()


def test_all_tokens_of_a_sentence_before_are_one_stop_away():
    picture = CountedPositions(sharpness=10)
    stops = [token == "." for token in tokens_of(picture.sentence)]
    counted = np.cumsum(stops[::-1])[::-1]
    assert picture.compute().positions[1] == pytest.approx(counted, abs=1e-3)


@pytest.mark.parametrize("matrix", [TWO, SHEAR])
def test_scores_are_those_of_the_matrix(matrix):
    q = np.array([0.0, 1.0])
    for picture in every_setting(OneMatrix, count=4, matrix=matrix):
        a, omega = picture.real_part, picture.imaginary_part
        m = [[0, 0], [-0.03, 0]] if matrix == SHEAR else [[a, -omega], [omega, a]]
        one = torch.linalg.matrix_exp(torch.tensor(m, dtype=torch.float64)).numpy()
        start = np.array([matrix == SHEAR, 1.0])
        arrays = picture.compute()
        keys = np.array([np.linalg.matrix_power(one, d) @ start for d in range(65)])
        np.testing.assert_allclose(arrays.keys.T, keys, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(arrays.scores[1], keys @ q, rtol=1e-9, atol=1e-10)
        assert arrays.height == pytest.approx((keys @ q)[picture.distance], abs=1e-9)


def test_the_matrix_can_be_dragged_and_a_shear_stays():
    picture = OneMatrix()
    live = LiveFigure(picture)
    live.follow()
    live.drag(*place_of(live, -0.0507, 0.5))
    assert (picture.real_part, picture.imaginary_part) == (-0.05, 0.5)
    live.drag(*place_of(live, 0.0003, 0.8))
    assert (picture.real_part, picture.imaginary_part) == (0, 0.8)
    picture.matrix = SHEAR
    live.drag(*place_of(live, -0.05, 0.3))
    assert (picture.real_part, picture.imaginary_part) == (0, 0.8)
