"""Whole configurations: which layers turn, what is often misread, and what is printed."""

import json
import re

import pytest
import transformers

from posviz.configs import read_config


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


def test_the_length_of_gemma_3_is_after_its_stretch():
    entry = {"rope_type": "linear", "factor": 8.0}
    gemma = llama() | {"model_type": "gemma3_text", "rope_parameters": entry}
    found, other = read_config(gemma), read_config(gemma | {"model_type": "llama"})
    assert (found.trained, found.promised) == (0, 16384)
    assert (other.trained, other.promised) == (16384, 131072)
    assert "gemma3_text: trained on ? tokens, 16,384 promised" in str(found)
    assert "are those after it" in found.warnings[0]


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
    "mscale alone": (
        llama(factor=4.0, mscale=1.0),
        "^mscale without mscale_all_dim .* both or none",
    ),
    "the other alone": (llama(factor=4.0, mscale_all_dim=1.0), "^mscale_all_dim without mscale is"),
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
    "sliding alone": (
        {
            "head_dim": 64,
            "max_position_embeddings": 16384,
            "layer_types": ["sliding_attention", "full_attention"],
            "rope_parameters": {
                "sliding_attention": llama(factor=4.0)["rope_parameters"] | {"rope_theta": 1e4},
                "full_attention": {"rope_type": "default", "rope_theta": 1e4},
            },
        },
        "sliding_attention layers look no further .* an entry of their own",
    ),
    "nothing stretched": (llama(factor=1.0), "the factor is 1, or no length tells it"),
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
    "longrope without its length": (
        {
            "head_dim": 4,
            "rope_theta": 1e4,
            "max_position_embeddings": 64,
            "rope_scaling": {"type": "su", "short_factor": [1, 1], "long_factor": [1, 4]},
        },
        "up to 64 tokens the short list",
    ),
    "bounds of Llama 3": (
        llama(rope_type="llama3", factor=8.0, low_freq_factor=1),
        "^high_freq_factor is missing: 4 is taken",
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
    assert re.search(warning, "\n".join(found.warnings), re.MULTILINE), found
    assert "! " in str(found)


@pytest.mark.parametrize("name", ["text_config", "llm_config", "language_config"])
def test_a_model_of_texts_and_pictures_is_read_as_its_language_model(name):
    found = read_config({"model_type": "x", name: llama(factor=4.0)})
    assert str(found) == str(read_config(llama(factor=4.0)))


def test_gpt_neox_turns_a_quarter_of_its_dimensions():
    neox = {"model_type": "gpt_neox", "hidden_size": 512, "num_attention_heads": 8}
    found = read_config(neox | {"rotary_pct": 0.25, "rotary_emb_base": 10_000})
    assert len(found.kinds[0].frequencies.inv_freq) == 64 // 4 // 2


@pytest.mark.parametrize("model", ["cohere2", "exaone4"])
def test_global_layers_that_the_code_never_turns_have_no_rope(model):
    kinds = ["sliding_attention", "full_attention"]
    found = read_config(llama() | {"model_type": model, "layer_types": kinds})
    assert [kind.method == "none" for kind in found.kinds] == [False, True]


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
