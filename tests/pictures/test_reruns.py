"""A cell that is run again and again, in a real kernel: what it showed before is let go."""

import pytest
from jupyter_client.manager import start_new_kernel

from tests.pictures.sample import ROOT

CELL = "from tests.pictures.sample import Waves; pair = [Waves().explore(), Waves().explore()]"
SHOWN = "shown = Waves().explore(); shown"
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


@pytest.mark.slow("a kernel")
def test_a_result_shown_again_and_again_is_kept_once_and_others_stay(run_cell):
    run_cell("'kept'", "other")
    for _ in range(5):
        assert run_cell(SHOWN, "shown") == ""
    counted = run_cell(COUNT, "count")
    run_cell(SHOWN, "shown")
    assert run_cell(COUNT, "count") == counted
    sent = "print(str(get_ipython().history_manager.outputs).count('image/png'))"
    assert run_cell(sent, "sent") == "1\n"
    results = (
        "print([result for result in Out.values() if result and result is not shown], _ is shown)"
    )
    assert run_cell(results, "results") == "['kept'] True\n"


OTHERS = {
    "StyledFigure": "from tests.pictures.sample import Waves; Waves().figure()",
    "Prediction": "from posviz import predict; "
    "predict('Which?', ('a', True, ''), ('b', False, ''), answer='a')",
}
KEPT = """
import gc
from ipywidgets.widgets.widget import _instances
gc.collect()
things = [type(thing).__name__ for thing in gc.get_objects()]
history = get_ipython().history_manager
sent, texts = str(history.outputs), len(history.output_hist_reprs)
shown = sent.count("image/png"), sent.count("text/html"), texts
print(things.count({kind!r}), len(_instances), *shown)
"""


@pytest.mark.slow("a kernel")
@pytest.mark.parametrize("kind", OTHERS)
def test_what_else_a_cell_shows_is_kept_once(run_cell, kind):
    assert run_cell(OTHERS[kind], kind) == ""
    once = run_cell(KEPT.format(kind=kind), "count")
    for _ in range(3):
        run_cell(OTHERS[kind], kind)
    assert run_cell(KEPT.format(kind=kind), "count") == once
    assert once.startswith("1 ")
