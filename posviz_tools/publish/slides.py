"""A lesson as slides for a projector: Reveal.js, on each a headline and a living picture.

A cell with a `headline` in its metadata, under `posviz`, is a slide: with the `picture` that is
named there, else with the one that the cell shows, else as a statement. `knobs` are those at first
sight; a clicker goes through the values of the knob that `steps` names. Formulas on lines of their
own are a slide before that, called `formula` or as their section, and `symbols` say what is in
them. A prediction is a slide by itself, beside the first panel of its `picture`, if it names one.
Text is in the speaker's notes of the next slide of its section; what nbconvert's
`slideshow.slide_type` calls `notes`, of the slide before; what it calls `skip`, nowhere.
"""

import base64
import functools
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from nbformat import NotebookNode

from posviz.pictures.picture import Picture
from posviz.pictures.scripts import as_script
from posviz_tools.notebooks import about
from posviz_tools.publish import assets
from posviz_tools.publish.clean import markdown
from posviz_tools.publish.lesson import StoredLesson, asked
from posviz_tools.publish.live.build import write_python
from posviz_tools.publish.place import alive, image, picture_of, still

HERE = Path(__file__).parent
SCRIPT = as_script(HERE / "slides.js")
MINUTES = {
    "title": 1,
    "picture": 3,
    "question": 2,
    "statement": 1,
    "formula": 1,
}  # as the lessons' times have it
OPENING, RULE = "opening", "rule"  # sections without a number
KNOBS = 2  # at first sight
BESIDE: dict[str, Any] = {"panel": 1, "width": 3.6}  # inches: what is seen beside a question

FORMULA = re.compile(r"^\$\$.+?\$\$", re.MULTILINE | re.DOTALL)
CHECK = re.compile(r"^check_\w+\(", re.MULTILINE)
HEADING = re.compile(r"(#+) (?:(\d+) )?(.*)\n*")
ASKS = re.compile(r".*\?\*?|.*")  # a first paragraph up to its question, if it has one
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
    steps: str = ""  # the knob whose values a clicker goes through
    section: int | str = OPENING
    notes: list[str] = field(default_factory=list)
    minutes: float = 0
    has_exercise: bool = False  # its section has one

    @property
    def stage(self) -> str:
        """The HTML that fills it."""
        if not self.picture:
            return self.html
        if self.kind == "question":
            return self.html + _drawn(self.picture, **BESIDE)
        return _living(self.picture, self.knobs, self.steps)


class Front(NamedTuple):
    """What a lecturer puts on a deck: words for the first slide, and a style sheet over ours."""

    title: str = ""
    author: str = ""
    date: str = ""
    css: Path | None = None


def slides(lesson: NotebookNode) -> list[Slide]:
    """The slides of a lesson, in its order."""
    title, _, opening = lesson.cells[0].source.partition("\n\n")
    asks = ASKS.findall(opening)[0]
    waiting = [opening[len(asks) :].strip()]
    deck = [Slide("title", title.strip("# \n"), markdown(asks), notes=[asks])]
    section: int | str = OPENING
    named, exercises = "", set()
    for cell in lesson.cells[1:]:
        mark = cell.metadata.get("slideshow", {}).get("slide_type")
        heading = HEADING.match(cell.source) if cell.cell_type == "markdown" else None
        if heading and len(heading[1]) == 2:
            _say(deck, section, waiting)
            waiting = []
            section = int(heading[2]) if heading[2] else about(cell).get("role", section)
        named = heading[3] if heading else named
        if CHECK.search(cell.source):
            exercises.add(section)
        if mark == "skip":
            continue
        if mark != "notes":
            deck += _formulas(cell, named, section)
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
    for slide in deck:
        slide.has_exercise = slide.section in exercises
    closing = [slide for slide in deck if slide.section == RULE]  # after what is optional
    deck = [*(slide for slide in deck if slide.section != RULE), *closing]
    return _timed(deck, about(lesson).get("lecture", {}))


def _say(deck, section, waiting) -> None:
    """Add words that no slide has followed to the notes of their section's last slide."""
    if deck[-1].section == section:
        deck[-1].notes += waiting


