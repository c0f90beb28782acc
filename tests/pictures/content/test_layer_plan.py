"""Plans of layers against transformers' configurations, reaches against masks token by token."""

import numpy as np
import pytest
import transformers

from posviz.pictures.content.layer_plan import LIMITED, MOST, PLANS, LayerPlan, plan_of
from tests.pictures.alibi.test_alibi_labels import colour as the_colour
from tests.pictures.alibi.test_alibi_labels import coloured, entries, points
from tests.pictures.by_hand import caption_of, every_setting

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
@pytest.mark.parametrize(("layers", "window"), [(3, 200), (6, 128), (5, 1000), (11, 128)])
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


def test_the_captions():
    assert caption_of(LayerPlan()) == (
        "Cohere 2, 8 layers: 6 are told where tokens stand and see 4,096 tokens at most, 2 are not "
        "told and see all; news of the first token reaches the last one after layer 4, and in the "
        "end the last one has heard of 65,536 of 65,536 tokens."
    )
    told = caption_of(LayerPlan(plan="all windowed"))
    assert "8 are told where tokens stand and see 4,096 tokens at most; news" in told
    assert "ends at position 32,760, and in the end" in told
    assert told.endswith("heard of 32,761 of 65,536 tokens.")
    told = caption_of(LayerPlan(plan="Llama 4", layers=1, length=65_537))
    assert "1 layer: 1 is told where tokens stand and sees 4,096 tokens at most; news" in told
    assert told.endswith("the last one has heard of 1 of 65,537 tokens.")  # it begins a chunk
    assert "4 layers: 3 are told" in (told := caption_of(LayerPlan(plan="SmolLM3", layers=4)))
    assert "see all, 1 is not told and sees all;" in told


def corners(axes, colour):
    """By bar its start, end and middle, of the outline in a colour."""
    [area] = coloured_areas(axes, colour)
    bars = area.get_xy()[:-1].reshape(-1, 4, 2)
    return [(*bar[:2, 0], bar[1:3, 1].mean()) for bar in bars]


def coloured_areas(axes, colour):
    return [area for area in axes.patches if area.get_facecolor()[:3] == the_colour(colour)[:3]]


def test_bars_marks_and_what_the_legend_calls_them():
    figure = LayerPlan(plan="Llama 4", layers=6, window=500, length=2000).figure()
    near, spread = figure.axes
    near_layers = (1, 2, 3, 5, 6)
    assert corners(near, "C0") == [(1, 500, pytest.approx(at)) for at in near_layers]
    assert corners(near, "C1") == [(1, 2000, pytest.approx(4))]
    ends = {1: 499, 2: 499, 3: 499, 5: 1999, 6: 1999}
    assert corners(spread, "C0") == [(0, ends[at], pytest.approx(at)) for at in near_layers]
    assert corners(spread, "C1") == [(0, 1999, pytest.approx(4))]
    assert coloured(spread, "C6") == [points([1999, 0], [1999, 1])]
    [marks] = near.lines
    assert marks.get_xydata().tolist() == [[2000, 4]]
    labels = entries(figure)
    assert list(labels) == [
        *("RoPE: told where", "no position: not told", "last token", "queries grow with position")
    ]
    for label, colour in (("RoPE: told where", "C0"), ("no position: not told", "C1")):
        [area] = coloured_areas(near, colour)
        assert labels[label].get_facecolor() == area.get_facecolor()


def test_reaches_grow_from_layer_to_layer_and_stay_in_the_text():
    for picture in every_setting(LayerPlan):
        arrays = picture.compute()
        assert len(arrays.newest) == len(arrays.sees) == len(arrays.told) == picture.layers
        assert (np.diff(arrays.newest) >= 0).all()
        assert 0 <= arrays.newest[0] <= arrays.newest[-1] < picture.length
        assert 1 <= arrays.heard <= picture.length
        assert 0 < arrays.sees.min() <= arrays.sees.max() <= picture.length
