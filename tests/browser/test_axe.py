"""Accessibility: axe-core finds nothing on a page or a deck, wide and narrow, light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe

import run
from posviz.publish import page
from tests.browser.opened import Opened

AROUND = ("index", "pictures", "search", "glossary", "claims", "references", "about")
LESSONS = sorted(path.stem for path in run.NOTEBOOKS.glob(f"{page.LESSONS}.ipynb"))
WIDTHS, SCHEMES = (390, 1280), ("light", "dark")


def violations(browser, file, width, scheme):
    """What axe-core says is wrong, and whether the page is wider than the screen."""
    viewport = {"width": width, "height": 900}
    context = browser.new_context(viewport=viewport, color_scheme=scheme)
    opened = Opened(context, file).page
    opened.wait_for_load_state("load")
    if opened.evaluate("() => Boolean(globalThis.MathJax)"):
        opened.wait_for_function("() => MathJax.startup?.promise?.then(() => true)")
    found = Axe().run(opened).response["violations"]
    said = [(each["id"], [node["target"] for node in each["nodes"]][:5]) for each in found]
    wide = opened.evaluate("document.documentElement.scrollWidth") > width
    context.close()
    return said + ["wider than the screen"] * wide


@pytest.mark.sampled(default=3)
@pytest.mark.parametrize("name", AROUND)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_page_around_the_lessons(browser, site, name, width, scheme):
    assert violations(browser, site / f"{name}.html", width, scheme) == []


@pytest.mark.sampled(default=2)
@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_lesson(browser, site, name, width, scheme):
    assert violations(browser, site / f"{name}.html", width, scheme) == []
