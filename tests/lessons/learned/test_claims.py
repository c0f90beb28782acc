"""Lesson 03's claims: the parameters that they count are those of the library."""

import torch
from transformers import GPT2Config, GPT2Model

from posviz.lessons.learned.claims import rest_of_gpt2


def test_gpt2_has_as_many_parameters_as_in_transformers():
    with torch.device("meta"):
        model = GPT2Model(GPT2Config())
    count = sum(x.numel() for x in model.parameters())
    assert rest_of_gpt2(768, 12) + 1024 * 768 == count == 124_439_808
