"""Lessons in JupyterLab as a reader sees them: pictures move, fit the screen and can be read."""

from functools import partial

import nbformat
import pytest

import posviz.lessons
import run
from posviz.cli.doctor import WITH_TORCH
from posviz.pictures import knobs
from tests.browser.lessons import ALL, SHORT, lessons

SCREEN = {"width": 1280, "height": 720}  # a projector
NOTEBOOK = 599  # pixels, that JupyterLab leaves of its height
LARGER = ({"width": 1366, "height": 768}, {"width": 1920, "height": 1080})
READABLE = 11  # pixels: the height of letters
KINDS = (knobs.numeric, knobs.choice, knobs.switch, knobs.text)

# In the kernel that ran a lesson: whether torch is loaded, and the smallest letters of each
# picture, in pixels.
LOADED_AND_SMALLEST = """
import sys
from ipywidgets.widgets.widget import _instances
from matplotlib.text import Text
from posviz.pictures.widget import ExplorerWidget

shown = [each.explorer for each in _instances.values() if isinstance(each, ExplorerWidget)]
print("torch" in sys.modules)
for texts in [explorer.live.layers.figure.findobj(Text) for explorer in shown]:
    print(min(text.get_fontsize() for text in texts if text.get_text()) / 0.72)
"""

# Links within a notebook whose heading JupyterLab does not find.
LOST = """() => [...document.querySelectorAll('.jp-OutputArea a[href^="#"]')]
    .map(link => link.hash.slice(1))
    .filter(name => ['id', 'data-jupyter-id'].every(  // older and newer JupyterLabs
        kind => !document.querySelector(`[${kind}="${CSS.escape(name)}"]`)))"""


def code(name):
    """The sources of a notebook's cells of code."""
    notebook = nbformat.read(run.NOTEBOOKS / f"{name}.ipynb", as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def test_short_lessons_have_every_kind_of_control():
    text = "\n".join(source for name in SHORT for source in code(name))
    shown = [name for name in posviz.lessons.names() if f"{name}(" in text]
    found = [knob for name in shown for knob in posviz.lessons.load(name).knobs().values()]
    assert [kind for kind in KINDS if not any(isinstance(knob, kind) for knob in found)] == []
    choices = [len(knob.options) for knob in found if isinstance(knob, knobs.choice)]
    assert min(choices) < 5 < 9 < max(choices)  # as buttons and as a menu


@pytest.mark.parametrize("name", lessons(SHORT))
def test_lesson_in_lab_moves_every_picture_and_can_be_read(lab, name):
    """By the first slider of each: that every knob moves its picture needs no browser."""
    lab.page.set_viewport_size(SCREEN)
    lab.open(name)
    lab.run_all()
    sources = code(name)
    asked = lab.page.locator(".posviz-prediction:not(.posviz-vote)")
    assert asked.count() == sum("predict(" in source for source in sources)
    assert lab.page.evaluate(LOST) == []
    explorers = lab.explorers()
    assert len(explorers) == sum(".explore()" in source for source in sources) > 0
    for explorer in explorers:
        explorer.button("Reset").click()  # a later cell may have changed a knob
    loaded, *smallest = lab.ask(LOADED_AND_SMALLEST).split()
    assert loaded == str(name[:2] in WITH_TORCH)
    chosen = []
    for explorer, letters in zip(explorers, map(float, smallest), strict=True):
        first = explorer.settled()
        assert explorer.caption()
        assert explorer.scale() * letters >= READABLE
        for label in explorer.labels()[:1]:
            moves_the_picture(explorer, label, by_mouse=explorer is explorers[0])
            assert explorer.height() <= NOTEBOOK, f"{label} at its end"
        explorer.button("Reset").click()
        assert explorer.becomes(first)
        chosen.append(an_option_moves_the_picture(explorer))
        assert explorer.alert() == ""
        explorer.button("Reset").click()
        assert explorer.becomes(first)
        assert explorer.height() <= NOTEBOOK
    assert any(chosen)
    assert lab.page_errors == []


@pytest.mark.release("a minute for each lesson")
@pytest.mark.parametrize("name", ALL)
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


def an_option_moves_the_picture(explorer):
    """Type a sentence where one can be typed, and choose options until one moves the picture."""
    boxes = explorer.root.locator(".posviz-option input[type=text]:enabled")
    for box in boxes.all()[:1]:  # the sentence
        with explorer.changes():
            box.fill("one two three two one")
            box.press("Enter")
    options = explorer.options()
    moved = any(moves_it(explorer, choose) for choose in [*options[1::3], *options[:1]])
    explorer.show_more(False)
    return moved


def moves_it(explorer, choose):
    before = explorer.settled()
    choose()
    explorer.page.wait_for_timeout(800)  # stock widgets say nothing of their answers
    return explorer.settled() != before


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
    explorer.show_more(False)
