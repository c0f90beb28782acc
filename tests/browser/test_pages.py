"""Lessons as pages from disk, with the network cut off: the pictures move all the same."""

import functools
import re
from urllib.parse import unquote

import nbformat
import pytest
from playwright.sync_api import expect

import run
from posviz import SinusoidalTable
from posviz.course import OF_TOPIC
from posviz.pictures.filmstrip import RATIO
from posviz.publish import page
from tests.browser.explorer import DUE, FINGERPRINT
from tests.browser.fidelity import by_a_fresh_figure, check, rgb
from tests.browser.lessons import ALL, LESSON, lessons
from tests.browser.opened import Opened
from tests.browser.predictions import answer_all
from tests.browser.server import served

MOST_BYTES = 6_000_000  # of a page and everything that one reader's screen needs

# How large a picture is beside the size it is drawn for.
SCALE = "canvas => canvas.offsetWidth / parseFloat(canvas.style.width)"
TEXT_BUT_CODE = """parts => parts.map(part => {
    const copy = part.cloneNode(true);
    copy.querySelectorAll('code').forEach(code => code.remove());
    return copy.textContent;
})"""


@pytest.fixture(scope="module", params=lessons((LESSON,)))
def lesson(request, page_of, browser):
    """One lesson after the other."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = Opened(context, page_of(request.param))
    opened.name = request.param
    yield opened
    assert opened.wrong == []
    context.close()


def code(name):
    """The sources of a notebook's cells of code."""
    cells = nbformat.read(run.NOTEBOOKS / f"{name}.ipynb", as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def frame(strip):
    return strip.locator("canvas").get_attribute("data-frame")


def shows_another(strip, action):
    """Do it, and fail unless the picture's pixels change."""
    canvas = strip.locator("canvas")
    before, looked_at = canvas.evaluate(FINGERPRINT), frame(strip)
    action()
    for _ in range(250):
        if frame(strip) != looked_at:  # reading pixels takes long
            looked_at = frame(strip)
            if canvas.evaluate(FINGERPRINT) != before:
                return
        canvas.page.wait_for_timeout(20)
    raise AssertionError("The picture did not change.")


@pytest.mark.release("half a minute for each lesson")
def test_every_slider_moves_its_picture_from_end_to_end(lesson):
    strips = 0
    for strip in lesson.strips():
        strips += 1
        for slider in strip.get_by_role("slider").all():
            strip.get_by_role("button", name="Reset").click()
            low = slider.input_value() == "0"
            first, second = ("End", "Home") if low else ("Home", "End")
            slider.press(first)  # which may look like the picture that there was
            expect(strip.locator(DUE)).to_have_count(0)
            shows_another(strip, functools.partial(slider.press, second))
    assert strips == len(re.findall(r"\.explore\(\)\)?$", "\n".join(code(lesson.name)), re.M)) > 0


def test_every_prediction_is_closed_and_answers(lesson):
    asked = sum("predict(" in source for source in code(lesson.name))
    assert answer_all(lesson.page) == asked


def test_options_are_chosen_and_say_what_they_are(lesson):
    for strip in lesson.strips():
        for options in strip.get_by_role("combobox").all():
            count = options.get_by_role("option").count()
            assert count > 8
            first = options.evaluate("list => list.selectedIndex")
            for option in (count - 1, 0, first):
                if option != options.evaluate("list => list.selectedIndex"):
                    before = frame(strip)
                    options.select_option(index=option)
                    expect(strip.locator("canvas")).not_to_have_attribute("data-frame", before)
            assert strip.locator(".posviz-list span").first.inner_text()
        for group in strip.get_by_role("group").all():
            seen = {strip.locator("canvas").evaluate(FINGERPRINT)}
            radios = group.get_by_role("radio")
            chosen = [radio.is_checked() for radio in radios.all()].index(True)
            for radio in radios.all():
                if not radio.is_checked():
                    before = frame(strip)
                    radio.check()
                    expect(strip.locator("canvas")).not_to_have_attribute("data-frame", before)
                    seen.add(strip.locator("canvas").evaluate(FINGERPRINT))
            assert len(seen) > 1
            assert group.locator("legend").inner_text()
            radios.first.press("ArrowDown")
            expect(radios.nth(1)).to_be_checked()
            radios.nth(chosen).check()  # not all pictures move in every case


def test_page_and_what_it_needs_are_small(lesson, page_of):
    file = page_of(lesson.name)
    assets = file.parent / "assets"
    shared = [*assets.glob("*.css"), *(assets / "mathjax").iterdir()]
    for screen in ("frames", "narrow"):
        frames = (assets / lesson.name).glob(f"{screen}_*.css")
        assert 0 < sum(path.stat().st_size for path in (file, *shared, *frames)) <= MOST_BYTES


@pytest.mark.parametrize("name", lessons((OF_TOPIC["rotary"].notebook,)))
def test_formulas_are_set(name, browser, tmp_path, monkeypatch):
    """On a page of what is stored: formulas need no kernel."""
    monkeypatch.setattr(page, "executed_with_filmstrips", lambda path: nbformat.read(path, 4))
    context = browser.new_context()
    shown = Opened(context, page.write_page(run.NOTEBOOKS / f"{name}.ipynb", tmp_path)).page
    shown.wait_for_function("() => MathJax.startup?.promise?.then(() => true)")
    text = " ".join(shown.locator("section.prose").evaluate_all(TEXT_BUT_CODE))
    assert not re.search(r"\$|\\[a-z_]", text)
    assert shown.locator("[data-mml-node=merror]").count() == 0
    if "$$" in (run.NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"):
        assert shown.locator("mjx-container[display=true] svg").count() > 0
    context.close()


@pytest.mark.release("every lesson")
def test_links_lead_to_pages_and_places_that_are_there(page_of, browser):
    pages = {path.name: path for path in map(page_of, ALL)}
    context, links, places = browser.new_context(), [], {}
    for name, path in pages.items():
        shown = Opened(context, path).page
        hrefs = "links => links.map(link => link.getAttribute('href'))"
        links += [(name, href) for href in shown.locator("a[href]").evaluate_all(hrefs)]
        ids = shown.locator("[id]").evaluate_all("all => all.map(each => each.id)")
        places[name] = set(ids)
        shown.close()
    for name, href in links:
        file, _, place = href.partition("#")
        if file in ("", *pages) and place:
            assert unquote(place) in places[file or name], (name, href)
    context.close()


@pytest.mark.parametrize("name", lessons((LESSON,)))
def test_on_a_telephone_nothing_is_too_wide_and_pictures_move(name, page_of, browser):
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    opened = Opened(context, page_of(name))
    expect(opened.page.locator(".contents details[open]")).to_have_count(0)
    for strip in opened.strips():
        canvas = strip.locator("canvas")
        # So letters of 7 points, the smallest there are, are 11 px high.
        assert canvas.evaluate(SCALE) == pytest.approx(1, abs=0.002)
        assert canvas.bounding_box()["x"] + canvas.bounding_box()["width"] <= 390
        slider = strip.get_by_role("slider").first
        if slider.count():
            at_the_end = slider.input_value() == slider.get_attribute("max")
            key = "Home" if at_the_end else "End"
            shows_another(strip, functools.partial(slider.press, key))
    narrow, others = ".outputs picture:has(source) img", ".outputs picture:not(:has(source)) img"
    for image in opened.page.locator(narrow).all():
        image.scroll_into_view_if_needed()
        assert image.bounding_box()["width"] <= 390
    for image in opened.page.locator(others).all():  # which are scrolled
        assert image.evaluate("image => image.offsetWidth / image.getAttribute('width')") >= 0.72
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 390
    assert opened.wrong == []
    context.close()


@pytest.fixture
def strip(page_of, browser):
    """The filmstrip of SinusoidalTable(), on a sharp screen."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, device_scale_factor=2)
    opened = Opened(context, page_of(LESSON))
    yield next(opened.strips())
    assert opened.wrong == []
    context.close()


def shows(strip, name, dark=False, **settings):
    """Fail unless the canvas shows what Agg draws of these settings."""
    figure = SinusoidalTable(**settings).figure(dark=dark)
    seen = strip.locator("canvas").evaluate("canvas => canvas.toDataURL()")
    check(rgb(seen), by_a_fresh_figure(figure, RATIO), name)


def test_canvas_shows_what_agg_draws(strip):
    slider = strip.get_by_role("slider", name="position", exact=True)
    shows(strip, "page")
    for key in ("End", "Home"):
        shows_another(strip, functools.partial(slider.press, key))
        shows(strip, f"page_{key}", position=int(slider.get_attribute("aria-valuetext")))


def test_picture_is_as_dark_as_its_page(strip):
    for scheme in ("dark", "light"):
        strip.page.emulate_media(color_scheme=scheme)
        expect(strip.locator("[data-dark]")).to_have_attribute(
            "data-dark", str(scheme == "dark").lower(), timeout=1000
        )
        shows(strip, f"page_{scheme}", dark=scheme == "dark")


def test_play_goes_on_until_it_is_stopped(strip):
    strip.get_by_role("slider").first.press("Home")
    shows_another(strip, strip.get_by_role("button", name=re.compile("^Play ")).first.click)
    pause = strip.get_by_role("button", name=re.compile("^Pause "))
    pause.click()
    expect(pause).to_have_count(0)


def test_typed_value_goes_to_the_nearest_place_and_says_so(strip):
    assert strip.get_attribute("tabindex") is None  # it moves: what is in it takes the keys
    box, note = strip.get_by_role("textbox").first, strip.locator(".posviz-note")
    slider = strip.get_by_role("slider").first
    box.fill("88.4")
    shows_another(strip, lambda: box.press("Enter"))
    value = slider.get_attribute("aria-valuetext")
    places = int(slider.get_attribute("max"))
    assert abs(float(value) - 88.4) <= 127 / (places - 1) / 2  # one place is the notebook's own
    expect(note).to_have_text(
        f"The nearest value on this page is {value}; the notebook has them all."
    )
    box.fill("a dozen")
    box.press("Enter")
    expect(strip.get_by_role("alert")).to_contain_text("position must be a number from 0 to")
    expect(box).to_have_value("a dozen")
    shows_another(strip, lambda: slider.press("ArrowLeft"))
    expect(note).to_be_empty()
    box.fill("0")
    shows_another(strip, lambda: box.press("Enter"))
    expect(note).to_be_empty()  # it is among the values of the page
    base, slider = (strip.get_by_role(role).nth(2) for role in ("textbox", "slider"))
    base.fill("1,000,000")
    shows_another(strip, lambda: base.press("Enter"))
    assert slider.input_value() == slider.get_attribute("max")


def test_setting_goes_back_when_another_is_moved_and_the_page_says_so(strip):
    position, width = (strip.get_by_role("slider").nth(index) for index in (0, 1))
    radio, note = strip.get_by_role("radio", name="concatenated"), strip.locator(".posviz-note")
    expect(strip.locator(".posviz-fixed")).to_contain_text("the others go back")
    shows_another(strip, lambda: position.press("End"))
    expect(note).to_be_empty()
    shows_another(strip, lambda: width.press("End"))
    expect(note).to_have_text("position goes back to 10.")
    assert [slider.get_attribute("aria-valuetext") for slider in (position, width)] == ["10", "512"]
    shows(strip, "page_back", d_model=512)
    shows_another(strip, radio.check)
    expect(note).to_have_text("d_model goes back to 64.")
    shows_another(strip, strip.get_by_role("button", name="Reset").click)
    expect(radio).not_to_be_checked()
    shows(strip, "page_reset")


@pytest.mark.release("another lesson")
def test_settings_that_belong_together_stay(page_of, browser):
    context = browser.new_context()
    opened = Opened(context, page_of(OF_TOPIC["rotary"].notebook))
    [strip] = [each for each in opened.strips() if each.get_by_text("same word").count()]
    head, positions, sentence = (
        strip.get_by_role("radio", name=name, exact=True)
        for name in ("same word", "all the same", "cat")
    )
    shows_another(strip, head.check)
    shows_another(strip, positions.check)
    expect(head).to_be_checked()
    expect(strip.locator(".posviz-note")).to_be_empty()
    shows_another(strip, sentence.check)
    expect(strip.locator(".posviz-note")).to_have_text(
        "head of goes back to previous word. positions goes back to as they are."
    )
    assert opened.wrong == []
    context.close()


def test_from_a_server_frames_come_when_a_picture_comes_near_or_has_the_focus(page_of, browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, asked = context.new_page(), set()
    page.on("request", lambda request: asked.add(request.url.rpartition("/")[2]))
    with served(page_of(LESSON).parent) as address:
        page.goto(f"{address}/{LESSON}.html", wait_until="networkidle")
        strips = page.locator(".posviz-filmstrip")
        assert not {f"frames_{number}.css" for number in range(2, strips.count() + 1)} & asked
        strips.nth(1).focus()
        expect(strips.nth(1).locator("input").first).to_be_focused(timeout=20_000)
        strips.last.scroll_into_view_if_needed()
        expect(strips.last).to_have_attribute("data-alive", "true", timeout=20_000)
    assert {"frames_2.css", f"frames_{strips.count()}.css"} <= asked
    assert "narrow_2.css" not in asked
    context.close()


def test_without_javascript_and_on_paper_there_is_a_picture(page_of, browser):
    context = browser.new_context(java_script_enabled=False)
    opened = Opened(context, page_of(LESSON))
    still = opened.page.locator(".posviz-filmstrip img").first
    still.scroll_into_view_if_needed()
    assert still.bounding_box()["width"] > 300
    opened.page.emulate_media(media="print")
    expect(opened.page.locator(".posviz-controls").first).to_be_hidden()
    assert still.is_visible()
    context.close()
