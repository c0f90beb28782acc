"""Slides of a lesson: what becomes one, what is said beside it, and that the files stand alone."""

import re
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from jinja2 import UndefinedError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import run
from posviz.publish import slides
from tests.publish.test_assets import is_kept_on_a_full_disk

LESSONS = sorted(run.NOTEBOOKS.glob("*.ipynb"))
PNG = "iVBORw0KGgo="


def figure(alt="A caption."):
    data = {"image/png": PNG + "\n", "text/plain": "<Figure>"}
    output = new_output("display_data", data, metadata={"image/png": {"alt": alt}})
    return new_code_cell("Picture().figure()", outputs=[output])


def lesson(*cells):
    parts = [new_markdown_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    return new_notebook(cells=[new_markdown_cell("# 05 · RoPE"), *parts])


def talk(*cells):
    """The kinds of slides and what is shown on them, stack by stack, without the title's."""
    found = slides.stacks(lesson(*cells))
    return [[(slide.kind, slide.shown) for slide in stack] for stack in found]


def notes(*cells):
    return [s.notes for stack in slides.stacks(lesson(*cells)) for s in stack]


def test_the_title_has_question_and_aims_and_the_rest_is_said():
    (stack,) = slides.stacks(
        lesson(
            "*How?*\n\nWords.\n\n**You will be able to**\n\n"
            "1. turn (exercises 1 to 3);\n2. move.\n\n**You need** time."
        )
    )
    (title,) = stack
    assert (title.kind, title.section) == ("title", "05 · RoPE")
    assert title.shown == ["*How?*", "**You will be able to**", "1. turn;\n2. move."]
    assert title.notes == ["Words.", "**You need** time."]


@pytest.mark.parametrize(
    ("text", "shown", "said"),
    [
        ("A short one.\n\nAnother.", ["A short one."], ["Another."]),
        (f"A first sentence. {'A long one. ' * 40}", ["A first sentence."], [...]),
        ("- one\n- two\n\nThen.", ["- one\n- two"], ["Then."]),
        ("1. one\n2. two", ["1. one\n2. two"], []),
        ("Turn it:\n\n$$x$$\n\nand\n\n$$y$$", ["Turn it:", "$$x$$", "$$y$$"], ["and"]),
        ("One. See the numbers:", ["One."], ["One. See the numbers:"]),
    ],
)
def test_a_heading_is_shown_with_what_stands_first(text, shown, said):
    (stack,) = slides.stacks(lesson(f"## 3 A turn in the plane\n\n{text}"))
    (slide,) = stack
    assert (slide.kind, slide.section, slide.shown) == ("section", "A turn in the plane", shown)
    assert said == [...] or slide.notes == said
    assert len(slide.notes) == len(said)


def test_a_formula_after_something_else_gets_a_slide_with_the_sentence_before_it():
    (stack,) = talk("## 1 S\n\nFirst.", figure(), "Words. So it is\n\n$$x$$")
    assert stack[-1] == ("formula", ["So it is", "$$x$$"])


def test_a_slide_has_no_more_formulas_than_fit():
    (stack,) = talk("## 1 S\n\n" + "\n\n".join(f"$${n}$$" for n in range(5)))
    assert [shown.count("$$") // 2 for _, shown in ((k, "".join(s)) for k, s in stack)] == [3, 2]


def test_a_picture_has_its_caption_and_the_sentence_that_announces_it():
    cells = ["## 1 S\n\nFirst. See the hands:", figure(), figure('"><script>x</script>'), "No. It."]
    stack = slides.stacks(lesson(*cells, figure()))[0]
    pictures = [slide for slide in stack if slide.kind == "picture"]
    assert [slide.shown for slide in pictures] == [["See the hands:"], [], []]
    assert "<figcaption>A caption.</figcaption>" in pictures[0].picture
    assert 'alt="A caption."' in pictures[0].picture
    assert "<script" not in pictures[1].picture


def test_a_filmstrip_is_a_picture_and_other_html_is_none():
    strip = '<div class="posviz-explorer posviz-filmstrip"></div>'
    outputs = [new_output("display_data", {"text/html": html}) for html in (strip, "<table>")]
    ((_, picture),) = slides.stacks(lesson("## 1 S\n\nA.", new_code_cell("", outputs=outputs)))
    assert picture.picture == strip


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "Before.\n\n**Predict first.** How long is (1, 0.5) after a turn by any angle? And "
            "where does it point then, to the left or to the right of where it pointed before, if "
            "the angle is less than half a turn? Write it.",
            1,
        ),
        ("Before.\n\n**Predict first.** Is it 0? Write it.", 2),
        ("**Predict:** is it 0?", 1),
        ("**Predict** the length, 0 or 1.", 1),
    ],
)
def test_a_prompt_is_a_slide_up_to_its_question_mark_and_the_answer_another(text, shown):
    answer = "<details><summary>The answer</summary>\n\nIt is.\n\n- So.\n</details>"
    stack = talk("## 1 S\n\nA.", text, new_code_cell("guess"), answer + "\n\nThe end.")[0]
    assert [kind for kind, _ in stack] == ["section", "predict", "answer"]
    assert stack[1][1][-1].endswith("?") or "?" not in text
    assert "Write" not in stack[1][1][-1]
    assert len(stack[1][1]) == shown
    assert stack[2][1] == ["**The answer**", "It is.\n\n- So."]
    assert notes("## 1 S\n\nA.", text, answer + "\n\nThe end.")[-1] == ["The end."]


