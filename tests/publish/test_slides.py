"""Slides of a lesson: what becomes one, what is said beside it, and that the files stand alone."""

import base64
import html
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import run
from posviz import HeadBrowser, RealHead
from posviz_tools.notebooks import about
from posviz_tools.publish import slides
from posviz_tools.publish.lesson import StoredLesson
from tests.publish.test_assets import script_sources

pytestmark = pytest.mark.slow("lessons are read and run")

LESSONS = sorted(run.NOTEBOOKS.glob("[0-9]*.ipynb"))
MAP = "EncodingMap(encoding='RoPE', every=False)"


def text(source, mark="-", **told):
    metadata = {"slideshow": {"slide_type": mark}} | ({"posviz": told} if told else {})
    return new_markdown_cell(source, metadata=metadata)


def shows(mark="-", html="", plain="", **told):
    data = {"text/html": html, "text/plain": plain}
    found = text("", mark, **told)
    return new_code_cell(
        "show()",
        metadata=found.metadata,
        execution_count=1,
        outputs=[new_output("display_data", data)],
    )


def lesson(*cells, **told):
    parts = [new_markdown_cell(part) if isinstance(part, str) else part for part in cells]
    first = text("# 05 · RoPE\n\n*How?*\n\nMore.")
    return new_notebook(cells=[first, *parts], metadata={"posviz": told} if told else {})


def asked(*choices, link=""):
    folded = [f"<details><summary>{c}</summary><p>{c}?</p></details>" for c in choices]
    answer = f"<details class='posviz-answer'><summary>The answer</summary>{link}</details>"
    return f'<div class="posviz-prediction"><p>Which?</p>{"".join(folded)}{answer}</div>'


def test_slides_are_headlines_and_questions_and_all_text_is_said():
    deck = slides.slides(
        lesson(
            text("Skipped.", "skip", headline="No"),
            shows(plain=MAP, headline="Doors", knobs=["every"]),
            text("Try it.", "notes"),
            "## 3 A rotation\n\nBefore. In $0.5$ steps:",
            shows(html=asked("x")),
            text("After.", "notes", headline="Rotate", picture="ThreeDoors(door='mask')"),
            shows(plain=MAP),
            "Last.",
            text("## The rule\n\nIt is.", "slide", role="rule", headline="Rotate first"),
            text("## Optional\n\nLeft.", role="optional"),
            text("Also left.", "notes"),
        )
    )
    assert [(s.kind, s.headline, s.section) for s in deck] == [
        ("title", "05 · RoPE", "opening"),
        ("picture", "Doors", "opening"),
        ("question", "", 3),
        ("picture", "Rotate", 3),
        ("statement", "Rotate first", "rule"),
    ]
    assert (deck[0].stage, deck[0].notes) == ("<p><em>How?</em></p>\n", ["*How?*"])
    shown = [(repr(deck[number].picture), deck[number].knobs) for number in (1, 3)]
    assert shown == [(MAP, ["every"]), ("ThreeDoors(door='mask')", ["door"])]
    assert [s.notes for s in (deck[1], deck[3], deck[4])] == [
        ["More.", "Try it."],
        ["After.", "Last."],
        ["It is."],
    ]
    assert deck[2].notes[0] == "Before."


def test_a_picture_with_data_of_its_own_is_a_statement():
    deck = slides.slides(lesson(shows(plain="LearnedTable(snapshots=..., x=1)", headline="A")))
    assert (deck[1].kind, deck[1].stage) == ("statement", "")


def test_the_speaker_has_what_each_choice_of_a_prediction_says():
    said = '<p>x is 2 (<a href="10_stretching.ipynb#1">lesson 10</a>)</p>'
    _, slide = slides.slides(lesson(shows(html=asked("x", "y", link=said))))
    letters = "<p><strong>A</strong></p>\n<p>x?</p>\n<p><strong>B</strong></p>\n<p>y?</p>"
    assert slide.notes[-1] == f"{letters}\n<p>x is 2 (lesson 10)</p>"
    assert ".ipynb" not in slide.stage


def test_a_question_stands_beside_the_first_panel_of_its_picture():
    cell = shows(html=asked("x"), picture="RealHead(sentence='car')")
    _, slide = slides.slides(lesson(cell))
    assert (slide.kind, slide.headline) == ("question", "")
    question, figure = slide.stage.split("<figure", 1)
    assert 'class="posviz-prediction"' in question
    assert " of SmolLM2 gives " in figure
    light = re.search('src="data:image/svg[^,]*,([^"]*)"', figure)[1]
    assert b'width="259.2pt"' in base64.b64decode(light), "3.6 inches"


def test_a_title_asks_the_lessons_question_and_the_rest_is_said():
    first = text("# 05\n\n*One*. Can it? The dial.\n\nMore?")
    title, _ = slides.slides(new_notebook(cells=[first, shows(html=asked("x"))]))
    assert (title.html, title.notes[0]) == ("<p><em>One</em>. Can it?</p>\n", "*One*. Can it?")


