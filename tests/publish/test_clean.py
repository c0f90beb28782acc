"""What is left of a notebook: all that lessons use, and nothing that a browser would run."""

import base64
import io
import itertools
import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert.filters import markdown2html
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from PIL import Image

import run
from posviz_tools.publish.clean import PNG, TAGS, Site, cleaned, markdown, png, sanitised
from tests.robustness import planted_scripts as planted


def encoded(kind):
    """A small picture of a kind, as a notebook has it: base64 in lines."""
    data = io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(data, kind)
    return base64.encodebytes(data.getvalue()).decode()


CORNER = re.compile(r"<th( [^>]*)?></th>")


def elements(html):
    """The elements of HTML with their attributes, and its text."""
    soup = BeautifulSoup(html, "html.parser")
    found = [(each.name, each.attrs) for each in soup.find_all(True)]
    for _, attributes in found:
        if "style" in attributes:
            attributes["style"] = attributes["style"].replace(": ", ":").replace("; ", ";")
    return found, soup.text


def all_html(notebook):
    """The HTML of a notebook's Markdown and of what its cells show."""
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type == "markdown":
            yield markdown2html(cell.source)
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                yield output.data["text/html"]


@pytest.mark.slow("seconds")
def test_lessons_lose_nothing_but_headings_of_nothing():
    paths = list(run.NOTEBOOKS.glob("*.ipynb"))
    site = Site(frozenset(path.stem for path in paths))
    for html in itertools.chain.from_iterable(map(all_html, paths)):
        linked = re.sub(r'href="([\w]+)\.ipynb', r'href="\1.html', html)
        assert elements(sanitised(html, site)) == elements(CORNER.sub("<td></td>", linked))


# Python cannot read these addresses, and a browser can.
ADDRESSES = "<a href='data://℀,RUN'>A</a>", "[A](data://℀,RUN)", "[A](http://[x)"
PLANTED = *planted.MARKDOWN, *planted.OUTWARD, *planted.LINES, *planted.HTML, *ADDRESSES


def acts(name, attributes):
    """Whether an element could run or fetch something, or is none that lessons have."""
    if name not in TAGS.split() or "src" in attributes or "srcdoc" in attributes:
        return True
    href = attributes.get("href", "#")
    return any(key.startswith("on") for key in attributes) or not href.startswith(("#", "https:"))


def test_what_is_planted_leaves_nothing_that_acts():
    for text in PLANTED:
        for html in (markdown(text), sanitised(text)):
            assert [each for each in elements(html)[0] if acts(*each)] == [], text


@pytest.mark.parametrize(
    ("source", "kept"),
    [(PNG + encoded("PNG"), True), (PNG + encoded("GIF"), False), ("a.png", False)],
    ids=["PNG", "GIF", "file"],
)
def test_pictures_are_those_in_the_text(source, kept):
    image = BeautifulSoup(sanitised(f'<img src="{source}" alt="a">'), "html.parser").img
    assert image.attrs == {"alt": "a"} | ({"src": source} if kept else {})


SITE = Site(frozenset({"04_before", "notation"}), "you/posviz")


@pytest.mark.parametrize(
    ("typed", "there", "alone"),
    [
        ("04_before.ipynb", "04_before.html", None),
        ("../notebooks/04_before.ipynb#The-end", "04_before.html#The-end", None),
        ("../docs/notation.md", "notation.html", None),
        ("05_rope.ipynb", None, None),
        ("../posviz/files.py", "https://github.com/you/posviz/blob/HEAD/posviz/files.py", None),
        ("../tests/README.md", "https://github.com/you/posviz/blob/HEAD/tests/README.md", None),
        ("#here", "#here", "#here"),
        ("https://a.b/c.ipynb", "https://a.b/c.ipynb", "https://a.b/c.ipynb"),
    ],
)
def test_a_link_leads_to_a_page_of_the_site_or_nowhere(typed, there, alone):
    for site, wanted in ((SITE, there), (Site(), alone)):
        (link,) = BeautifulSoup(markdown(f"[A]({typed})", site), "html.parser").select("a")
        assert (link.get("href"), link.text) == (wanted, "A")


def test_html_has_no_living_picture_of_its_own():
    html = "<div class='posviz-live' data-picture='ThreeDoors' data-values='{}'></div>"
    assert sanitised(html) == '<div class="posviz-live"></div>'


def test_styles_are_those_of_tables():
    html = '<td style="text-align: left; position: fixed; background: url(a)">A</td>'
    cleaned = sanitised(f"<table><tr>{html}</tr></table>")
    assert 'style="text-align:left"' in cleaned


@pytest.mark.parametrize("text", ["", 'A" onerror="a', encoded("PNG")[:-30]])
def test_a_png_is_one_that_decodes(text):
    assert png(text) == ""
    assert png(encoded("GIF")) == ""
    assert png(encoded("PNG")) == "".join(encoded("PNG").split())


def test_of_outputs_text_html_and_pictures_stay_and_raw_cells_go():
    bundles = (
        {"image/svg+xml": "<svg/>", "application/javascript": "a", "text/plain": "<b>"},
        {"image/png": "A", "text/plain": "<Figure>"},
        {"image/png": encoded("PNG"), "text/html": "<p onclick='a'>A</p>"},
    )
    outputs = [new_output("display_data", data) for data in bundles]
    outputs.append(new_output("stream", name="stdout", text="<b>"))
    cells = [new_raw_cell("<b>"), new_markdown_cell("A"), new_code_cell("1", outputs=outputs)]
    notebook = new_notebook(cells=cells)
    text, code = cleaned(notebook).cells
    assert (text.source, code.source) == ("A", "1")
    assert [output.get("data", output.get("text")) for output in code.outputs] == [
        {"text/plain": "<b>"},
        {"text/plain": "<Figure>"},
        {"image/png": "".join(encoded("PNG").split()), "text/html": "<p>A</p>"},
        "<b>",
    ]
