"""A cell that is run again and again, in a real kernel: what it showed before is let go."""

import pytest
from jupyter_client.manager import start_new_kernel

from tests.pictures.sample import ROOT

CELL = "from tests.pictures.sample import Waves; pair = [Waves().explore(), Waves().explore()]"
COUNT = """
import gc
from ipywidgets.widgets.widget import _instances
gc.collect()
widgets = [type(widget).__name__ for widget in _instances.values()]
things = [type(thing).__name__ for thing in gc.get_objects()]
alive = widgets.count("ExplorerWidget")
print(len(widgets), alive, things.count("Explorer"), things.count("Waves"))
"""


@pytest.fixture(scope="module")
def run_cell():
    """Run code in a kernel of its own, as the cell of that id; returns what it printed."""
    manager, client = start_new_kernel(cwd=str(ROOT))

    def run(code, cell=None):
        printed = []

        def keep(message):
            if message["msg_type"] in ("stream", "error"):
                printed.append(message["content"].get("text", str(message["content"])))

        client.session.metadata = {"cellId": cell} if cell else {}
        client.execute_interactive(code, output_hook=keep, timeout=60)
        return "".join(printed)

    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.mark.slow("a kernel")
def test_a_cell_run_again_and_again_leaves_one_run_alive(run_cell):
    assert run_cell(CELL, "an id") == ""
    once = run_cell(COUNT, "count")
    for _ in range(5):
        run_cell(CELL, "an id")
    assert run_cell(COUNT, "count") == once
    _, explorers, alive, _ = map(int, once.split())
    assert explorers == alive > 0