def test_a_formula_has_a_slide_with_what_is_in_it_before_the_picture():
    cell = text("## 1 Angles\n\nWords:\n\n$$a = b$$", symbols="$b$: a number.", headline="It")
    _title, formula, statement = slides.slides(lesson(cell))
    assert (formula.kind, formula.headline, statement.headline) == ("formula", "Angles", "It")
    assert "a = b" in formula.stage
    assert "a number" in formula.stage
    assert "Words" not in formula.stage


def test_a_derivation_is_drawn_line_by_line():
    plain = "DerivationStepper(derivation='matrices', line=3)"
    _, slide = slides.slides(lesson(shows(plain=plain, headline="A", steps="line")))
    stage = slide.stage
    lines = slide.picture.knobs()["line"].limits(slide.picture)["last_place"]
    assert stage.count("fragment step") == lines > 2
    assert '"line": 1' in html.unescape(stage)


def test_minutes_come_to_the_lecture_that_the_lesson_names():
    cells = [part for n in (1, 2) for part in (f"## {n} A", shows(plain=MAP, headline="B"))]
    deck = slides.slides(lesson(*cells, lecture={"minutes": 20, "sections": [2]}))
    assert [slide.minutes for slide in deck] == [5, 15, 15]


def test_a_browser_that_is_missing_is_told_with_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(slides.shutil, "which", lambda _: None)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"^Chromium .* `playwright install chromium` \(.*\)\.$"):
        slides.write_pdf(tmp_path / "05_rope_slides.html")


def test_a_lesson_without_slides_is_refused():
    with pytest.raises(ValueError, match="no cell has a headline in its metadata"):
        slides.slides(lesson("Words."))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_lesson_has_slides_for_its_lecture(path):
    notebook = StoredLesson(path).notebook
    deck = slides.slides(notebook)
    assert max(len(slide.headline.split()) for slide in deck) <= 12
    pictured = [slide for slide in deck if slide.picture]
    shown = [repr(slide.picture) for slide in pictured if slide.kind == "picture"]
    assert len(set(shown)) == len(shown), "a picture twice"
    lecture = about(notebook)["lecture"]
    needed = {slide.section for slide in deck if slide.has_exercise or slide.kind == "formula"}
    needed = {section for section in needed if isinstance(section, int)}
    assert needed <= set(lecture["sections"]) <= {slide.section for slide in deck}
    guided = slides.minutes(slides.taking(deck, lecture["sections"]))
    assert guided == pytest.approx(lecture["minutes"]), "the guide has others"
    assert [slide.section for slide in deck if slide.kind == "statement"].count("rule") == 1
    assert all(1 < slide.minutes < 5 for slide in deck if slide.kind in ("picture", "question"))
    said = "\n".join(note for slide in deck for note in slide.notes)
    for order in ("This cell", "next cell", "Shift + Enter", "scroll up", "**Exercise"):
        assert order not in said
    assert all(set(slide.knobs) <= slide.picture.knobs().keys() for slide in pictured)
    named = sum("picture" in about(cell) or "knobs" in about(cell) for cell in notebook.cells)
    assert named <= len(pictured), "of a picture that there is not"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_models_head_is_seen_where_its_section_asks_about_it(path):
    is_seen = set()
    for slide in reversed(slides.slides(StoredLesson(path).notebook)):
        if isinstance(slide.picture, (RealHead, HeadBrowser)):
            is_seen.add(slide.section)
        else:
            assert slide.kind != "question" or slide.section not in is_seen, slide.html


# ---------------------------------------------------------------- for a lecture


@pytest.fixture
def made():
    """A title of 1 minute, five sections of 3 minutes, and a rule of 1, at their own pace."""
    cells = []
    for number in range(1, 6):
        shown = shows(plain="ThreeDoors(door='none')", headline="A")
        cells += [f"## {number} It", shown, text("Words.")]
    rule = text("## The rule", role="rule", headline="So.")
    optional = text("## Optional", role="optional", headline="More.")

    def with_lecture(*named, more=()):
        minutes = 2 + 3 * len([*named, *more])
        own = {"lecture": {"minutes": minutes, "sections": named}} if named else {}
        return lesson(*cells[:5], *more, *cells[5:], rule, optional, **own)

    return with_lecture


def sections(deck):
    return [slide.section for slide in deck]


def test_sections_come_in_the_lessons_order_between_title_and_rule(made):
    assert sections(slides.choose_slides(made(), [3, 1])) == ["opening", 1, 3, "rule"]
    with pytest.raises(ValueError, match="RoPE has slides of sections 1, 2, 3, 4, 5; got 7"):
        slides.choose_slides(made(), [1, 7])


