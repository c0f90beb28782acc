"""Rows that a real engine rotates, in the number formats that it computes in."""

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaModel
from transformers.models.llama import modeling_llama

from posviz import identify

LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 500_000.0, "factor": 8.0, "low_freq_factor": 1.0,
    "high_freq_factor": 4.0, "original_max_position_embeddings": 1024,
}  # fmt: skip
PLAIN = {"rope_type": "default", "rope_theta": 10_000.0}


def rows_of(rope, dtype, monkeypatch):
    """What a small Llama rotates in its only layer: queries [heads, len, head_dim]."""
    config = LlamaConfig(
        vocab_size=50, hidden_size=256, intermediate_size=64, num_hidden_layers=1,
        num_attention_heads=4, max_position_embeddings=8192, rope_parameters=rope, dtype=dtype,
    )  # fmt: skip
    torch.manual_seed(0)
    model, seen = LlamaModel._from_config(config).eval(), {}
    rotate = modeling_llama.apply_rotary_pos_emb

    def watched(q, k, *more):
        found = rotate(q, k, *more)
        seen.update(
            before=q[0].detach().float().numpy(), after=found[0][0].detach().float().numpy()
        )
        return found

    monkeypatch.setattr(modeling_llama, "apply_rotary_pos_emb", watched)
    with torch.no_grad():
        model(torch.arange(300)[None] % 50)
    return seen


@pytest.mark.slow("a model")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize(("rope", "method"), [(PLAIN, "plain"), (LLAMA3, "llama3")])
def test_the_rows_of_a_model_name_its_rope(rope, method, dtype, monkeypatch):
    verdict = identify(**rows_of(rope, dtype, monkeypatch))
    assert verdict.explained, str(verdict)
    assert (verdict.layout, verdict.method, verdict.base) == (
        "half_split",
        method,
        rope["rope_theta"],
    )
    assert np.isclose(verdict.factor, rope.get("factor", 1.0))
