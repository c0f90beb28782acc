"""The pages around the lessons, as another parser reads them."""

import json
import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from posviz_course import claims, sources
from posviz_course.blackbox.libraries import rows
from posviz_course.choosing.glossary import TERMS
from posviz_course.course import OF_TOPIC
from posviz_tools.publish import assets, page
from posviz_tools.publish.clean import Site
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.site import pages
from tests.publish.test_assets import hashes, script_sources

pytestmark = pytest.mark.slow("the site's scripts are bundled")

ALIBI = OF_TOPIC["alibi"].notebook
ALL = ("index", "pictures", "glossary", "claims", "libraries", "references", "search", "about")
SAID = """# 08 · ALiBi <b>

[Su et al., 2021](https://arxiv.org/abs/2104.09864 "su2021roformer") </script>"""
ABOUT = {"needs": ["01", "09"], "knowledge": "x <i> y", "minutes": 45}
CLAIM = claims.Claim("A <b>.", lambda: 1, "it", "> 0", section="1 A")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of one lesson; of the course's claims there is one."""
    to, folder = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("notebooks")
    cells = [new_markdown_cell(SAID), new_code_cell("AlibiSlopes().explore()", id="slopes")]
    notebook = new_notebook(cells=cells, metadata={"posviz": ABOUT})
    nbformat.write(notebook, folder / f"{ALIBI}.ipynb")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "every_claim", lambda *_: [("08", CLAIM)])
        around = {*page.AROUND, *pages.DOCUMENTS, ALIBI, f"{ALIBI}_slides"}
        site = Site(frozenset(around), "you/posviz", "https://posviz.example/")
        pages.write_site([StoredLesson(folder / f"{ALIBI}.ipynb", site)], to)
    return to


def read(path):
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


@pytest.fixture(scope="module")
def soups(site):
    return {name: read(site / f"{name}.html") for name in ALL}


def test_every_page_leads_to_every_other_and_says_which_it_is(soups):
    for name, soup in soups.items():
        links = soup.select(".top nav a")
        assert {link["href"] for link in links} == {f"{other}.html" for other in ALL}
        (here,) = soup.select(".top [aria-current=page]")
        assert here["href"] == f"{name}.html"
        assert [len(soup.select(part)) for part in ("title", "h1", "main#main")] == [1, 1, 1]


def test_only_the_sites_script_and_minisearch_run(soups, site):
    searcher = (assets.library("minisearch") / "index.js").read_bytes()
    for name, soup in soups.items():
        policy = soup.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
        own = {"index": pages.FRONT, "pictures": pages.GALLERY}.get(name, pages.SCRIPT)
        others = [searcher] if own is pages.SCRIPT else []
        assert script_sources(policy) == hashes(assets.THEME.encode(), own.encode(), *others)
        for script in soup.select("script:not([type])"):
            assert script.string in (assets.THEME, own)
    assert (site / "assets" / "minisearch" / "index.js.css").is_file()
    assert "Copyright" in (site / "assets" / "minisearch" / "LICENSE.txt").read_text()


def test_the_index_tells_a_lesson_that_has_a_page_its_minutes_and_needs(soups):
    (entry,) = soups["index"].select(".cards li")
    assert entry.h3.text == "08 · ALiBi <b>"
    assert entry.a["href"] == f"{ALIBI}.html"
    question, minutes, needs = (part.text.strip() for part in entry.select("p"))
    assert (question, minutes) == (OF_TOPIC["alibi"].question, "45 minutes · Slides")
    assert needs == "You need lesson 01, lesson 09, x <i> y."
    links = [link["href"] for link in entry.select("p a[href]")]  # to no lesson without a page
    assert links == [f"{ALIBI}_slides.html"]
    assert entry.img["src"] == f"assets/cards/{ALIBI}.png"


def test_a_preview_of_a_link_has_a_picture_at_its_address(soups):
    (picture,) = soups["index"].select("meta[property='og:image']")
    assert picture["content"] == "https://posviz.example/assets/cards/05_rope.png"
    (here,) = soups["index"].select("meta[property='og:url']")
    assert here["content"] == "https://posviz.example/index.html"


