"""Lessons as pages: from disk with the network cut off, and alive from a server."""

import json
import re
from urllib.parse import unquote

import numpy as np
import pytest
from playwright.sync_api import expect

import run
from posviz import SinusoidalTable
from posviz.pictures.explorer import INCH
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.style import Appearance
from posviz_course.course import OF_TOPIC
from tests.browser.explorer import ExplorerOnPage
from tests.browser.fidelity import on_canvas
from tests.browser.lessons import ALL, LESSON, code, lessons
from tests.browser.opened import Opened, from_disk
from tests.browser.predictions import answer_all
from tests.browser.server import served

MOST_BYTES = 4_000_000  # of a page, its styles and MathJax

FORMULAS_ARE_SET = "() => globalThis.MathJax?.startup?.promise?.then(() => true)"
SCROLLED = """[...document.querySelectorAll('main *:not(pre, table)')].filter((element) =>
    ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
    && element.scrollWidth > element.clientWidth).map(({ outerHTML }) => outerHTML)"""
SMALL = """[...document.querySelectorAll('button, summary, nav a')].filter((element) =>
    element.checkVisibility() && element.getBoundingClientRect().height < 44
).map(({ outerHTML }) => outerHTML)"""  # for a finger

# What has moved, by itself, of what was seen.
NOTE_SHIFTS = """globalThis.shifts = [];
new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
        shifts.push([value, ...sources.map(({ node }) => node?.outerHTML?.slice(0, 200))]);
    }
}).observe({ type: 'layout-shift', buffered: true });"""

TEXT_BUT_CODE = """parts => parts.map(part => {
    const copy = part.cloneNode(true);
    copy.querySelectorAll('code').forEach(code => code.remove());
    return copy.textContent;
})"""


