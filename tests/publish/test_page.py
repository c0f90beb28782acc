"""Pages as another parser reads them: headings, links, images, and nothing typed that acts."""

import base64
import io
import json
import re

import nbformat
import numpy as np
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from posviz_course.course import OF_TOPIC
from posviz_tools.publish import assets, page
from posviz_tools.publish.lesson import StoredLesson, stored_lessons
from posviz_tools.publish.live import build
from tests.publish.test_assets import hashes, script_sources
from tests.publish.test_place import RED, stored

pytestmark = pytest.mark.slow("lessons are read and run")

TITLE = """# 05 · A <b> & c

*How?*

**You will be able to** read [lesson 04](04_before.ipynb), [its end](04_before.ipynb#The-end) and
[a paper](https://example.org/paper.ipynb)."""
PROSE = """## 1 First

A formula $a < b$, and one by itself:

$$\\sum_i \\alpha_i$$

### Try

<details><summary>The answer, in words</summary>

It is *folded*.
</details>"""


def lesson():
    alt = {"image/png": {"width": 8, "alt": 'a "quoted" <caption>'}}
    shown = (
        stored("SameWords(sentence='<script>alert(1)')"),
        new_output("execute_result", {"image/png": RED}, metadata=alt),
        new_output("stream", name="stdout", text="<script>alert(2)</script>"),
    )
    code = [new_code_cell("print('<i>')", outputs=[each], execution_count=1) for each in shown]
    return new_notebook(cells=[new_markdown_cell(TITLE), new_markdown_cell(PROSE), *code])


