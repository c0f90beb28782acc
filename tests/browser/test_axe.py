"""Accessibility: axe-core finds nothing on a page or a deck, wide and narrow, light and dark."""

import contextlib

import pytest
from axe_playwright_python.sync_playwright import Axe

import run
from posviz.course import OF_TOPIC
from posviz.publish import page, slides
from tests.browser.lessons import writer
from tests.browser.opened import Opened

AROUND = ["index", "pictures", "search", "glossary", "claims", "references", "about"]
LESSONS = sorted(path.stem for path in run.NOTEBOOKS.glob(f"{page.LESSONS}.ipynb"))
ROPE = OF_TOPIC["rotary"].notebook
READY = "() => globalThis.MathJax?.startup?.promise?.then(() => true) ?? !globalThis.MathJax"

every_screen = pytest.mark.parametrize("width", [390, 1280])
every_scheme = pytest.mark.parametrize("scheme", ["light", "dark"])


@contextlib.contextmanager
def opened(browser, file, width, scheme):
    """A page on a screen of that width, with its formulas set."""
    viewport = {"width": width, "height": 900}
    context = browser.new_context(viewport=viewport, color_scheme=scheme)
    shown = Opened(context, file).page
    shown.wait_for_function(READY)
    yield shown
    context.close()


def violations(shown):
    """What axe-core says is wrong, and where."""
    found = Axe().run(shown).response["violations"]
    return [(each["id"], [node["target"] for node in each["nodes"]][:5]) for each in found]


def check(shown):
    assert violations(shown) == []
    assert shown.evaluate("document.documentElement.scrollWidth") == shown.viewport_size["width"]


@pytest.mark.sampled(default=5)
@pytest.mark.parametrize("name", AROUND + LESSONS)
@every_screen
@every_scheme
def test_a_page(browser, site, name, width, scheme):
    with opened(browser, site / f"{name}.html", width, scheme) as shown:
        check(shown)


@pytest.mark.sampled(default=1)
@every_screen
@every_scheme
def test_a_deck(browser, executed, width, scheme, tmp_path):
    deck = writer(slides, slides.write_slides, executed, tmp_path)(ROPE)
    with opened(browser, deck, width, scheme) as shown:
        shown.wait_for_selector(".reveal.ready")
        for _ in range(3):
            check(shown)
            for _ in range(3):
                shown.keyboard.press("Space")
