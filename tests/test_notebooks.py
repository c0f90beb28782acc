"""Every notebook is well-formed, runs in a fresh kernel, and prints the numbers stored in it."""

import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
LESSONS = [path for path in NOTEBOOKS if not path.stem.startswith("00")]
CHECKED = "# NBVAL_CHECK_OUTPUT"
INSTALLS = re.compile(r"\b(pip|pip3|conda|mamba|uv|apt|apt-get)\b.*\binstall\b")
WIDGET = "application/vnd.jupyter.widget-view+json"

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
every_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def code_cells(path):
    """Return the notebook at `path` and those of its cells that hold code."""
    notebook = nbformat.read(path, as_version=4)
    return notebook, [cell for cell in notebook.cells if cell.cell_type == "code"]


def checked_cells(cells):
    return [cell for cell in cells if cell.source.startswith(CHECKED)]


def nbval(path):
    """Run nbval on one notebook; return {"passed": …, "failed": …} and what was printed."""
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env"]
    command += ["--nbval-cell-timeout=60", "-q", "-p", "no:cacheprovider", path.name]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True)
    counts = re.findall(r"(\d+) (passed|failed|error)", done.stdout.splitlines()[-1])
    return {kind: int(number) for number, kind in counts}, done.stdout + done.stderr


def first_text(cell):
    """Return where the first text that a cell printed is kept: a mapping and its key."""
    output = cell.outputs[0]
    return (output, "text") if output.output_type == "stream" else (output.data, "text/plain")


def tamper(cell):
    """Change one digit, or one word where there is none, of what a cell has printed."""
    holder, key = first_text(cell)
    changed = re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), holder[key], count=1)
    holder[key] = changed if changed != holder[key] else f"not {holder[key]}"


@pytest.fixture
def copied(tmp_path):
    """Copy a notebook to where its exports may land."""
    return lambda path: Path(shutil.copy(path, tmp_path))


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
    lengths = [len(cell.source.splitlines()) for cell in cells]
    assert max(lengths) <= 15
    assert statistics.median(lengths) <= 5
    assert path.stat().st_size <= 1.5e6
    assert "widgets" not in notebook.metadata
    assert [cell.source for cell in cells if INSTALLS.search(cell.source)] == []


@every_notebook
def test_explorers_show_a_picture_where_no_kernel_is(path):
    _, cells = code_cells(path)
    outputs = [output.get("data", {}) for cell in cells for output in cell.outputs]
    explorers = [data for data in outputs if WIDGET in data]
    assert explorers
    assert [data for data in explorers if len(data.get("image/png", "")) < 1000] == []


@every_lesson
def test_lesson_prints_numbers_that_nbval_compares(path):
    _, cells = code_cells(path)
    printed = [holder[key] for holder, key in map(first_text, checked_cells(cells))]
    assert len(printed) >= 5
    assert [text for text in printed if not re.search(r"\d|True|False", text)] == []


@every_notebook
def test_notebook_runs_and_prints_what_is_stored(path, copied):
    _, cells = code_cells(path)
    counts, printed = nbval(copied(path))
    assert counts == {"passed": len(cells)}, printed


@every_lesson
def test_a_changed_number_is_noticed_in_every_checked_cell(path, copied):
    copy = copied(path)
    notebook, cells = code_cells(copy)
    for cell in checked_cells(cells):
        tamper(cell)
    nbformat.write(notebook, copy)
    number = len(checked_cells(cells))
    counts, printed = nbval(copy)
    assert counts == {"failed": number, "passed": len(cells) - number}, printed