def taking(deck: list[Slide], sections) -> list[Slide]:
    """Return a deck's opening, these sections, and its rule."""
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
    metadata, outputs = about(cell), cell.get("outputs", [])
    if metadata.get("headline"):
        shown = [output.get("data", {}).get("text/plain", "") for output in outputs]
        picture = picture_of(metadata.get("picture") or "".join(shown[:1]))
        if picture is None:
            return Slide("statement", metadata["headline"])
        knobs = metadata.get("knobs") or picture.first_knobs()[:KNOBS]
        steps = metadata.get("steps", "")
        return Slide("picture", metadata["headline"], picture=picture, knobs=knobs, steps=steps)
    for output in outputs:
        if prediction := asked(output.get("data", {}).get("text/html", "")):
            picture = picture_of(metadata.get("picture", ""))
            return Slide("question", "", prediction.html, picture, notes=[prediction.notes])
    return None


def _formulas(cell, named, section) -> list[Slide]:
    """A slide of a text's formulas, if it has any on lines of their own."""
    shown = FORMULA.findall(cell.source) if cell.cell_type == "markdown" else []
    words = about(cell)
    html = markdown("\n\n".join([*shown, words.get("symbols", "")]))
    slide = Slide("formula", words.get("formula", named), html, section=section)
    return [slide] if shown else []


def _living(picture: Picture, knobs: list[str], steps: str = "") -> str:
    """HTML of a picture that will live, and until then is drawn: in vectors, light and dark.

    steps: a knob at whose values it is drawn, one after the other, from the first on.
    """
    if not steps:
        return alive(type(picture).__name__, picture.values(), _drawn(picture), knobs)
    knob, drawn = picture.knobs()[steps], []
    for value in knob.values[: knob.limits(picture)["last_place"] + 1]:
        setattr(picture, steps, value)
        drawn.append(_drawn(picture))
    setattr(picture, steps, knob.values[0])
    first, *others = drawn
    following = "".join(f'<div class="fragment step">{figure}</div>' for figure in others)
    about = f'class="posviz-still steps" data-label="{escape(knob.label)}"'
    stack = f"<div {about}>{first}{following}</div>"
    return alive(type(picture).__name__, picture.values(), stack, knobs)


def _drawn(picture: Picture, **look: Any) -> str:
    """HTML of a picture as it is, in vectors, light and dark."""
    vectors = []
    with tempfile.TemporaryDirectory() as folder:
        for dark in (False, True):
            file = picture.save(Path(folder) / "picture.svg", dark=dark, **look)
            vectors.append(base64.b64encode(file.read_bytes()).decode())
    light, night = (f"data:image/svg+xml;base64,{vector}" for vector in vectors)
    caption = picture.caption(picture.compute())
    return still(caption, image(caption, light, night))


# ---------------------------------------------------------------- for a lecture


def choose_slides(
    lesson: NotebookNode,
    wanted: Iterable[int] = (),
    time: float = 0,
    tell: Callable[[str], object] = lambda message: None,
) -> list[Slide]:
    """The slides of a lesson, of the sections that are wanted, or of what can be taught in a time.

    tell: is called with a message: the sections taken and left out, and the own lecture's minutes.
    Raises ValueError for a section without slides, and where not even one fits.
    """
    deck, own = slides(lesson), about(lesson).get("lecture", {}).get("sections", [])
    numbers = (slide.section for slide in deck if isinstance(slide.section, int))
    there, name = list(dict.fromkeys(numbers)), deck[0].headline
    wanted = _fitting(deck, own, there, time) if time else sorted(set(wanted)) or there
    if missing := sorted(set(wanted) - set(there)):
        raise ValueError(f"{name} has slides of {_listed(there)}; got {missing[0]}")

    def takes(sections) -> str:
        return f"takes {_whole(taking(deck, sections))}"

    # With what is optional, where there is time for all.
    is_whole = wanted == there and (not time or _whole(deck) <= round(time))
    chosen = deck if is_whole else taking(deck, wanted)
    message = f"{name}: {_whole(chosen)} minutes: {_listed(wanted)}."
    if left := sorted(set(there) - set(wanted)):
        message += f" Left out: {_listed(left)}; with them it {takes(there)}."
    if not is_whole and _whole(deck) > _whole(taking(deck, there)):
        message += f" With what is optional, too, it takes {_whole(deck)}."
    if set(own) - set(wanted):
        message += f" The lesson's own lecture, {_listed(own)}, {takes(own)} minutes."
    tell(message)
    return chosen


