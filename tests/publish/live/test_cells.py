"""Cells of a page: what they need runs first, and all that a page can run shows what is stored."""

import html
import json
import re
import subprocess
from pathlib import Path

import pytest
from deno import find_deno_bin

from posviz_course import lessons
from posviz_course.course import EXAMINATION, LESSONS
from posviz_tools.cli import arguments
from posviz_tools.publish import page
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.live import build, names, runtime

TURNS = Path(__file__).parent / "turns.js"
CALLS = Path(__file__).parent / "calls.txt"  # a line for each part of Python, NumPy and matplotlib
SCREEN = {"part": "screen", "view": "v", "ask": True, "ratio": 1}
SOURCES = {
    "imports": "import torch\nimport numpy as np",
    "array": "x = np.ones((3, 4))\nprint('not shown')\nx",
    "changed": "x[0] = 2",
    "function": "def double(y):\n    return y @ np.ones((4, 3))",
    "other": "z = 3\nx = z",
    "used": "print(double(x).sum())\nx.shape",
}


@pytest.fixture(scope="module")
def page_python(tmp_path_factory):
    """What runs turns in a page's Python, without a page; each list of them begins anew."""
    folder = tmp_path_factory.mktemp("python")
    (folder / "python.wasm").write_bytes(runtime.wasm())
    (folder / "library.tar").write_bytes(build._tar(runtime.library()))
    (folder / "posviz.tar").write_bytes(build._tar(build._own_files()))

    def told(turns):
        (folder / "turns.json").write_text(json.dumps(turns))
        command = [find_deno_bin(), "run", "-A", "--no-lock", str(TURNS), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert not done.returncode, done.stderr
        return json.loads(done.stdout)

    return told


def run(page_python, *asked):
    """What these cells of these lessons show: each as its id, HTML, and whether it failed."""
    turns = [
        [f"cells.run(*json.loads({json.dumps([id, sources])!r}))" for id in ids]
        for sources, ids in asked
    ]
    told = page_python(turns)
    assert not [each for each in told if "died" in each]
    said = [(id, message) for id, message, _ in told if "html" in message]
    return [(id, message["html"], message["failed"]) for id, message in said]


def test_what_defines_or_changes_a_name_is_needed_and_what_it_needs_itself():
    without = {id: source for id, source in SOURCES.items() if id != "other"}
    assert names.needed("used", without) == ["imports", "array", "changed", "function", "used"]
    assert names.needed("used", SOURCES) == ["imports", "function", "other", "used"]
    assert names.needed("array", SOURCES) == ["imports", "array"]


def test_a_cell_that_cannot_be_read_is_needed_for_what_it_seems_to_define():
    broken = {
        "imports": "    import numpy as np",
        "table": "t = np.ones(3",
        "other": "u = np.ones(3) == t)",
        "used": "np.sum(t)",
    }
    assert names.needed("used", broken) == ["imports", "table", "used"]


def test_what_needs_an_absent_package_cannot_run():
    torch = {"imports": "import torch", "tensor": "t = torch.ones(2)", "sum": "t.sum()"}
    again = {"better": "t = 3", "three": "t + 1"}
    assert list(names.runnable(torch | again)) == ["better", "three"]


@pytest.mark.slow("a process")
def test_a_cell_shows_its_output_or_where_it_stopped(page_python):
    without = {id: source for id, source in SOURCES.items() if id != "other"}
    wrong = {
        "shapes": "import numpy as np\na, b = np.ones((2, 3)), np.ones(4)\nc = a @ b",
        "syntax": "def f(:",
        "absent": "import torch",
        "above": "k = undefined",
        "below": "k + 1",
        "exit": "raise SystemExit",
        "indented": "    import numpy as numbers",
        "answer": "def mine(x):\n    return numbers.square(x)",
        "verdict": "from posviz.teaching.checker import Checker\n"
        "Checker('It', abs, lambda rng, size: (rng.normal(),))(mine)",
    }
    figure = {"own": "from matplotlib.figure import Figure\nFigure((1, 1))"}
    used, own, *errors = run(
        page_python, (without, ["used"]), (figure, ["own"]), (wrong, list(wrong))
    )
    assert own[1].startswith('<figure><img src="data:image/png')
    assert used[1] == '<pre class="text">48.0\n</pre><pre class="text">(3, 4)</pre>'
    expected = {
        "shapes": r"Line 3: ValueError: .*<pre>c = a @ b\na: shape \(2, 3\)\nb: shape \(4,\)",
        "syntax": "Line 1: SyntaxError: invalid syntax</p><pre>def f",
        "absent": "A page does not have torch",
        "above": "Line 1: NameError: name 'undefined'",
        "below": "(?s)name 'k'.*above that begins <code>k = undef.*name 'undefined'",
        "exit": "Line 1: SystemExit",
        "indented": "Line 1: IndentationError",
        "answer": "^$",
        "verdict": "(?s)'numbers' is not defined.*begins <code>import numpy.*IndentationError",
    }
    for id, shown, failed in errors:
        assert failed == (id not in ("answer", "verdict"))
        assert re.search(expected[id], html.unescape(shown)), (id, shown)


@pytest.mark.slow("runs every lesson")
@pytest.mark.release("every lesson once more")
def test_every_cell_that_a_page_offers_shows_what_is_stored(page_python):
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
    for (name, cell), (id, shown, failed) in zip(stored, run(page_python, *asked), strict=True):
        assert not failed, f"{name}, {id}: {shown}"
        printed = "".join(each.text for each in cell.outputs if each.output_type == "stream")
        expected = f'<pre class="text">{html.escape(printed)}</pre>' if printed else ""
        assert shown.startswith(expected), f"{name}, {id}"


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["RotatingVectors"], id="one"),
        pytest.param(lessons.names(), id="all", marks=pytest.mark.release("every picture")),
    ],
)
@pytest.mark.slow("draws pictures")
def test_pictures_draw_in_the_interpreter_that_is_cut(page_python, names):
    drawn = "session.open_explorer({0!r}, {0!r}, {{}}, {{}}, 'notebook'); session.hear({0!r}, {1})"
    told = page_python([[drawn.format(name, SCREEN)] for name in names])
    assert [id for id, message, _ in told if message.get("whole")] == list(names)
    assert not [message for _, message, _ in told if "error" in message or "died" in message]


@pytest.mark.slow("a process")
def test_what_a_reader_may_call_was_not_cut(page_python):
    assert page_python([[line] for line in CALLS.read_text("utf-8").splitlines()]) == []
