"""Slides of a lesson: what becomes one, what is said beside it, and that the files stand alone."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import run
from posviz.publish import live, slides
from posviz.publish.lesson import living
from tests.publish.test_assets import script_sources

pytestmark = pytest.mark.slow("lessons are read and run")

LESSONS = sorted(run.NOTEBOOKS.glob("[0-9]*.ipynb"))
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="


def figure(alt="A caption."):
    data = {"image/png": PNG + "\n", "text/plain": "<Figure>"}
    output = new_output("display_data", data, metadata={"image/png": {"alt": alt}})
    return new_code_cell("Picture().figure()", outputs=[output])


def cell(mark, text):
    return new_markdown_cell(text, metadata={"slideshow": {"slide_type": mark}})


def lesson(*cells):
    parts = [new_markdown_cell(part) if isinstance(part, str) else part for part in cells]
    return new_notebook(cells=[cell("slide", "# 05 · RoPE"), *parts])


def marked(figure, mark):
    figure.metadata["slideshow"] = {"slide_type": mark}
    return figure


def test_marks_say_which_slide_has_a_cell():
    found = slides.stacks(
        lesson(
            "*How?*",
            cell("notes", "Said."),
            cell("-", "1. turn"),
            cell("slide", "## 3 A turn in the plane\n\nTurn it:"),
            "$$x$$",
            cell("subslide", "Is it # 0?"),
            cell("notes", "Wait."),
            cell("skip", "**Exercise 1.** Write it."),
            cell("slide", "# Second half"),
        )
    )
    assert [[(s.kind, s.section, s.shown, s.notes) for s in stack] for stack in found] == [
        [("title", "05 · RoPE", ["*How?*", "1. turn"], ["Said."])],
        [
            ("section", "3 A turn in the plane", ["Turn it:", "$$x$$"], []),
            ("text", "3 A turn in the plane", ["Is it # 0?"], ["Wait."]),
        ],
        [("title", "Second half", [], [])],
    ]


def test_what_is_printed_is_on_the_slide_of_its_text_if_short():
    def printing(text):
        return new_code_cell("print(…)", outputs=[new_output("stream", text=text)])

    long = "\n".join(map(str, range(slides.LINES + 1)))
    ((title,),) = slides.stacks(
        lesson("See:", printing("1\n"), printing(long), cell("notes", "Said:"), printing("2\n"))
    )
    assert title.shown == ["See:", "```\n1\n```"]
    assert title.notes == [f"```\n{long}\n```", "Said:", "```\n2\n```"]


def test_a_picture_stands_on_the_slide_of_its_announcement_or_on_its_own():
    evil = '"><script>x</script>'
    ((title, first, second),) = slides.stacks(
        lesson(
            cell("subslide", "See the hands:"),
            figure(),
            marked(figure(evil), "subslide"),
            marked(figure(), "skip"),
        )
    )
    assert (title.picture, first.kind, first.shown) == ("", "picture", ["See the hands:"])
    assert "<figcaption>A caption.</figcaption>" in first.picture
    assert 'alt="A caption."' in first.picture
    assert (second.kind, second.shown) == ("picture", [])
    assert "<script" not in second.picture


def shows(html, mark="-"):
    outputs = [new_output("display_data", {"text/html": html})]
    return marked(new_code_cell("show()", outputs=outputs), mark)


def test_an_explorer_is_a_picture_and_other_html_and_code_are_none():
    place = '<div class="posviz-explorer posviz-live"></div>'
    ((slide,),) = slides.stacks(lesson(shows(place), shows("<p>1</p>")))
    assert (slide.picture, slide.shown) == (place, [])


def test_a_long_table_has_slides_of_its_own_each_with_its_head():
    rows = [f"<tr><td>{number}</td></tr>" for number in range(slides.ROWS + 2)]
    head = "<thead><tr><th>a</th></tr></thead>"
    table = f"<table>{head}<tbody>{''.join(rows)}</tbody></table><details></details>"
    text = cell("slide", "## 6 Tables\n\nWhat is said:")
    _, (words, first, last) = slides.stacks(lesson(text, shows(table), cell("notes", "So.")))
    assert words.shown == ["What is said:"]
    assert first.picture.count("<td>") == slides.ROWS
    for slide, part in ((first, rows[: slides.ROWS]), (last, rows[slides.ROWS :])):
        shown = f"<table>{head}<tbody>{''.join(part)}</tbody></table>"
        assert slide.picture == f'<div class="posviz-table">{shown}</div>'
    assert (first.notes, last.notes) == ([], ["So."])


@pytest.mark.parametrize(
    "text", ["word " * 60, "$$x$$", "One.\n\nTwo."], ids=["long", "formula", "paragraphs"]
)
def test_what_says_more_than_a_line_keeps_its_slide(text):
    (found,) = slides.stacks(lesson(cell("subslide", text), marked(figure(), "subslide")))
    assert [slide.kind for slide in found] == ["title", "text", "picture"]


def test_the_speaker_has_what_each_choice_of_a_prediction_says():
    folded = [f"<details><summary>{c}</summary><p>{c}?</p></details>" for c in ("x", "y")]
    said = 'x is 2 (<a href="10_stretching.ipynb#1">lesson 10</a>)'
    answer = f"<details class='posviz-answer'><summary>The answer</summary><p>{said}</p></details>"
    asked = f'<div class="posviz-prediction"><p>Which?</p>{"".join(folded)}{answer}</div>'
    ((slide,),) = slides.stacks(lesson(shows(asked)))
    letters = "<p><strong>A</strong></p><p>x?</p><p><strong>B</strong></p><p>y?</p>"
    assert slide.notes == [f"{letters}<p>x is 2 (lesson 10)</p>"]
    assert ".ipynb" not in slide.picture


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([new_markdown_cell("Words.")], r"cell 0: a slide must begin with a # heading; got 'Words"),
        ([new_code_cell("# 1")], "cell 0: a slide must begin with a # heading; got ''"),
        ([cell("slide", "# A"), cell("slide", "B")], "cell 1: a slide must begin with a # heading"),
        ([cell("fragment", "# A")], "cell 0: slide_type must be one of slide, .*; got 'fragment'"),
    ],
)
def test_marks_that_make_no_slides_are_refused(cells, reason):
    with pytest.raises(ValueError, match=reason):
        slides.stacks(new_notebook(cells=cells))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_marks_of_every_lesson_make_whole_slides(path):
    notebook = living(path)
    found = [slide for stack in slides.stacks(notebook) for slide in stack]
    assert found[0].kind == "title"
    assert [s.section for s in found if not (s.shown or s.picture)] == []  # a heading alone
    alike = [a.picture for a, b in pairwise(found) if a.picture == b.picture != ""]
    assert alike == []
    said = "\n".join(text for slide in found for text in slide.shown + slide.notes)
    for debris in (
        "This cell",
        "next cell",
        "Shift + Enter",
        "Above Selected",
        "it/s",
    ):
        assert debris not in said
    promised = [a.shown[-1] for a in found if a.shown and not a.picture and a.shown[-1][-1] == ":"]
    followed_by = [b for a, b in pairwise(found) if a.shown and a.shown[-1] in promised]
    assert len(followed_by) == len(promised)
    assert all(b.picture or "$$" in "".join(b.shown) for b in followed_by)
    # Two pictures on one slide are too small to be seen.
    assert max(slide.picture.count("<img") for slide in found) == 1
    headings = [c for c in notebook.cells if c.source.startswith("#") and c.cell_type == "markdown"]
    marks = {c.metadata.get("slideshow", {}).get("slide_type") for c in headings}
    assert marks <= {"slide", "skip"}
    assert not [note for slide in found for note in slide.notes if "**Predict" in note]


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A written lesson with one figure; its folder and its page's text."""
    words = "$\\mathrm{inv\\_freq}$ [A lesson](02_sinusoidal_tables.ipynb) & more."
    title = cell("slide", "# 05 · Less < more\n\n*How?*")
    section = cell("slide", f"## 1 Where $x < y$\n\n{words}")
    folded = cell("subslide", "<details><summary>The answer</summary>\n\n*It is.*\n</details>")
    picture = marked(figure('"&<b>"'), "subslide")
    notebook = new_notebook(cells=[title, section, folded, picture])
    monkeypatch.setattr(slides, "living", lambda path: notebook)
    monkeypatch.setattr(live, "write", lambda to: 33)
    path = slides.write_slides(Path("notebooks/05_rope.ipynb"), tmp_path / "site")
    assert path == tmp_path / "site" / "05_rope_slides.html"
    return path.parent, path.read_text("utf-8")


