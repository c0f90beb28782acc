"""Slides in Chromium, from disk and alive from a server: nothing overflows, keys and paper."""

import contextlib
import io
import re

import pypdf
import pytest
from playwright.sync_api import expect

from tests.browser.explorer import ExplorerOnPage
from tests.browser.lessons import LESSON, lessons
from tests.browser.opened import Opened
from tests.browser.server import served

HERE = "section.present"  # the slide that is shown
LEAST = 28  # CSS pixels of 1080: 14 pt of 13.33 in × 7.5 in
ASKED = 34  # of a prediction, opened or not

# Elements of the slide that is shown which reach beyond it.
OUTSIDE = """() => {
  const sheet = Reveal.getCurrentSlide().querySelector(".sheet");
  const page = sheet.getBoundingClientRect();
  return [...sheet.querySelectorAll("*")].filter((element) => {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    if (!width || !height || !element.checkVisibility()) return false;
    if (element.closest("mjx-assistive-mml, .posviz-said")) return false;
    return left < page.left - 1 || right > page.right + 1
      || top < page.top - 1 || bottom > page.bottom + 1;
  }).map((element) => element.outerHTML.slice(0, 200));
}"""
# Its texts in letters that are smaller than so many pixels of the slide.
SMALL = """(least) => {
  const sheet = Reveal.getCurrentSlide().querySelector(".sheet");
  const texts = document.createTreeWalker(sheet, NodeFilter.SHOW_TEXT), small = [];
  while (texts.nextNode()) {
    const text = texts.currentNode.data, element = texts.currentNode.parentElement;
    if (!text.trim() || !element.checkVisibility()) continue;
    if (element.closest(".posviz-said, script, mjx-container")) continue;
    const size = parseFloat(getComputedStyle(element).fontSize) * element.currentCSSZoom;
    if (size < least) small.push([size, text]);
  }
  return small;
}"""
# How wide and high its pictures are, in pixels of the slide, and how they are told.
SHOWN = """() => {
  const all = Reveal.getCurrentSlide().querySelectorAll(".stage canvas, .stage figure img");
  return [...all].filter((element) => element.checkVisibility()).map((element) => {
    const wide = element.naturalWidth ?? element.width;
    const high = element.naturalHeight ?? element.height;
    const scale = Math.min(element.offsetWidth / wide, element.offsetHeight / high);
    return [scale * wide, scale * high, element.alt ?? element.ariaLabel];
  });
}"""
# How large the letters of its prediction are, and how much of it is cut off.
ASKING = """() => {
  const all = Reveal.getCurrentSlide().querySelectorAll(".posviz-prediction");
  return [...all].map((asked) => [
    parseFloat(getComputedStyle(asked).fontSize), asked.scrollHeight - asked.clientHeight,
  ]);
}"""


class Deck(Opened):
    """A page with the slides of a lesson."""

    def __init__(self, page, address):
        super().__init__(page, address)
        page.wait_for_selector(".reveal.ready")

    def each(self):
        """Show every slide, and once more where an answer has been opened."""
        answers = "document.querySelectorAll('.fragment').length"
        for _ in range(self.page.evaluate(f"Reveal.getTotalSlides() + {answers}")):
            if self.address.startswith("http"):
                asleep = self.page.locator(f"{HERE} .posviz-live:not([data-alive=true])")
                expect(asleep).to_have_count(0, timeout=120_000)
            yield self.place()
            self.page.evaluate("Reveal.next()")

    def to(self, selector):
        """Show the first slide that has this."""
        self.page.evaluate(
            """(selector) => {
              const slide = Reveal.getSlides().find((slide) => slide.querySelector(selector));
              Reveal.slide(Reveal.getIndices(slide).h);
            }""",
            selector,
        )
        self.page.wait_for_selector(f"{HERE} {selector}")

    def place(self):
        return self.page.evaluate("Reveal.getIndices().h")

    def locator(self, selector):
        return self.page.locator(f"{HERE} {selector}").first


