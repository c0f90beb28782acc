"""A lesson as its kernel fills it: explorers move without it, and a failing cell is named."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from posviz.publish.lesson import played

SOURCES = (
    "from pathlib import Path\nfrom posviz import ThreeDoors, WavelengthClocks",
    "print(Path('beside.txt').read_text())",
    "ThreeDoors(door='scores').figure()",
    "picture = ThreeDoors()\npicture.explore()",
    "from IPython.display import display\ndisplay(ThreeDoors(door='mask').explore())",
)


def write(path, *sources):
    """A notebook with a title and these cells of code."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [new_markdown_cell("# 00 · Title"), *map(new_code_cell, sources)]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, path)
    return path


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lesson")
    (folder / "beside.txt").write_text("found beside it")
    return write(folder / "00_title.ipynb", *SOURCES)


@pytest.fixture(scope="module")
def lesson(notebook):
    before = notebook.read_bytes()
    lesson = played(notebook)
    assert notebook.read_bytes() == before
    return lesson


def outputs(cell, kind="data"):
    return [output[kind] for output in cell.outputs if kind in output]


def test_cells_are_what_they_were(lesson):
    assert [cell.source for cell in lesson.cells] == ["# 00 · Title", *SOURCES]


def test_explorers_are_filmstrips_shown_or_displayed(lesson):
    for cell in lesson.cells[4:]:
        (data,) = outputs(cell)
        assert data["text/html"].startswith('<div class="posviz-explorer posviz-filmstrip">')
        assert data["text/plain"].startswith("ThreeDoors(door=")
        assert "application/vnd.jupyter.widget-view+json" not in data
    assert "widgets" not in lesson.metadata


def test_figures_have_alternative_text(lesson):
    from posviz import ThreeDoors

    picture = ThreeDoors(door="scores")
    (metadata,) = outputs(lesson.cells[3], "metadata")
    assert metadata["image/png"]["alt"] == picture.caption(picture.compute())


def test_it_runs_in_its_own_folder_and_without_a_warning(lesson):
    (text,) = outputs(lesson.cells[2], "text")
    assert text == "found beside it\n"
    streams = [output for cell in lesson.cells[1:] for output in cell.outputs if "name" in output]
    assert [stream.name for stream in streams] == ["stdout"]


def test_a_cell_that_fails_is_named(tmp_path):
    notebook = write(tmp_path / "03_broken.ipynb", "1 + 1", "[][1]", "2 + 2")
    with pytest.raises(RuntimeError, match=r"^03_broken.ipynb, cell 2: IndexError: list index"):
        played(notebook)