def _whole(deck) -> int:
    """Minutes as they are told and compared everywhere."""
    return round(minutes(deck))


def _fitting(deck, own, there, time) -> list[int]:
    """Return the sections that fit: as many as possible of those that count.

    First those with exercises, then those with formulas, which exercises need, then the own ones.
    """
    needed = {slide.section for slide in deck if slide.has_exercise}
    formulas = {slide.section for slide in deck if slide.kind == "formula"}

    def worth(sections):
        """What counts first comes first; the earliest sections win where all is equal."""
        chosen = set(sections)
        early = [-number for number in sections]
        counts = (len(chosen & each) for each in (needed, formulas, set(own)))
        return *counts, _whole(taking(deck, sections)), early

    sets = (subset for count in range(1, len(there) + 1) for subset in combinations(there, count))
    fitting = [subset for subset in sets if _whole(taking(deck, subset)) <= round(time)]
    if not fitting:
        least = min(_whole(taking(deck, [number])) for number in there)
        raise ValueError(f"{deck[0].headline} takes {least} minutes at least")
    return list(max(fitting, key=worth))


def _listed(sections) -> str:
    listed = ", ".join(map(str, sections))
    noun = "sections" if len(sections) > 1 else "section"
    return f"{noun} {listed}" if listed else "no sections"


# ---------------------------------------------------------------- as files


@functools.cache
def _policy() -> str:
    """The policy of a deck: Reveal.js writes the speaker's window, with a script and frames."""
    libraries = [*assets.scripts("mathjax"), *assets.scripts("reveal")]
    quoted = re.findall(r"<script>(.*?)<\\/script>", "".join(libraries))
    speakers = [json.loads(f'"{text}"') for text in quoted]
    own = [assets.THEME, SCRIPT, *libraries, *speakers]
    frames = "frame-src 'self' file:"
    return assets.policy(own, "img-src data:", frames, *assets.LIVE_POLICY)


def write_slides(
    lesson: StoredLesson, to: Path, choose: Callable = slides, front: Front | None = None
) -> Path:
    """Write the slides of a stored lesson, `05_rope_slides.html`, and `assets` beside them.

    `choose` makes of the notebook those that are wanted: see `choose_slides`. Raises what it
    raises, and RuntimeError that names a cell which was not run.
    """
    lesson.check_was_run()
    deck, front, beside = choose(lesson.notebook), front or Front(), to / "assets"
    page = assets.TEMPLATES.get_template("slides.html.j2").render(
        deck=deck,
        front=front,
        script=SCRIPT,
        theme=assets.THEME,
        policy=_policy(),
        markdown=markdown,
        inline=_inline,
    )
    for name in ("mathjax", "reveal"):
        assets.write_library(name, beside)
    assets.write_own(beside / "slides.css", assets.styles(HERE / "slides.css"))
    if front.css:
        assets.write_file(beside / "own.css", front.css.read_bytes())
    write_python(to)
    return assets.write_file(to / f"{lesson.stem}_slides.html", page.encode())


def _inline(text: str) -> str:
    """A paragraph of Markdown as what is inside it."""
    return markdown(text).strip().removeprefix("<p>").removesuffix("</p>")


def write_pdf(deck: Path) -> Path:
    """Print written slides, `05_rope_slides.pdf`, with a Chromium that is installed.

    Raises RuntimeError where there is none.
    """
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("google-chrome")  # else Playwright's own
        try:
            page = playwright.chromium.launch(executable_path=program).new_page()
        except Error as error:
            why = error.message.partition("\n")[0]
            told = f"Chromium does not start: run `playwright install chromium` ({why})."
            raise RuntimeError(told) from None
        page.goto(f"{deck.resolve().as_uri()}?print-pdf")
        page.wait_for_selector(".pdf-page")
        printed = page.pdf(prefer_css_page_size=True, print_background=True)
    return assets.write_file(deck.with_suffix(".pdf"), printed)
