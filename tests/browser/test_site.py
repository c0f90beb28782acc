"""The website from disk, with the network cut off: its search, its gallery, its tables."""

import re

import pytest
from playwright.sync_api import expect

from posviz.course import LESSONS
from tests.browser.opened import Opened

SCREEN = {"width": 1280, "height": 900}


@pytest.fixture
def opened(site, browser, request):
    """Opens pages of the site, of which none may be wrong in the end."""
    context, pages = browser.new_context(viewport=SCREEN), []

    def opened(name):
        pages.append(Opened(context, site / f"{name}.html"))
        return pages[-1].page

    yield opened
    assert [wrong for page in pages for wrong in page.wrong] == []
    context.close()


def results(page, words):
    """What is found, as (title, kind, address)."""
    page.get_by_role("searchbox").fill(words)
    found = page.locator(".found li")
    expect(page.get_by_role("status")).to_have_text(re.compile(r"^\d+ found"))
    return [
        (item.locator("a").inner_text(), item.locator("span").inner_text(), item.locator("a"))
        for item in found.all()
    ]


def test_words_find_sections_pictures_terms_and_claims(opened):
    page = opened("search")
    kinds = {kind.partition(",")[0] for _, kind, _ in results(page, "rotation")}
    assert {"Glossary", "Claim", "Picture", "05 · RoPE"} <= kinds
    assert "ALiBi" in [title for title, kind, _ in results(page, "ALiBi") if kind == "Glossary"]
    assert results(page, "SameOnEveryDevice")[0][1] == "Picture, 00 · Start here"
    assert results(page, "no such words at all") == []
    page.get_by_role("searchbox").fill("")
    expect(page.get_by_role("status")).to_be_empty()


def test_a_word_that_is_not_finished_or_misspelt_is_found_and_marked(opened):
    page = opened("search")
    for typed in ("wavelen", "wavelenght"):
        assert "wavelength" in [title for title, _, _ in results(page, typed)], typed
    marks = page.locator(".found mark").all_inner_texts()
    assert {mark.lower() for mark in marks} <= {"wavelength", "wavelengths"}
    results(page, "causal mask")
    assert "task" not in page.locator(".found mark").all_inner_texts()


def test_what_is_found_is_shown_where_it_stands_and_the_search_is_kept(opened):
    page = opened("search")
    found = results(page, "ALiBi slopes")
    assert all(link.locator("xpath=../..").locator("mark").count() for _, _, link in found[:20])
    [(title, _, link)] = [each for each in found if each[1] == "08 · ALiBi"][:1]
    link.click()
    expect(page.get_by_role("heading", name=title)).to_be_in_viewport()
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value("ALiBi slopes")
    assert page.locator(".found li").count() > 0


def test_a_picture_of_the_gallery_leads_to_itself_on_the_lessons_page(opened):
    page = opened("pictures")
    images = page.locator(".cards img")
    images.last.scroll_into_view_if_needed()
    page.wait_for_function("image => image.naturalWidth > 0", arg=images.last.element_handle())
    page.locator("#RotatingVectors > a").click()
    cell = page.locator(".cell", has_text="RotatingVectors(", has=page.locator(".posviz-screen"))
    expect(cell).to_be_in_viewport()


def test_a_dark_reader_is_shown_dark_pictures(opened):
    page = opened("pictures")
    source = "image => image.currentSrc.split('/').pop()"
    assert page.locator(".cards img").first.evaluate(source) == "ThreeDoors.png"
    page.emulate_media(color_scheme="dark")
    assert page.locator(".cards img").first.evaluate(source) == "ThreeDoors_dark.png"


def test_a_table_is_searched_and_a_row_that_was_found_is_shown(opened):
    page = opened("glossary")
    rows = page.locator("tbody tr:visible")
    page.get_by_role("searchbox").fill("lesson bias attention")
    expect(rows).to_have_count(0)
    page.get_by_role("searchbox").fill("subtracts slope")
    expect(rows).to_have_count(1)
    page.get_by_role("link", name="Search").click()
    [link] = [link for title, kind, link in results(page, "xPos") if kind == "Glossary"]
    link.click()
    expect(page.locator("tr:target")).to_be_in_viewport()


def test_the_index_shows_every_lesson_and_leads_to_it(opened):
    page = opened("index")
    assert page.locator(".cards li h2").count() == len(LESSONS)
    page.locator(".cards a").first.click()
    expect(page.locator("h1")).to_contain_text("00 ·")
    page.get_by_role("link", name="Pictures").click()
    expect(page.locator("h1")).to_have_text("Pictures")


def test_a_printed_lesson_is_a_worksheet(opened, tmp_path):
    page = opened("05_rope")
    page.locator(".posviz-guess summary").first.click()
    answer = page.locator(".posviz-answer").first
    expect(answer).to_be_visible()
    page.emulate_media(media="print")
    expect(answer).to_be_hidden()
    expect(page.locator(".posviz-guess p:visible")).to_have_count(0)
    assert page.locator(".posviz-guess summary:visible").count() > 2