def test_a_picture_of_the_gallery_leads_to_its_place_in_light_and_dark(soups):
    first, *others = soups["pictures"].select(".cards li")
    assert first.a["href"] == f"{ALIBI}.html#cell-id=slopes"
    assert first.select_one("source[media='(prefers-color-scheme: dark)']")["srcset"] == (
        "assets/pictures/AlibiSlopes_dark.png"
    )
    assert first.img["loading"] == "lazy"
    about = json.loads(first.select_one("[data-picture=AlibiSlopes]")["data-shown"])
    assert [int(first.img[side]) for side in ("width", "height")] == about["paper"]
    assert "num_heads" in first.select("p")[-1].text
    names = {"AlibiLine", "AlibiScores", "ReadingLamp", "WeightByDistance"}
    assert {other["id"] for other in others} == names


def test_words_and_claims_are_rows_that_can_be_searched_and_led_to(soups):
    for name, count in (("glossary", len(TERMS)), ("claims", 1), ("libraries", len(rows()))):
        assert len(soups[name].select(".posviz-search")) == 1
        lines = soups[name].select(".posviz-searched tbody tr")
        assert len({line["id"] for line in lines}) == len(lines) == count
        assert not soups[name].select("a[href*=ipynb]")
    (row,) = soups["claims"].select("tbody tr")
    assert row.a["href"] == f"{ALIBI}.html#1-A"
    alibi = soups["glossary"].find(id="word-ALiBi")
    assert alibi.a["href"] == f"{ALIBI}.html"
    assert not soups["glossary"].find(id="word-RoPE").select("a[href]"), "no page of lesson 05"


def test_every_source_is_there_once_with_who_cites_it(soups):
    entries = soups["references"].select(".sources li")
    assert len(entries) == len(sources.bibliography())
    citing = [entry for entry in entries if entry.select(f'a[href="{ALIBI}.html#Sources"]')]
    assert ["RoFormer" in entry.text for entry in citing] == [True]


def test_the_search_has_its_documents_in_the_page(soups, site):
    linked = soups | {name: read(site / f"{name}.html") for name in pages.DOCUMENTS}
    found = json.loads(soups["search"].find(id="documents").string)
    assert {document["href"].partition("#")[0] for document in found} == {
        f"{ALIBI}.html",
        "glossary.html",
        "claims.html",
        "libraries.html",
        *(f"{name}.html" for name in pages.DOCUMENTS),
    }
    for document in found:
        file, _, place = document["href"].partition("#")
        if place and file != f"{ALIBI}.html":
            assert linked[file.removesuffix(".html")].find(id=place)
    assert soups["search"].select_one("label[for=words]")


def test_how_it_is_cited_is_what_the_citation_file_says(soups):
    entry, said = soups["about"].pre.text, page.citation()
    fields = dict(re.findall(r"^  (\w+) += {(.*)},?$", entry, re.MULTILINE))
    assert fields == {
        "title": said["title"],
        "author": "{The posviz authors}",
        "year": str(said["date-released"].year),
        "note": f"Version {said['version']}",
        "url": "https://github.com/you/posviz",
    }


def test_a_document_leads_to_pages_that_are_there(soups, site):
    index = {link["href"] for link in soups["index"].select("a[href]")}
    assert {f"{name}.html" for name in pages.DOCUMENTS} < index
    sheet = read(site / "cheatsheet.html")
    assert sheet.h1.text == "Cheat sheet"
    near = {link.get("href") for link in sheet.select(".prose a")} - {None}
    near = {each for each in near if each[0] != "#" and "://" not in each}
    assert near == {"notation.html", f"{ALIBI}.html"}
    code = [link["href"] for link in read(site / "library.html").select("a[href$='fox.py']")]
    assert code == ["https://github.com/you/posviz/blob/HEAD/posviz/encodings/fox.py"]
    assert len(sheet.select("table")) == len(sheet.select("table[tabindex='0']")) == 5