@pytest.fixture(scope="module", params=lessons((LESSON,)))
def lesson(request, page_of, browser):
    """One lesson after the other."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = from_disk(context, page_of(request.param))
    opened.name = request.param
    yield opened
    assert opened.wrong == []
    context.close()


def test_every_explorer_has_a_place_and_every_prediction_answers(lesson):
    explored = re.findall(r"\.explore\(\)\)?$", "\n".join(code(lesson.name)), re.M)
    assert lesson.page.locator(".outputs .posviz-explorer").count() == len(explored) > 0
    asked = sum("predict(" in source for source in code(lesson.name))
    votes = lesson.page.locator(".posviz-vote").count()  # `audit` asks several
    assert answer_all(lesson.page) - votes == asked


def test_page_and_what_it_needs_are_small(lesson, page_of):
    file = page_of(lesson.name)
    assets = file.parent / "assets"
    needed = [file, assets / "page.css", *(assets / "mathjax").iterdir()]
    assert sum(path.stat().st_size for path in needed) <= MOST_BYTES


@pytest.mark.parametrize("name", lessons((OF_TOPIC["rotary"].notebook,)))
def test_formulas_are_set(name, page_of, browser):
    context = browser.new_context()
    shown = from_disk(context, page_of(name)).page
    shown.wait_for_function("() => globalThis.MathJax?.startup?.promise?.then(() => true)")
    text = " ".join(shown.locator("section.prose").evaluate_all(TEXT_BUT_CODE))
    assert not re.search(r"\$|\\[a-z_]", text)
    assert shown.locator("[data-mml-node=merror]").count() == 0
    if "$$" in (run.NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"):
        assert shown.locator(".formula svg").count() > 0
    context.close()


@pytest.mark.release("every lesson")
def test_links_lead_to_pages_and_places_that_are_there(page_of, browser):
    pages = {path.name: path for path in map(page_of, ALL)}
    context, links, places = browser.new_context(), [], {}
    for name, path in pages.items():
        shown = from_disk(context, path).page
        hrefs = "links => links.map(link => link.getAttribute('href'))"
        links += [(name, href) for href in shown.locator("a[href]").evaluate_all(hrefs)]
        ids = shown.locator("[id]").evaluate_all("all => all.map(each => each.id)")
        places[name] = set(ids)
        shown.close()
    for name, href in links:
        file, _, place = href.partition("#")
        if file in ("", *pages) and place:
            assert {place, unquote(place)} & places[file or name], (name, href)
    context.close()


@pytest.mark.parametrize("name", lessons((LESSON,)))
def test_on_a_telephone_pictures_are_narrow_and_only_code_is_scrolled(name, page_of, browser):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    context = browser.new_context(color_scheme="dark", **phone)
    opened = from_disk(context, page_of(name))
    expect(opened.page.locator(".contents details[open]")).to_have_count(0)
    opened.page.wait_for_function(FORMULAS_ARE_SET)
    for image in opened.page.locator(".outputs picture img:visible").all():
        image.scroll_into_view_if_needed()
        opened.page.wait_for_function("img => img.complete", arg=image.element_handle())
        assert image.evaluate("img => img.currentSrc").endswith("_dark.png")
        shown, drawn = image.evaluate("img => [img.offsetWidth, img.naturalWidth]")
        assert 0.95 * 350 < shown < 390
        assert drawn == 600, "as telephones show it"
    assert opened.page.evaluate(SCROLLED) == []
    opened.page.locator(".contents summary").tap()
    assert opened.page.evaluate(SMALL) == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 390
    assert opened.wrong == []
    context.close()


def test_without_javascript_and_on_paper_there_is_a_picture(page_of, browser):
    context = browser.new_context(java_script_enabled=False)
    opened = from_disk(context, page_of(LESSON))
    still = opened.page.locator(".posviz-live img").first
    still.scroll_into_view_if_needed()
    assert still.bounding_box()["width"] > 300
    explorer = opened.page.locator(".posviz-live").first
    explorer.evaluate("explorer => { explorer.style.minHeight = '2000px'; }")  # of its controls
    opened.page.emulate_media(media="print")
    assert still.is_visible()
    assert explorer.bounding_box()["height"] < 1000
    expect(explorer).to_have_css("border-top-width", "0px")
    context.close()


# ---------------------------------------------------------------- alive


SCREEN = pytest.param((1280, 900), id="screen", marks=pytest.mark.release("Python once more"))


@pytest.fixture(scope="module", params=[SCREEN, pytest.param((390, 844), id="telephone")])
def alive(request, page_of, browser):
    """An explorer of a page from a server, once Python draws it; nobody else was asked."""
    width, height = request.param
    context = browser.new_context(viewport={"width": width, "height": height})
    context.add_init_script(NOTE_SHIFTS)
    with served(page_of(LESSON).parent) as address:
        opened = Opened(context.new_page(), f"{address}/{LESSON}.html")
        place = opened.page.locator("[data-picture=SinusoidalTable]")
        place.scroll_into_view_if_needed()
        place.locator("canvas[data-frame]").wait_for(timeout=120_000)
        yield ExplorerOnPage(opened.page, place)
        assert opened.wrong == []
    context.close()


def kernels(explorer, **settings):
    """The pixels that a kernel shows in this explorer's place."""
    settings = json.loads(explorer.root.get_attribute("data-values")) | settings
    style = "paper" if explorer.page.viewport_size["width"] == 390 else "notebook"
    live = LiveFigure(SinusoidalTable(**settings), Appearance(style), INCH[style])
    live.follow()
    live.paint()
    return live.layers.pixels()[..., :3].astype(int)


def shows(explorer, **settings):
    """Fail unless the canvas shows what a kernel draws of these settings."""
    explorer.stands_still()
    seen, wanted = on_canvas(explorer), kernels(explorer, **settings)
    assert seen.shape == wanted.shape
    assert np.abs(seen - wanted).mean() <= 1


def test_nothing_moves_when_a_picture_comes_alive(alive):
    assert alive.page.evaluate("shifts") == []


def test_a_living_picture_shows_what_a_kernel_draws(alive):
    shows(alive)
    for key, position in (("End", 127), ("Home", 0)):
        with alive.changes():
            alive.press("position", key)
        shows(alive, position=position)
    with alive.changes():
        alive.button("Reset").click()
    shows(alive)


def test_a_living_picture_fits_its_page(alive):
    width = alive.page.viewport_size["width"]
    assert alive.page.evaluate("document.documentElement.scrollWidth") == width
    boxes = [slider.bounding_box() for slider in alive.root.get_by_role("slider").all()]
    assert all(box["x"] + box["width"] <= width for box in boxes)
    columns = {box["x"] for box in boxes}
    assert len(columns) == (1 if width == 390 else 2)
    assert alive.root.locator(".posviz-still").is_hidden()


def test_a_living_picture_is_printed_as_it_is_stored(alive):
    alive.page.emulate_media(media="print")
    assert alive.root.locator(".posviz-still").is_visible()
    assert alive.canvas.is_hidden()
    alive.page.emulate_media(media="screen")
