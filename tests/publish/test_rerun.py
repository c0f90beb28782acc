"""Notebooks that are executed in place: what changes, what stays, and which cell fails."""

import base64
import copy
import io
import os
import signal
import subprocess
import sys
import time
from unittest.mock import Mock

import nbformat
import numpy as np
import pytest
from jupyter_client.kernelspec import NoSuchKernel
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

from posviz import ThreeDoors
from posviz.pictures.stored import LINE, WIDGET
from posviz_tools import notebooks
from posviz_tools.cli import arguments
from posviz_tools.publish import rerun
from tests.publish.test_lesson import write

pytestmark = pytest.mark.slow("lessons are read and run")

NOTEBOOKS = arguments.notebooks()
BAR = "training: 100%|██| 20/20 [00:00<00:00, 99.52it/s, 3.17 nats]\nRoPE 0.0  × 2.5 (2.0 to 2.7)"
LATER = "training: 100%|██| 20/20 [01:01<00:00, 1.8s/cell, 3.17 nats]\nRoPE  0.0  ≈ 1"


def notebook(*texts):
    """A notebook with a cell for each text that it printed."""
    outputs = [[new_output("stream", name="stdout", text=text)] for text in texts]
    cells = [new_code_cell(outputs=each, id=f"cell-{i}") for i, each in enumerate(outputs)]
    return new_notebook(cells=cells)


@pytest.mark.slow("a notebook")
def test_a_second_run_changes_nothing_and_the_first_only_what_it_must(tmp_path):
    sources = ["print(1)", "from posviz import ThreeDoors", "ThreeDoors().figure()"]
    path = write(tmp_path / "00_title.ipynb", *sources, "ThreeDoors().explore()")
    stored = nbformat.read(path, as_version=4)
    stored.cells[1].metadata = {"execution": {"at": "noon"}, "jupyter": {"outputs_hidden": True}}
    nbformat.write(stored, path)
    lines = rerun.rerun(path)
    assert lines[0] == f"+ {stored.cells[1].id}: 1"
    before = path.read_bytes()
    run = nbformat.read(path, as_version=4)
    nbformat.validate(run)
    assert [cell.source for cell in run.cells] == [cell.source for cell in stored.cells]
    assert [cell.execution_count for cell in run.cells[1:]] == [1, 2, 3, 4]
    assert run.metadata == stored.metadata
    assert run.cells[1].metadata == {"jupyter": {"outputs_hidden": True}}
    caption = ThreeDoors().caption(ThreeDoors().compute())
    for cell in run.cells[3:]:
        assert cell.outputs[0].metadata["image/png"].alt == caption
    [picture, line] = run.cells[4].outputs
    assert (WIDGET in picture.data, line.data["text/plain"]) == (False, LINE)
    assert rerun.rerun(path) == []
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow("a notebook")
def test_a_notebook_that_fails_stays_as_it_was(tmp_path):
    path = write(tmp_path / "03_broken.ipynb", "print(1)", "1\n1 / 0")
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match=r"03_broken.ipynb, cell 2, line 2: ZeroDivisionError"):
        rerun.rerun(path)
    assert path.read_bytes() == before


@pytest.mark.release("every lesson is run")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_rerun_of_a_lesson_changes_nothing(tmp_path, name):
    """Pixels may differ by what another machine's last digits do, and nothing else."""
    path = tmp_path / NOTEBOOKS[name].name
    path.write_bytes(NOTEBOOKS[name].read_bytes())
    assert rerun.rerun(path) == []
    stored, run = (without_pictures(each) for each in (NOTEBOOKS[name], path))
    assert run[0] == stored[0], f"run `posviz rerun {name[:2]}`"
    for old, new in zip(stored[1], run[1], strict=True):
        assert new.shape == old.shape
        assert np.abs(new - old).mean() < 0.5


