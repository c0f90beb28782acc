"""Each value of a configuration replaced by what no model can have: a reading or one short line."""

import pytest

from posviz.configs import read_config
from tests.configs.test_configs import llama

BAD_VALUES = [-1, 0, 1e400, 10**400, "4", [], {}, True, "x" * 10**6, "\ud800", None]
NAMES = [
    "max_position_embeddings",
    "original_max_position_embeddings",
    "head_dim",
    "hidden_size",
    "num_attention_heads",
    "num_hidden_layers",
    "rope_theta",
    "layer_types",
    "no_rope_layers",
    "model_type",
    "qk_rope_head_dim",
    "global_head_dim",
    "per_layer_config",
]
ENTRY_NAMES = [
    "rope_type",
    "type",
    "factor",
    "original_max_position_embeddings",
    "attention_factor",
    "beta_fast",
    "beta_slow",
    "mscale",
    "mscale_all_dim",
    "truncate",
    "partial_rotary_factor",
    "rope_theta",
]
SOURCES = [llama(factor=4.0) | {name: value} for name in NAMES for value in BAD_VALUES]
SOURCES += [llama(**{"factor": 4.0, name: value}) for name in ENTRY_NAMES for value in BAD_VALUES]


@pytest.mark.parametrize("source", SOURCES, ids=range(len(SOURCES)))
def test_it_is_read_or_refused_in_short_lines(source):
    try:
        found = str(read_config(source))
    except (ValueError, TypeError) as error:
        found = str(error)
    assert 0 < len(found) < 2000
    assert all(len(line) < 700 for line in found.splitlines())
    found.encode()
