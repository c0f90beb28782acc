"""Explorers in a stored notebook: a picture and its caption for every reader, ours alone."""

import copy
import os

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from posviz.pictures.stored import WIDGET, mark, with_views, without_views

ABOUT = {"image/png": {"alt": "a < b"}}
FOREIGN = {WIDGET: {"model_id": "another's"}, "image/png": "AA", "text/plain": "Another()"}


def explorer(name, **more):
    view = {"model_id": name}
    mark(view)
    return new_output("execute_result", {WIDGET: view, "text/plain": "Waves: a < b", **more})


@pytest.fixture
def notebook():
    """Two explorers in a cell, a widget of somebody else, and a cell without outputs."""
    shown = [explorer("one", **{"image/png": "AA"}), explorer("two")]
    shown[0].metadata = ABOUT
    others = [new_output("stream", text="1"), new_output("display_data", FOREIGN)]
    cells = [new_code_cell(outputs=outputs) for outputs in (shown, others, [])]
    for cell in cells:
        cell.metadata.trusted = True
    return new_notebook(cells=cells)


def test_a_stored_explorer_is_its_picture_its_caption_and_a_quiet_line(notebook):
    without_views(notebook)
    stored = nbformat.from_dict(notebook)
    nbformat.validate(stored)
    line = "<br><small>Run this cell to move it.</small></p>"
    first, below, failed, below_it = stored.cells[0].outputs
    assert first.data == {"image/png": "AA", "text/plain": "Waves: a < b"}
    assert below.data["text/html"] == f"<p>a &lt; b{line}"
    assert failed.data == {"text/plain": "Waves: a < b"}
    assert below_it.data["text/html"] == f"<p>{line}"


def test_the_widgets_of_others_stay_as_they_are(notebook):
    before = copy.deepcopy(notebook.cells[1:])
    without_views(notebook)
    assert notebook.cells[1:] == before


def test_views_come_back_while_their_process_lives(notebook):
    before = copy.deepcopy(notebook)
    views = without_views(notebook)
    stored = copy.deepcopy(notebook)
    with_views(notebook, views, os.getpid())
    assert notebook == before
    assert stored != before
    for process in (None, -1):
        other = copy.deepcopy(stored)
        with_views(other, views, process)
        assert other == stored


def test_no_view_comes_back_for_other_or_untrusted_outputs(notebook):
    views = without_views(notebook)
    notebook.cells[0].metadata.trusted = False
    stored = copy.deepcopy(notebook)
    with_views(notebook, views, os.getpid())
    assert notebook == stored
    notebook.cells[0].metadata.trusted = True
    del notebook.cells[0].outputs[0]
    stored = copy.deepcopy(notebook)
    with_views(notebook, views, os.getpid())
    assert notebook == stored
