"""Whoever runs a cell once more, after all of them, is told the same."""

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from posviz_tools.publish.rerun import output_texts
from tests.test_notebooks import CHECKED, NOTEBOOKS, is_checked

TIMED = "%time", "timeit", "train("  # a cell that measures time, or takes long
# Each cell finds the names as all cells left them, not as the cell that was run again before it
# did; what is written into an array or a list stays there.
KEEP = "import builtins; builtins.kept = dict(globals())"
RESTORE = "globals().clear(); globals().update(__import__('builtins').kept)"


def telling_otherwise(notebook, folder) -> list[int]:
    """Run all cells, then each once more by itself; the checked ones that tell something else."""
    code = [(i, cell) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    keep, restore = (len(notebook.cells) + i for i in range(2))
    notebook.cells += [new_code_cell(KEEP), new_code_cell(RESTORE)]
    settings = {"store_widget_state": False, "coalesce_streams": True, "timeout": 300}
    place = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, **settings, resources=place)
    changed = []
    with client.setup_kernel():
        for number, cell in [*code, (keep, notebook.cells[keep])]:
            client.execute_cell(cell, number)
        for number, cell in code:
            if not any(word in cell.source for word in TIMED):
                before = output_texts(cell)
                client.execute_cell(cell, number)
                if is_checked(cell) and output_texts(cell) != before:
                    changed.append(number)
                client.execute_cell(notebook.cells[restore], restore)
    return changed


@pytest.mark.release("every notebook is run twice")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_run_again_tells_the_same(path):
    notebook = nbformat.read(path, as_version=4)
    changed = telling_otherwise(notebook, path.parent)
    assert [notebook.cells[number].id for number in changed] == []


@pytest.mark.slow("a kernel")
def test_a_cell_is_found_though_others_run_again_before_it_would_mend_it(tmp_path):
    sources = "x = 1", "print(x)", "x = 1\nprint(x)", "x = 2\nprint(x)"
    checked = {"metadata": {"tags": [CHECKED]}}
    notebook = new_notebook(cells=[new_code_cell(source, **checked) for source in sources])
    assert telling_otherwise(notebook, tmp_path) == [1]
