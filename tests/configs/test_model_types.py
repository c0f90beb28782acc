"""The table of model types beside transformers' own code, of which every default is asked."""

import logging

import numpy as np
import pytest
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

from posviz.configs import read_config
from posviz.configs.model_types import rule_of, table
from tests.configs.asked import asked, default_of, numbers_of

SHOWN = (  # one for each form of a rule
    *("cohere2", "gemma3_text", "gptj", "lfm3", "mimo_v2_flash", "modernbert"),
    *("jamba", "muse_glimmer_text", "qwen3_next", "recurrent_gemma", "smollm3"),
)
ODD = ("glm4_moe",)  # 21 of 42 dimensions of a head: pairs of an odd number


@pytest.fixture(autouse=True)
def _quiet():
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.slow("a second each")
@pytest.mark.parametrize("model_type", SHOWN)
def test_layers_rotate_as_in_the_code_of_transformers(model_type):
    assert compared(model_type) > 0


@pytest.mark.release
def test_all_defaults_of_transformers_are_read_as_its_code_has_them():
    reached, wrong = {}, {}
    for name in CONFIG_MAPPING_NAMES:
        try:
            reached[name] = compared(name)
        except AssertionError as error:
            wrong[name] = str(error)
    assert {*wrong} <= {*ODD}, wrong
    assert sum(layers > 0 for layers in reached.values()) >= 150


def compared(model_type):
    """How many layers were compared; 0 where there is nothing to ask."""
    if (found := default_of(model_type)) is None:
        return 0
    config, file = found
    reading = read_config(file)
    if not rule_of(file, file)[1]:
        assert "ssumed" in reading.sentences[0] or "does not say" in reading.sentences[0]
        return 0
    try:
        run = asked(config)
    except (AttributeError, ImportError, KeyError, StopIteration, TypeError, ValueError):
        return 0  # no class, or defaults of which no model can be made
    kinds = {kind.kind: kind for kind in reading.kinds}
    made = {}
    for number, (layer, found) in enumerate(zip(reading.layers, run.rotated, strict=False)):
        ours = kinds[layer.kind].frequencies
        assert (ours is not None) == (found is not None), (model_type, number, layer.kind)
        if found is not None and found not in made:
            made[found] = numbers_of(found, config)
        if found is None or made[found] is None:
            continue
        inv_freq, factor = made[found]
        np.testing.assert_allclose(ours.inv_freq, inv_freq, 5e-6, 1e-30, err_msg=model_type)
        assert ours.attention_factor == pytest.approx(factor), model_type
    if run.stopped is None:
        assert len(reading.layers) == len(run.rotated), model_type
    return len(run.rotated)


def test_table_names_its_sources_and_each_type_once():
    names = [*table()["transformers"], *table()["released"]]
    names += [name for each in table()["elsewhere"].values() for name in each]
    assert len(names) == len(set(names))
    assert {*table()["texts"].values()} <= {*names}


@pytest.mark.parametrize("is_on", [True, False])
@pytest.mark.parametrize("model_type", ["qwen2", "qwen3", "qwen2_vl_text"])
def test_windows_of_qwen_begin_where_transformers_begins(model_type, is_on):
    file = {"use_sliding_window": is_on, "sliding_window": 2048, "max_window_layers": 2}
    file |= {"num_hidden_layers": 4}
    config = CONFIG_MAPPING[model_type](**file)
    right = [(config.sliding_window or 0) * ("sliding" in kind) for kind in config.layer_types]
    reading = read_config({"model_type": model_type, **file})
    assert [layer.window for layer in reading.layers] == right


def test_no_window_is_read_where_qwen_says_that_it_is_off():
    file = {"model_type": "qwen3", "head_dim": 64, "sliding_window": 2048, "num_hidden_layers": 2}
    file |= {"layer_types": ["sliding_attention"] * 2, "use_sliding_window": False}
    assert [layer.window for layer in read_config(file).layers] == [0, 0]


def test_a_chunk_of_llama_4_is_as_long_as_in_transformers():
    layers = read_config({"model_type": "llama4_text", "num_hidden_layers": 4}).layers
    assert layers[0].chunk == CONFIG_MAPPING["llama4_text"]().attention_chunk_size


@pytest.mark.parametrize("model_type", table()["unread"]["rope_theta"])
def test_a_base_that_is_unread_does_not_reach_transformers(model_type):
    config = CONFIG_MAPPING[model_type](rope_theta=123456.0)
    assert "123456" not in str(config.rope_parameters)
