"""An encoding in somebody's model: registered, moved, saved, trained; in a GPT and in a Llama."""

import copy
import io
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama import modeling_llama as llama

from posviz.attention import attend
from posviz.encodings.alibi import Alibi
from posviz.encodings.deberta import DeBERTa
from posviz.encodings.doors import Encoding
from posviz.encodings.frequencies import Frequencies
from posviz.encodings.position_maps import MappedRotary, rerope_positions
from posviz.encodings.rotary import Rotary
from posviz.encodings.rotary2d import MixedRotary, raster
from posviz.encodings.shaw import Shaw
from posviz.encodings.stretching import llama3, yarn
from posviz.encodings.t5 import T5
from posviz.masks import causal_mask
from posviz.module import EncodingModule
from tests.every_encoding import random

TABLE = random(8, 2)


def trained(array):
    return nn.Parameter(torch.tensor(array))


@pytest.mark.parametrize(
    ("encoding", "parameters", "buffers"),
    [
        (Alibi(), [], []),
        (Rotary(), [], []),
        (Rotary(frequencies=yarn(4, 3.0, original_max_seq_len=6)), [], ["inv_freq"]),
        (
            Rotary(frequencies=Frequencies(np.array([1.0, 0.5]), trained(1.5))),
            ["attention_factor"],
            ["inv_freq"],
        ),
        (T5(trained(TABLE)), ["table"], []),
        (T5(TABLE), [], ["table"]),
        (Shaw(trained(random(5, 4))), ["key_table"], []),
        (MixedRotary(raster(2, 2), trained(random(2, 2))), ["frequencies"], ["coordinates"]),
        (
            DeBERTa(trained(random(2, 8, 4)), trained(random(2, 8, 4))),
            ["position_key", "position_query"],
            [],
        ),
    ],
)
def test_arrays_are_registered_by_their_names(encoding, parameters, buffers):
    module = EncodingModule(encoding)
    assert [name for name, _ in module.named_parameters()] == parameters
    assert [name for name, _ in module.named_buffers()] == buffers
    assert sorted(module.state_dict()) == sorted(parameters + buffers)
    assert type(module()) is type(encoding)


def test_a_parameter_stays_the_one_that_others_share_and_a_buffer_is_a_copy():
    shared, table = trained(TABLE), torch.tensor(TABLE)
    assert EncodingModule(T5(shared)).table is shared
    encoding = T5(table)
    module = EncodingModule(encoding)
    module.load_state_dict({"table": table + 1})
    np.testing.assert_array_equal(module().table, TABLE + 1)
    assert encoding.table is table
    np.testing.assert_array_equal(table, TABLE)


def test_an_encoding_within_another_is_registered_within_it():
    inner = Rotary(frequencies=Frequencies(np.array([1.0, 0.5]), trained(1.5)))
    module = EncodingModule(MappedRotary(partial(rerope_positions, window=2), inner))
    assert sorted(module.state_dict()) == ["rotary.attention_factor", "rotary.inv_freq"]
    module.load_state_dict({"rotary.attention_factor": trained(3.0)}, strict=False)
    assert module().rotary.frequencies.attention_factor == 3.0
    assert "MappedRotary" in repr(module)


@pytest.mark.parametrize("hidden", [[trained(TABLE)], (trained(TABLE),), {"table": trained(TABLE)}])
def test_parameters_that_would_not_be_trained_are_refused(hidden):
    class Hiding(Encoding):
        def __init__(self):
            self.tables = hidden

    with pytest.raises(TypeError, match=r"tables must be .* got a (list|tuple|dict) of parameters"):
        EncodingModule(Hiding())


@pytest.mark.parametrize("table", [TABLE.astype(">f8"), TABLE[::-1]], ids=["bytes", "steps"])
def test_tables_in_another_order_are_registered(table):
    np.testing.assert_array_equal(EncodingModule(T5(table))().table, table)