@pytest.fixture(scope="module", autouse=True)
def without_python():
    """Python for a reader's browser is 33 MB, and not what these tests look at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "write_python", lambda to: 33)
        yield


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebooks")
    nbformat.write(lesson(), folder / "05_rope.ipynb")
    for stem, title in {"04_before": "# 04 · Before", "06_after": "# 06 · After"}.items():
        nbformat.write(new_notebook(cells=[new_markdown_cell(title)]), folder / f"{stem}.ipynb")
    return folder


def write_pages(notebooks, to, *stems, repository=""):
    """Write pages of lessons that are linked to each other and to what lies there."""
    paths = [notebooks / f"{stem}.ipynb" for stem in stems]
    for lesson in stored_lessons(paths, page.site_in(to, paths, repository)):
        assert page.write_page(lesson, to) == to / f"{lesson.stem}.html"
    return to


@pytest.fixture(scope="module")
def site(notebooks, tmp_path_factory):
    to = tmp_path_factory.mktemp("site")
    return write_pages(notebooks, to, "04_before", "05_rope", "06_after")


def read(path):
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


@pytest.fixture(scope="module")
def soup(site):
    return read(site / "05_rope.html")


def test_title_language_and_question(soup):
    assert soup.html["lang"] == "en"
    assert soup.title.text == "05 · A <b> & c"
    assert soup.find("meta", {"name": "description"})["content"] == OF_TOPIC["rotary"].question


def test_headings_stand_in_order_and_the_contents_lead_to_them(soup):
    levels = [int(heading.name[1]) for heading in soup.main.find_all(re.compile("^h[1-6]$"))]
    assert levels == [1, 2, 3]
    links = soup.select(".contents a")
    assert [link.text for link in links] == ["1 First", "Try"]
    for link in links:
        assert soup.find(id=link["href"].removeprefix("#")).name in ("h2", "h3")


def test_links_between_lessons_lead_to_pages(soup):
    to = [link["href"] for link in soup.main.select("section a") if link["href"][0] != "#"]
    assert to == ["04_before.html", "04_before.html#The-end", "https://example.org/paper.ipynb"]
    around = [(link["rel"][0], link["href"]) for link in soup.select(".top a[rel]")]
    assert around == [("prev", "04_before.html"), ("next", "06_after.html")]
    assert soup.find(id=soup.select_one("a.skip")["href"].removeprefix("#")).name == "main"


def links_to_lessons(soup):
    return [link["href"] for link in soup.select("a[href]") if link["href"][:2].isdigit()]


@pytest.mark.slow("seconds")
def test_a_lesson_alone_leads_to_what_lies_beside_it(notebooks, tmp_path):
    write_pages(notebooks, tmp_path, "05_rope")
    alone = read(tmp_path / "05_rope.html")
    assert links_to_lessons(alone) == []
    assert not alone.select(".top a[href]"), "of a site that is not there"
    assert "read lesson 04, its end" in " ".join(alone.main.text.split())
    assert "https://example.org/paper.ipynb" in {link.get("href") for link in alone.select("a")}
    for there in ("04_before", "05_rope_slides", "search"):
        (tmp_path / f"{there}.html").touch()
    write_pages(notebooks, tmp_path, "05_rope")
    again = read(tmp_path / "05_rope.html")
    assert set(links_to_lessons(again)) == {
        "04_before.html",
        "04_before.html#The-end",
        "05_rope_slides.html",
    }
    assert [link.text for link in again.select(".top nav:first-child a[href]")] == ["Search"]


def test_every_image_is_in_the_page_and_has_alternative_text(soup):
    images = soup.find_all("img")
    assert len(images) == 2
    for image in images:
        assert image["src"].startswith("data:image/png;base64,")
    assert images[1]["alt"] == 'a "quoted" <caption>'


def test_a_living_picture_is_stored_dark_too_and_the_code_above_is_folded(soup):
    (source,) = soup.select(".posviz-live source[media='(prefers-color-scheme: dark)']")
    png = base64.b64decode(source["srcset"].removeprefix("data:image/png;base64,"))
    assert np.median(Image.open(io.BytesIO(png)).convert("L")) < 60
    folded = [cell.select_one("details.code") is not None for cell in soup.select(".cell")]
    assert folded == [True, True, False]


def test_an_answer_stays_folded(soup):
    (answer,) = soup.main.select("section details")
    assert answer.find("p").text == "It is folded."


def test_only_the_pages_own_script_mathjax_and_the_editor_run(soup, site):
    theme, cells, script = soup.find_all("script")
    assert theme.string == assets.THEME
    assert cells["type"] == "application/json"
    assert json.loads(cells.string)[0].keys() == {"id", "source", "runs"}
    assert not script.attrs
    styles = [link["href"] for link in soup.find_all("link", rel="stylesheet")]
    assert styles == ["assets/page.css"]
    assert (site / styles[0]).stat().st_size > 1000
    policy = soup.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    mathjax = (assets.library("mathjax") / "tex-svg.js").read_bytes()
    own = [each.string.encode() for each in (theme, script)]
    assert script_sources(policy) == hashes(*own, mathjax, build.editor())
    assert "http" not in policy
    assert "connect-src 'self'" in policy  # from where the worker is
    assert "33 MB" in soup.select_one("details.about").text


def test_what_was_typed_or_printed_is_text(soup):
    assert not soup.select(".cell i")
    assert "<script>alert(2)</script>" in soup.get_text()
    assert "<script>" in soup.select_one(".posviz-live")["data-values"]


@pytest.mark.slow("seconds")
def test_a_page_ends_with_its_sources_and_only_with_some(soup, notebooks, tmp_path, monkeypatch):
    assert "Sources" not in soup.text
    monkeypatch.setattr(StoredLesson, "cited", {"su2021roformer"})
    write_pages(notebooks, tmp_path, "05_rope")
    citing = read(tmp_path / "05_rope.html")
    assert citing.main.find_all("section")[-1] is citing.find(id="Sources").parent
    (entry,) = citing.find(id="Sources").parent.select("li")
    assert "RoFormer" in entry.text
    assert entry.a["href"] == "https://arxiv.org/abs/2104.09864"
    assert citing.select(".contents a")[-1]["href"] == "#Sources"


def test_a_page_has_its_notebook_and_links_to_binder_and_colab(notebooks, site, soup, tmp_path):
    links = soup.select("a[download]")
    assert [link.find_parent().name for link in links] == ["p", "p"], "at the top and at the end"
    for link in links:
        assert (site / link["href"]).read_bytes() == (notebooks / "05_rope.ipynb").read_bytes()
    assert "Report a fault" not in soup.footer.text
    write_pages(notebooks, tmp_path, "04_before", repository="you/posviz")
    page = read(tmp_path / "04_before.html")
    assert page.footer.select("a[href]")[-1]["href"] == "https://github.com/you/posviz/issues"
    *_, binder, colab = (link["href"] for link in page.select(".about a"))
    assert binder == "https://mybinder.org/v2/gh/you/posviz/HEAD?labpath=notebooks/04_before.ipynb"
    assert colab == (
        "https://colab.research.google.com/github/you/posviz/blob/HEAD/notebooks/04_before.ipynb"
    )


def test_code_that_the_notebook_hides_is_hidden_on_its_page(tmp_path):
    hidden = new_code_cell("answer = 2", metadata={"jupyter": {"source_hidden": True}})
    cells = [new_markdown_cell("# 04 · A"), hidden, new_code_cell("seen = 1")]
    for cell in cells[1:]:
        cell.execution_count = 1
    nbformat.write(new_notebook(cells=cells), tmp_path / "04_a.ipynb")
    write_pages(tmp_path, tmp_path / "site", "04_a")
    shown = read(tmp_path / "site" / "04_a.html").select(".source")
    assert [cell.text.strip() for cell in shown] == ["seen = 1"]
