"""Every lesson as a page from disk, with the network cut off: the pictures move all the same."""

import itertools
import re
import shutil

import nbformat
import numpy as np
import pytest
from playwright.sync_api import expect

import run
from posviz import SinusoidalTable
from posviz.course import OF_TOPIC
from posviz.engine.filmstrip import RATIO
from posviz.publish import page
from tests.browser.explorer import DUE, FINGERPRINT
from tests.browser.fidelity import check, rgb
from tests.browser.lab import ARTEFACTS
from tests.browser.opened import Opened
from tests.browser.predictions import answer_all
from tests.browser.server import served

NOTEBOOKS = sorted(run.NOTEBOOKS.glob(f"{page.LESSONS}.ipynb"))
MOST_BYTES = 6_000_000  # of a page and everything that one reader's screen needs
EXPLORE = re.compile(r"\.explore\(\)\)?$", re.MULTILINE)

# How large a picture is beside the size it is drawn for.
SCALE = "canvas => canvas.offsetWidth / parseFloat(canvas.style.width)"


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda notebook: notebook.stem)
def lesson(request, site, browser):
    """One lesson after the other."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = Opened(context, site / f"{request.param.stem}.html")
    opened.notebook = request.param
    yield opened
    assert opened.wrong == []
    context.close()


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


def test_every_explorer_is_there(lesson):
    cells = (cell for cell in _read(lesson.notebook).cells if cell.cell_type == "code")
    wanted = sum(len(EXPLORE.findall(cell.source)) for cell in cells)
    assert sum(1 for _ in lesson.strips()) == wanted > 0


@pytest.mark.sampled(default=4)  # as on a telephone, where the first slider of each is moved
def test_every_slider_moves_its_picture_from_end_to_end(lesson):
    for strip in lesson.strips():
        for slider in strip.get_by_role("slider").all():
            strip.get_by_role("button", name="Reset").click()
            low = slider.input_value() == "0"
            first, second = ("End", "Home") if low else ("Home", "End")
            slider.press(first)  # which may look like the picture that there was
            expect(strip.locator(DUE)).to_have_count(0)
            shows_another(strip, lambda: slider.press(second))  # noqa: B023
            top = slider.get_attribute("max")
            slider.press("End")
            assert slider.input_value() == top


def test_every_prediction_is_closed_and_answers(lesson):
    assert answer_all(lesson.page) == sum(
        "predict(" in cell.source for cell in _read(lesson.notebook).cells
    )


@pytest.mark.sampled(default=4)
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


@pytest.mark.sampled(default=2)  # all strips are played by the same lines
def test_play_goes_on_until_it_is_stopped(lesson, everything):
    """With few frames a place takes seconds."""
    for strip in lesson.strips() if everything else itertools.islice(lesson.strips(), 1):
        for slider in strip.get_by_role("slider").all():
            slider.press("Home")
        for play in strip.get_by_role("button", name=re.compile("^Play ")).all()[:1]:
            shows_another(strip, play.click)
            pause = strip.get_by_role("button", name=re.compile("^Pause "))
            if pause.count():
                pause.click()
            expect(pause).to_have_count(0)


def test_images_have_alternative_text_and_headings_are_in_order(lesson):
    page = lesson.page
    assert page.locator("img:not([alt]), img[alt='']").count() == 0
    assert page.locator("canvas:not([aria-label])").count() == 0
    assert page.locator("img").evaluate_all("images => images.every(image => image.naturalWidth)")
    assert "No description" not in " ".join(
        page.locator("img").evaluate_all("images => images.map(image => image.alt)")
    )
    levels = page.locator("main :is(h1, h2, h3, h4)").evaluate_all(
        "headings => headings.map(heading => Number(heading.tagName[1]))"
    )
    assert levels[0] == 1
    assert max(np.diff(levels), default=0) <= 1


TEXT_BUT_CODE = """parts => parts.map(part => {
    const copy = part.cloneNode(true);
    copy.querySelectorAll('code').forEach(code => code.remove());
    return copy.textContent;
})"""


def test_formulas_are_set(lesson):
    lesson.page.wait_for_function("() => MathJax.startup?.promise?.then(() => true)")
    prose = lesson.page.locator("section.prose")
    sources = "".join(
        cell.source for cell in _read(lesson.notebook).cells if cell.cell_type == "markdown"
    )
    text = " ".join(prose.evaluate_all(TEXT_BUT_CODE))
    assert not re.search(r"\$|\\[a-z_]", text)
    assert lesson.page.locator("[data-mml-node=merror]").count() == 0
    if "$$" in sources:
        assert lesson.page.locator("mjx-container[display=true] svg").count() > 0


def test_a_page_and_what_it_needs_are_small(lesson, site):
    page = site / f"{lesson.notebook.stem}.html"
    shared = [*(site / "assets").glob("*.css"), *(site / "assets" / "mathjax").iterdir()]
    for screen in ("frames", "narrow"):
        frames = (site / "assets" / lesson.notebook.stem).glob(f"{screen}_*.css")
        assert 0 < sum(path.stat().st_size for path in (page, *shared, *frames)) <= MOST_BYTES


def test_links_lead_to_pages_and_places_that_are_there(lesson, site):
    hrefs = lesson.page.locator("a[href]").evaluate_all(
        "links => links.map(link => link.getAttribute('href'))"
    )
    for href in hrefs:
        if href.startswith("http"):
            continue
        file, _, place = href.partition("#")
        assert not file or (site / file).is_file(), href
        if place and not file:
            assert lesson.page.locator(f'[id="{place}"]').count() == 1, href


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_on_a_telephone_nothing_is_wider_and_pictures_are_narrow(notebook, page_of, browser):
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    opened = Opened(context, page_of(notebook.stem))
    expect(opened.page.locator(".contents details[open]")).to_have_count(0)
    for strip in opened.strips():
        canvas = strip.locator("canvas")
        # So letters of 7 points, the smallest there are, are 11 px high.
        assert canvas.evaluate(SCALE) == pytest.approx(1, abs=0.002)
        assert canvas.bounding_box()["x"] + canvas.bounding_box()["width"] <= 390
        slider = strip.get_by_role("slider").first
        if slider.count():
            at_the_end = slider.input_value() == slider.get_attribute("max")
            shows_another(strip, lambda: slider.press("Home" if at_the_end else "End"))  # noqa: B023
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
def second(page_of, browser):
    """The lesson on sinusoidal tables, on a sharp screen."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, device_scale_factor=2)
    opened = Opened(context, page_of(OF_TOPIC["sinusoidal"].notebook))
    yield opened
    assert opened.wrong == []
    context.close()


