"""The census, counted again in the code that is installed."""

import re
from pathlib import Path

import nbformat
import pytest

from posviz.choosing.census import CENSUS, FAMILIES, FILES, RELEASE, found_in, installed
from posviz.choosing.rows import ROWS

LESSON_11 = Path(__file__).parents[2] / "notebooks" / "11_position_from_content.ipynb"


def test_all_rows_are_counted():
    assert CENSUS.keys() == ROWS.keys() - {"dynamic NTK"}


@pytest.mark.release("twenty patterns in the code of 530 models")
def test_patterns_find_as_many_files_as_the_census_says():
    found = {row: len(found_in(census.pattern)) for row, census in CENSUS.items()}
    assert found == {row: census.files for row, census in CENSUS.items()}


@pytest.mark.slow("reads the code of 530 models")
def test_lesson_11_counts_what_its_patterns_find_in_that_release():
    import transformers

    assert transformers.__version__.startswith(RELEASE)
    assert len(installed()) == FILES
    [cell] = (c for c in nbformat.read(LESSON_11, as_version=4).cells if c.id == "census")
    rows = re.findall(r"^\* \*\*(\d+)\*\* [^:]+: `(.+)`$", cell.source, flags=re.MULTILINE)
    counts = {pattern: int(files) for files, pattern in rows}
    assert f"{FILES} files" in cell.source
    assert len(counts) == 6
    assert {pattern: len(found_in(pattern)) for pattern in counts} == counts
    assert {CENSUS[row].pattern for row in ("RoPE", "learned", "T5", "ALiBi", "none (NoPE)")} <= (
        counts.keys()
    )


def test_families_have_the_encodings_that_the_census_names():
    kinds = ("RoPE", "learned", "T5", "ALiBi", "Transformer-XL")
    for folder, row in FAMILIES.values():
        text = installed()[f"{folder}/modeling_{folder}.py"]
        assert [kind for kind in kinds if re.search(CENSUS[kind].pattern, text)] == [row], folder
