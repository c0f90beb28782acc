"""The census, counted again in the code that is installed."""

import re
from functools import cache
from pathlib import Path

import pytest
import transformers

from posviz_course.choosing.census import CENSUS, FAMILIES, FILES, RELEASE
from posviz_course.choosing.rows import NONE, PLANS, ROWS


@cache
def installed():
    """The modeling files of transformers: {folder/name: text}."""
    paths = sorted((Path(transformers.__file__).parent / "models").glob("*/modeling_*.py"))
    return {f"{path.parent.name}/{path.name}": path.read_text("utf-8") for path in paths}


def test_all_rows_are_counted():
    assert CENSUS.keys() == {*ROWS, *PLANS} - {NONE, "dynamic NTK"}


@pytest.mark.release("twenty patterns in the code of 530 models")
def test_patterns_find_as_many_files_as_the_census_says():
    assert transformers.__version__.startswith(RELEASE)
    assert len(installed()) == FILES
    found = {
        row: [name for name, text in installed().items() if re.search(census.pattern, text)]
        for row, census in CENSUS.items()
    }
    counts = {row: len(files) for row, files in found.items()}
    assert counts == {row: census.files for row, census in CENSUS.items()}
    for row, files in found.items():
        named = set(filter(None, CENSUS[row].examples.split(", ")))
        assert named <= {file.partition("/")[0] for file in files}


def test_families_have_the_encodings_that_the_census_names():
    kinds = ("RoPE", "learned", "T5", "ALiBi", "Transformer-XL")
    for folder, row in FAMILIES.values():
        text = installed()[f"{folder}/modeling_{folder}.py"]
        assert [kind for kind in kinds if re.search(CENSUS[kind].pattern, text)] == [row], folder
