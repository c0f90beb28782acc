"""Factors by position against the released code, and weights against softmaxes of whole rows."""

import math

import numpy as np
import pytest
import torch
from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale

from posviz.pictures.content.temperature_by_position import (
    AROUND,
    LOOKS,
    POSITIONS,
    TemperatureByPosition,
    factors_at,
)
from tests.pictures.alibi.test_alibi_labels import coloured, entries, points
from tests.pictures.by_hand import caption_of, every_setting


def theirs(rule, position):
    """What scores are multiplied by at one position."""
    if rule == "Llama 4":  # as Llama4TextAttention.forward writes it
        place = torch.tensor([position])
        return (torch.log1p(torch.floor((place.double() + 1.0) / 8192)) * 0.1 + 1.0).item()
    if rule == "Ministral 3":
        return get_llama_4_attn_scale(torch.tensor([[position]]).double(), 0.1, 16_384).item()
    if rule == "log n":
        return math.log(position + 1, 8192)
    return (0.1 * math.log(4) + 1) ** 2 if rule == "YaRN’s a²" else 1.0


@pytest.mark.parametrize("rule", LOOKS)
def test_factors_are_those_of_released_code(rule):
    places = [0, 1, 8190, 8191, 8192, 16_382, 16_383, 16_384, 131_071, 10**6]
    found = factors_at(np.array(places))[rule]
    assert found == pytest.approx([theirs(rule, place) for place in places])


@pytest.mark.parametrize("rule", LOOKS)
def test_weights_are_those_of_whole_rows(rule):
    picture = TemperatureByPosition(step=2, offset=3, margin=7.5)
    arrays = picture.compute()
    assert arrays.position == 16_387
    for place, found in [(16_387, arrays.best[rule]), (POSITIONS[9], arrays.weights[rule][9])]:
        powers = np.exp(7.5 * theirs(rule, int(place)) * (np.arange(place + 1) == place))
        assert found == pytest.approx(powers[-1] / powers.sum())
    assert arrays.here[rule] == pytest.approx(theirs(rule, 16_387))
    assert arrays.before[rule] == pytest.approx(theirs(rule, 16_386))
    first = theirs(rule, 16_384 - 12)
    growth = [100 * (theirs(rule, 16_384 + at) / first - 1) for at in AROUND.tolist()]
    assert arrays.around[rule] == pytest.approx(growth, abs=1e-9)


def test_llama_4_counts_tokens_and_ministral_3_positions():
    around = TemperatureByPosition().compute().around
    steps = {name: AROUND[1:][np.diff(around[name]) > 1] for name in around}
    assert {name: at.tolist() for name, at in steps.items() if len(at)} == {
        "Llama 4": [-1],
        "Ministral 3": [0],
    }


def test_the_captions_have_the_audited_factors():
    assert caption_of(TemperatureByPosition(step=1)) == (
        "Position 8,191, which sees 8,192 keys; its scores: Llama 4 × 1.0693 (× 1.0000 one token "
        "before), Ministral 3 × 1.0000, log n × 1.0000, YaRN’s a² × 1.2965; the weight of a key 10 "
        "above all others: Llama 4 0.843, Ministral 3 0.729, log n 0.729, YaRN’s a² 0.981, none "
        "0.729."
    )
    told = caption_of(TemperatureByPosition(step=16))
    assert "131,071" in told
    assert "Llama 4 × 1.2833 (× 1.2773 one token before), Ministral 3 × 1.2079, log n" in told
    told = caption_of(TemperatureByPosition(offset=0))
    assert "Llama 4 × 1.1099, Ministral 3 × 1.0693 (× 1.0000 one token before), log" in told


def test_every_weight_is_a_share_and_steps_go_up():
    for picture in every_setting(TemperatureByPosition):
        arrays = picture.compute()
        for rule, weights in arrays.weights.items():
            assert 0 <= weights.min() <= weights.max() <= 1
            assert (np.diff(arrays.factors[rule]) >= 0).all()
            assert np.diff(arrays.around[rule]).min() >= 0


def test_lines_marks_and_what_the_legend_calls_them():
    picture = TemperatureByPosition(step=3, offset=5)
    figure, arrays = picture.figure(), picture.compute()
    factor, near, weights = figure.axes
    panels = (factor, arrays.factors, arrays.here), (weights, arrays.weights, arrays.best)
    assert list(entries(figure)) == list(LOOKS)
    for rule, handle in entries(figure).items():
        for axes, curves, here in panels:
            *_, line, mark = coloured(axes, handle.get_color())
            np.testing.assert_array_equal(line, np.stack([POSITIONS, curves[rule]], axis=-1))
            assert mark == points([24_581, here[rule]])
    for rule, colour in (("Llama 4", "C0"), ("log n", "C2"), ("Ministral 3", "C3")):
        [marks] = coloured(near, colour)
        assert marks == points(*zip(AROUND, arrays.around[rule], strict=True))
    for axes, place in ((factor, 24_581), (weights, 24_581), (near, 5)):
        assert coloured(axes, "C6")[0] == points([place, 0], [place, 1])