def without_pictures(path):
    """The notebook without its pictures, and their pixels."""
    found, pictures = nbformat.read(path, as_version=4), []
    for cell in found.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                png = io.BytesIO(base64.b64decode(output.data.pop("image/png")))
                pictures.append(np.asarray(Image.open(png).convert("RGB")).astype(int))
    return found, pictures


def test_measured_times_stay_as_they_are_stored_unless_more_has_changed():
    stored, run = notebook(BAR, BAR), notebook(LATER, LATER.replace("3.17", "3.18"))
    after = copy.deepcopy(run)
    rerun.keep_times(stored, after)
    assert after.cells[0] == stored.cells[0]
    assert after.cells[1] == run.cells[1]


def test_changed_text_is_told_under_its_cell():
    stored, run = notebook("one\ntwo", "three"), notebook("one\n2", "three")
    assert rerun.changed_text(stored, run) == ["- cell-0: two", "+ cell-0: 2"]
    picture = {"image/png": {"alt": "A wave."}}
    run.cells[1].outputs[0] = new_output("display_data", {"image/png": "AA"}, metadata=picture)
    gone = ["- cell-0: two", "- cell-1: three"]
    assert rerun.changed_text(stored, run) == [*gone, "+ cell-0: 2", "+ cell-1: A wave."]


@pytest.mark.slow("a kernel")
def test_a_cell_that_fails_is_named(tmp_path):
    notebook = write(
        tmp_path / "03_broken.ipynb", "1 + 1", "def f():\n    return [][1]\nf()", "2 + 2"
    )
    with pytest.raises(RuntimeError, match=r"^03_broken.ipynb, cell 2, line 3: IndexError: list "):
        notebooks.executed(notebook)


@pytest.mark.slow("a kernel")
def test_a_package_that_a_cell_lacks_is_named(tmp_path):
    notebook = write(tmp_path / "03_broken.ipynb", "import nowhere.linalg")
    with pytest.raises(ModuleNotFoundError) as caught:
        notebooks.executed(notebook)
    assert caught.value.name == "nowhere"


@pytest.mark.slow("a kernel")
def test_a_kernel_that_dies_is_told_with_the_notebook(tmp_path):
    notebook = write(tmp_path / "03_broken.ipynb", "import os; os._exit(3)")
    with pytest.raises(RuntimeError, match=r"^03_broken\.ipynb: Kernel died"):
        notebooks.executed(notebook)


def test_a_kernel_that_is_missing_is_told_with_what_to_install(tmp_path, monkeypatch):
    notebook = write(tmp_path / "03_broken.ipynb", "1 + 1")
    missing = NoSuchKernel("python3")
    monkeypatch.setattr(notebooks.NotebookClient, "async_execute", Mock(side_effect=missing))
    with pytest.raises(RuntimeError, match=r"03_broken.ipynb: .* `pip install ipykernel`\.$"):
        notebooks.executed(notebook)


RERUNS = """
import sys
from pathlib import Path
from posviz_tools import __main__
from posviz_tools.cli import arguments
_, *files = sys.argv
arguments.lesson_notebooks = lambda *_: [Path(file) for file in files]
sys.argv = ["posviz", "rerun", "--all"]
__main__.main()
"""


@pytest.mark.release("twenty seconds")
@pytest.mark.slow("a process")
def test_a_signal_in_the_second_lesson_stops_it(tmp_path):
    begun = repr(str(tmp_path / "begun"))
    source = f"from pathlib import Path\nPath({begun}).touch()\nwhile True: pass"
    short = write(tmp_path / "01_short.ipynb", "1 + 1")
    long = write(tmp_path / "03_long.ipynb", source)
    line = [sys.executable, "-c", RERUNS, str(short), str(long)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(line, start_new_session=True, **pipes)
    while process.poll() is None and not (tmp_path / "begun").exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
    out, told = process.communicate()
    assert process.returncode == 130
    assert out.startswith("01_short.ipynb: ")
    assert told == "Stopped: the files that are there are whole; run it again for the others.\n"