def test_the_page_names_no_other_host_and_all_its_files_are_there(written):
    folder, page = written
    tags = Tags(page).tags
    (policy,) = [t["content"] for tag, t in tags if t.get("http-equiv")]
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"https?:|\*", policy)
    assert all(source.startswith("'sha256-") for source in script_sources(policy))
    links = [t.get("src") or t.get("href") for _, t in tags if t.get("src") or t.get("href")]
    beside = [link for link in links if not link.startswith("data:image/png;base64,")]
    assert len(beside) == 3
    for link in beside:
        assert (folder / link).is_file(), link
        assert link.startswith("assets/")
    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) < 4e6


def test_what_is_written_is_escaped_and_links_to_notebooks_are_words(written):
    _, page = written
    tags = Tags(page).tags
    (image,) = [t for tag, t in tags if tag == "img"]
    assert "<title>05 · Less &lt; more: slides</title>" in page
    assert image["alt"] == '"&<b>"'
    assert "Where $x &lt; y$" in page
    assert "A lesson &amp; more." in page
    assert r"$\mathrm{inv\_freq}$" in page
    assert ".ipynb" not in page
    assert ("details", {"open": ""}) in tags
    assert "<em>It is.</em>" in page
    assert ("html", {"lang": "en"}) in tags


def test_a_stopped_run_leaves_what_was_there(written, monkeypatch):
    folder, page = written

    def stopped(path):
        raise RuntimeError("05_rope.ipynb, cell 3: ValueError: no")

    monkeypatch.setattr(slides, "living", stopped)
    with pytest.raises(RuntimeError, match="cell 3"):
        slides.write_slides(Path("notebooks/05_rope.ipynb"), folder)
    assert (folder / "05_rope_slides.html").read_text("utf-8") == page
