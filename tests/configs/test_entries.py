"""What is no configuration gets one short line: texts, files and objects."""

import pytest

from posviz.configs import read_config

DEEP = "[" * 100_000
HOSTILE = [
    "{",
    "[]",
    "{}",
    "null",
    '{"a": NaN}',
    '{"rope_theta": Infinity}',
    "{" * 10_000,
    DEEP,
    '{"a":' * 20_000,
    " " * (2**24) + "{}",
    "{" + " " * (2**24 + 1) + "}",
    '{"rope_parameters": [1]}',
    '{"rope_parameters": {"full_attention": 3, "x": {}}}',
    '{"text_config": {"text_config": {}}}',
    '{"layer_types": [1, 2, {}], "head_dim": 8}',
    '{"layer_types": "full", "head_dim": 8}',
    '{"num_hidden_layers": 1e18, "head_dim": 8}',
    '{"head_dim": 1000000000, "rope_theta": 1e4}',
    '{"head_dim": 8, "rope_theta": 1e4, "partial_rotary_factor": 1e9}',
    "\x00",
    "no such file.json",
    ".",
    3,
    None,
    ["a"],
    b"{}",
]


@pytest.mark.parametrize("source", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_configuration_gets_one_short_line(source):
    with pytest.raises((ValueError, TypeError, OSError)) as refused:
        read_config(source)
    said = str(refused.value)
    assert 0 < len(said) < 700
    assert "\n" not in said
    said.encode()


def test_a_piece_of_a_file_is_told_from_a_path():
    with pytest.raises(ValueError, match="are the braces around it missing"):
        read_config('"rope_scaling": {"rope_type": "yarn", "factor": 4}')
    with pytest.raises(ValueError, match="is the end missing"):
        read_config('{"rope_scaling": {"rope_type": "yarn"')
    with pytest.raises(ValueError, match="JSON") as refused:
        read_config('{"rope_theta" 1e4, "head_dim": 64}')
    assert "end missing" not in str(refused.value)
