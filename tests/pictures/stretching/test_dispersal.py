"""The weight of one best key among many, against softmaxes of whole rows."""

import math

import pytest

from posviz.pictures.stretching.dispersal import KEYS, Dispersal, sharpening
from tests.pictures.alibi.test_alibi_labels import coloured, lines_in, points
from tests.pictures.by_hand import caption_of, every_setting


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


def test_the_caption_has_the_audited_weights():
    assert caption_of(Dispersal()) == (
        "A key whose score is 8 above all others gets 0.421 of the weight among 4,096 keys; among "
        "16,384: plain 0.154, YaRN’s a² 0.661 (scores × 1.2965), log n 0.408 (scores × 1.1667), "
        "Llama-4 0.397 (scores × 1.1609)."
    )


@pytest.mark.parametrize(
    ("factor", "square"), [(2, 1.1434), (8, 1.4591), (16, 1.6314), (32, 1.8133), (40, 1.8739)]
)
def test_the_square_of_yarns_attention_factor(factor, square):
    assert f"(scores × {square})" in caption_of(Dispersal(factor=factor))


def test_every_weight_is_a_share_of_one():
    for picture in every_setting(Dispersal):
        arrays = picture.compute()
        for rule, weights in arrays.curves.items():
            assert weights[0] == 1
            assert 0 <= weights.min() <= weights.max() <= 1
            assert (weights >= arrays.curves["plain"]).all(), rule


def test_legend_lines_and_marks():
    picture = Dispersal(margin=6, length=1000, factor=10)
    arrays, figure = picture.compute(), picture.figure()
    [axes], colours = figure.axes, {"plain": "C0", "a²": "C1", "log n": "C2", "Llama-4": "C3"}
    found = lines_in(figure)
    assert found.keys() == colours.keys()
    for rule, [line] in found.items():
        assert line == points(*zip(KEYS, arrays.curves[rule], strict=True))
        _, mark = coloured(axes, colours[rule])
        assert mark == points([10_000, arrays.here[rule][1]])
    [band] = axes.patches
    assert band.get_x() + band.get_width() == 1000
    assert coloured(axes, "C6") == [points([10_000, 0], [10_000, 1])]
