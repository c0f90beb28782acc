"""Configurations, read beside transformers, whose `modeling_rope_utils` they are written for."""

import json
import logging
import math
import random
import re

import numpy as np
import pytest
import transformers
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from posviz.configs import read_config
from posviz.encodings.frequencies import rotary_frequencies

SHIPPED = [
    "GptOssConfig",
    "Ministral3Config",
    "Mistral4Config",
    "DeepseekV3Config",
    "SmolLM3Config",
    "Llama4TextConfig",
    "Cohere2Config",
    "Qwen3NextConfig",
    "GPTNeoXConfig",
    "Phi3Config",
    "Gemma2Config",
]


@pytest.fixture(autouse=True)
def _quiet():
    """transformers warns of what it reads, too."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def hugging_face(config, seq_len=None):
    """inv_freq and the attention factor of a flat configuration."""
    parameters = config.rope_parameters
    if parameters["rope_type"] == "default":
        head_dim = getattr(config, "head_dim", None)
        head_dim = head_dim or config.hidden_size // config.num_attention_heads
        dim = int(head_dim * parameters.get("partial_rotary_factor", 1.0))
        return rotary_frequencies(dim, parameters["rope_theta"]), 1.0
    inv_freq, factor = ROPE_INIT_FUNCTIONS[parameters["rope_type"]](config, "cpu", seq_len)
    return inv_freq.numpy(), factor


def require_same(found, theirs, of_attention=1.0):
    inv_freq, attention_factor = theirs
    np.testing.assert_allclose(found.frequencies.inv_freq, inv_freq, rtol=5e-6, atol=1e-30)
    assert found.on_scores == pytest.approx(attention_factor**2 * of_attention, rel=1e-9)


@pytest.mark.parametrize("name", SHIPPED)
def test_what_transformers_ships_as_its_defaults(name):
    config = getattr(transformers, name)()
    found = read_config(config.to_json_string(use_diff=False))
    theirs = hugging_face(config)
    scale = (0.1 * math.log(128) + 1) ** 2 if name == "Mistral4Config" else 1.0
    turned = [kind for kind in found.kinds if kind.method != "none"]
    assert sum(kind.count for kind in found.kinds) == config.num_hidden_layers
    assert turned
    for kind in turned:
        require_same(kind, theirs, scale)


def options(draw):
    """The entries of a random valid configuration."""
    method = draw.choice(["default", "linear", "dynamic", "yarn", "longrope", "llama3"])
    head_dim, fraction = draw.choice([(64, 1.0), (128, 1.0), (128, 0.5), (80, 0.4), (16, 1.0)])
    original, factor = draw.choice([512, 2048, 4096, 32768]), draw.choice([1.0, 1.5, 4.0, 32.0])
    entry = {"rope_type": method, "rope_theta": draw.choice([1e4, 5e5, 1.5e5, 1e6])}
    if fraction != 1:
        entry["partial_rotary_factor"] = fraction
    if method != "default":
        entry["factor"] = factor
    if method in ("yarn", "longrope", "llama3"):
        entry["original_max_position_embeddings"] = original
    if method == "llama3":
        low = draw.choice([1.0, 0.5])
        entry |= {"low_freq_factor": low, "high_freq_factor": low * draw.choice([2.0, 4.0])}
    if method == "longrope":
        for name in ("short_factor", "long_factor"):
            pairs = int(head_dim * fraction) // 2
            entry[name] = [round(1 + 9 * draw.random(), 2) for _ in range(pairs)]
    if method in ("yarn", "longrope") and draw.random() < 0.3:
        entry["attention_factor"] = round(0.5 + draw.random(), 3)
    if method == "yarn":
        for name, values in {
            "beta_fast": [32.0, 16.0, 4.0],
            "beta_slow": [1.0, 2.0],
            "truncate": [True, False],
            "mscale": [1.0, 0.707],
            "mscale_all_dim": [1.0, 0.5],
        }.items():
            if draw.random() < 0.4:
                entry[name] = draw.choice(values)
    longest = int(original * draw.choice([1, factor]))
    return {"max_position_embeddings": longest, "head_dim": head_dim, "rope_parameters": entry}


@pytest.mark.sampled(quick=60)
@pytest.mark.parametrize("seed", range(300))
def test_a_random_configuration_is_read_as_transformers_reads_it(seed):
    given = options(random.Random(seed))
    sizes = {"hidden_size": 8 * given["head_dim"], "num_attention_heads": 8}
    config = LlamaConfig(num_hidden_layers=3, **sizes, **json.loads(json.dumps(given)))
    (found,) = read_config({"num_hidden_layers": 3, **sizes, **given}).kinds
    entry = given["rope_parameters"]
    theirs = hugging_face(config, given["max_position_embeddings"])
    require_same(found, theirs)
    assert (found.count, found.method) == (3, entry["rope_type"])
    assert found.kept + found.blended + found.slowed == len(theirs[0])


def test_pairs_are_kept_blended_and_slowed_as_counted_by_hand():
    """Llama-2's RoPE of 64 pairs at 4 × 4096: 21 kept, 25 blended, 18 slowed."""
    (found,) = read_config(llama(factor=4.0)).kinds
    assert (found.kept, found.blended, found.slowed) == (21, 25, 18)
    assert found.on_scores == pytest.approx(1.2965, abs=5e-5)


