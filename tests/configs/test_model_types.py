"""The table of model types beside transformers' own code, of which every default is asked."""

import copy
import functools
import logging
import random
import re

import numpy as np
import pytest
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

from posviz_course.configs import read_config
from posviz_course.configs.model_types import rule_of, table
from tests.configs.asked import Refused, asked, default_of, numbers_of
from tests.configs.mutations import MUTATIONS, OF_ENTRIES, shortened

SHOWN = (  # one for each form of a rule
    *("cohere2", "gemma3_text", "gptj", "lfm3", "mimo_v2_flash", "modernbert"),
    *("jamba", "muse_glimmer_text", "qwen3_next", "recurrent_gemma", "smollm3"),
)
# Pairs of an odd number: 21 of 42 dimensions of a head. DeepSeek V4's file says by two entries how
# many dimensions rotate, and a head_dim changed alone makes them contradict each other.
ODD = {("glm4_moe", None), ("deepseek_v4", "head_dim")}
ODD |= {
    ("ernie4_5_vl_moe_text", name) for name in ("old_linear", "new_yarn")
}  # refused in a sentence
SAMPLE, SEED = 20, 2026
TOLD = re.compile(
    "no effect in transformers|^transformers 5.23|because nothing rotates"
)  # in a warning


@pytest.fixture(autouse=True)
def _quiet():
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.slow("a second each")
@pytest.mark.parametrize("model_type", SHOWN)
def test_layers_rotate_as_in_the_code_of_transformers(model_type):
    assert compared(default_of(model_type)) > 0


@pytest.mark.release
def test_all_defaults_of_transformers_are_read_as_its_code_has_them():
    reached, wrong = {}, {}
    for name in CONFIG_MAPPING_NAMES:
        try:
            reached[name] = compared(default_of(name))
        except AssertionError as error:
            wrong[name] = str(error)
        except Refused:
            continue
    assert {(name, None) for name in wrong} <= ODD, wrong
    assert sum(layers > 0 for layers in reached.values()) >= 150


@pytest.mark.slow("20 models, a quarter of a second each")
def test_edited_files_are_read_or_it_is_said():
    draw, faults = random.Random(SEED), []
    while len(faults) < SAMPLE:
        fault = edited(draw.choice(sorted(CONFIG_MAPPING_NAMES)), draw.choice(MUTATIONS))
        faults += [] if fault is None else [fault]
    assert not any(faults), faults


@pytest.mark.release
def test_all_edits_of_all_types_are_read_or_it_is_said():
    found = [edited(name, mutation) for name in CONFIG_MAPPING_NAMES for mutation in MUTATIONS]
    assert not [each for each in found if each]
    assert found.count("") >= 1_000


def edited(model_type, mutation):
    """What differs and is not said, "" for nothing; None where transformers cannot be asked."""
    if (model_type, None) in ODD or (model_type, mutation.__name__) in ODD:
        return None
    if (
        not (file := short_default(model_type))
        or (changed := mutation(copy.deepcopy(file))) is None
    ):
        return None
    try:
        warnings = read_config(changed).warnings
    except ValueError:  # in a sentence
        with pytest.raises(Refused):
            asked(changed)
        return ""
    try:
        compared(changed)
    except (AssertionError, Refused) as error:
        if isinstance(error, Refused) and mutation not in OF_ENTRIES:
            return None  # for another reason than an entry about position
        if not any(map(TOLD.search, warnings)):
            return f"{model_type}, {mutation.__name__}: {error!r}"
    return ""


@functools.cache
def short_default(model_type):
    """A type's default file of few layers, None where transformers makes no model of it."""
    if (file := default_of(model_type)) is None:
        return None
    file = shortened(file)
    try:
        return file if compared(file) else None
    except Refused:
        return None


def compared(file):
    """How many layers of transformers' model are as read here; 0 where there is nothing to ask."""
    if file is None:
        return 0
    reading = read_config(file)
    if not rule_of(file, file)[1]:
        assert "ssumed" in reading.sentences[0] or "does not say" in reading.sentences[0]
        return 0
    run, config = asked(file)
    kinds = {kind.kind: kind for kind in reading.kinds}
    made = {}
    for number, (layer, found) in enumerate(zip(reading.layers, run.rotated, strict=False)):
        ours = kinds[layer.kind].frequencies
        assert (ours is not None) == (found is not None), (number, layer.kind)
        if found is not None and found not in made:
            made[found] = numbers_of(found, config)
        if found is None or made[found] is None:
            continue
        inv_freq, factor = made[found]
        np.testing.assert_allclose(ours.inv_freq, inv_freq, 5e-6, 1e-30)
        assert ours.attention_factor == pytest.approx(factor)
    if run.stopped is None:
        assert len(reading.layers) == len(run.rotated)
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
    right = [config.sliding_window if "sliding" in kind else 0 for kind in config.layer_types]
    reading = read_config({"model_type": model_type, **file})
    assert [layer.window for layer in reading.layers] == right


def test_windows_of_other_types_are_for_all_layers_or_the_last():
    file = {"model_type": "qwen3_moe", "num_hidden_layers": 2, "sliding_window": 2048}
    assert [layer.window for layer in read_config(file).layers] == [0, 0]
    file |= {"use_sliding_window": True}
    assert [layer.window for layer in read_config(file).layers] == [2048, 2048]
    file = {"model_type": "dots1", "num_hidden_layers": 2, "max_window_layers": 1}
    kinds = CONFIG_MAPPING["dots1"](num_hidden_layers=2, max_window_layers=1).layer_types
    windows = [layer.window for layer in read_config(file).layers]
    assert windows == [4096 if "sliding" in kind else 0 for kind in kinds]


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
