"""A model directory: tiny random models of many families, and what is refused."""

import json
import socket
import sys

import numpy as np
import pytest
import tokenizers
import torch
import transformers

from posviz.attention import attention
from posviz.attention.masks import causal_mask
from posviz.encodings.doors import NoPosition
from posviz.models import hugging_face
from posviz.models.hugging_face import load_model

IDS = [5, 6, 7, 5, 250, 6, 8]
TINY = {"vocab_size": 256, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
WIDE = TINY | {"intermediate_size": 48}
GROUPED = WIDE | {"num_key_value_heads": 2}
ENDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
FALCON = TINY | {"new_decoder_architecture": False, "multi_query": False}
FAMILIES = {
    "Llama": GROUPED | {"max_position_embeddings": 64},
    "Phi": WIDE | {"partial_rotary_factor": 0.5},
    "Cohere": WIDE,
    "Glm": GROUPED | ENDS | {"head_dim": 8},
    "Qwen3": GROUPED | {"head_dim": 8},
    "SmolLM3": GROUPED | ENDS | {"num_hidden_layers": 4},
    "GPT2": TINY | {"n_positions": 16},
    "Bloom": TINY,
    "Mpt": {"vocab_size": 256, "d_model": 32, "n_layers": 2, "n_heads": 4, "max_seq_len": 64},
    "Falcon": FALCON | {"alibi": True},
    "GPTJ": {"vocab_size": 256, "n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4},
}
LAYOUTS = {"Cohere": "interleaved", "Glm": "interleaved"}
ALIBI = ("Bloom", "Mpt", "Falcon")
FIRST = ("Llama", "Glm", "SmolLM3", "GPT2", "Bloom", "GPTJ")  # each enters in another way

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def saved(folder, family, **changed):
    """The folder of a random model."""
    config = getattr(transformers, f"{family}Config")(**FAMILIES.get(family, WIDE) | changed)
    torch.manual_seed(0)
    transformers.AutoModel.from_config(config).save_pretrained(folder)
    return folder


@pytest.fixture
def llama(tmp_path):
    return saved(tmp_path / "llama", "Llama")


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("the network is asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize(
    "family",
    [
        name if name in FIRST else pytest.param(name, marks=pytest.mark.release("more families"))
        for name in FAMILIES
    ],
)
def test_weights_are_the_models_and_queries_and_keys_give_them(family, tmp_path, no_network):
    model = load_model(saved(tmp_path / family, family))
    reading = model.read(IDS)
    plain = transformers.AutoModel.from_pretrained(tmp_path / family, attn_implementation="eager")
    with torch.inference_mode():
        seen = plain(torch.tensor([IDS]), output_attentions=True).attentions
    np.testing.assert_allclose(reading.weights, np.stack([x[0] for x in seen]), atol=1e-6)
    assert len(model.rotary) == len(reading.weights)
    if family in (*ALIBI, "GPTJ"):
        assert (reading.q, reading.k) == (None, None)
        return
    positions = np.arange(len(IDS))
    for weights, q, k, rotary in zip(*reading, model.rotary, strict=True):
        _, again = attention(
            *(q[None], k[None], k[None]),
            encoding=rotary or NoPosition(),
            q_positions=positions,
            k_positions=positions,
            mask=causal_mask,
            return_weights=True,
        )
        np.testing.assert_allclose(again[0], weights, atol=1e-5)
    turning = [rotary is not None for rotary in model.rotary]
    expected = {"GPT2": [False, False], "SmolLM3": [True, True, True, False]}
    assert turning == expected.get(family, [True, True])
    layouts = {rotary.layout for rotary in model.rotary if rotary}
    assert layouts <= {LAYOUTS.get(family, "half_split")}


def test_stretched_frequencies_are_read_from_what_the_model_does(tmp_path):
    stretching = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
    theta = {"rope_theta": 10_000.0}
    model = load_model(saved(tmp_path, "Llama", rope_parameters=stretching | theta))
    [found, _] = model.rotary
    emb = model.model.rotary_emb
    np.testing.assert_allclose(found.frequencies.inv_freq, emb.inv_freq, rtol=1e-5)
    assert found.frequencies.attention_factor == pytest.approx(emb.attention_scaling, rel=1e-6)
    assert emb.attention_scaling > 1.1


def test_transformers_is_left_as_it_was(llama):
    code = sys.modules["transformers.models.llama.modeling_llama"]
    before = [getattr(code, name) for name in hugging_face.TRACED]
    model = load_model(llama)
    with hugging_face._traced(model.model):
        assert code.apply_rotary_pos_emb is not before[0]
    with pytest.raises(IndexError):
        model.read([256])
    assert [getattr(code, name) for name in hugging_face.TRACED] == before
    again, once = model.read(IDS), model.read(IDS)
    for x, y in zip(again, once, strict=True):
        np.testing.assert_array_equal(x, y)


# ---------------------------------------------------------------- tokens


def test_its_own_tokenizer_is_used(llama, no_network):
    words = tokenizers.models.WordLevel({"?": 0, "old": 1, "man": 2}, unk_token="?")
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="?")
    fast.save_pretrained(llama)
    model = load_model(str(llama))
    assert model.ids("old man, old") == [1, 2, 0, 1]
    assert model.words([2, 1]) == ["man", "old"]


def test_learned_positions_end_where_their_table_does(tmp_path):
    model = load_model(saved(tmp_path / "GPT2", "GPT2"))
    assert model.longest == 16
    assert len(model.read([1] * 16).q[0, 0]) == 16


# ---------------------------------------------------------------- what is refused


def test_a_pickle_is_never_opened(llama):
    model = transformers.AutoModel.from_pretrained(llama)
    torch.save(model.state_dict(), llama / "pytorch_model.bin")
    (llama / "model.safetensors").rename(llama / "model_of_mine.safetensors")
    with pytest.raises(ValueError, match=r"transformers cannot load .*no file named model\.saf"):
        load_model(llama)
    (llama / "model_of_mine.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match=r"with config\.json and model\*\.safetensors, got"):
        load_model(llama)


def test_no_code_of_the_folder_is_run(llama):
    config = json.loads((llama / "config.json").read_text())
    own = {"model_type": "own", "auto_map": dict.fromkeys(("AutoConfig", "AutoModel"), "own.X")}
    (llama / "config.json").write_text(json.dumps(config | own))
    (llama / "own.py").write_text("raise SystemExit('the code is run')")
    with pytest.raises(ValueError, match="transformers cannot load"):
        load_model(llama)


def test_a_broken_or_incomplete_file_is_refused(llama, tmp_path):
    whole = (llama / "model.safetensors").read_bytes()
    (llama / "model.safetensors").write_bytes(whole[:-10])
    with pytest.raises(ValueError, match=r"transformers cannot load .*header"):
        load_model(llama)
    (llama / "model.safetensors").write_bytes(whole)
    config = json.loads((llama / "config.json").read_text()) | {"num_hidden_layers": 3}
    (llama / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=r"llama lacks 'layers\.2\..*', among 9"):
        load_model(llama)


@pytest.mark.parametrize(
    ("family", "changed", "message"),
    [
        ("Bert", {}, "must be causal, and its first token looks at the second"),
        ("T5", {"d_model": 32, "d_kv": 8, "num_heads": 4}, "is an encoder and a decoder"),
    ],
)
def test_position_that_enters_otherwise_is_refused(family, changed, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        load_model(saved(tmp_path, family, **changed))