def llama(longest=16384, **entry):
    entry = {"rope_type": "yarn", "original_max_position_embeddings": 4096} | entry
    return {
        "model_type": "llama",
        "head_dim": 128,
        "num_hidden_layers": 2,
        "max_position_embeddings": longest,
        "rope_theta": 10_000.0,
        "rope_parameters": entry,
    }


GEMMA = {
    "model_type": "gemma3",
    "text_config": {
        "head_dim": 256,
        "max_position_embeddings": 131072,
        "layer_types": ["sliding_attention"] * 5 + ["full_attention"],
        "rope_theta": 1e6,
        "rope_local_base_freq": 1e4,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    },
}


def test_gemma_3_stretches_its_global_layers_alone():
    sliding, full = read_config(GEMMA).kinds
    assert (sliding.method, sliding.base, sliding.count) == ("default", 1e4, 5)
    assert (full.method, full.base, full.count) == ("linear", 1e6, 1)
    np.testing.assert_allclose(full.frequencies.inv_freq, rotary_frequencies(256, 1e6) / 8)


def test_layers_without_position_are_those_with_a_zero():
    found = read_config(llama(factor=4.0) | {"no_rope_layers": [1, 0]})
    assert [(kind.kind, kind.count) for kind in found.kinds] == [
        ("all", 1),
        ("without position", 1),
    ]
    assert found.kinds[1].method == "none"


MISREAD = {
    "missing": (llama(factor=4.0, original_max_position_embeddings=None), "is missing: 16,384"),
    "swapped": (llama(4096, factor=4.0, original_max_position_embeddings=16384), "swapped"),
    "engines": (llama(32768, factor=2.0), "4096 tokens|4,096 tokens are 8,192"),
    "mscale alone": (llama(factor=4.0, mscale=1.0), "both or none"),
    "equal mscales": (llama(factor=4.0, mscale=1.0, mscale_all_dim=1.0), "is 1, not 1.1386"),
    "beta 0": (llama(factor=4.0, beta_fast=0), "beta_fast 0 is read as 32"),
    "static": (llama(factor=4.0), "short texts"),
    "dynamic": (llama(rope_type="dynamic", factor=2.0), "keys in a cache"),
    "two types": (llama(factor=4.0, type="linear"), "type and rope_type differ: yarn"),
    "inverted": (llama(factor=4.0) | {"no_rope_layers": [0, 0]}, "wrong way around"),
    "sliding": (
        llama(factor=4.0) | {"layer_types": ["sliding_attention", "full_attention"]},
        "sliding_attention layers look no further",
    ),
    "temperature": (llama(factor=4.0, llama_4_scaling_beta=0.1), "position p, from 0"),
    "no base": ({"head_dim": 64, "rope_scaling": {"rope_type": "default"}}, "base is taken"),
    "longrope": (
        {
            "head_dim": 4,
            "rope_theta": 1e4,
            "max_position_embeddings": 64,
            "original_max_position_embeddings": 16,
            "rope_scaling": {"type": "su", "short_factor": [1, 1], "long_factor": [1, 4]},
        },
        "beyond 16 tokens",
    ),
    "nested truncate": (
        {
            "head_dim": 64,
            "max_position_embeddings": 8192,
            "layer_types": ["full_attention"],
            "rope_parameters": {
                "full_attention": llama(factor=2.0, truncate=False)["rope_parameters"]
                | {"rope_theta": 1e4}
            },
        },
        "outer entry alone",
    ),
}


