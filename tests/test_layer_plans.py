"""Plans of released configurations, layer by layer beside the layers of transformers."""

import json

import pytest
import torch
import transformers
from transformers.masking_utils import create_chunked_causal_mask, create_sliding_window_causal_mask
from transformers.models.cohere2 import modeling_cohere2 as cohere2
from transformers.models.llama4 import modeling_llama4 as llama4
from transformers.models.ministral3 import modeling_ministral3 as ministral3
from transformers.models.smollm3 import modeling_smollm3 as smollm3

from posviz import KeyValueCache, Llama4Temperature, Rotary, attend, layer_plan

SMALL = {
    "hidden_size": 32,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 4,
    "attn_implementation": "eager",
}
YARN = {
    "rope_type": "yarn",
    "rope_theta": 1e4,
    "factor": 4.0,
    "original_max_position_embeddings": 4,
    "llama_4_scaling_beta": 0.3,
}
CONFIGS = {
    "llama4": transformers.Llama4TextConfig(
        **SMALL,
        head_dim=8,
        use_qk_norm=False,
        floor_scale=4,
        attention_chunk_size=6,
        pad_token_id=0,
    ),
    "smollm3": transformers.SmolLM3Config(
        **SMALL, use_sliding_window=True, sliding_window=5, pad_token_id=0
    ),
    "ministral3": transformers.Ministral3Config(
        **SMALL, head_dim=8, rope_parameters=YARN, max_position_embeddings=16
    ),
    "ministral3, sliding": transformers.Ministral3Config(
        **SMALL, head_dim=8, rope_parameters=YARN, max_position_embeddings=16, sliding_window=7
    ),
    "cohere2": transformers.Cohere2Config(**SMALL, sliding_window=5),
}
ATTENTION = {
    "llama4": (llama4.Llama4TextAttention, llama4.Llama4TextRotaryEmbedding),
    "smollm3": (smollm3.SmolLM3Attention, smollm3.SmolLM3RotaryEmbedding),
    "ministral3": (ministral3.Ministral3Attention, ministral3.Ministral3RotaryEmbedding),
    "cohere2": (cohere2.Cohere2Attention, cohere2.Cohere2RotaryEmbedding),
}
LENGTH = 20


def limit(name, config, layer, x):
    """The mask that the model in transformers hands to this layer."""
    options = {
        "config": config,
        "inputs_embeds": x,
        "attention_mask": None,
        "past_key_values": None,
    }
    kind = (getattr(config, "layer_types", None) or ["full_attention"] * 4)[layer]
    if kind == "chunked_attention":
        return create_chunked_causal_mask(**options)
    if kind == "sliding_attention" or (getattr(config, "sliding_window", 0) and "min" in name):
        return create_sliding_window_causal_mask(**options)
    return torch.where(torch.ones(LENGTH, LENGTH).tril().bool(), 0.0, -torch.inf)[None, None]


@pytest.mark.parametrize("layer", range(4))
@pytest.mark.parametrize("name", CONFIGS)
def test_each_layer_is_that_of_transformers_with_a_cache_too(name, layer):
    config = CONFIGS[name]
    attention, rotary = ATTENTION[name.partition(",")[0]]
    torch.manual_seed(0)
    module, x = attention(config, layer).eval(), torch.randn(2, LENGTH, 32)
    torch.nn.init.eye_(module.o_proj.weight)
    places = torch.arange(LENGTH)
    turns = rotary(config)(x, places[None])
    mask = limit(name, config, layer, x)
    extra = {"position_ids": places[None]} if "ministral3" in name else {}
    theirs, _ = module(x, position_embeddings=turns, attention_mask=mask, **extra)
    w = [getattr(module, p).weight.T for p in ("q_proj", "k_proj", "v_proj")]
    row = layer_plan(config.to_json_string(use_diff=False))[layer]
    ours = attend(x, *w, num_heads=4, positions=places, **row)
    torch.testing.assert_close(ours, theirs, atol=2e-6, rtol=2e-5)
    cache = KeyValueCache()
    steps = [
        attend(x[:, a:b], *w, num_heads=4, positions=places[a:b], cache=cache, **row)
        for a, b in ((0, 9), (9, 10), (10, LENGTH))
    ]
    torch.testing.assert_close(torch.cat(steps, dim=1), ours, atol=2e-6, rtol=2e-5)


def summary(plan):
    """The encoding, window and temperature of each layer."""
    rows = []
    for row in plan:
        encoding = "RoPE" if isinstance(row["encoding"], Rotary) else "none"
        rows.append((encoding, row["window"], row["temperature"]))
    return rows


HOT = Llama4Temperature(0.1, 8192)
RELEASED = {  # what files say of layers, and what they leave to the model's code
    "llama4, an empty list": (
        {"model_type": "llama4_text", "num_hidden_layers": 8, "no_rope_layers": [], "head_dim": 8},
        2 * (3 * [("RoPE", None, None)] + [("none", None, HOT)]),
    ),
    "llama4, not tempered": (
        {
            "model_type": "llama4_text",
            "num_hidden_layers": 2,
            "no_rope_layers": [0, 1],
            "attn_temperature_tuning": False,
            "head_dim": 8,
        },
        [("none", None, None), ("RoPE", None, None)],
    ),
    "smollm3, nothing told": (
        {"model_type": "smollm3", "num_hidden_layers": 4, "head_dim": 8},
        [*3 * [("RoPE", None, None)], ("none", None, None)],
    ),
    "cohere2, by its pattern": (
        {
            "model_type": "cohere2",
            "num_hidden_layers": 4,
            "sliding_window_pattern": 2,
            "sliding_window": 9,
            "head_dim": 8,
        },
        2 * [("RoPE", 9, None), ("none", None, None)],
    ),
    "cohere2, nothing told": (
        {"model_type": "cohere2", "num_hidden_layers": 4, "head_dim": 8},
        [*3 * [("RoPE", transformers.Cohere2Config().sliding_window, None)], ("none", None, None)],
    ),
}


@pytest.mark.parametrize("name", RELEASED)
def test_what_a_file_leaves_out_is_what_the_code_takes(name):
    config, expected = RELEASED[name]
    assert summary(layer_plan(config)) == expected
    assert summary(layer_plan(json.dumps(config))) == expected


@pytest.mark.parametrize(
    "entry",
    [{"no_rope_layers": [1, 0]}, {"no_rope_layers": [1, 1, 1, 2]}],
    ids=str,
)
def test_an_entry_that_no_model_can_have_is_named(entry):
    config = {"model_type": "llama4_text", "num_hidden_layers": 4, "head_dim": 8}
    with pytest.raises((TypeError, ValueError), match=next(iter(entry))):
        layer_plan(config | entry)


def test_a_model_that_nobody_compared_is_refused():
    with pytest.raises(ValueError, match="gemma3_text"):
        layer_plan({"model_type": "gemma3_text", "num_hidden_layers": 2, "head_dim": 8})
