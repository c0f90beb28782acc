"""The numbers in lesson 03's picture of parameters: those that transformers makes."""

import re

import pytest
import torch
import transformers

from posviz.lessons.learned.parameter_count import MODELS, WITHOUT_TABLE

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


@pytest.mark.parametrize("name", MODELS)
def test_a_models_parameters_are_those_that_transformers_makes(name):
    kind, settings, table = BUILT[name]
    kind = getattr(transformers, kind)
    with torch.device("meta"):
        model = kind(kind.config_class(**settings))
    [found] = [p for label, p in model.named_parameters() if re.search(rf"\b{table}\b", label)]
    assert found.shape[-2:] == MODELS[name][:2]
    assert sum(each.numel() for each in model.parameters()) == MODELS[name].parameters


def test_biases_of_t5_are_as_many_as_transformers_makes():
    with torch.device("meta"):
        t5 = transformers.T5ForConditionalGeneration(transformers.T5Config())
    biases = sum(p.numel() for label, p in t5.named_parameters() if "relative" in label)
    assert WITHOUT_TABLE["T5 small, biases"] == biases
