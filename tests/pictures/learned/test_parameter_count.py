"""The numbers in lesson 03's picture of parameters: those that transformers makes."""

import re

import pytest
import torch
import transformers

from posviz.pictures.learned.parameter_count import MODELS, ParameterCount
from tests.pictures.by_hand import caption_of, drawn, every_setting

BUILT = {
    "GPT-2 small": ("GPT2LMHeadModel", {}, "wpe"),
    "BERT base": ("BertModel", {}, "position_embeddings"),
    "OPT 125M": ("OPTForCausalLM", {}, "embed_positions"),
    "GPT-Neo 1.3B": ("GPTNeoForCausalLM", {}, "wpe"),
    "CLIP text": ("CLIPTextModel", {}, "position_embedding"),
    "ViT-B/16": ("ViTForImageClassification", {"num_labels": 1000}, "position_embeddings"),
    "Whisper tiny": ("WhisperForConditionalGeneration", {}, "decoder.embed_positions"),
    "GPT-3 175B": (
        "GPT2LMHeadModel",
        {"n_positions": 2048, "n_embd": 12_288, "n_layer": 96, "n_head": 96},
        "wpe",
    ),
}


@pytest.mark.sampled(quick=2)
@pytest.mark.parametrize("name", MODELS)
def test_a_models_parameters_are_those_that_transformers_makes(name):
    kind, settings, table = BUILT[name]
    kind = getattr(transformers, kind)
    with torch.device("meta"):
        model = kind(kind.config_class(**settings))
    [found] = [p for label, p in model.named_parameters() if re.search(rf"\b{table}\b", label)]
    assert found.shape[-2:] == MODELS[name][:2]
    assert sum(each.numel() for each in model.parameters()) == MODELS[name].parameters


def test_what_does_not_grow_is_drawn_with_its_count():
    with torch.device("meta"):
        t5 = transformers.T5ForConditionalGeneration(transformers.T5Config())
    biases = sum(p.numel() for label, p in t5.named_parameters() if "relative" in label)
    [axes] = ParameterCount().figure().axes
    rows = {text.get_text(): at for at, text in enumerate(axes.get_yticklabels())}
    counts = {y: x for line in axes.lines for x, y in line.get_xydata() if line.get_marker() == "o"}
    assert counts[rows["T5 small, biases"]] == biases
    assert counts[rows["Transformer-XL, a layer"]] == 1_048_576 + 2_048
    assert counts[rows["sinusoidal, RoPE, ALiBi"]] == 0
    for name, model in MODELS.items():
        assert counts[rows[name]] == model.rows * model.columns


@pytest.mark.slow("seconds")
def test_the_table_asked_for_beside_the_model_chosen():
    for picture in every_setting(ParameterCount, 8):
        _, parts = drawn(picture)
        asked, ring, box = (part.line for part in parts)
        length, model = picture.length, MODELS[picture.model]
        count, own = length * picture.width, model.rows * model.columns
        assert set(asked.get_xdata()) == {count}
        row = list(MODELS).index(picture.model)
        assert ring.get_xydata().tolist() == [[own, row]]
        assert box.get_xydata().tolist() == [[model.parameters, row]]
        caption = caption_of(picture)
        assert caption.startswith(f"{length:,} × {picture.width:,} = {count:,} parameters, ")
        megabytes = re.search(r"([\d,.]+) MB", caption)[1].replace(",", "")
        assert float(megabytes) == pytest.approx(2 * count / 1e6, abs=0.5, rel=0.01)
        said = re.findall(r"(less than )?([\d,.]+(?:e\+\d+)?)%", caption)
        for (less, number), table in zip(said, (count, own), strict=True):
            share = 100 * table / model.parameters
            assert bool(less) == (share < 0.001)
            if less:
                assert number == "0.001"
            else:
                assert float(number.replace(",", "")) == pytest.approx(share, rel=6e-3, abs=6e-4)


def test_a_small_table_beside_gpt_3_is_less_than_any_number_shown():
    start = "or less than 0.001% of the 174,604,259,328 of GPT-3 175B, whose own table"
    assert start in caption_of(ParameterCount(length=1024, width=768, model="GPT-3 175B"))
    tables = [(128, 64), (10_000, 192), (27_300, 64), (128, 12_288), (1000, 1792)]
    for length, width in tables:
        caption = caption_of(ParameterCount(length=length, width=width, model="GPT-3 175B"))
        assert ("less than" in caption) == (100_000 * length * width < 174_604_259_328)


def test_the_defaults_are_gpt_2s():
    assert caption_of(ParameterCount()) == (
        "1,024 × 768 = 786,432 parameters, 1.57 MB at 2 bytes each, or 0.632% of the 124,439,808 "
        "of GPT-2 small, whose own table of 1,024 × 768 is 0.632%."
    )
