"""The script that lets SmolLM2 read on: its text, what it counts, its attention in parts."""

from functools import partial

import numpy as np
import pytest
import torch

from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from posviz.encodings.rotary import Rotary
from posviz.encodings.stretching import yarn
from posviz_course.models.position_maps import (
    MappedRotary,
    rerope_positions,
    self_extend_positions,
)
from scripts import measure_stretching as script


class CharacterTokenizer:
    """A tokenizer whose tokens are characters."""

    def __call__(self, text):
        return {"input_ids": [min(ord(letter), 127) for letter in text]}


def letters_of(ids):
    return "".join(map(chr, ids))


def test_numbers_are_said_once_and_asked_for_once():
    text = script.long_text(CharacterTokenizer(), 9000)
    letters = letters_of(text.ids)
    assert len(text.ids) == len(text.is_text) == 9000
    assert len(text.answers) == 10
    for start, stop, place in text.answers:
        number = letters[start:stop]
        assert letters.count(number) == 2
        said = letters[place : letters.index(number)]
        assert said.startswith("\n\nThe magic number of ")
        assert letters[:start].endswith(said)
        assert not text.is_text[place : place + 20].any()
    kept = "".join(letter for letter, own in zip(letters, text.is_text, strict=True) if own)
    assert letters_of(CharacterTokenizer()(script.source())["input_ids"]).startswith(kept)


def test_a_bin_is_the_mean_of_its_text_and_a_needle_of_its_digits():
    at = np.arange(512)
    text = script.LongText(at, at % 2 == 0, [(390, 395, 40), (401, 404, 60)])
    found = script.measured(text, np.where(at == 0, np.nan, at), at >= 394)
    assert found.counts.tolist() == [127, 128]
    assert found.losses.tolist() == [128, 383]
    assert found.mean(0, 512) == (127 * 128 + 128 * 383) / 255
    assert found.needles == [(390, 350, 392, 0.2), (401, 341, 402, 1)]


def reader(monkeypatch, losses):
    """Read with a model that is not there; ``losses`` stands in for its own."""
    at = np.arange(1024)
    monkeypatch.setattr(script, "TRAINED", 512)
    monkeypatch.setattr(script, "load_smollm2", lambda: (None, None))
    text = script.LongText(at, at >= 0, [])
    monkeypatch.setattr(script, "long_text", lambda *_: text)
    monkeypatch.setattr(script, "token_losses", losses)


def test_cropped_reads_no_more_than_was_trained(monkeypatch, capsys):
    shown = []

    def losses(model, ids, how, **_):
        shown.append((ids[0], len(ids), how.rotary.frequencies.inv_freq[-1]))
        return ids.astype(float), ids > 0

    reader(monkeypatch, losses)
    found = script.read("cropped", length=1024)
    slowest = script.frequencies("nothing changed", 1).inv_freq[-1]
    assert shown == [(256, 512, slowest), (512, 512, slowest)]
    assert found.counts.tolist() == [0, 0, 256, 256]
    assert found.losses.tolist()[2:] == [639.5, 895.5]


@pytest.mark.parametrize("method", dict(script.PLAN))
def test_a_method_keeps_the_first_pair_or_slows_all(method):
    made, trained = script.frequencies(method, 4), script.frequencies("nothing changed", 1)
    shares = made.inv_freq / trained.inv_freq
    first = 1 / 4 if method == "PI" else 1
    last = {"nothing changed": 1, "ReRoPE": 1, "Self-Extend": 1, "cropped": 1}.get(method, 1 / 4)
    if method == "larger base":
        last = 4 ** (-62 / 64)
    if method == "dynamic NTK":  # its factor follows the text, which is twice the trained length
        last = 1 / (4 * 2 - 3)
    assert shares[[0, -1]] == pytest.approx([first, last])
    hot = method in ("YaRN", "YaRN by turns")
    assert made.attention_factor == pytest.approx(1.13863 if hot else 1)


# ---------------------------------------------------------------- attention in parts

LENGTH, HEAD_DIM = 75, 8
MAPS = {
    "as they are": partial(rerope_positions, window=LENGTH),
    "rerope": partial(rerope_positions, window=9),
    "self-extend": partial(self_extend_positions, window=20, group=3),
}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("chunk", [16, 100])
def test_attention_in_parts_is_attention(monkeypatch, name, chunk):
    monkeypatch.setattr(script, "CHUNK", chunk)
    random = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, n, LENGTH, HEAD_DIM, generator=random) for n in (6, 2, 2))
    how, here = MappedRotary(MAPS[name], Rotary(layout="half_split")), torch.arange(LENGTH)
    seen, _ = script.attention_in_parts(how)(None, q, k, v)
    q, k, v = q.double(), k.double().repeat_interleave(3, 1), v.double().repeat_interleave(3, 1)
    scores = how.at_scores(torch.zeros(1, 6, LENGTH, LENGTH).double(), q, k, here, here)
    ahead = torch.ones(LENGTH, LENGTH).triu(1).bool()
    expected = scores.masked_fill(ahead, -torch.inf).softmax(-1) @ v
    torch.testing.assert_close(seen.double(), expected.transpose(1, 2), rtol=0, atol=1e-5)


def small_model(**rope):
    """A Llama of two layers with random weights, the same ones each time."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    sizes = {"hidden_size": 48, "intermediate_size": 32, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": HEAD_DIM}
    rope = {"rope_type": "default", "rope_theta": 100.0, **rope}
    config = LlamaConfig(
        vocab_size=50,
        initializer_range=0.3,
        max_position_embeddings=64,
        rope_parameters=rope,
        attn_implementation="eager",
        **sizes,
        **heads,
    )
    return LlamaForCausalLM(config).eval()


def own_losses(model, ids):
    tokens = torch.as_tensor(ids)
    with torch.inference_mode():
        logits = model(tokens[None], use_cache=False).logits[0, :-1]
    losses = torch.nn.functional.cross_entropy(logits, tokens[1:], reduction="none")
    return losses.numpy(), (logits.argmax(-1) == tokens[1:]).numpy()


@pytest.mark.slow("seconds")
@pytest.mark.parametrize(
    ("rope", "made"),
    [
        ({}, Frequencies(rotary_frequencies(HEAD_DIM, 100.0))),
        (
            {
                "rope_type": "yarn",
                "factor": 4.0,
                "original_max_position_embeddings": 16,
                "beta_fast": 4.0,
                "beta_slow": 1.0,
            },
            yarn(HEAD_DIM, 4, base=100.0, original_max_seq_len=16, beta_fast=4),
        ),
    ],
    ids=["nothing changed", "YaRN"],
)
def test_losses_are_the_models_own_and_it_stays_as_it_was(monkeypatch, rope, made):
    monkeypatch.setattr(script, "CHUNK", 32)
    ids = np.random.default_rng(0).integers(50, size=LENGTH)
    how = MappedRotary(MAPS["as they are"], Rotary(layout="half_split", frequencies=made))
    layers, plain = [], small_model()
    before = own_losses(plain, ids)[0]
    losses, likeliest = script.token_losses(plain, ids, how, each_layer=lambda: layers.append(1))
    expected, first = own_losses(small_model(**rope), ids)
    assert len(layers) == 2
    assert np.isnan(losses[0])
    np.testing.assert_allclose(losses[1:], expected, rtol=0, atol=1e-4)
    np.testing.assert_array_equal(likeliest[1:], first)
    np.testing.assert_array_equal(own_losses(plain, ids)[0], before)
