"""Every notebook is well-formed, and nbval notices a number that changes."""

import itertools
import os
import re
import shutil
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from posviz.pictures.stored import LINE, WIDGET
from posviz_tools.publish.rerun import output_texts

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
NUMBERED = [path for path in NOTEBOOKS if path.stem[:2].isdigit()]
LESSONS = NUMBERED[1:]
CHECKED = "nbval-check-output"  # the tag of a cell whose text is compared, as nbval calls it
INSTALLS = re.compile(r"\b(pip|pip3|conda|mamba|uv|apt|apt-get)\b.*\binstall\b")

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(path):
    """Return the notebook at `path` and those of its cells that hold code."""
    notebook = nbformat.read(path, as_version=4)
    return notebook, [cell for cell in notebook.cells if cell.cell_type == "code"]


def checked_cells(cells):
    return [cell for cell in cells if is_checked(cell)]


def is_checked(cell):
    return CHECKED in cell.metadata.get("tags", ())


def first_text(cell):
    """Return where the first text that a cell printed is kept: a mapping and its key."""
    output = cell.outputs[0]
    return (output, "text") if output.output_type == "stream" else (output.data, "text/plain")


def tamper(cell):
    """Change one digit, or one word where there is none, of what a cell has printed."""
    holder, key = first_text(cell)
    changed = re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), holder[key], count=1)
    holder[key] = changed if changed != holder[key] else f"not {holder[key]}"


def nbval(path, *first):
    """Run nbval and our plugin on a notebook; return the numbers of the cells that fail."""
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env", "-rf"]
    command += ["-p", "tests.kinds"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", path],
        cwd=path.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*first, str(ROOT)])},
        capture_output=True,
        text=True,
    )
    assert "passed" in done.stdout, done.stdout + done.stderr
    return [int(number) for number in re.findall(r"^FAILED .*::Cell (\d+)", done.stdout, re.M)]


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
    sources = [re.sub("#.*", "", cell.source) for cell in cells]  # a comment may say how
    assert [source for source in sources if INSTALLS.search(source)] == []


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_main_part_has_at_most_a_thousand_words(path):
    """Addresses and formulas are no words."""
    cells = nbformat.read(path, as_version=4).cells
    roles = [cell.metadata.get("posviz", {}).get("role") for cell in cells]
    main = cells[: roles.index("optional") if "optional" in roles else None]
    texts = [cell.source for cell in main if cell.cell_type == "markdown"]
    prose = re.sub(r"\]\([^)]*\)|\$\$.*?\$\$|\$[^$]*\$", "", "\n".join(texts), flags=re.DOTALL)
    assert len(re.findall(r"\w+", prose)) <= 1000


@every_notebook
def test_a_bold_text_right_after_an_explorer_is_its_prompt(path):
    """JupyterLab shows that text over the picture, where an exercise would be lost."""
    cells = nbformat.read(path, as_version=4).cells
    after = [
        cell for above, cell in itertools.pairwise(cells) if above.source.endswith(".explore()")
    ]
    texts = [cell.source for cell in after if cell.cell_type == "markdown"]
    bold = [text for text in texts if text.startswith("**")]
    assert [text for text in bold if not text.startswith("**Try**")] == []


def test_all_notebooks_together_are_small():
    assert sum(path.stat().st_size for path in NOTEBOOKS) < 4e6, "run `posviz rerun --all`"


@pytest.mark.parametrize("path", NUMBERED, ids=lambda path: path.stem)
def test_explorers_show_a_picture_where_no_kernel_is(path):
    _, cells = code_cells(path)
    outputs = [output.get("data", {}) for cell in cells for output in cell.outputs]
    assert [data for data in outputs if WIDGET in data] == [], "run `posviz rerun --all`"
    below = [place for place, data in enumerate(outputs) if data.get("text/plain") == LINE]
    assert below
    assert [place for place in below if len(outputs[place - 1]["image/png"]) < 1000] == []


@pytest.mark.parametrize("path", NOTEBOOKS[1:], ids=lambda path: path.stem)
def test_notebook_shows_numbers_that_are_compared(path):
    _, cells = code_cells(path)
    printed = [holder[key] for holder, key in map(first_text, checked_cells(cells))]
    assert len(printed) >= 5
    assert [text for text in printed if not re.search(r"\d|True|False", text)] == []


@every_notebook
def test_every_prediction_is_compared(path):
    _, cells = code_cells(path)
    asked = [cell for cell in cells if re.search(r"^predict\(", cell.source, flags=re.MULTILINE)]
    assert [cell.id for cell in asked if not is_checked(cell)] == []


def beginning(path, checked):
    """Return a lesson as far as so many of its compared cells, and these."""
    notebook, _ = code_cells(path)
    places = [place for place, cell in enumerate(notebook.cells) if is_checked(cell)]
    notebook.cells = notebook.cells[: places[checked - 1] + 1]
    return notebook


@pytest.mark.slow("a kernel")
def test_nbval_fails_at_every_changed_number_and_at_a_lost_picture(tmp_path):
    notebook = beginning(LESSONS[1], checked=6)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in checked_cells(cells):
        tamper(cell)
    pictured = next(each for each in cells if "image/png" in str(each.outputs))
    pictured.source += "\nNone"
    nbformat.write(notebook, tmp_path / "changed.ipynb")
    failed = nbval(tmp_path / "changed.ipynb")
    wanted = [*checked_cells(cells), pictured]
    assert failed == sorted(map(cells.index, wanted))


@pytest.mark.slow("a kernel")
def test_nbval_fails_when_a_line_of_the_package_is_changed(tmp_path):
    shutil.copytree(ROOT / "posviz", tmp_path / "posviz")
    changed = tmp_path / "posviz" / "encodings" / "sinusoidal.py"
    text = changed.read_text("utf-8")
    assert ".sin(" in text
    changed.write_text(text.replace(".sin(", ".cos("), "utf-8")
    nbformat.write(beginning(LESSONS[1], checked=6), tmp_path / "lesson.ipynb")
    assert nbval(tmp_path / "lesson.ipynb", str(tmp_path)) != []


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