@pytest.fixture
def deck(browser, slides_of):
    """Opens the slides of a lesson, offline."""
    contexts, decks = [], []

    def opened(name=LESSON, query="", **settings):
        context = browser.new_context(viewport={"width": 1280, "height": 720}, **settings)
        context.set_offline(True)
        contexts.append(context)
        decks.append(Deck(context.new_page(), f"{slides_of(name).as_uri()}{query}"))
        return decks[-1]

    yield opened
    for context in contexts:
        context.close()
    assert [deck.wrong for deck in decks] == [[] for _ in decks]


@contextlib.contextmanager
def from_a_server(browser, file, size=(1280, 720)):
    """Slides whose pictures live."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    with served(file.parent) as address:
        deck = Deck(context.new_page(), f"{address}/{file.name}")
        yield deck
        context.close()
    assert deck.wrong == []


@pytest.fixture(scope="module")
def living(browser, slides_of):
    """The slides of the shortest lesson, alive."""
    with from_a_server(browser, slides_of(LESSON)) as deck:
        yield deck


@pytest.fixture
def explorer(living):
    """The first explorer of a deck, on its slide, as it was at first."""
    living.to(".posviz-live")
    living.locator("canvas[data-frame]").wait_for(timeout=120_000)
    found = ExplorerOnPage(living.page, living.locator(".posviz-live"))
    found.button("Reset").click()
    found.stands_still()
    return found


@pytest.mark.parametrize("name", lessons((LESSON,)))
def test_slides_overflow_nowhere_and_can_be_read(browser, slides_of, name):
    size = (1280, 720) if name[1] in "05" else (1920, 1080)
    with from_a_server(browser, slides_of(name), size) as deck:
        for place in deck.each():
            assert deck.page.evaluate(OUTSIDE) == [], place
            assert deck.page.evaluate(SMALL, LEAST) == [], place
            asked = deck.page.evaluate(ASKING)
            assert all(size >= ASKED and not hidden for size, hidden in asked), place
            for wide, high, told in deck.page.evaluate(SHOWN):
                assert wide > 1400 or high > 600, place
                assert told, place
        for part in ("h2", ".asks", ".notes"):
            texts = "all => all.map((e) => e.textContent).join()"
            raw = deck.page.eval_on_selector_all(part, texts)
            assert "$" not in raw
            assert "\\" not in raw
        assert deck.page.locator("mjx-merror").count() == 0


def test_slider_takes_the_keys_it_needs_and_a_remote_goes_on(living, explorer):
    start = living.place()
    before, label = explorer.caption(), explorer.labels()[0]
    explorer.press(label, "Home")
    explorer.press(label, "ArrowRight", times=3)
    assert explorer.range(label)[1] == 3
    assert living.place() == start
    explorer.stands_still()
    assert explorer.caption() != before
    living.page.keyboard.press("PageDown")
    assert living.place() != start
    living.page.keyboard.press("ArrowLeft")  # not for the slider that was left
    assert living.place() == start


def test_pointer_takes_the_slider_where_it_points(living, explorer):
    label = explorer.labels()[0]
    box, most = explorer.handle(label).bounding_box(), explorer.range(label)[2]
    for part in (0.25, 0.75):
        living.page.mouse.click(box["x"] + part * box["width"], box["y"] + box["height"] / 2)
        assert explorer.range(label)[1] / most == pytest.approx(part, abs=0.05 + 0.5 / most)


@pytest.mark.parametrize("key", ["Space", "ArrowRight"])
def test_after_the_mouse_keys_turn_the_page(living, explorer, key):
    start, label = living.place(), explorer.labels()[0]
    explorer.handle(label).click()
    explorer.play(label).click()
    explorer.pause(label).click()
    living.page.keyboard.press(key)
    assert living.place() == start + 1


def test_play_by_keyboard_leaves_the_slide(living, explorer):
    start, label = living.place(), explorer.labels()[0]
    explorer.press(label, "Home")
    explorer.play(label).focus()
    living.page.keyboard.press("Space")
    expect(explorer.handle(label)).to_have_value(re.compile(r"[3-9]|\d\d"))
    living.page.keyboard.press("Space")
    explorer.play(label).wait_for()
    assert living.place() == start


def test_two_knobs_are_there_at_first_and_all_with_more(browser, slides_of):
    with from_a_server(browser, slides_of("05_rope")) as deck:  # whose first picture has four
        deck.to(".posviz-live")
        deck.locator("canvas[data-frame]").wait_for(timeout=120_000)
        seen = deck.locator(".posviz-controls").locator("label:visible, .posviz-labelled:visible")
        expect(seen).to_have_count(2)
        ExplorerOnPage(deck.page, deck.locator(".posviz-live")).button("More").click()
        assert seen.count() > 2


def test_one_button_makes_deck_and_picture_dark_and_is_remembered(living, explorer):
    is_dark = "canvas => canvas.getContext('2d').getImageData(0, 0, 1, 1).data[0] < 40"
    switch = living.page.get_by_role("button", name="Light or dark")
    background = "parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])"
    for wanted, is_as_chosen in (("dark", is_dark), ("light", f"canvas => !({is_dark})(canvas)")):
        switch.click()
        living.page.wait_for_function(is_as_chosen, arg=explorer.canvas.element_handle())
        assert (living.page.evaluate(background) < 40) == (wanted == "dark")
        assert living.page.evaluate("localStorage.getItem('posviz-theme')") == wanted


def test_answer_keeps_the_letters_and_closes_on_the_way_back(deck):
    lesson = deck()
    lesson.to(".posviz-prediction")
    answer, before = lesson.locator(".posviz-answer"), lesson.page.evaluate(ASKING)
    for key, shown in (("ArrowRight", 1), ("ArrowLeft", 0)):
        lesson.page.keyboard.press(key)
        expect(answer.and_(lesson.page.locator("[open]"))).to_have_count(shown)
        assert lesson.page.evaluate(ASKING) == before


def test_speaker_has_the_notes_in_a_window(deck):
    lesson = deck()
    lesson.to(".posviz-live")
    with lesson.page.expect_popup() as popup:
        lesson.page.keyboard.press("s")
    window = popup.value
    said = window.locator(".speaker-controls-notes .value")
    said.wait_for()
    assert re.match(r"\d+ minutes?\n", said.inner_text())
    assert "$" not in said.inner_text()
    for shown in ("#current-slide", "#upcoming-slide"):
        frame = window.frame_locator(f"{shown} iframe")
        frame.locator(".reveal.ready").wait_for()
        expect(frame.locator(".posviz-live")).to_have_count(0)  # each would start a Python
    window.close()


def test_printed_deck_has_a_light_page_for_each_slide(deck):
    lesson = deck(query="?print-pdf", color_scheme="dark")
    lesson.page.wait_for_selector(".pdf-page")
    total = lesson.page.evaluate("Reveal.getTotalSlides()")
    assert lesson.page.locator(".posviz-live").count() == 0
    printed = lesson.page.pdf(prefer_css_page_size=True, print_background=True)
    paper = pypdf.PdfReader(io.BytesIO(printed))
    assert len(paper.pages) == total
    sizes = {(round(page.mediabox.width), round(page.mediabox.height)) for page in paper.pages}
    assert sizes == {(1440, 810)}  # points
    assert "Start here" in paper.pages[0].extract_text()
    assert lesson.page.locator("source").count() == 0  # which has a picture dark
    paint = "getComputedStyle(document.querySelector('.reveal-viewport')).backgroundColor"
    assert lesson.page.evaluate(paint) == "rgb(255, 255, 255)"
    assert not any(page.images for page in paper.pages[2:3]), "vectors"
