"""Accessibility: axe-core finds nothing on a page or a deck, wide and narrow, light and dark."""

import contextlib

import pytest
from axe_playwright_python.sync_playwright import Axe

from posviz_tools.publish import page
from posviz_tools.publish.site.pages import DOCUMENTS
from tests.browser.lessons import ALL, LESSON
from tests.browser.opened import from_disk

AROUND = (*page.AROUND, *DOCUMENTS)
READY = "() => globalThis.MathJax?.startup?.promise?.then(() => true) ?? !globalThis.MathJax"
SCREENS = [(390, "dark"), (1280, "light"), (390, "light"), (1280, "dark")]
DEFAULT = {LESSON: SCREENS[:2], "index": SCREENS[1:2], "search": SCREENS[:1]}


def screens(names):
    """A name, a width and a scheme; most of them are left to a release."""
    release = pytest.mark.release("every page")
    return [
        pytest.param(name, *screen, marks=() if screen in DEFAULT.get(name, ()) else release)
        for name in names
        for screen in SCREENS
    ]


@contextlib.contextmanager
def opened(browser, file, width, scheme):
    """A page on a screen of that width, with its formulas set."""
    viewport = {"width": width, "height": 900}
    context = browser.new_context(viewport=viewport, color_scheme=scheme)
    shown = from_disk(context, file).page
    shown.wait_for_function(READY)
    yield shown
    context.close()


def check(shown):
    """Fail where axe-core finds something, and say where."""
    violations = Axe().run(shown).response["violations"]
    found = [(each["id"], [node["target"] for node in each["nodes"]][:5]) for each in violations]
    assert found == []
    assert shown.evaluate("document.documentElement.scrollWidth") == shown.viewport_size["width"]


@pytest.mark.parametrize(("name", "width", "scheme"), screens([*AROUND, *ALL]))
def test_page_is_accessible(browser, site, page_of, name, width, scheme):
    file = site / f"{name}.html" if name in AROUND else page_of(name)
    with opened(browser, file, width, scheme) as shown:
        check(shown)


@pytest.mark.parametrize(("name", "width", "scheme"), screens([LESSON]))
def test_deck_is_accessible(browser, slides_of, name, width, scheme):
    with opened(browser, slides_of(name), width, scheme) as shown:
        shown.wait_for_selector(".reveal.ready")
        for _ in range(3):
            check(shown)
            for _ in range(3):
                shown.keyboard.press("Space")
