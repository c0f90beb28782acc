"""The weight of one best key among many, against softmaxes of whole rows."""

import math

import pytest

from posviz.pictures.stretching.dispersal import KEYS, Dispersal, sharpening


def factor_of(rule, keys, length, factor):
    """What scores are multiplied by in a row of so many keys, the last query's at keys − 1."""
    if rule == "a²":
        return (0.1 * math.log(factor) + 1) ** 2
    if rule == "log n":
        return max(1.0, math.log(keys, length))
    if rule == "Llama-4":  # as in transformers, where floor_scale is the length
        position = keys - 1
        return math.log(1 + math.floor((position + 1.0) / length)) * 0.1 + 1.0
    return 1.0


def row_weight(margin, keys):
    powers = [math.exp(score) for score in [margin] + [0.0] * (keys - 1)]
    return powers[0] / math.fsum(powers)


@pytest.mark.parametrize("rule", ["plain", "a²", "log n", "Llama-4"])
def test_weights_are_those_of_whole_rows(rule):
    picture = Dispersal(margin=5.5, length=300, factor=7)
    arrays = picture.compute()
    for at, keys in enumerate(KEYS[KEYS < 4000][::10].tolist()):
        margin = 5.5 * factor_of(rule, keys, 300, 7)
        assert arrays.curves[rule][10 * at] == pytest.approx(row_weight(margin, keys))
    for weight, keys in zip(arrays.here[rule], (300, 2100), strict=True):
        margin = 5.5 * factor_of(rule, keys, 300, 7)
        assert weight == pytest.approx(row_weight(margin, keys))
    assert arrays.factors[rule] == pytest.approx(factor_of(rule, 2100, 300, 7))


def test_log_n_holds_the_weight_of_a_margin_of_log_length():
    """(n − 1) e^(−ln L · ln n / ln L) is (n − 1)/n: the weight is n/(2n − 1) at every length."""
    picture = Dispersal(margin=math.log(2048), length=2048)
    weights = picture.compute().curves["log n"]
    past = KEYS > 2048
    assert weights[past] == pytest.approx(KEYS[past] / (2 * KEYS[past] - 1))


def test_temperature_of_llama_4_steps_at_every_trained_length():
    found = sharpening(KEYS, 8192, 4)["Llama-4"]
    assert set(found[KEYS < 8192]) == {1.0}
    assert found[(KEYS >= 8192) & (KEYS < 16_384)] == pytest.approx(1 + 0.1 * math.log(2))
