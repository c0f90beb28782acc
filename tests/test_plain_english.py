"""What can be held of plain English: lessons, README, names of tests."""

import re
from collections import Counter
from pathlib import Path

import pytest

from posviz_tools.cli import arguments
from posviz_tools.notebooks import read

ROOT = Path(__file__).parents[1]
WORDS = re.compile(r"\b(turn(s|ed|ing)?|told|tells?|telling|stand(s|ing)?|stood)\b", re.IGNORECASE)
MOST_LETTERS = 70  # of a test's name


@pytest.mark.parametrize("name", ["README", *arguments.notebooks()])
def test_no_word_is_used_that_a_reader_takes_literally(name):
    if name == "README":
        text = (ROOT / "README.md").read_text("utf-8")
    else:
        cells = read(arguments.notebooks()[name]).cells
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert [found[0] for found in WORDS.finditer(text)] == []


def test_names_of_tests_are_short():
    names = re.compile(r"def (test_\w+)")
    found = [n for file in ROOT.glob("tests/**/*.py") for n in names.findall(file.read_text())]
    assert [name for name in found if len(name) > MOST_LETTERS] == []


def test_names_of_classes_are_unique():
    files = [*ROOT.glob("posviz*/**/*.py"), *ROOT.glob("tests/**/*.py")]
    lines = "\n".join(file.read_text("utf-8") for file in files)
    counted = Counter(re.findall(r"^ *class (\w+)[(:]", lines, re.MULTILINE))
    assert [name for name, count in counted.items() if count > 1] == []
