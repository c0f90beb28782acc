"""Whole configurations: which layers rotate, what is said of them, and what is wrong in a file."""

import json
import re
from pathlib import Path

import pytest

from posviz_course.configs import read_config
from posviz_course.configs.builtin import CONFIGS

# Model, config, and of each kind of layers: count, RoPE or not, base, pairs, slowed, on scores.
CASES = json.loads(Path(__file__).with_name("misread.json").read_text("utf-8"))


@pytest.mark.parametrize(("config", "right"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_released_files_are_read_as_their_code_does(config, right):
    found = [
        [kind.count, 1, kind.base, kind.rotary_dim // 2, kind.slowed, kind.on_scores]
        if kind.rotary_dim
        else [kind.count, 0]
        for kind in read_config(json.dumps(config)).kinds
    ]
    for ours, theirs in zip(found, right, strict=True):
        told = [o if t is None else t for o, t in zip(ours, theirs, strict=True)]
        assert ours == pytest.approx(told, rel=1e-4)


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


SAID = {  # configuration, and what each of the three sentences says
    "yarn": (
        llama(factor=4.0),
        (
            "All layers rotate",
            "^Its unscaled .* 4,096 tokens, and yarn × 4 extends them to 16,384",
            "43 of 64 pairs",
        ),
    ),
    "assumed length": (
        llama(factor=4.0, original_max_position_embeddings=None),
        ("", "does not say for how long .* 16,384 .max_position_embeddings. is assumed", ""),
    ),
    "plain": (
        llama() | {"rope_parameters": {"rope_type": "default"}},
        ("All layers rotate", "takes texts of up to 16,384", "Nothing about it is unusual"),
    ),
    "some": (
        llama() | {"no_rope_layers": [1, 0], "rope_parameters": None},
        ("there is RoPE in 1 and attention without", "16,384", "Nothing"),
    ),
    "hybrid": (
        {"model_type": "jamba", "num_hidden_layers": 8, "rope_theta": 1e4},
        ("attention without .* in 1 and no attention .mamba. in 7", "", "but nothing rotates"),
    ),
    "another": ({"model_type": "gpt2"}, ("position enters by a learned table", "does not say", "")),
    "assumed": (
        {"model_type": "x", "head_dim": 8, "rope_theta": 1e4},
        ("^Assumed, because this model type is not known here", "does not say", ""),
    ),
    "nothing": ({"model_type": "x"}, ("This file does not say", "does not say", "")),
    "mscales": (
        llama(factor=4.0, mscale=1, mscale_all_dim=1),
        ("", "", "; mscale and mscale_all_dim cancel, so scores are not multiplied"),
    ),
    "attention factor 1": (
        llama(factor=4.0, attention_factor=1.0),
        ("", "", "; attention_factor is 1, so scores are not multiplied"),
    ),
    "all of a score": (llama(factor=4.0), ("", "", "; scores are multiplied by 1.2965")),
    "a part of a score": (
        llama(factor=4.0, partial_rotary_factor=0.5) | {"model_type": "glm"},
        ("", "", "; the rotated part of each score is multiplied by 1.2965"),
    ),
    "two lists": (
        llama(rope_type="longrope", short_factor=[1.0] * 64, long_factor=[2.0] * 64),
        ("", "", "64 of 64 pairs in texts of more than 4,096 tokens, and shorter ones take short"),
    ),
    "hot": (llama(factor=4.0, llama_4_scaling_beta=0.1), ("", "", "grow with their position")),
    "windows": (
        llama(factor=4.0) | {"layer_types": ["sliding_attention", "full_attention"]},
        ("", "", "no further than their window"),
    ),
}


@pytest.mark.parametrize(("config", "said"), SAID.values(), ids=SAID)
def test_three_sentences_say_what_an_engineer_asks_first(config, said):
    found = read_config(config).sentences
    for sentence, words in zip(found, said, strict=True):
        assert re.search(words, sentence), found


def test_the_length_of_gemma_3_is_after_its_extension():
    gemma = llama(rope_type="linear", factor=8.0) | {"model_type": "gemma3_text"}
    gemma = gemma | {"num_hidden_layers": 6}
    del gemma["rope_parameters"]["original_max_position_embeddings"]
    found, other = read_config(gemma), read_config(gemma | {"model_type": "llama"})
    assert (found.trained, found.promised) == (0, 16384)
    assert (other.trained, other.promised) == (16384, 131072)


WRONG = {
    "missing": (llama(factor=4.0, original_max_position_embeddings=None), "is missing: 16,384"),
    "the length of the class": (
        {"model_type": "llama", "head_dim": 64, "num_hidden_layers": 1}
        | {"rope_scaling": {"rope_type": "yarn", "factor": 4.0}},
        "original_max_position_embeddings is missing: 2,048 is taken",
    ),
    "text": (llama(factor="4"), "^factor is text and not a number: remove the quotation marks"),
    "text outside": (llama() | {"rope_theta": "1e4"}, "^rope_theta is text and not"),
    "two texts": (llama(factor=4.0, rope_theta="1e4"), "^rope_theta is text and not"),
    "no type": (llama(rope_type=None, factor=4), '^rope_type is missing.* write "rope_type"'),
    "swapped": (llama(4096, factor=4.0, original_max_position_embeddings=16384), "swapped"),
    "engines": (llama(32768, factor=2.0), "4,096 tokens are 8,192.* set it to"),
    "dynamic": (llama(rope_type="dynamic", factor=2.0), "keys in a cache"),
    "one mscale": (llama(factor=4.0, mscale=0.707), "^mscale alone .* both"),
    "the other": (llama(factor=4.0, mscale_all_dim=1), "^mscale_all_dim alone"),
    "two lists": (
        llama(rope_type="longrope", short_factor=[1.0] * 64, long_factor=[2.0] * 64),
        "engines change to long_factor with a text of more than 4,096 tokens, or with a context",
    ),
    "a fraction that is not looked at": (
        llama(rope_type="default") | {"partial_rotary_factor": 0.5},
        "partial_rotary_factor has no effect in transformers, but other engines take it",
    ),
    "a fraction that has another name": (
        {"model_type": "gpt_neox", "rotary_pct": 0.25, "partial_rotary_factor": 0.5},
        "partial_rotary_factor has no effect in transformers, but other engines take it",
    ),
    "a scaling that is not looked at": (
        {"model_type": "cohere2_moe", "rope_scaling": {"rope_type": "linear", "factor": 4.0}},
        "rope_scaling has no effect in transformers, but other engines take it: look at yours",
    ),
    "a base that is not looked at": (
        {"model_type": "gpt_neox", "rotary_emb_base": 10000, "rope_theta": 500000},
        "rope_theta has no effect in transformers, but other engines take it: look at yours",
    ),
    "inverted": (llama(factor=4.0) | {"no_rope_layers": [0, 0]}, "exchange 0 and 1"),
    "factor 1": (llama(factor=1.0), "the factor is 1 or missing"),
    "no base": ({"head_dim": 64, "rope_scaling": {"rope_type": "default"}}, "10 000 is taken"),
    "two bases": (llama(rope_type="default", rope_theta=5e5), "rope_theta stands twice"),
    "two entries": (
        llama(factor=4.0) | {"rope_scaling": {"type": "linear", "factor": 2}},
        "forgets",
    ),
    "spelling": (llama(factor=4.0, orginal_max_position_embeddings=1), "is read by no program"),
    "outer spelling": (llama() | {"rope_scalings": {}}, "is rope_scaling meant"),
    "unused": ({"model_type": "gpt2", "rope_scaling": {"factor": 2.0}}, "nothing rotates: delete"),
    "unknown": ({"model_type": "x", "head_dim": 8, "rope_theta": 1e4}, "^assumed"),
    "nothing said": ({"model_type": "x"}, "look for it in the model's code"),
}


@pytest.mark.parametrize(("config", "warning"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_in_a_file_is_said_with_what_to_do(config, warning):
    found = read_config(json.dumps(config))
    assert re.search(warning, "\n".join(found.warnings), re.MULTILINE), found
    assert str(found).startswith("\n".join(found.sentences) + "\n! ")


def test_the_table_has_no_factor_that_is_ignored_and_no_still_pairs():
    table = str(read_config(llama(rope_type=None, factor=4))).partition("\nlayers")[2]
    assert "× 4" not in table
    row = str(read_config(CONFIGS["Gemma 4"])).partition("proportional")[2].split()
    assert row[:5] == ["1,000,000", "256", "64", "0", "0"]


@pytest.mark.parametrize("name", ["text_config", "llm_config", "language_config"])
def test_a_model_of_texts_and_pictures_is_read_as_its_language_model(name):
    found = read_config({"model_type": "x", name: llama(factor=4.0)})
    assert str(found) == str(read_config(llama(factor=4.0)))


def test_a_text_part_without_type_and_sizes_has_those_of_the_class():
    found = read_config({"model_type": "gemma3", "text_config": {"num_hidden_layers": 6}})
    assert [(kind.count, kind.base, kind.rotary_dim) for kind in found.kinds] == [
        (5, 1e4, 256),
        (1, 1e6, 256),
    ]


def test_entries_of_other_types_mean_what_they_mean_elsewhere():
    found = read_config(
        {"model_type": "x", "head_dim": 8, "rope_theta": 1e4, "num_hidden_layers": 4}
        | {"hybrid_override_pattern": "M-M*"}
    )
    assert [(kind.count, kind.rotary_dim) for kind in found.kinds] == [(3, 0), (1, 8)]
    assert "ssumed" in found.sentences[0]


def test_a_class_is_found_where_no_type_is_named():
    assert not read_config({"architectures": ["LlamaForCausalLM"], "head_dim": 64}).warnings


def test_values_count_and_not_names():
    falcon = {"model_type": "falcon", "hidden_size": 4544, "num_attention_heads": 71}
    assert read_config(falcon | {"alibi": False}).kinds[0].rotary_dim == 64
    assert read_config(falcon | {"alibi": True}).kinds[0].position == "ALiBi"
    small = {"model_type": "baichuan", "num_attention_heads": 32, "hidden_size": 4096}
    assert read_config(small).kinds[0].rotary_dim == 128
    assert read_config(small | {"hidden_size": 5120}).kinds[0].position == "ALiBi"
    speech = {"model_type": "wav2vec2-conformer", "hidden_size": 1024, "num_attention_heads": 16}
    relative = speech | {"position_embeddings_type": "relative", "rotary_embedding_base": 10000}
    assert read_config(relative).kinds[0].position == "relative positions in the scores"
    assert read_config(speech | {"position_embeddings_type": "rotary"}).kinds[0].rotary_dim == 64
    plain = {"qk_rope_head_dim": 0, "use_mla": False, "head_dim": 128}
    assert read_config({"model_type": "deepseek_v2"} | plain).kinds[0].rotary_dim == 128


def test_as_json_it_says_the_same(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(llama(factor=4.0)), "utf-8-sig")  # as Windows' editors write it
    found = json.loads(read_config(path).to_json())
    (kind,) = found["kinds"]
    assert (kind["kept"], kind["blended"], kind["slowed"]) == (21, 25, 18)
    assert len(kind["frequencies"][0]) == 64
    assert found == json.loads(read_config(str(path)).to_json())
    assert found == json.loads(read_config(path.read_text("utf-8")).to_json())


OTHER_FILES = {
    "tokenizer_config.json": ('{"tokenizer_class": "X"}', "config.json that lies beside it"),
    "adapter_config.json": ('{"peft_type": "LORA"}', "config.json of the model that it adapts"),
    "model.gguf": ("GGUF\x03", "is a GGUF file: give the config.json of its model"),
}


@pytest.mark.parametrize("name", OTHER_FILES)
def test_another_file_is_named_with_what_to_give(name, tmp_path):
    text, what = OTHER_FILES[name]
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(ValueError, match=what):
        read_config(tmp_path / name)


def test_a_folder_is_read_by_its_config(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(llama(factor=4.0)), "utf-8")
    assert str(read_config(tmp_path)) == str(read_config(llama(factor=4.0)))