def test_only_an_encoding_becomes_a_module():
    with pytest.raises(TypeError, match=r"encoding must be an Encoding, .* got 'rope'"):
        EncodingModule("rope")


def test_what_is_loaded_is_what_the_encoding_has():
    module = EncodingModule(T5(trained(TABLE)))
    module.load_state_dict({"table": torch.tensor(TABLE + 1)})
    np.testing.assert_array_equal(module().table.detach(), TABLE + 1)
    frequencies = Frequencies(np.array([1.0, 0.5]), 1.25)
    module = EncodingModule(Rotary(frequencies=frequencies))
    module.load_state_dict({"inv_freq": torch.tensor([3.0, 2.0])})
    assert module().frequencies.inv_freq.tolist() == [3.0, 2.0]
    assert module().frequencies.attention_factor == 1.25
    assert frequencies.inv_freq.tolist() == [1.0, 0.5]  # the caller's own stays
    both = EncodingModule(Rotary(frequencies=Frequencies(np.array([1.0, 0.5]), trained(1.5))))
    both.load_state_dict({"inv_freq": torch.tensor([3.0, 2.0]), "attention_factor": trained(2.5)})
    assert both().frequencies.inv_freq.tolist() == [3.0, 2.0]
    assert both().frequencies.attention_factor == 2.5


def test_frequencies_keep_their_precision_where_a_model_is_made_half():
    inv_freq = 10_000.0 ** -np.linspace(0, 1, 8)
    module = EncodingModule(MixedRotary(raster(2, 2), trained(random(2, 2)))).bfloat16()
    assert module().frequencies.dtype == torch.bfloat16
    rotary = EncodingModule(Rotary(frequencies=Frequencies(inv_freq))).to(torch.bfloat16)
    assert rotary().frequencies.inv_freq.dtype == torch.float64
    np.testing.assert_array_equal(rotary().frequencies.inv_freq, inv_freq)
    single = Frequencies(inv_freq.astype(np.float32))
    assert EncodingModule(Rotary(frequencies=single)).half()().frequencies.inv_freq.dtype == (
        torch.float32
    )
    q = torch.tensor(random(1, 2, 3, 16))
    plain = Rotary(frequencies=Frequencies(inv_freq)).at_query(q, [131_072, 5, 7])
    torch.testing.assert_close(rotary().at_query(q, [131_072, 5, 7]), plain, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [None, torch.bfloat16])
def test_all_arrays_move_to_a_device(dtype):
    encoding = MixedRotary(raster(2, 2), trained(random(2, 2)))
    for made in (encoding, T5(TABLE)):
        module = EncodingModule(made).to("meta", dtype)
        assert {x.device.type for x in module.state_dict().values()} == {"meta"}
        assert module() is not made


def test_copies_and_pickles_are_their_own():
    module = EncodingModule(T5(trained(TABLE)))
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    for other in (copy.deepcopy(module), torch.load(file, weights_only=False)):
        with torch.no_grad():
            other.table += 1
        np.testing.assert_array_equal(other().table.detach(), TABLE + 1)
    np.testing.assert_array_equal(module().table.detach(), TABLE)


def test_a_function_can_be_called_with_other_parameters():
    module, other = EncodingModule(T5(trained(TABLE))), torch.tensor(TABLE * 2)
    made = torch.func.functional_call(module, {"table": other}, ())
    assert made.table is other
    assert module().table is module.table


# ---------------------------------------------------------------- a small GPT

D_MODEL, HEADS = 16, 2


class Layer(nn.Module):
    def __init__(self, encoding, **limits):
        super().__init__()
        self.position, self.limits = EncodingModule(encoding), limits
        self.qkv = nn.ParameterList(torch.randn(D_MODEL, D_MODEL) / 4 for _ in range(3))
        self.norms = nn.ModuleList(nn.LayerNorm(D_MODEL) for _ in range(2))
        self.network = nn.Sequential(nn.Linear(D_MODEL, 32), nn.GELU(), nn.Linear(32, D_MODEL))

    def forward(self, x, positions, mask):
        options = {"encoding": self.position(), "mask": mask, **self.limits}
        x = x + attend(self.norms[0](x), *self.qkv, num_heads=HEADS, positions=positions, **options)
        return x + self.network(self.norms[1](x))