@pytest.mark.parametrize(("config", "warning"), MISREAD.values(), ids=MISREAD)
def test_what_is_often_misread_is_told(config, warning):
    found = read_config(json.dumps(config))
    assert re.search(warning, "\n".join(found.warnings)), found
    assert "! " in str(found)


def test_a_plain_model_has_no_warnings_and_others_have_no_rope():
    plain = llama() | {"rope_parameters": {"rope_type": "default"}}
    assert read_config(plain).warnings == ()
    gpt2 = read_config(transformers.GPT2Config().to_json_string(use_diff=False))
    assert [kind.method for kind in gpt2.kinds] == ["none"]


def test_as_json_it_says_the_same(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(llama(factor=4.0)))
    found = json.loads(read_config(path).to_json())
    (kind,) = found["kinds"]
    assert (kind["kept"], kind["blended"], kind["slowed"]) == (21, 25, 18)
    assert len(kind["frequencies"][0]) == 64
    assert found == json.loads(read_config(str(path)).to_json())


# ---------------------------------------------------------------- hostile

DEEP = "[" * 100_000
BAD_VALUES = [-1, 0, 1e400, 10**400, "4", [], {}, True, "x" * 10**6, "\ud800", None]
HOSTILE = [
    "{",
    "[]",
    "{}",
    "null",
    '{"a": NaN}',
    '{"rope_theta": Infinity}',
    "{" * 10_000,
    DEEP,
    '{"a":' * 20_000,
    " " * (2**24) + "{}",
    "{" + " " * (2**24 + 1) + "}",
    '{"rope_parameters": [1]}',
    '{"rope_parameters": {"full_attention": 3, "x": {}}}',
    '{"text_config": {"text_config": {}}}',
    '{"layer_types": [1, 2, {}], "head_dim": 8}',
    '{"layer_types": "full", "head_dim": 8}',
    '{"num_hidden_layers": 1e18, "head_dim": 8}',
    "\x00",
    "no such file.json",
    ".",
    3,
    None,
    ["a"],
    b"{}",
]
NAMES = [
    "max_position_embeddings",
    "original_max_position_embeddings",
    "head_dim",
    "hidden_size",
    "num_attention_heads",
    "num_hidden_layers",
    "rope_theta",
    "layer_types",
    "no_rope_layers",
    "model_type",
    "qk_rope_head_dim",
]
ENTRY_NAMES = [
    "rope_type",
    "type",
    "factor",
    "original_max_position_embeddings",
    "attention_factor",
    "beta_fast",
    "beta_slow",
    "mscale",
    "mscale_all_dim",
    "truncate",
    "partial_rotary_factor",
    "rope_theta",
]
HOSTILE += [llama(factor=4.0) | {name: value} for name in NAMES for value in BAD_VALUES]
HOSTILE += [llama(**{"factor": 4.0, name: value}) for name in ENTRY_NAMES for value in BAD_VALUES]


@pytest.mark.parametrize("source", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_configuration_gets_one_short_line(source):
    try:
        found = str(read_config(source))
    except (ValueError, TypeError, OSError) as error:
        found = str(error)
    assert 0 < len(found) < 2000
    assert all(len(line) < 700 for line in found.splitlines())
    found.encode()