def alive_in(opened, source):
    """The filmstrip below the cell with this source."""
    cell = opened.page.locator(".cell", has_text=source)
    cell.scroll_into_view_if_needed()
    strip = cell.locator(".posviz-filmstrip[data-alive=true]")
    expect(strip).to_be_visible(timeout=20_000)
    return strip


def table_of(opened):
    """The filmstrip of SinusoidalTable(d_model=64, position=10)."""
    return alive_in(opened, "SinusoidalTable(d_model=64, position=10).explore")


def shown(strip):
    """The pixels of the picture."""
    return rgb(strip.locator("canvas").evaluate("canvas => canvas.toDataURL()"))


def by_agg(picture, dark=False):
    """The same of a fresh figure."""
    figure = picture.figure(dark=dark)
    figure.set_dpi(100 * RATIO)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)


def test_the_canvas_shows_what_agg_draws(second):
    strip = table_of(second)
    slider = strip.get_by_role("slider", name="position", exact=True)
    picture = SinusoidalTable(d_model=64, position=10)
    for key in (None, "End", "Home"):
        if key:
            shows_another(strip, lambda: slider.press(key))  # noqa: B023
            picture.position = int(slider.get_attribute("aria-valuetext"))
        check(shown(strip), by_agg(picture), f"page_{key}")


def test_a_picture_is_as_dark_as_its_page(second):
    strip = table_of(second)
    picture = SinusoidalTable(d_model=64, position=10)
    for scheme in ("dark", "light"):
        second.page.emulate_media(color_scheme=scheme)
        expect(strip.locator("[data-dark]")).to_have_attribute(
            "data-dark", str(scheme == "dark").lower(), timeout=1000
        )
        check(shown(strip), by_agg(picture, dark=scheme == "dark"), f"page_{scheme}")


def test_a_typed_value_goes_to_the_nearest_place_and_says_so(second):
    strip = table_of(second)
    assert strip.get_attribute("tabindex") is None  # it moves: what is in it takes the keys
    box, note = strip.get_by_role("textbox").first, strip.locator(".posviz-note")
    slider = strip.get_by_role("slider").first
    typed = 33.4 if float(slider.get_attribute("aria-valuetext")) > 63 else 88.4
    box.fill(str(typed))
    shows_another(strip, lambda: box.press("Enter"))
    value = slider.get_attribute("aria-valuetext")
    places = int(slider.get_attribute("max"))
    assert abs(float(value) - typed) <= 127 / (places - 1) / 2  # one place is the notebook's own
    expect(note).to_have_text(
        f"The nearest value on this page is {value}; the notebook has them all."
    )
    box.fill("a dozen")
    box.press("Enter")
    expect(strip.get_by_role("alert")).to_contain_text("position must be a number from 0 to")
    expect(box).to_have_value("a dozen")
    at_the_end = slider.input_value() == slider.get_attribute("max")
    shows_another(strip, lambda: slider.press("ArrowLeft" if at_the_end else "ArrowRight"))
    expect(note).to_be_empty()
    box.fill("0")
    shows_another(strip, lambda: box.press("Enter"))
    expect(note).to_be_empty()  # it is among the values of the page
    base, slider = (strip.get_by_role(role).nth(2) for role in ("textbox", "slider"))
    base.fill("1,000,000")
    shows_another(strip, lambda: base.press("Enter"))
    assert slider.input_value() == slider.get_attribute("max")


