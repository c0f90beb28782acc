"""A model directory: tiny random models of many families, and what is refused."""

import json
import socket

import numpy as np
import pytest
import tokenizers
import torch
import transformers
from safetensors import SafetensorError

from posviz.attention import attention
from posviz.attention.masks import causal_mask
from posviz.encodings.rotary import Rotary
from posviz_course.models.hugging_face import load_model
from scripts.make_real_data import every_head

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
FIRST = ("Llama", "Glm", "SmolLM3", "GPT2", "Bloom", "GPTJ")  # each enters in another way

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def saved(folder, family, **changed):
    """The folder of a random model, whose tokenizer knows two words."""
    config = getattr(transformers, f"{family}Config")(**FAMILIES.get(family, WIDE) | changed)
    torch.manual_seed(0)
    transformers.AutoModel.from_config(config).save_pretrained(folder)
    words = tokenizers.models.WordLevel({"?": 0, "old": 1, "man": 2}, unk_token="?")
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="?")
    fast.save_pretrained(folder)
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
def test_weights_are_the_models_own(family, tmp_path, no_network):
    weights = load_model(saved(tmp_path / family, family)).weights(IDS)
    plain = transformers.AutoModel.from_pretrained(tmp_path / family, attn_implementation="eager")
    with torch.inference_mode():
        seen = plain(torch.tensor([IDS]), output_attentions=True).attentions
    np.testing.assert_allclose(weights, np.stack([x[0] for x in seen]), atol=1e-6)


def test_queries_and_keys_of_the_stored_extract_give_the_models_weights(llama):
    """As scripts/make_real_data.py reads them: before RoPE, a key for each query's head."""
    model = transformers.AutoModelForCausalLM.from_pretrained(llama, attn_implementation="eager")
    tokenizer = transformers.AutoTokenizer.from_pretrained(llama)
    words, q, k, weights = every_head(tokenizer, model.eval(), "old man man old ?")
    assert words == ["old", "man", "man", "old", "?"]
    positions = np.arange(5)
    places = {"q_positions": positions, "k_positions": positions, "mask": causal_mask}
    rope = Rotary(base=10_000, layout="half_split")
    _, again = attention(q, k, k, encoding=rope, **places, return_weights=True)
    np.testing.assert_allclose(again, weights, atol=1e-5)


# ---------------------------------------------------------------- tokens


def test_its_own_tokenizer_is_used(llama, no_network):
    model = load_model(str(llama))
    assert model.ids("old man, old") == [1, 2, 0, 1]
    assert model.words([2, 1]) == ["man", "old"]


def test_learned_positions_end_where_their_table_does(tmp_path):
    model = load_model(saved(tmp_path / "GPT2", "GPT2"))
    assert model.longest == 16
    assert model.weights([1] * 16).shape == (2, 4, 16, 16)


# ---------------------------------------------------------------- what is refused


def test_a_pickle_is_never_opened(llama):
    model = transformers.AutoModel.from_pretrained(llama)
    torch.save(model.state_dict(), llama / "pytorch_model.bin")
    (llama / "model.safetensors").rename(llama / "model_of_mine.safetensors")
    with pytest.raises(OSError, match=r"no file named model\.safetensors found in"):
        load_model(llama)
    (llama / "model_of_mine.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match=r"with config\.json and model\*\.safetensors, got"):
        load_model(llama)


def test_no_code_of_the_folder_is_run(llama):
    config = json.loads((llama / "config.json").read_text())
    own = {"model_type": "own", "auto_map": dict.fromkeys(("AutoConfig", "AutoModel"), "own.X")}
    (llama / "config.json").write_text(json.dumps(config | own))
    (llama / "own.py").write_text("raise SystemExit('the code is run')")
    with pytest.raises(ValueError, match="contains custom code which must be executed"):
        load_model(llama)


def test_a_broken_or_incomplete_file_is_refused(llama):
    whole = (llama / "model.safetensors").read_bytes()
    (llama / "model.safetensors").write_bytes(whole[:-10])
    with pytest.raises(SafetensorError, match="while deserializing header"):
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
