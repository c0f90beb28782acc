"""Plans of layers against transformers' configurations, reaches against masks token by token."""

import numpy as np
import pytest
import transformers

from posviz.lessons.content.layer_plan import LIMITED, MOST, PLANS, LayerPlan, plan_of

LENGTH = 1024


def theirs(plan):
    """By layer of transformers' own configuration: whether it turns, whether it sees near ones."""
    if plan == "Cohere 2":
        kinds = transformers.Cohere2Config(num_hidden_layers=MOST).layer_types
        return [(kind == "sliding_attention",) * 2 for kind in kinds]
    if plan == "Llama 4":
        config = transformers.Llama4TextConfig(num_hidden_layers=MOST)
        near = [kind == "chunked_attention" for kind in config.layer_types]
        return list(zip(map(bool, config.no_rope_layers), near, strict=True))
    turns = transformers.SmolLM3Config(num_hidden_layers=MOST).no_rope_layers
    return [(bool(turn), False) for turn in turns]


@pytest.mark.parametrize("plan", ["Cohere 2", "Llama 4", "SmolLM3"])
def test_rhythms_are_those_of_the_released_code(plan):
    layers, told = plan_of(plan, MOST, 4096)
    near = [bool(layer.window or layer.chunk) for layer in layers]
    assert list(zip(told, near, strict=True)) == theirs(plan)
    warm = [layer.temperature is not None for layer in layers]
    assert warm == [plan == "Llama 4" and not turns for turns in told]


def test_plans_of_one_kind():
    for plan, near in (("all RoPE", 0), ("all windowed", 300)):
        layers, told = plan_of(plan, 5, 300)
        assert told == (True,) * 5
        assert [layer.window for layer in layers] == [near] * 5


def seen(plan, layer, window):
    """Which keys [LENGTH, LENGTH] each query sees, by the definition of the layer."""
    query, key = np.ogrid[:LENGTH, :LENGTH]
    far = plan in ("Cohere 2", "Llama 4") and layer % 4 == 3
    if plan not in LIMITED or far:
        return key <= query
    near = query // window == key // window if plan == "Llama 4" else query - key < window
    return (key <= query) & near


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize(("layers", "window"), [(3, 200), (6, 128)])
def test_reach_is_that_of_masks_one_after_the_other(plan, layers, window):
    arrays = LayerPlan(plan=plan, layers=layers, window=window, length=LENGTH).compute()
    masks = [seen(plan, layer, window) for layer in range(layers)]
    known, newest = np.arange(LENGTH) == 0, []
    for mask in masks:
        known = mask[:, known].any(axis=1)
        newest.append(np.flatnonzero(known)[-1])
    assert arrays.newest.tolist() == newest
    assert arrays.sees.tolist() == [mask.sum(axis=1).max() for mask in masks]
    heard = np.arange(LENGTH) == LENGTH - 1
    for mask in reversed(masks):
        heard = mask[heard].any(axis=0)
    assert arrays.heard == heard.sum()
