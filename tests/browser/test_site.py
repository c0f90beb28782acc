"""The website, most of it from disk with the network cut off: search, gallery, tables."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lessons import LESSON
from tests.browser.opened import Opened, from_disk
from tests.browser.server import served

SCREEN = {"width": 1280, "height": 900}


@pytest.fixture
def opened(site, browser):
    """Opens pages of the site, of which none may be wrong in the end."""
    context, pages = browser.new_context(viewport=SCREEN), []

    def opened(name):
        pages.append(from_disk(context, site / f"{name}.html"))
        return pages[-1].page

    yield opened
    assert [wrong for page in pages for wrong in page.wrong] == []
    context.close()


def results(page, words):
    """What is found, as (title, kind, link)."""
    page.get_by_role("searchbox").fill(words)
    found = page.locator(".found li")
    expect(page.get_by_role("status")).to_have_text(re.compile(r"^\d+ found"))
    return [
        (item.locator("a").inner_text(), item.locator("span").inner_text(), item.locator("a"))
        for item in found.all()
    ]


def test_search_finds_sections_pictures_terms_and_claims(opened):
    page = opened("search")
    kinds = {kind.partition(",")[0] for _, kind, _ in results(page, "position")}
    assert {"Glossary", "Claim", "Picture", "00 · Start here"} <= kinds
    assert results(page, "SameWords")[0][1] == "Picture, 00 · Start here"
    page.get_by_role("searchbox").fill("")
    expect(page.get_by_role("status")).to_be_empty()


def test_search_finds_and_marks_a_word_that_is_unfinished_or_misspelt(opened):
    page = opened("search")
    for typed in ("wavelen", "wavelenght"):
        assert "wavelength" in [title for title, _, _ in results(page, typed)], typed
    marks = page.locator(".found mark").all_inner_texts()
    assert {mark.lower() for mark in marks} <= {"wavelength", "wavelengths"}
    results(page, "causal mask")
    assert "task" not in page.locator(".found mark").all_inner_texts()


def test_search_finds_what_teaches_before_what_mentions(opened):
    page = opened("search")
    for words, title in {"map": "4 The map of the course", "xPos": "xPos"}.items():
        found = results(page, words)
        assert found[0][0] == title, words
    kinds = [kind.partition(",")[0] for _, kind, _ in results(page, "position")]
    assert kinds.index("00 · Start here") < kinds.index("Claim")
    assert results(page, "causal xyzzy"), "some of the words, if not all"


def test_search_finds_symptoms_by_a_question_in_plain_words(opened):
    page = opened("search")
    found = results(page, "why does my model write gibberish")
    assert found[0][0] == "After converting weights the model writes gibberish"
    assert len(results(page, "rope_theta")) > 1
    for words in ("garbage after 4096 tokens", "my model outputs garbage after 4,096 tokens"):
        assert results(page, words)[0][1] == "Symptom", words
    page.locator(".found a", has_text="writes garbage").click()
    expect(page.get_by_role("cell", name="writes garbage")).to_be_in_viewport()


def test_search_takes_a_name_with_an_underscore_as_one_word_and_as_several(opened):
    page = opened("search")
    assert results(page, "rotate_half")[0][0].startswith("After converting weights")
    assert page.locator(".found mark", has_text="rotate_half").count() > 0
    halves = [title for title, _, _ in results(page, "half rotate")]
    assert "After converting weights the model writes gibberish" in halves


def test_search_that_finds_nothing_says_what_to_try(opened):
    page = opened("search")
    assert results(page, "xyzzy") == []
    page.get_by_role("link", name="glossary", exact=True).click()
    expect(page.locator("h1")).to_have_text("Glossary")


def test_search_leads_to_the_place_and_is_kept_on_the_way_back(opened):
    page = opened("search")
    found = results(page, "devices")
    [(title, _, link)] = [each for each in found if each[1] == "00 · Start here"][:1]
    link.click()
    expect(page.get_by_role("heading", name=title)).to_be_in_viewport()
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value("devices")
    assert page.locator(".found li").count() > 0


def test_gallery_shows_dark_pictures_and_leads_to_the_lesson(opened):
    page = opened("pictures")
    shown = "name => document.querySelector('.cards img').currentSrc.endsWith(`/${name}.png`)"
    page.wait_for_function(shown, arg="SameWords")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(shown, arg="SameWords_dark")
    images = page.locator(".cards img")
    images.last.scroll_into_view_if_needed()
    page.wait_for_function("image => image.naturalWidth > 0", arg=images.last.element_handle())
    page.locator("#EncodingMap h2 a").click()
    cell = page.locator(".cell", has_text="EncodingMap(", has=page.locator(".posviz-screen"))
    expect(cell).to_be_in_viewport()


def test_theme_is_chosen_for_all_pages_and_pictures_and_kept(opened):
    page = opened("pictures")
    button = page.get_by_role("button", name="Light or dark")
    light = "background-color", "rgb(255, 255, 255)"
    dark = "background-color", "rgb(27, 30, 35)"
    expect(page.locator("body")).to_have_css(*light)
    button.click()
    expect(page.locator("body")).to_have_css(*dark)
    shown = "() => document.querySelector('.cards img').currentSrc.endsWith('SameWords_dark.png')"
    page.wait_for_function(shown)
    page.get_by_role("link", name="Glossary").click()
    expect(page.locator("body")).to_have_css(*dark)
    button.click()
    expect(page.locator("body")).to_have_css(*light)


def test_table_is_searched_and_the_row_found_is_shown(opened):
    page = opened("glossary")
    rows = page.locator("tbody tr:visible")
    page.get_by_role("searchbox").fill("lesson bias attention")
    expect(rows).to_have_count(0)
    page.get_by_role("searchbox").fill("subtracts slope score")
    expect(rows).to_have_count(1)
    page.get_by_role("link", name="Search").click()
    [link] = [link for title, kind, link in results(page, "xPos") if kind == "Glossary"]
    link.click()
    expect(page.locator("tr:target")).to_be_in_viewport()


def test_on_a_telephone_a_table_is_a_card_a_row_with_its_columns_named(opened):
    page = opened("claims")
    page.set_viewport_size({"width": 390, "height": 844})
    for table in page.locator("table").all():
        assert table.evaluate("table => table.scrollWidth <= table.clientWidth")
    cell = page.locator("tbody td").nth(1)
    label = cell.evaluate("cell => getComputedStyle(cell, '::before').content")
    assert "What the numbers say" in label


def test_index_leads_to_the_lesson(opened):
    page = opened("index")
    page.locator("ol.cards a").first.click()
    expect(page.locator("h1")).to_contain_text("00 ·")
    page.get_by_role("link", name="Pictures").click()
    expect(page.locator("h1")).to_have_text("Pictures")


def test_contents_mark_the_section_that_is_read(opened):
    page = opened(LESSON)
    for link in (page.locator(".contents a").nth(2), page.locator(".contents a").first):
        link.click()
        expect(page.locator(".contents [aria-current]")).to_have_text(link.inner_text())


@pytest.mark.parametrize("exercises", [0, 2])
def test_index_ticks_what_is_done_and_offers_what_is_begun(opened, site, exercises):
    html = (site / "index.html").read_text("utf-8")
    here = html.replace('data-exercises="0"', f'data-exercises="{exercises}"')
    (site / "index_begun.html").write_text(here, "utf-8")
    page = opened("index_begun")
    card = page.locator(f'a[href="{LESSON}.html"]:has(h3)')
    keep = """(link) => localStorage.setItem(`posviz answers ${link.pathname}`,
        JSON.stringify({ chosen: { question: 1 }, results: { a: { html: "<strong>✓" } } }))"""
    card.evaluate(keep)
    page.reload()
    expect(card.get_by_role("img", name="Done")).to_have_count(int(exercises == 0))
    expect(page.get_by_text("Continue with")).to_have_count(int(exercises == 2))


@pytest.mark.parametrize("name", ["index", LESSON])
def test_slides_are_reached_from_the_card_and_from_the_lesson(opened, name):
    page = opened(name)
    page.get_by_role("link", name="Slides", exact=True).click()
    expect(page).to_have_title(re.compile("Start here: slides$"))


def test_printed_lesson_hides_answers(opened):
    page = opened(LESSON)
    page.locator(".posviz-guess summary").first.click()
    answer = page.locator(".posviz-answer").first
    expect(answer).to_be_visible()
    page.emulate_media(media="print")
    expect(answer).to_be_hidden()
    expect(page.locator(".posviz-guess p:visible")).to_have_count(0)
    assert page.locator(".posviz-guess summary:visible").count() > 2


def test_a_picture_of_the_gallery_lives_when_its_button_is_pressed(site, browser):
    context = browser.new_context(viewport=SCREEN)
    with served(site) as address:
        opened = Opened(context.new_page(), f"{address}/pictures.html")
        card = opened.page.locator("#SameWords")
        expect(opened.page.locator(".posviz-live")).to_have_count(0)
        card.get_by_role("button", name="Move it").click()
        expect(card.locator("[inert] .posviz-controls")).to_be_visible()
        expect(card.locator("canvas[data-frame]")).to_be_visible(timeout=120_000)
        expect(card.get_by_role("slider").first).to_be_enabled()
        expect(opened.page.locator("canvas")).to_have_count(1)
    assert opened.wrong == []
    context.close()
