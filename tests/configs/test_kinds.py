"""Frequencies and factors beside those of transformers, whose configurations these are."""

import json
import logging
import random

import numpy as np
import pytest
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from posviz.encodings.frequencies import rotary_frequencies
from posviz_course.configs import read_config


@pytest.fixture(autouse=True)
def _quiet():
    """transformers warns of what it reads, too."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def hugging_face(config, seq_len=None):
    """inv_freq and the attention factor of a flat configuration."""
    parameters = config.rope_parameters
    if parameters["rope_type"] == "default":
        head_dim = getattr(config, "head_dim", None)
        head_dim = head_dim or config.hidden_size // config.num_attention_heads
        dim = int(head_dim * parameters.get("partial_rotary_factor", 1.0))
        return rotary_frequencies(dim, parameters["rope_theta"]), 1.0
    inv_freq, factor = ROPE_INIT_FUNCTIONS[parameters["rope_type"]](config, "cpu", seq_len)
    return inv_freq.numpy(), factor


def require_same(found, theirs):
    inv_freq, attention_factor = theirs
    np.testing.assert_allclose(found.frequencies.inv_freq, inv_freq, rtol=5e-6, atol=1e-30)
    assert found.on_scores == pytest.approx(attention_factor**2, rel=1e-9)


def options(draw):
    """The entries of a random valid configuration."""
    method = draw.choice(["default", "linear", "dynamic", "yarn", "longrope", "llama3"])
    head_dim, fraction = draw.choice([(64, 1.0), (128, 1.0), (128, 0.5), (80, 0.4), (16, 1.0)])
    original, factor = draw.choice([512, 2048, 4096, 32768]), draw.choice([1.0, 1.5, 4.0, 32.0])
    entry = {"rope_type": method, "rope_theta": draw.choice([1e4, 5e5, 1.5e5, 1e6])}
    if fraction != 1:
        entry["partial_rotary_factor"] = fraction
    if method != "default":
        entry["factor"] = factor
    if method in ("yarn", "longrope", "llama3"):
        entry["original_max_position_embeddings"] = original
    if method == "llama3":
        low = draw.choice([1.0, 0.5])
        entry |= {"low_freq_factor": low, "high_freq_factor": low * draw.choice([2.0, 4.0])}
    if method == "longrope":
        for name in ("short_factor", "long_factor"):
            pairs = int(head_dim * fraction) // 2
            entry[name] = [round(1 + 9 * draw.random(), 2) for _ in range(pairs)]
    if method in ("yarn", "longrope") and draw.random() < 0.3:
        entry["attention_factor"] = round(0.5 + draw.random(), 3)
    if method == "yarn":
        for name, values in {
            "beta_fast": [32.0, 16.0, 4.0],
            "beta_slow": [1.0, 2.0],
            "truncate": [True, False],
            "mscale": [1.0, 0.707],
            "mscale_all_dim": [1.0, 0.5],
        }.items():
            if draw.random() < 0.4:
                entry[name] = draw.choice(values)
    longest = int(original * draw.choice([1, factor]))
    return {"max_position_embeddings": longest, "head_dim": head_dim, "rope_parameters": entry}


@pytest.mark.parametrize("seed", range(40))
def test_a_random_configuration_is_read_as_transformers_reads_it(seed):
    given = options(random.Random(seed))
    sizes = {"hidden_size": 8 * given["head_dim"], "num_attention_heads": 8}
    config = LlamaConfig(num_hidden_layers=3, **sizes, **json.loads(json.dumps(given)))
    (found,) = read_config({"num_hidden_layers": 3, **sizes, **given}).kinds
    entry = given["rope_parameters"]
    theirs = hugging_face(config, given["max_position_embeddings"])
    require_same(found, theirs)
    assert (found.count, found.method) == (3, entry["rope_type"])
    assert found.kept + found.blended + found.slowed == len(theirs[0])
