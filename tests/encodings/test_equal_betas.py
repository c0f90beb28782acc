"""YaRN and Llama 3 with two equal bounds, as Kimi-K2 and Llama 4 Scout have them: a step."""

import numpy as np
import pytest
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from posviz import llama3, rotary_frequencies, yarn


def hugging_face(kind, dim, base, **parameters):
    config = LlamaConfig(
        hidden_size=2 * dim,
        num_attention_heads=2,
        rope_parameters={"rope_type": kind, "rope_theta": base, **parameters},
    )
    return ROPE_INIT_FUNCTIONS[kind](config, "cpu")


@pytest.mark.parametrize(
    ("truncate", "kept"),
    [(True, 20), (False, 20)],
)
def test_yarn_with_equal_betas_is_the_step_of_transformers(truncate, kept):
    options = {"beta_fast": 1.0, "beta_slow": 1.0, "truncate": truncate}
    found = yarn(64, 32.0, original_max_seq_len=4096, base=50_000.0, **options)
    lengths = {"factor": 32.0, "original_max_position_embeddings": 4096}
    inv_freq, attention_factor = hugging_face("yarn", 64, 50_000.0, **lengths, **options)
    np.testing.assert_allclose(found.inv_freq, inv_freq, rtol=3e-6)
    assert found.attention_factor == pytest.approx(attention_factor)
    slower = rotary_frequencies(64, 50_000.0) / found.inv_freq
    np.testing.assert_allclose(slower, np.repeat([1, 32], [kept, 32 - kept]))


def test_the_paper_ramp_with_equal_betas_is_a_step_at_so_many_rotations():
    options = {"beta_fast": 1.0, "beta_slow": 1.0, "ramp": "paper"}
    found = yarn(64, 32.0, original_max_seq_len=4096, base=50_000.0, **options)
    inv_freq = rotary_frequencies(64, 50_000.0)
    rotations = 4096 * inv_freq / (2 * np.pi)
    np.testing.assert_allclose(inv_freq / found.inv_freq, np.where(rotations >= 1, 1, 32))


def test_llama3_with_equal_factors_is_the_step_of_transformers():
    options = {"low_freq_factor": 1.0, "high_freq_factor": 1.0}
    found = llama3(128, 16.0, original_max_seq_len=8192, base=500_000.0, **options)
    lengths = {"factor": 16.0, "original_max_position_embeddings": 8192}
    inv_freq, attention_factor = hugging_face("llama3", 128, 500_000.0, **lengths, **options)
    np.testing.assert_allclose(found.inv_freq, inv_freq, rtol=3e-6)
    assert found.attention_factor == attention_factor == 1
    slower = rotary_frequencies(128, 500_000.0) / found.inv_freq
    np.testing.assert_allclose(slower, np.repeat([1, 16], [35, 29]))
