"""Built-in configurations: each is what its source says."""

import json

import pytest
import transformers

from posviz_course import sources
from posviz_course.configs import read_config
from posviz_course.configs.builtin import CONFIGS, SOURCES

CLASSES = {  # whose defaults are those of the model
    "Llama 7B": "LlamaConfig",
    "GPT-NeoX 20B": "GPTNeoXConfig",
    "Gemma 2 2B": "Gemma2Config",
    "ModernBERT base": "ModernBertConfig",
    "gpt-oss 120b": "GptOssConfig",
    "Ministral 3 8B": "Ministral3Config",
    "Mistral Small 4": "Mistral4Config",
    "Gemma 4": "Gemma4TextConfig",
}
OTHERS = {  # kind, pairs: kept, blended, slowed; and what scores are multiplied by
    "Llama 3.1 8B": {"all": ((29, 6, 29), 1.0)},
    "DeepSeek-V3": {"all": ((11, 12, 9), 1.8739)},
    "Gemma 3 4B": {"sliding_attention": ((128, 0, 0), 1.0), "full_attention": ((0, 0, 128), 1.0)},
    "Qwen3 8B, YaRN on": {"all": ((24, 16, 24), 1.2965)},
    "SmolLM3 3B": {"all": ((64, 0, 0), 1.0), "without position": ((0, 0, 0), 1.0)},
    "OLMo 3 7B": {
        "sliding_attention": ((64, 0, 0), 1.0),
        "full_attention": ((19, 16, 29), 1.4591),
    },
}
LENGTHS = {  # trained, promised
    "Llama 3.1 8B": (8192, 131_072),
    "DeepSeek-V3": (4096, 163_840),
    "Gemma 3 4B": (0, 131_072),
    "Qwen3 8B, YaRN on": (32_768, 131_072),
    "SmolLM3 3B": (65_536, 65_536),
    "OLMo 3 7B": (8192, 65_536),
    "gpt-oss 120b": (4096, 131_072),
    "Mistral Small 4": (8192, 1_048_576),
}


@pytest.mark.parametrize("name", CLASSES)
def test_what_is_the_default_of_transformers_is_exactly_that(name):
    config = getattr(transformers, CLASSES[name])()
    theirs = json.loads(config.to_json_string(use_diff=False))
    ours = CONFIGS[name]
    assert {entry: theirs[entry] for entry in ours if entry != "rope_parameters"} == {
        entry: value for entry, value in ours.items() if entry != "rope_parameters"
    }
    of_ours, of_theirs = flat(ours["rope_parameters"]), flat(theirs["rope_parameters"])
    assert of_ours.items() <= of_theirs.items()
    # What is left out says the same again.
    assert {entry[-1] for entry in of_theirs.keys() - of_ours.keys()} <= {
        *("type", "max_position_embeddings", "partial_rotary_factor")
    }
    assert read_config(ours).kinds[0].rotary_dim == read_config(theirs).kinds[0].rotary_dim


def flat(entries):
    """Nested entries by their paths."""
    found = {}
    for name, value in entries.items():
        inside = flat(value) if isinstance(value, dict) else {(): value}
        found |= {(name, *path): each for path, each in inside.items()}
    return found


@pytest.mark.parametrize("name", OTHERS)
def test_pairs_and_factors_of_those_that_are_read_elsewhere(name):
    kinds = {kind.kind: kind for kind in read_config(CONFIGS[name]).kinds}
    assert {
        kind: ((each.kept, each.blended, each.slowed), pytest.approx(each.on_scores, abs=5e-5))
        for kind, each in kinds.items()
    } == OTHERS[name]


@pytest.mark.parametrize("name", LENGTHS)
def test_trained_and_promised_lengths(name):
    found = read_config(CONFIGS[name])
    assert (found.trained, found.promised) == LENGTHS[name]


def test_each_has_its_source():
    assert SOURCES.keys() == CONFIGS.keys() == CLASSES.keys() | OTHERS.keys()
    for keys in SOURCES.values():
        assert keys
        assert {*keys} <= sources.bibliography().keys()
    assert {name for name, keys in SOURCES.items() if keys == ("transformers523",)} == {*CLASSES}
