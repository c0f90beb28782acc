"""What is no configuration gets one short line: texts, files and objects."""

import pytest

from posviz.configs import read_config
from tests.configs.test_configs import llama

HOSTILE = [
    "{",
    "[]",
    '{"dim": 4096, "n_layers": 32, "rope_theta": 1e6}',
    "[" * 100_000,
    "{" + " " * (2**24 + 1) + "}",
    '{"rope_parameters": [1]}',
    '{"layer_types": [1, 2, {}], "head_dim": 8}',
    '{"num_hidden_layers": 1e18, "head_dim": 8}',
    '{"head_dim": 1000000000, "rope_theta": 1e4}',
    "no such file.json",
    ".",
    3,
    b"{}",
]
WRONG_VALUES = [-1, 0, 1e400, "4", [], {}, "x" * 10**6, None]


@pytest.mark.parametrize("source", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_configuration_gets_one_short_line(source):
    with pytest.raises((ValueError, TypeError, OSError)) as refused:
        read_config(source)
    said = str(refused.value)
    assert 0 < len(said) < 700
    assert "\n" not in said
    said.encode()


@pytest.mark.parametrize("value", WRONG_VALUES, ids=range(len(WRONG_VALUES)))
def test_wrong_value_is_read_or_refused_in_short_lines(value):
    outer = ("max_position_embeddings", "head_dim", "rope_theta", "layer_types", "model_type")
    inner = ("rope_type", "factor", "beta_fast", "partial_rotary_factor")
    sources = [llama(factor=4.0) | {name: value} for name in outer]
    sources += [llama(**{"factor": 4.0, name: value}) for name in inner]
    for source in sources:
        try:
            found = str(read_config(source))
        except (ValueError, TypeError) as error:
            found = str(error)
        assert 0 < len(found) < 2000
        assert all(len(line) < 700 for line in found.splitlines())


def test_a_piece_of_a_file_is_told_from_a_path():
    with pytest.raises(ValueError, match="are the braces around it missing"):
        read_config('"rope_scaling": {"rope_type": "yarn", "factor": 4}')
    with pytest.raises(ValueError, match="is the end missing"):
        read_config('{"rope_scaling": {"rope_type": "yarn"')
