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


@pytest.mark.slow("half a second")
@pytest.mark.parametrize("row", CENSUS)
def test_a_pattern_finds_so_many_files(row):
    assert len(found_in(CENSUS[row].pattern)) == CENSUS[row].files


def test_it_is_that_release_and_lesson_11_has_the_same_patterns():
    import transformers

    assert transformers.__version__.startswith(RELEASE)
    assert len(installed()) == FILES
    [cell] = (c for c in nbformat.read(LESSON_11, as_version=4).cells if c.id == "census")
    told = dict(re.findall(r"^\* \*\*\d+\*\* [^:]+: `(.+)`()$", cell.source, flags=re.MULTILINE))
    assert {CENSUS[row].pattern for row in ("RoPE", "learned", "T5", "ALiBi", "none (NoPE)")} <= (
        told.keys()
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_what_is_said(family):
    folder, row = FAMILIES[family]
    text = installed()[f"{folder}/modeling_{folder}.py"]
    kinds = ("RoPE", "learned", "T5", "ALiBi", "Transformer-XL")
    assert [kind for kind in kinds if re.search(CENSUS[kind].pattern, text)] == [row]
