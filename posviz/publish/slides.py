"""A lesson as slides for a projector: Reveal.js, on each a headline and a living picture.

A cell with a `headline` in its metadata, under `posviz`, is a slide: with the `picture` that is
named there, else with the one that the cell shows, else as a statement. `knobs` are those at first
sight. A prediction is a slide by itself. Text is in the speaker's notes of the next slide of its
section; what nbconvert's `slideshow.slide_type` calls `notes`, of the slide before; what it calls
`skip`, nowhere.
"""

import base64
import functools
import json
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup
from nbformat import NotebookNode

from posviz.pictures.picture import Picture
from posviz.pictures.scripts import as_script
from posviz.publish.assets import (
    LIVE_POLICY,
    THEME,
    policy,
    scripts,
    styles,
    write_file,
    write_library,
)
from posviz.publish.clean import markdown
from posviz.publish.lesson import StoredLesson, about
from posviz.publish.live.build import write_python
from posviz.publish.place import alive, picture_of, read_picture
from posviz.publish.speaker import asked

HERE = Path(__file__).parent
SCRIPT = as_script(HERE / "slides.js")
MINUTES = {"title": 1, "picture": 3, "question": 2, "statement": 1}  # as the lessons' times have it
OPENING, RULE = "opening", "rule"  # sections without a number
KNOBS = 2  # at first sight

HEADING = re.compile(r"(#+) (?:(\d+) )?(.*)\n*")
TO_NOTEBOOK = re.compile(r'<a href="[^"]*\.ipynb[^>]*>(.*?)</a>')
IMAGE = re.compile(r"<img[^>]*>")
LEADS_ON = re.compile(r"(^|(?<=[.?!]) )((?![.?!] ).)+:\s*\Z", re.MULTILINE)  # to what a cell shows


@dataclass
class Slide:
    """A slide: headline and notes in Markdown, and a picture or other HTML.

    section: its number, or the role of one that has none.
    """

    kind: str
    headline: str = ""
    html: str = ""
    picture: Picture | None = None
    knobs: list[str] = field(default_factory=list)  # at first sight
    section: int | str = OPENING
    notes: list[str] = field(default_factory=list)
    minutes: float = 0

    @property
    def stage(self) -> str:
        """The HTML that fills it."""
        return _place(self.picture, self.knobs) if self.picture else self.html


class Front(NamedTuple):
    """What a lecturer puts on a deck: words for the first slide, and a style sheet over ours."""

    title: str = ""
    author: str = ""
    date: str = ""
    css: Path | None = None


def slides(lesson: NotebookNode) -> list[Slide]:
    """The slides of a lesson, in its order."""
    title, _, opening = lesson.cells[0].source.partition("\n\n")
    question, _, opening = opening.partition("\n\n")
    waiting = [opening]
    deck = [Slide("title", title.strip("# \n"), _html(question), notes=[question])]
    section: int | str = OPENING
    for cell in lesson.cells[1:]:
        mark = cell.metadata.get("slideshow", {}).get("slide_type")
        heading = HEADING.match(cell.source) if cell.cell_type == "markdown" else None
        if heading and len(heading[1]) == 2:
            _say(deck, section, waiting)
            waiting = []
            section = int(heading[2]) if heading[2] else about(cell).get("role", section)
        if mark == "skip":
            continue
        slide = _slide(cell)
        if slide:
            slide.section, slide.notes, waiting = section, waiting + slide.notes, []
            deck.append(slide)
        if cell.cell_type == "markdown":
            text = LEADS_ON.sub("", cell.source[heading.end() if heading else 0 :])
            is_beside = slide or (mark == "notes" and deck[-1].section == section)
            (deck[-1].notes if is_beside else waiting).append(text)
    _say(deck, section, waiting)
    if len(deck) == 1:
        raise ValueError("no cell has a headline in its metadata, and none asks a question")
    return _timed(deck, about(lesson).get("lecture", {}))


def _say(deck, section, waiting) -> None:
    """Let words that no slide has followed be said beside the last slide of their section."""
    if deck[-1].section == section:
        deck[-1].notes += waiting


def taking(deck: list[Slide], sections) -> list[Slide]:
    """Of a deck the opening, these sections, and the rule."""
    return [slide for slide in deck if slide.section in {OPENING, RULE, *sections}]


def minutes(deck: list[Slide]) -> float:
    """How long these slides take."""
    return sum(slide.minutes for slide in deck)