def test_a_setting_goes_back_when_another_is_moved_and_the_page_says_so(second):
    strip = table_of(second)
    position, width = (strip.get_by_role("slider").nth(index) for index in (0, 1))
    radio, note = strip.get_by_role("radio", name="concatenated"), strip.locator(".posviz-note")
    expect(strip.locator(".posviz-fixed")).to_contain_text("the others go back")
    strip.get_by_role("button", name="Reset").click()
    shows_another(strip, lambda: position.press("End"))
    expect(note).to_be_empty()
    shows_another(strip, lambda: width.press("End"))
    expect(note).to_have_text("position goes back to 10.")
    assert [slider.get_attribute("aria-valuetext") for slider in (position, width)] == ["10", "512"]
    check(shown(strip), by_agg(SinusoidalTable(d_model=512, position=10)), "page_back")
    shows_another(strip, radio.check)
    expect(note).to_have_text("d_model goes back to 64.")
    shows_another(strip, lambda: position.press("Home"))
    expect(radio).not_to_be_checked()
    shows_another(strip, strip.get_by_role("button", name="Reset").click)
    check(shown(strip), by_agg(SinusoidalTable(d_model=64, position=10)), "page_reset")


def test_settings_that_belong_together_stay(page_of, browser):
    context = browser.new_context()
    opened = Opened(context, page_of(OF_TOPIC["rotary"].notebook))
    strip = alive_in(opened, "RealHead().explore")
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


@pytest.fixture
def address(site):
    """Where a server has the pages."""
    with served(site) as at:
        yield at


def test_from_a_server_frames_come_when_a_picture_comes_near_or_has_the_focus(address, browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, asked = context.new_page(), set()
    page.on("request", lambda request: asked.add(request.url.rpartition("/")[2]))
    page.goto(f"{address}/{OF_TOPIC['rotary'].notebook}.html", wait_until="networkidle")
    strips = page.locator(".posviz-filmstrip")
    first, last = strips.nth(1), strips.last
    assert not {f"frames_{number}.css" for number in range(1, strips.count() + 1)} & asked
    first.focus()
    expect(first.locator("input").first).to_be_focused(timeout=20_000)
    last.scroll_into_view_if_needed()
    expect(last).to_have_attribute("data-alive", "true", timeout=20_000)
    assert {"frames_2.css", f"frames_{strips.count()}.css"} <= asked
    assert not {"frames_4.css", "narrow_2.css"} & asked
    context.close()


def test_a_lesson_alone_offers_no_other(site, browser, tmp_path):
    shutil.copytree(site / "assets", tmp_path / "assets")
    shutil.copy(site / f"{OF_TOPIC['order'].notebook}.html", tmp_path)
    page.link(tmp_path)
    context = browser.new_context()
    opened = Opened(context, tmp_path / f"{OF_TOPIC['order'].notebook}.html")
    for navigation in opened.page.get_by_role("navigation").all():
        assert "02 ·" not in navigation.inner_text()
    expect(opened.page.locator(".top")).to_be_hidden()
    following = opened.page.locator(".prose p", has_text="Next: 02 · Sinusoidal tables")
    assert following.is_visible()
    color = "element => getComputedStyle(element).color"
    assert following.locator("a").evaluate(color) == following.evaluate(color)
    assert opened.wrong == []
    context.close()


def test_without_javascript_and_on_paper_there_is_a_picture(page_of, browser, tmp_path):
    context = browser.new_context(java_script_enabled=False)
    opened = Opened(context, page_of(OF_TOPIC["alibi"].notebook))
    still = opened.page.locator(".posviz-filmstrip img").first
    still.scroll_into_view_if_needed()
    assert still.bounding_box()["width"] > 300
    opened.page.emulate_media(media="print")
    expect(opened.page.locator(".posviz-controls").first).to_be_hidden()
    assert still.is_visible()
    ARTEFACTS.mkdir(exist_ok=True)
    opened.page.pdf(path=ARTEFACTS / "page.pdf", format="A4", print_background=True)
    context.close()


def _read(notebook):
    return nbformat.read(notebook, as_version=4)
