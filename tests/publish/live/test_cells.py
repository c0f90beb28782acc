"""Cells of a page: what they need runs first, and all that a page can run shows what is stored."""

import html
import json
import re
import subprocess
import sys

import pytest

from posviz_course.course import EXAMINATION, LESSONS
from posviz_tools.cli import arguments
from posviz_tools.publish import page
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.live import names

# Runs cells as a page's Python does, without the packages that it lacks: prints what each shows.
RUN = """
import html, importlib.machinery, json, re, sys, types
LACKS = {lacks}
find = importlib.machinery.PathFinder.find_spec
def found(name, *where):
    return None if name.partition(".")[0] in LACKS else find(name, *where)
importlib.machinery.PathFinder.find_spec = found
shown = []
sys.modules["_host"] = types.SimpleNamespace(call=shown.append)
from posviz_tools.publish.live import cells
cells.begin()
for sources, asked in json.load(sys.stdin):
    cells._names.clear(), cells._ran.clear()
    for id in asked:
        cells.run(id, sources)
print(json.dumps([json.loads(each) for each in shown]))
"""
LACKS = {"torch", "transformers", "tqdm", "IPython", "ipywidgets", "anywidget"} | {
    "nbformat",
    "mistune",
}
SOURCES = {
    "imports": "import torch\nimport numpy as np",
    "array": "x = np.ones((3, 4))\nprint('not shown')\nx",
    "changed": "x[0] = 2",
    "function": "def double(y):\n    return y @ np.ones((4, 3))",
    "other": "z = 3\nx = z",
    "used": "print(double(x).sum())\nx.shape",
}


def run(*asked):
    """What these cells of these lessons show: each as its id, HTML, and whether it failed."""
    code = RUN.format(lacks=LACKS)
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(asked), capture_output=True, text=True
    )
    assert not done.returncode, done.stderr
    told = [(id, said) for id, said, _ in json.loads(done.stdout) if "html" in said]
    return [(id, said["html"], said["failed"]) for id, said in told]


def test_what_defines_or_changes_a_name_is_needed_and_what_it_needs_itself():
    without = {id: source for id, source in SOURCES.items() if id != "other"}
    assert names.needed("used", without) == ["imports", "array", "changed", "function", "used"]
    assert names.needed("used", SOURCES) == ["imports", "function", "other", "used"]
    assert names.needed("array", SOURCES) == ["imports", "array"]


def test_what_needs_an_absent_package_cannot_run():
    torch = {"imports": "import torch", "tensor": "t = torch.ones(2)", "sum": "t.sum()"}
    again = {"better": "t = 3", "three": "t + 1"}
    assert list(names.runnable(torch | again)) == ["better", "three"]


@pytest.mark.slow("a process")
def test_a_cell_shows_its_output_or_where_it_stopped():
    without = {id: source for id, source in SOURCES.items() if id != "other"}
    wrong = {
        "shapes": "import numpy as np\na, b = np.ones((2, 3)), np.ones(4)\nc = a @ b",
        "syntax": "def f(:",
        "absent": "import torch",
        "above": "k = undefined",
        "below": "k + 1",
        "exit": "raise SystemExit",
    }
    figure = {"own": "from matplotlib.figure import Figure\nFigure((1, 1))"}
    used, own, *errors = run((without, ["used"]), (figure, ["own"]), (wrong, list(wrong)))
    assert own[1].startswith('<figure><img src="data:image/png')
    assert used[1] == '<pre class="text">48.0\n</pre><pre class="text">(3, 4)</pre>'
    expected = {
        "shapes": r"Line 3: ValueError: .*<pre>c = a @ b\na: shape \(2, 3\)\nb: shape \(4,\)",
        "syntax": "Line 1: SyntaxError: invalid syntax</p><pre>def f",
        "absent": "A page does not have torch",
        "above": "Line 1: NameError: name 'undefined'",
        "below": "(?s)name 'k'.*above that begins <code>k = undef.*name 'undefined'",
        "exit": "Line 1: SystemExit",
    }
    for id, shown, failed in errors:
        assert failed
        assert re.search(expected[id], html.unescape(shown)), (id, shown)


@pytest.mark.slow("runs every lesson")
@pytest.mark.release("every lesson once more")
def test_every_cell_that_a_page_offers_shows_what_is_stored():
    asked, stored = [], []
    for lesson in [*LESSONS, EXAMINATION]:
        stored_lesson = StoredLesson(arguments.notebooks()[lesson.notebook])
        by_id = {cell.id: cell for cell in stored_lesson.code}
        sources = {cell["id"]: cell["source"] for cell in page.cells(stored_lesson)}
        offered = [cell["id"] for cell in page.cells(stored_lesson) if cell["runs"]]
        checks = {id for id in sources if re.search(r"^check_\w+\(", sources[id], re.MULTILINE)}
        assert checks <= set(offered), f"{lesson.notebook}: {checks - set(offered)} need torch"
        asked.append((sources, offered))
        stored += [(lesson.notebook, by_id[id]) for id in offered]
    for (name, cell), (id, shown, failed) in zip(stored, run(*asked), strict=True):
        assert not failed, f"{name}, {id}: {shown}"
        printed = "".join(each.text for each in cell.outputs if each.output_type == "stream")
        expected = f'<pre class="text">{html.escape(printed)}</pre>' if printed else ""
        assert shown.startswith(expected), f"{name}, {id}"
