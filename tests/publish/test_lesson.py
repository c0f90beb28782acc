"""A lesson as it is stored and as its kernel fills it: what pages show, and which cell fails."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from posviz.pictures.files import SETTING
from posviz.pictures.stored import LINE
from posviz.publish.lesson import executed, living, read
from tests.publish.test_place import stored

SOURCES = (
    "from pathlib import Path\nfrom posviz import ThreeDoors",
    "import beside\nprint(beside.WORD, Path('data/linked.txt').read_text())",
    "picture = ThreeDoors()\npicture.explore()",
    "from tempfile import mkdtemp\n_ = Path('data/new').mkdir(), Path('new').touch(), mkdtemp()",
    "print(picture.save('figures/old.png'))",
    "",
    "1 + 1",
)


BROKEN_OUTPUT = "from IPython.display import display\ndisplay({'text/html': 1}, raw=True)"


def write(path, *sources):
    """A notebook with a title and these cells of code."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [new_markdown_cell("# 00 · Title"), *map(new_code_cell, sources)]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, path)
    return path


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "lessons"
    (folder / "data").mkdir(parents=True)
    (folder / "figures").mkdir()
    (folder.parent / "table.txt").write_text("it")
    (folder / "data" / "linked.txt").symlink_to(folder.parent / "table.txt")
    (folder / "figures" / "old.png").write_text("old")
    (folder / "beside.py").write_text("WORD = 'found beside'")
    path = write(folder / "00_title.ipynb", *SOURCES)
    before = nbformat.read(path, as_version=4)
    for cell in before.cells[-2:]:
        cell.outputs = [new_output("stream", name="stdout", text="before")]
    before.cells[-1].metadata["tags"] = ["skip-execution"]
    nbformat.write(before, path)
    return path


@pytest.fixture(scope="module")
def lesson(notebook):
    def there():
        return {path: path.is_file() and path.read_bytes() for path in course.rglob("*")}

    course, before = notebook.parents[1], None
    temporary = course / "temporary"
    temporary.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(temporary))
        patch.setenv(SETTING, str(course / "elsewhere"))
        before = there()
        lesson = executed(notebook)
    assert there() == before
    return lesson


def outputs(cell, kind="data"):
    return [output[kind] for output in cell.outputs if kind in output]


def code(lesson):
    return [cell for cell in lesson.cells if cell.cell_type == "code"]


@pytest.mark.slow("a kernel")
def test_a_run_leaves_nothing_of_what_was_stored(lesson):
    assert [cell.source for cell in code(lesson)] == [*SOURCES]
    for cell in code(lesson)[5:]:  # which are not run
        assert (cell.outputs, cell.execution_count) == ([], None)
    assert "widgets" not in lesson.metadata


@pytest.mark.slow("a kernel")
def test_it_finds_what_lies_beside_it_and_writes_nothing_there(lesson):
    assert outputs(code(lesson)[1], "text") == ["found beside it\n"]
    assert outputs(code(lesson)[4], "text") == ["figures/old.png\n"]
    streams = [output for cell in code(lesson) for output in cell.outputs if "name" in output]
    assert [stream.name for stream in streams] == ["stdout", "stdout"]


@pytest.mark.slow("a kernel")
def test_a_cell_that_fails_is_named(tmp_path):
    notebook = write(
        tmp_path / "03_broken.ipynb", "1 + 1", "def f():\n    return [][1]\nf()", "2 + 2"
    )
    with pytest.raises(RuntimeError, match=r"^03_broken.ipynb, cell 2, line 3: IndexError: list "):
        executed(notebook)


@pytest.mark.slow("a kernel")
@pytest.mark.parametrize(
    ("source", "kernel", "told"),
    [
        ("1\nraise ValueError('\\ud800')", "python3", "cell 1: UnicodeEncodeError: "),
        ("import os; os._exit(3)", "python3", "DeadKernelError: Kernel died"),
        ("1", "../x", "NoSuchKernel: No such kernel named ../x"),
        (BROKEN_OUTPUT, "python3", "NotebookValidationError: 1 is not valid"),
    ],
)
def test_what_a_cell_or_kernel_cannot_tell_is_told_with_the_notebook(
    tmp_path, source, kernel, told
):
    notebook = write(tmp_path / "03_broken.ipynb", source)
    notebook.write_text(notebook.read_text().replace('"name": "python3"', f'"name": "{kernel}"'))
    with pytest.raises(RuntimeError, match=rf"^03_broken\.ipynb[:,] {re.escape(told)}"):
        executed(notebook)


def test_an_explorer_gets_a_place_and_its_hint_for_notebooks_goes(tmp_path):
    outputs = [
        stored("ThreeDoors(door='scores')"),
        new_output("display_data", {"text/html": "<p>A</p>", "text/plain": LINE}),
        new_output("display_data", {"text/html": "<p onclick='a'>B</p>"}),
    ]
    cells = [new_code_cell("…", execution_count=1, outputs=outputs), new_code_cell("")]
    nbformat.write(new_notebook(cells=cells), tmp_path / "00_a.ipynb")
    cell, _ = living(tmp_path / "00_a.ipynb").cells
    place, html = (output.data["text/html"] for output in cell.outputs)
    assert re.search(r'class="posviz-explorer posviz-live"[^>]* data-picture="ThreeDoors"', place)
    assert html == "<p>B</p>"


def test_a_cell_that_was_not_run_is_named(tmp_path):
    with pytest.raises(RuntimeError, match=r"^00_a.ipynb, cell 1 was not run: "):
        living(write(tmp_path / "00_a.ipynb", "1 + 1"))


CELL = new_code_cell("1")
WHOLE = new_notebook(cells=[CELL])
NO_NOTEBOOKS = {
    "empty": "",
    "cut short": json.dumps(WHOLE)[:-5],
    "a list": "[]",
    "no cells": json.dumps(WHOLE | {"cells": []}),
    "cells that are none": json.dumps(WHOLE | {"cells": [None]}),
    "a source that is none": json.dumps(WHOLE | {"cells": [CELL | {"source": 1}]}),
    "in UTF-16": json.dumps(WHOLE).encode("utf-16"),
    "nested too deeply": "[" * 200_000,
}


@pytest.mark.parametrize("content", NO_NOTEBOOKS.values(), ids=NO_NOTEBOOKS)
def test_what_is_no_notebook_is_named_in_a_line(tmp_path, content):
    path = tmp_path / "03_broken.ipynb"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    told = r"^03_broken\.ipynb (is no notebook|has no cells)"
    with pytest.raises(RuntimeError, match=told) as refusal:
        read(path)
    assert len(str(refusal.value)) < 400
    assert str(refusal.value).isprintable()


@pytest.mark.release("twenty seconds")
@pytest.mark.slow("a process")
def test_a_signal_in_the_second_lesson_stops_it(tmp_path):
    begun = repr(str(tmp_path / "begun"))
    source = f"from pathlib import Path\nPath({begun}).touch()\nwhile True: pass"
    write(tmp_path / "01_short.ipynb", "1 + 1")
    write(tmp_path / "03_long.ipynb", source)
    line = [sys.executable, "-m", "posviz", "rerun", "--all", "--notebooks", str(tmp_path)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(line, start_new_session=True, **pipes)
    while process.poll() is None and not (tmp_path / "begun").exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
    out, told = process.communicate()
    assert process.returncode == 130
    assert out.startswith("01_short.ipynb: ")
    assert told == "Stopped: the files that are there are whole; run it again for the others.\n"
