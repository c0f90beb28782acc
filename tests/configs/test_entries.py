"""What is no configuration gets one short line: texts, files and objects."""

import pytest

from posviz_course.configs import read_config
from tests.configs.test_configs import llama

HOSTILE = [
    "{",
    "[]",
    '{"rope_parameters": [1]}',
    '{"layer_types": [1, 2, {}], "head_dim": 8}',
    '{"num_hidden_layers": 1e18, "head_dim": 8}',
    '{"head_dim": 1000000000, "rope_theta": 1e4}',
    "[" * 100_000,
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


def test_a_params_json_is_told_by_its_name():
    with pytest.raises(ValueError, match=r"this is a params\.json"):
        read_config('{"dim": 4096, "n_layers": 32, "rope_theta": 1e6}')


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


REFUSED = [  # a text, and the end of what is said of it
    ('{"rope_scaling": {"rope_type": "yarn"', "line 1: Expecting ',' delimiter at column 38."),
    ('{\n"a": [1],\n\n}', "line 2: remove the comma after the last entry."),
    ('{"a": [1,]}', "line 1: remove the comma after the last entry."),
    ('{"a": 1\n"b": 2}', "line 2: Expecting ',' delimiter at column 1."),
    ('{"a": 1}}', "line 1: Extra data at column 9."),
    ('{"model_type": "llama", "rope_theta": 1}', "rope_theta must be above 1, got 1."),
    ('{"model_type": "gpt_neox", "rotary_emb_base": 1}', "rotary_emb_base must be above 1, got 1."),
    ('{"model_type": "llama", "rope_scaling": [1]}', "rope_scaling must be an object, got [1]"),
    ('{"model_type": "llama", "rope_scaling": {"type": "x"}}', "proportional, got 'x'"),
    ('{"model_type": "llama", "n_head": "8"}', "n_head must be an integer, got '8'."),
]


@pytest.mark.parametrize(("text", "end"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused_is_named_as_in_the_file(text, end):
    with pytest.raises((ValueError, TypeError)) as refused:
        read_config(text)
    assert str(refused.value).endswith(end)


def test_a_temperature_without_its_length_is_left_out():
    file = llama(rope_type="default", llama_4_scaling_beta=0.1)
    del file["rope_parameters"]["original_max_position_embeddings"]
    assert read_config(file | {"num_hidden_layers": 1}).layers[0].temperature is None
