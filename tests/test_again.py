"""Whoever runs a cell once more, after all of them, is told the same."""

import nbformat
import pytest
from nbclient import NotebookClient

from posviz.publish.rerun import output_texts
from tests.test_notebooks import NOTEBOOKS, is_checked

TIMED = "%time", "timeit", "train("  # a cell that measures time, or takes long


@pytest.mark.slow("a notebook")
@pytest.mark.sampled(quick=0, default=2)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_run_again_tells_the_same(path):
    notebook = nbformat.read(path, as_version=4)
    settings = {"store_widget_state": False, "coalesce_streams": True, "timeout": 300}
    place = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(notebook, **settings, resources=place)
    code = [(i, cell) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    changed = []
    with client.setup_kernel():
        for number, cell in code:
            client.execute_cell(cell, number)
        for number, cell in reversed(code):
            if not any(word in cell.source for word in TIMED):
                before = output_texts(cell)
                client.execute_cell(cell, number)
                if is_checked(cell) and output_texts(cell) != before:
                    changed.append(cell.id)
    assert changed == []