@pytest.mark.parametrize(
    ("named", "minutes", "wanted"),
    [
        ((), 8, [1, 2]),
        ((), 10, [1, 2]),
        ((2, 4), 8, [2, 4]),
        ((2, 4), 7, [2]),
        ((2, 4, 5), 10, [2, 4]),
        ((2, 4), 11, [1, 2, 4]),
    ],
)
def test_the_lessons_own_lecture_comes_first_then_what_fits(made, named, minutes, wanted):
    deck = slides.choose_slides(made(*named), time=minutes)
    assert sections(deck) == ["opening", *wanted, "rule"]


def test_sections_with_exercises_come_before_the_lessons_own(made):
    exercise = new_code_cell("check_it(mine)")
    with_exercise = made(1, 2, 3, more=[exercise])  # which is in section 2
    assert sections(slides.choose_slides(with_exercise, time=6)) == ["opening", 2, "rule"]


def test_sections_with_formulas_come_before_the_lessons_own(made):
    with_formula = made(1, 3, more=[text("$$a$$")])  # which is in section 2
    assert sections(slides.choose_slides(with_formula, time=9))[1:-1] == [2, 2]


def test_what_was_taken_and_left_out_is_told(made):
    told = []
    left_out = (
        "Left out: sections 1, 3, 4, 5; with them it takes 17. With what is optional, too, it "
        "takes 18. The lesson's own lecture, sections 2, 4, takes 8 minutes."
    )
    slides.choose_slides(made(2, 4), time=6, tell=told.append)
    assert sections(slides.choose_slides(made(2, 4), time=17, tell=told.append))[-1] == "rule"
    whole = slides.choose_slides(made(2, 4), time=18, tell=told.append)
    assert sections(whole)[-2:] == ["optional", "rule"]
    assert told == [
        f"05 · RoPE: 5 minutes: section 2. {left_out}",
        "05 · RoPE: 17 minutes: sections 1, 2, 3, 4, 5. With what is optional, too, it takes 18.",
        "05 · RoPE: 18 minutes: sections 1, 2, 3, 4, 5.",
    ]
    with pytest.raises(ValueError, match="05 · RoPE takes 5 minutes at least"):
        slides.choose_slides(made(2, 4), time=4)


# ---------------------------------------------------------------- as files


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A written lesson with one picture; its folder and its page's text."""
    words = "$\\mathrm{inv\\_freq}$ [A lesson](02_sinusoidal_tables.ipynb) & more."
    notebook = lesson(words, shows(plain=MAP, headline="Where $x < y$"))
    stored = StoredLesson(Path("notebooks/05_rope.ipynb"))
    stored.notebook = notebook
    monkeypatch.setattr(slides, "write_python", lambda to: 33)
    own = tmp_path / "mine.css"
    own.write_text("h1 { color: red; }")
    front = slides.Front("Less < more", "A. B.", "May", own)
    to = tmp_path / "site"
    path = slides.write_slides(stored, to, front=front)
    assert path == to / "05_rope_slides.html"
    return path.parent, path.read_text("utf-8")


def test_the_page_names_no_other_host_and_all_its_files_are_there(written):
    folder, page = written
    tags = Tags(page).tags
    (policy,) = [t["content"] for tag, t in tags if t.get("http-equiv")]
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"https?:|\*", policy)
    assert all(source.startswith("'sha256-") for source in script_sources(policy))
    links = [t.get("src") or t.get("href") for _, t in tags if t.get("src") or t.get("href")]
    beside = [link for link in links if not link.startswith("data:image/svg+xml;base64,")]
    assert len(beside) == 4
    for link in beside:
        assert (folder / link).is_file(), link
        assert link.startswith("assets/")
    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) < 4e6


def test_what_is_written_is_escaped_and_links_to_notebooks_are_words(written):
    _, page = written
    tags = Tags(page).tags
    assert "<title>Less &lt; more: slides</title>" in page
    assert '<p class="by">A. B. · May</p>' in page
    assert "Where $x &lt; y$" in page
    assert "<a>A lesson</a> &amp; more." in page
    assert r"$\mathrm{inv\_freq}$" in page
    assert ".ipynb" not in page
    assert ("html", {"lang": "en"}) in tags


def test_a_picture_waits_in_vectors_light_and_dark_with_two_knobs(written):
    tags = Tags(written[1]).tags
    (place,) = [t for tag, t in tags if "data-picture" in t]
    assert (place["data-picture"], place["data-knobs"]) == ("EncodingMap", "encoding every")
    (light,) = [t for tag, t in tags if tag == "img"]
    (dark,) = [t["srcset"] for tag, t in tags if tag == "source"]
    assert light["alt"].startswith("RoPE enters at the query and key")
    drawn = [base64.b64decode(each.partition(",")[2]) for each in (light["src"], dark)]
    assert [b"#1b1e23" in each for each in drawn] == [False, True]
    assert all(b"<svg" in each for each in drawn)