def _timed(deck, lecture) -> list[Slide]:
    """The slides with their minutes, in which the lesson's own lecture is as long as it says."""
    for slide in deck:
        slide.minutes = MINUTES[slide.kind]
    if lecture:
        pace = lecture["minutes"] / minutes(taking(deck, lecture["sections"]))
        for slide in deck:
            slide.minutes *= pace
    return deck


def _slide(cell) -> Slide | None:
    told, outputs = about(cell), cell.get("outputs", [])
    if told.get("headline"):
        shown = [output.get("data", {}).get("text/plain", "") for output in outputs]
        name, values = read_picture(told.get("picture") or "".join(shown[:1]))
        own = not name or ... in values.values()
        picture = None if own else picture_of(name, values)
        if picture is None:
            return Slide("statement", told["headline"])
        knobs = told.get("knobs") or picture.first_knobs()[:KNOBS]
        return Slide("picture", told["headline"], picture=picture, knobs=knobs)
    for output in outputs:
        html = IMAGE.sub("", TO_NOTEBOOK.sub(r"\1", output.get("data", {}).get("text/html", "")))
        if prediction := asked(html):
            return Slide("question", html=html, notes=[prediction.notes])
    return None


def _place(picture: Picture, knobs: list[str]) -> str:
    """HTML of a picture that will live, and until then is drawn: in vectors, light and dark."""
    caption = escape(picture.caption(picture.compute()))
    light, dark = (f"data:image/svg+xml;base64,{_svg(picture, dark)}" for dark in (False, True))
    still = f"""<figure class="posviz-screen posviz-still">
<picture><source media="not all" srcset="{dark}"><img src="{light}" alt="{caption}"></picture>
<figcaption>{caption}</figcaption>
</figure>"""
    return alive(type(picture).__name__, picture.values(), still, knobs)


def _svg(picture, dark) -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = picture.save(Path(folder) / "picture.svg", dark=dark)
        return base64.b64encode(file.read_bytes()).decode()


def _html(text: str) -> Markup:
    """Markdown as HTML, in which links to other notebooks are plain text."""
    return Markup(TO_NOTEBOOK.sub(r"\1", markdown(text)))


def _inline(text: str) -> Markup:
    """A paragraph of Markdown as what is inside it."""
    return Markup(_html(text).strip().removeprefix("<p>").removesuffix("</p>"))


@functools.cache
def _policy() -> str:
    """The policy of a deck: Reveal.js writes the speaker's window, with a script and frames."""
    libraries = [*scripts("mathjax"), *scripts("reveal")]
    quoted = re.findall(r"<script>(.*?)<\\/script>", "".join(libraries))
    speakers = [json.loads(f'"{text}"') for text in quoted]
    own = [THEME, SCRIPT, *libraries, *speakers]
    return policy(own, "img-src data:", "frame-src 'self' file:", *LIVE_POLICY)


def write_slides(
    lesson: StoredLesson, to: Path, choose: Callable = slides, front: Front | None = None
) -> Path:
    """Write the slides of a stored lesson, `05_rope_slides.html`, and `assets` beside them.

    `choose` makes of the notebook those that are wanted; see `posviz.publish.lecture`.
    Raises what it raises, RuntimeError that names a cell which was not run, and OSError where the
    place cannot be written to.
    """
    lesson.check_was_run()
    deck, front, assets = choose(lesson.notebook), front or Front(), to / "assets"
    pages = Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True)
    pages.filters |= {"markdown": _html, "inline": _inline}
    page = pages.get_template("slides.html.j2").render(
        deck=deck, front=front, script=SCRIPT, theme=THEME, policy=_policy()
    )
    for name in ("mathjax", "reveal"):
        write_library(name, assets)
    write_file(assets / "slides.css", styles(HERE / "slides.css"))
    if front.css:
        write_file(assets / "own.css", front.css.read_bytes())
    write_python(to)
    return write_file(to / f"{lesson.stem}_slides.html", page.encode())


def write_pdf(deck: Path) -> Path:
    """Print written slides, `05_rope_slides.pdf`, with a Chromium that is installed."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("google-chrome")  # else Playwright's own
        page = playwright.chromium.launch(executable_path=program).new_page()
        page.goto(f"{deck.resolve().as_uri()}?print-pdf")
        page.wait_for_selector(".pdf-page")
        printed = page.pdf(prefer_css_page_size=True, print_background=True)
    return write_file(deck.with_suffix(".pdf"), printed)