def test_what_is_folded_but_answers_nothing_is_said():
    aside = "<details><summary>More</summary>\n\nOf it.\n</details>"
    assert [kind for kind, _ in talk(f"## 1 S\n\nA.\n\n{aside}")[0]] == ["section"]
    assert notes(f"## 1 S\n\nA.\n\n{aside}") == [[aside]]


def test_exercises_and_what_is_read_at_home_are_left_out_from_where_they_begin():
    exercise = "**Exercise 1.** Write it.\n\n<details><summary>Hint</summary>\n\nNo.\n</details>"
    assert talk(
        "## 1 Half-way\n\n**The takeaway as a number: 1.**",
        exercise,
        figure(),
        f"## 2 Exercises\n\n{exercise}",
        "## 3 What people say\n\nClaims.",
        "## 4 In practice\n\nModels.\n\n## Summary\n\n1. one",
    ) == [
        [("takeaway", ["**The takeaway as a number: 1.**"])],
        [("section", ["1. one"])],
    ]


@pytest.mark.parametrize(
    "cells", [[], [new_markdown_cell("Words.")], [new_code_cell("1")]], ids=len
)
def test_a_lesson_without_a_title_is_refused(cells):
    with pytest.raises(ValueError, match="it must begin with a # heading"):
        slides.stacks(new_notebook(cells=cells))


def test_a_second_half_stands_alone():
    assert talk("---\n# Second half\n\nRun the first.")[0] == [("part", [])]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_lesson_is_told_in_full(path):
    """By a slow reading of the notebook: pictures, prompts, and no sentence lost or made up."""
    notebook = nbformat.read(path, as_version=4)
    found = [slide for stack in slides.stacks(notebook) for slide in stack]
    told = {
        line for slide in found for text in slide.shown + slide.notes for line in text.split("\n")
    }
    shown = " ".join(" ".join(slide.shown) for slide in found)
    pictures = prompts = 0
    at_home = False
    for cell in notebook.cells:
        for line in cell.source.split("\n") if cell.cell_type == "markdown" else []:
            if line.startswith("#"):
                at_home = line.lstrip("# 0123456789") in slides.TO_READ_AT_HOME
            at_home = at_home or line.startswith("**Exercise")
            if not at_home and line.strip() and not line.startswith(("#", "<", "---")):
                line = re.sub(r" \(exercises? \d( (to|and) \d)?\)(?=[;.]$)", "", line)
                assert line in told or line in shown
                prompts += "**Predict" in line
        if not at_home:
            pictures += sum("image/png" in out.get("data", {}) for out in cell.get("outputs", []))
    assert sum(slide.kind == "picture" for slide in found) == pictures > 3
    assert sum(slide.kind == "predict" for slide in found) == prompts > 1
    assert found[0].kind == "title"
    assert len(found[0].shown) == 3
    assert any(slide.kind == "takeaway" for slide in found) or path.name.startswith("00")


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
    title = new_markdown_cell("# 05 · Less < more\n\n*How?*")
    notebook = new_notebook(
        cells=[title, *lesson(f"## 1 Where $x < y$\n\n{words}", figure('"&<b>"')).cells[1:]]
    )
    monkeypatch.setattr(slides, "played", lambda path: notebook)
    path = slides.write_slides(Path("notebooks/05_rope.ipynb"), tmp_path / "site")
    assert path == tmp_path / "site" / "05_rope_slides.html"
    return path.parent, path.read_text("utf-8")


def test_the_page_names_no_other_host_and_all_its_files_are_there(written):
    folder, page = written
    tags = Tags(page).tags
    (policy,) = [t["content"] for tag, t in tags if t.get("http-equiv")]
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"https?:|\*", policy)
    links = [t.get("src") or t.get("href") for _, t in tags if t.get("src") or t.get("href")]
    beside = [link for link in links if not link.startswith("data:image/png;base64,")]
    assert len(beside) >= 4
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
    assert ("html", {"lang": "en"}) in tags


def test_a_stopped_run_leaves_what_was_there(written, monkeypatch):
    folder, page = written

    def stopped(path):
        raise RuntimeError("05_rope.ipynb, cell 3: ValueError: no")

    monkeypatch.setattr(slides, "played", stopped)
    with pytest.raises(RuntimeError, match="cell 3"):
        slides.write_slides(Path("notebooks/05_rope.ipynb"), folder)
    assert (folder / "05_rope_slides.html").read_text("utf-8") == page


def test_a_full_disk_leaves_what_was_there(written):
    folder, _ = written
    is_kept_on_a_full_disk(
        folder / "assets" / "mathjax" / "tex-svg.js",
        lambda: slides.write_slides(Path("notebooks/05_rope.ipynb"), folder),
    )


def test_what_a_template_lacks_is_an_error(written, monkeypatch, tmp_path):
    (tmp_path / "slides.html.j2").write_text("{{ no_such_name }}")
    monkeypatch.setattr(slides, "HERE", tmp_path)
    with pytest.raises(UndefinedError, match="no_such_name"):
        slides.write_slides(Path("notebooks/05_rope.ipynb"), tmp_path)
