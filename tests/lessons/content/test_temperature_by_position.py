"""Factors by position against the released code, and weights against softmaxes of whole rows."""

import math

import numpy as np
import pytest
import torch
from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale

from posviz.lessons.content.temperature_by_position import (
    AROUND,
    LOOKS,
    TemperatureByPosition,
    factors_at,
)


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


def test_llama_4_counts_tokens_and_ministral_3_positions():
    around = TemperatureByPosition().compute().around
    steps = {name: AROUND[1:][np.diff(around[name]) > 1] for name in around}
    assert {name: at.tolist() for name, at in steps.items() if len(at)} == {
        "Llama 4": [-1],
        "Ministral 3": [0],
    }
