"""Lessons in JupyterLab as a reader sees them: pictures move, fit the screen and can be read."""

from functools import partial

import pytest

import posviz_course.lessons
from posviz.pictures import knobs
from posviz_tools.cli.doctor import WITH_TORCH
from tests.browser.lessons import ALL, SHORT, code, lessons

SCREEN = {"width": 1280, "height": 720}  # a projector
NOTEBOOK = 599  # pixels, that JupyterLab leaves of its height
LARGER = ({"width": 1366, "height": 768}, {"width": 1920, "height": 1080})
READABLE = 11  # pixels: the height of letters
KINDS = (knobs.Number, knobs.Choice, knobs.Switch, knobs.TypedText)

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


def test_short_lessons_have_every_kind_of_control():
    text = "\n".join(source for name in SHORT for source in code(name))
    shown = [name for name in posviz_course.lessons.names() if f"{name}(" in text]
    found = [knob for name in shown for knob in posviz_course.lessons.load(name).knobs().values()]
    assert [kind for kind in KINDS if not any(isinstance(knob, kind) for knob in found)] == []
    choices = [len(knob.options) for knob in found if isinstance(knob, knobs.Choice)]
    assert min(choices) < 5 < 9 < max(choices)  # as buttons and as a menu


@pytest.mark.parametrize("name", lessons(SHORT))
def test_lesson_in_lab_moves_every_picture_and_can_be_read(lab, name):
    """By one slider of each: that every knob moves its picture needs no browser."""
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
        explorer.stands_still()
        assert explorer.caption()
        assert explorer.scale() * letters >= READABLE
        awake = sliders(explorer)
        assert not awake or one_moves_the_picture(explorer, awake)
        chosen.append(one_moves_the_picture(explorer, choices(explorer)))
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


def one_moves_the_picture(explorer, moves):
    """Move until the picture changes, and back by Reset; what is said fits and is no error."""
    first = explorer.settled()
    moved = any(map(explorer.changed_by, moves))
    explorer.show_more(False)
    assert explorer.height() <= NOTEBOOK
    assert explorer.alert() == ""
    explorer.button("Reset").click()
    assert explorer.becomes(first)
    return moved


def sliders(explorer):
    """Each slider that other knobs leave awake, pressed to its ends, to be called."""
    awake = [label for label in explorer.labels() if not explorer.asleep(label)]
    return [partial(explorer.press, label, key) for label in awake for key in ("End", "Home")]


def choices(explorer):
    """A sentence where one can be typed, and then options, to be called; unfolds More."""
    for box in explorer.root.locator(".posviz-option input[type=text]:enabled").all()[:1]:
        yield partial(box.fill, "one two three two one")
    yield from explorer.options()
