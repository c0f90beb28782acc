"""The census of lesson 11, counted again in the code that is installed."""

import re
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest

NOTEBOOK = Path(__file__).parents[3] / "notebooks" / "11_position_from_content.ipynb"
[CENSUS] = (c.source for c in nbformat.read(NOTEBOOK, as_version=4).cells if c.id == "census")
ROWS = re.findall(r"^\* \*\*(\d+)\*\* ([^:]+): `(.+)`$", CENSUS, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def texts():
    folder = Path(find_spec("transformers").submodule_search_locations[0]) / "models"
    return {path.name: path.read_text("utf-8") for path in folder.glob("*/modeling_*.py")}


def test_the_census_has_its_rows(texts):
    assert len(ROWS) == 6
    assert f"{len(texts)} files" in CENSUS


@pytest.mark.parametrize(("files", "what", "pattern"), ROWS, ids=[what for _, what, _ in ROWS])
def test_a_row_counts_what_its_pattern_finds(texts, files, what, pattern):
    assert sum(bool(re.search(pattern, text)) for text in texts.values()) == int(files)
