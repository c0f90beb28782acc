"""Every notebook in JupyterLab: it runs, tells what is stored, and sliders move every picture."""

from functools import partial

import nbformat
import pytest

import run
from posviz.publish.doctor import WITH_TORCH
from tests.browser.lessons import PLAYED, keep, with_filmstrips
from tests.test_notebooks import differing

SCREEN = {"width": 1280, "height": 720}  # a projector
NOTEBOOK = 599  # pixels, that JupyterLab leaves of its height
LARGER = ({"width": 1366, "height": 768}, {"width": 1920, "height": 1080})
READABLE = 11  # pixels: the height of letters

# In the kernel that ran a lesson: whether torch is loaded, and the smallest letters of each
# picture, in pixels.
LOADED_AND_SMALLEST = """
import sys
from ipywidgets.widgets.widget import _instances
from matplotlib.text import Text
from posviz.engine import explorer

shown = [widget for widget in _instances.values() if isinstance(widget, explorer.Explorer)]
print("torch" in sys.modules)
for texts in [widget.live.layers.figure.findobj(Text) for widget in shown]:
    print(min(text.get_fontsize() for text in texts if text.get_text()) / 0.72)
"""

# Links within a notebook whose heading JupyterLab does not find.
LOST = """() => [...document.querySelectorAll('.jp-OutputArea a[href^="#"]')]
    .map(link => link.hash.slice(1))
    .filter(name => ['id', 'data-jupyter-id'].every(  // older and newer JupyterLabs
        kind => !document.querySelector(`[${kind}="${CSS.escape(name)}"]`)))"""

NOTEBOOKS = sorted(path.stem for path in run.NOTEBOOKS.glob("*.ipynb"))


def explorers_in_source(name):
    """How many cells of the notebook show an explorer."""
    notebook = nbformat.read(run.NOTEBOOKS / f"{name}.ipynb", as_version=4)
    return sum(".explore()" in cell.source for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_tells_what_is_stored_and_sliders_move_every_picture(
    lab, name, executed, everything
):
    """The first slider of each by default: that every knob moves a picture needs no browser."""
    lab.page.set_viewport_size(SCREEN)
    lab.open(name)
    lab.run_all()
    notebook = lab.notebook()
    stored = nbformat.read(run.NOTEBOOKS / f"{name}.ipynb", as_version=4)
    assert differing(stored, notebook) == []
    if not everything and name != PLAYED:
        with_filmstrips(lab, notebook, name)
        keep(notebook, executed / f"{name}.ipynb")
    asked = sum("predict(" in cell.source for cell in stored.cells)
    assert lab.page.locator(".posviz-prediction").count() == asked
    assert lab.page.evaluate(LOST) == []
    explorers = lab.explorers()
    assert len(explorers) == explorers_in_source(name) > 0
    for explorer in explorers:
        explorer.button("Reset").click()  # a later cell may have changed a knob
    loaded, *smallest = lab.ask(LOADED_AND_SMALLEST).split()
    assert loaded == str(name[:2] in WITH_TORCH)
    for number, explorer in enumerate(explorers):
        first = explorer.settled()
        assert explorer.caption()
        assert explorer.height() <= NOTEBOOK
        assert explorer.scale() * float(smallest[number]) >= READABLE
        if everything:
            lab.screenshot(f"{name}_explorer_{number}")
        for label in explorer.labels() if everything else explorer.labels()[:1]:
            moves_the_picture(explorer, label, by_mouse=everything or number == 0)
            assert explorer.alert() == ""
            assert explorer.height() <= NOTEBOOK, f"{label} at its end"
            explorer.button("Reset").click()
            assert explorer.becomes(first), f"Reset after {label}"
    assert lab.page_errors == []


@pytest.mark.release("a minute for each lesson")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_explorer_fits_larger_screens_in_both_themes(lab, name):
    lab.open(name)
    lab.run_all()
    for theme in ("Light", "Dark"):
        lab.theme(theme)
        for screen in (SCREEN, *LARGER):
            lab.page.set_viewport_size(screen)
            for number, explorer in enumerate(lab.explorers()):
                explorer.root.evaluate("root => root.scrollIntoView()")
                explorer.settled()
                lab.screenshot(f"{name}_{number}_{screen['width']}_{theme}")
                assert explorer.height() <= screen["height"] - SCREEN["height"] + NOTEBOOK
    lab.theme("Light")


def moves_the_picture(explorer, label, by_mouse):
    """To both ends by keyboard and on by mouse.

    A slider that one option needs is tried with it, and with the first slider at its end: an option
    may begin a derivation again, whose first line shows little. One that needs more of another knob
    is tried with each at its end.
    """
    lowest, present, highest = explorer.range(label)
    ends = ("End", "Home") if present - lowest < highest - present else ("Home", "End")
    others = [other for other in explorer.labels() if other != label]
    options = [*explorer.options(), *(partial(explorer.press, other, "End") for other in others)]
    while explorer.asleep(label) or not explorer.changed_by(lambda: explorer.press(label, ends[0])):
        assert options, f"{label} never moved the picture"
        options.pop(0)()
        explorer.stands_still()
        if not explorer.asleep(label):  # a greyed slider passes the key on to what has the focus
            explorer.press(explorer.labels()[0], "End")
            explorer.press(label, ends[1])
            explorer.stands_still()
    explorer.press(label, ends[1])
    explorer.stands_still()
    if by_mouse:
        with explorer.changes():
            explorer.drag(label, 150 if ends[1] == "Home" else -150)
        explorer.stands_still()