class SmallGPT(nn.Module):
    def __init__(self, plan):
        super().__init__()
        self.embedding = nn.Embedding(8, D_MODEL)
        self.layers = nn.ModuleList(Layer(**row) for row in plan)
        self.head = nn.Linear(D_MODEL, 8)

    def forward(self, tokens):
        x, positions = self.embedding(tokens), torch.arange(tokens.shape[1])
        mask = causal_mask(positions, positions)
        for layer in self.layers:
            x = layer(x, positions, mask)
        return self.head(x)


def gpt(seed=0):
    torch.manual_seed(seed)
    near = {"encoding": T5(trained(np.zeros((8, HEADS), np.float32)), bidirectional=False)}
    far = {"encoding": Rotary(frequencies=yarn(8, 2.0, original_max_seq_len=8))}
    return SmallGPT([near | {"window": 4}, far | {"temperature": 0.9}])


@pytest.mark.slow("it trains")
def test_a_small_gpt_learns_where_tokens_stand():
    """Each token is the one three before it: only positions tell which that is."""
    model, random_tokens = gpt(), torch.Generator().manual_seed(0)
    adam = torch.optim.Adam(model.parameters(), lr=1e-2)
    before = model.layers[0].position.table.clone()
    for _ in range(150):
        tokens = torch.randint(8, (16, 3), generator=random_tokens).repeat(1, 5)
        logits = model(tokens)[:, 3:-1]
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 4:].flatten())
        adam.zero_grad()
        loss.backward()
        adam.step()
    assert loss < 0.1 < np.log(8)
    assert (model.layers[0].position.table != before).any()
    other = gpt(seed=1)
    assert not torch.equal(other(tokens), model(tokens))
    other.load_state_dict(model.state_dict())
    torch.testing.assert_close(other(tokens), model(tokens), rtol=0, atol=0)


# ---------------------------------------------------------------- a Llama of Hugging Face's


class Places(nn.Module):
    """Stands where Llama makes cosines and sines: hands on positions and our encoding."""

    def __init__(self, encoding: Encoding) -> None:
        super().__init__()
        self.encoding = EncodingModule(encoding)

    def forward(self, x, position_ids):
        return position_ids, self.encoding()


SCALING = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}


@pytest.mark.parametrize("stretched", [False, True])
def test_a_llama_with_our_rotation_gives_its_own_logits(stretched, monkeypatch):
    parameters = {"rope_type": "default", "rope_theta": 10_000.0}
    encoding = Rotary(layout="half_split")
    if stretched:
        parameters |= {"rope_type": "llama3", "original_max_position_embeddings": 64} | SCALING
        frequencies = llama3(16, 8.0, original_max_seq_len=64, base=10_000.0)
        encoding = Rotary(layout="half_split", frequencies=frequencies)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=32,
        hidden_size=64,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        rope_parameters=parameters,
    )
    model = LlamaForCausalLM(config).eval()
    tokens = torch.randint(32, (2, 40))
    options = {"max_new_tokens": 6, "do_sample": False, "pad_token_id": 0}
    with torch.no_grad():
        theirs, text = model(tokens).logits, model.generate(tokens, **options)
        model.model.rotary_emb = Places(encoding)
        monkeypatch.setattr(
            llama,
            "apply_rotary_pos_emb",
            lambda q, k, positions, encoding: encoding.at_query_and_key(q, k, positions),
        )
        ours = model(tokens).logits
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)
        assert torch.equal(model.generate(tokens, **options), text)  # token by token, with a cache
