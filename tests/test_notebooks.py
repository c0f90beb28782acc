"""Every notebook is well-formed, and a number that changes in it is noticed."""

import itertools
import re
import statistics
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from posviz.engine.stored import LINE, WIDGET
from posviz.publish.rerun import output_texts

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
LESSONS = [path for path in NOTEBOOKS if not path.stem.startswith("00")]
CHECKED = "nbval-check-output"  # the tag of a cell whose text is compared, as nbval calls it
INSTALLS = re.compile(r"\b(pip|pip3|conda|mamba|uv|apt|apt-get)\b.*\binstall\b")

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
every_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def code_cells(path):
    """Return the notebook at `path` and those of its cells that hold code."""
    notebook = nbformat.read(path, as_version=4)
    return notebook, [cell for cell in notebook.cells if cell.cell_type == "code"]


def checked_cells(cells):
    return [cell for cell in cells if is_checked(cell)]


def is_checked(cell):
    return CHECKED in cell.metadata.get("tags", ()) or "predict(" in cell.source


def differing(stored, run) -> list[int]:
    """The checked cells, by number, in which another run of the notebook tells something else."""
    pairs = zip(stored.cells, run.cells, strict=True)
    return [
        number
        for number, (one, other) in enumerate(pairs)
        if is_checked(one) and output_texts(one) != output_texts(other)
    ]


def first_text(cell):
    """Return where the first text that a cell printed is kept: a mapping and its key."""
    output = cell.outputs[0]
    return (output, "text") if output.output_type == "stream" else (output.data, "text/plain")


def tamper(cell):
    """Change one digit, or one word where there is none, of what a cell has printed."""
    holder, key = first_text(cell)
    changed = re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), holder[key], count=1)
    holder[key] = changed if changed != holder[key] else f"not {holder[key]}"


@every_notebook
def test_notebook_was_run_in_order_from_a_fresh_kernel(path):
    notebook, cells = code_cells(path)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert [output for output in outputs if output.output_type == "error"] == []
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []


@every_notebook
def test_notebook_is_small_and_its_cells_are_short(path):
    notebook, cells = code_cells(path)
    seen = [cell for cell in cells if not cell.metadata.get("jupyter", {}).get("source_hidden")]
    lengths = [len(cell.source.splitlines()) for cell in seen]
    assert max(lengths) <= 15
    assert statistics.median(lengths) <= 5
    assert path.stat().st_size <= 8e5
    assert "widgets" not in notebook.metadata
    assert [cell.source for cell in cells if INSTALLS.search(cell.source)] == []


def test_all_notebooks_together_are_small():
    assert sum(path.stat().st_size for path in NOTEBOOKS) < 4e6, "run `posviz rerun --all`"


@every_notebook
def test_explorers_show_a_picture_where_no_kernel_is(path):
    _, cells = code_cells(path)
    outputs = [output.get("data", {}) for cell in cells for output in cell.outputs]
    assert [data for data in outputs if WIDGET in data] == [], "run `posviz rerun --all`"
    below = [place for place, data in enumerate(outputs) if data.get("text/plain") == LINE]
    assert below
    assert [place for place in below if len(outputs[place - 1]["image/png"]) < 1000] == []


@every_lesson
def test_lesson_prints_numbers_that_are_compared(path):
    _, cells = code_cells(path)
    printed = [holder[key] for holder, key in map(first_text, checked_cells(cells))]
    assert len(printed) >= 5
    assert [text for text in printed if not re.search(r"\d|True|False", text)] == []


@every_lesson
def test_a_changed_number_is_noticed_in_every_checked_cell(path):
    """That a run tells what is stored, tests/browser/test_notebooks_in_lab.py tests."""
    (stored, _), (changed, cells) = code_cells(path), code_cells(path)
    assert differing(stored, changed) == []
    for cell in checked_cells(cells):
        tamper(cell)
    assert [stored.cells[number].id for number in differing(stored, changed)] == [
        cell.id for cell in checked_cells(cells)
    ]


def test_where_a_choice_stands_tells_nothing():
    """Of the predictions with as many choices, each place holds the right one now and then."""
    right = {count: Counter() for count in (3, 4)}
    for cell in itertools.chain.from_iterable(code_cells(path)[1] for path in NOTEBOOKS):
        if re.search(r"^predict\(", cell.source, flags=re.MULTILINE):
            holds = re.findall(r"^(✓|✗) (?:Yes|No)\.", output_texts(cell)[0], flags=re.MULTILINE)
            right.setdefault(len(holds), Counter())[holds.index("✓")] += 1
    shares = {n: [found[i] / found.total() for i in range(n)] for n, found in right.items()}
    assert max(shares[3]) < 0.45, shares
    assert min(shares[3]) > 0.2, shares
    assert min(shares[4]) > 0, shares
