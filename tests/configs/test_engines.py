"""Files that engines read in different ways: each is said, and what transformers does is asked."""

import json
import logging

import numpy as np
import pytest
import transformers

from posviz_course.configs import read_config
from posviz_course.configs.model_types import table
from tests.configs.asked import Refused, asked, numbers_of

ROWS = [row for row in table("engines")["row"] if row["types"]]  # others are of no config.json
OF_TRANSFORMERS = [row for row in ROWS if row["engine"] == "transformers"]
ENGINES = {row["engine"] for row in ROWS}
SIZES = {"hidden_size": 64, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 32}
SIZES |= {"num_hidden_layers": 6, "intermediate_size": 64, "max_position_embeddings": 16384}


def line_of(row):
    return f"{row['engine']} {row['version']} {row['says']}"


def name_of(row):
    return f"{row['engine']}: {row['says'][:40]}, {row['types'][0]}"


def file_of(row, **other):
    model_type = "llama" if "llama" in row["types"] else row["types"][0]
    file = {"model_type": model_type, **SIZES, **row["file"], **other}
    return {name: value for name, value in file.items() if row["when"].get(name) != "absent"}


def of_engines(file):
    return [line for line in lines(read_config(file)) if line.split()[0] in ENGINES]


def lines(reading):
    assert not any(line.startswith("transformers 5") for line in reading.engines)
    return reading.warnings + reading.engines


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_file_that_an_engine_reads_otherwise_is_told(row):
    assert line_of(row) in lines(read_config(json.dumps(file_of(row))))
    assert line_of(row) not in lines(read_config(file_of(row, model_type="gpt2")))


YARN = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 8192}
PLAIN = {  # as released
    "Llama 2": {"model_type": "llama"},
    "Llama 3": {"model_type": "llama", "rope_theta": 500000.0, "rope_scaling": None},
    "Qwen2.5, YaRN on": {"model_type": "qwen2", "rope_theta": 1e6, "rope_scaling": YARN},
    "OLMo 3": {
        "model_type": "olmo3",
        "rope_theta": 500000,
        "rope_scaling": YARN | {"attention_factor": 1.2079441541679836},
    },
    "Gemma 2": {"model_type": "gemma2", "rope_theta": 10000.0},
    "saved by transformers 5": {
        "model_type": "llama",
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
    },
    "DeepSeek-V3": {
        "model_type": "deepseek_v3",
        "rope_theta": 10000.0,
        "rope_scaling": YARN | {"beta_fast": 32, "mscale": 1.0, "mscale_all_dim": 1.0},
    },
}


@pytest.mark.parametrize("name", PLAIN)
def test_nothing_is_said_of_files_that_all_engines_read_alike(name):
    assert of_engines(PLAIN[name]) == []


@pytest.fixture
def _quiet():
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def made_of(file):
    """What transformers rotates by in each layer: frequencies and an attention factor."""
    run, config = asked(file)
    if "broadcast" in str(run.stopped):  # tables and heads do not fit
        raise Refused(str(run.stopped))
    return [each and numbers_of(each, config) for each in run.rotated]


@pytest.mark.usefixtures("_quiet")
@pytest.mark.filterwarnings("ignore:`rope_scaling` is deprecated")
@pytest.mark.parametrize("row", OF_TRANSFORMERS, ids=name_of)
def test_transformers_reads_the_file_of_a_row_as_the_row_says(row):
    assert row["version"] == transformers.__version__
    file = file_of(row)
    if row["says"].startswith("refuses"):
        with pytest.raises(Refused):
            made_of(file)
        return
    as_if = {**SIZES, "model_type": file["model_type"]} | row["as_if"]
    for ours, theirs in zip(made_of(file), made_of(as_if), strict=True):
        np.testing.assert_array_equal(ours[0], theirs[0])
        assert ours[1] == theirs[1]
