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
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from posviz.pictures.picture import Picture
from posviz.pictures.scripts import as_script
from posviz_tools.notebooks import about
from posviz_tools.publish import assets
from posviz_tools.publish.clean import markdown
from posviz_tools.publish.lesson import StoredLesson, asked
from posviz_tools.publish.live.build import write_python
from posviz_tools.publish.place import alive, picture_of, still

HERE = Path(__file__).parent
SCRIPT = as_script(HERE / "slides.js")
MINUTES = {"title": 1, "picture": 3, "question": 2, "statement": 1}  # as the lessons' times have it
OPENING, RULE = "opening", "rule"  # sections without a number
KNOBS = 2  # at first sight
IDLE = 3  # minutes; who has more to spare is told of the next section

HEADING = re.compile(r"(#+) (?:(\d+) )?(.*)\n*")
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
        return _living(self.picture, self.knobs) if self.picture else self.html


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
    deck = [Slide("title", title.strip("# \n"), markdown(question), notes=[question])]
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
    metadata, outputs = about(cell), cell.get("outputs", [])
    if metadata.get("headline"):
        shown = [output.get("data", {}).get("text/plain", "") for output in outputs]
        picture = picture_of(metadata.get("picture") or "".join(shown[:1]))
        if picture is None:
            return Slide("statement", metadata["headline"])
        knobs = metadata.get("knobs") or picture.first_knobs()[:KNOBS]
        return Slide("picture", metadata["headline"], picture=picture, knobs=knobs)
    for output in outputs:
        if prediction := asked(output.get("data", {}).get("text/html", "")):
            return Slide("question", html=prediction.html, notes=[prediction.notes])
    return None


def _living(picture: Picture, knobs: list[str]) -> str:
    """HTML of a picture that will live, and until then is drawn: in vectors, light and dark."""
    vectors = []
    with tempfile.TemporaryDirectory() as folder:
        for dark in (False, True):
            file = picture.save(Path(folder) / "picture.svg", dark=dark)
            vectors.append(base64.b64encode(file.read_bytes()).decode())
    addresses = (f"data:image/svg+xml;base64,{each}" for each in vectors)
    stored = still(picture.caption(picture.compute()), *addresses)
    return alive(type(picture).__name__, picture.values(), stored, knobs)


# ---------------------------------------------------------------- for a lecture


def choose_slides(
    lesson: NotebookNode,
    wanted: Iterable[int] = (),
    time: float = 0,
    tell: Callable[[str], object] = lambda message: None,
) -> list[Slide]:
    """The slides of a lesson, of the sections that are wanted, or of what can be taught in a time.

    tell: is called with what was taken, what was left out, and what the lesson's own lecture takes.
    Raises ValueError for a section without slides, and where not even one fits.
    """
    deck, own = slides(lesson), about(lesson).get("lecture", {}).get("sections", [])
    numbers = (slide.section for slide in deck if isinstance(slide.section, int))
    there, name = list(dict.fromkeys(numbers)), deck[0].headline
    order = [*own, *(number for number in there if number not in own)]
    wanted = _fitting(deck, own, order, time) if time else sorted(set(wanted)) or there
    if missing := sorted(set(wanted) - set(there)):
        raise ValueError(f"{name} has slides of {_listed(there)}; got {missing[0]}")

    def takes(sections) -> str:
        return f"takes {minutes(taking(deck, sections)):.0f}"

    is_whole = wanted == there and (not time or minutes(deck) <= time)  # with what is optional
    chosen = deck if is_whole else taking(deck, wanted)
    message = f"{name}: {minutes(chosen):.0f} minutes: {_listed(wanted)}."
    if left := sorted(set(there) - set(wanted)):
        message += f" Left out: {_listed(left)}; with them it {takes(there)}."
    if set(own) - set(wanted):
        message += f" The lesson's own lecture, {_listed(own)}, {takes(own)} minutes."
    following = [number for number in order if number not in wanted]
    if following and time - minutes(chosen) > IDLE:
        more = sorted([*wanted, following[0]])
        message += f" `--sections {','.join(map(str, more))}` {takes(more)} minutes."
    tell(message)
    return chosen


def _fitting(deck, own, order, time) -> list[int]:
    """The lesson's own lecture as far as it fits, and if all of it does, others that fit, too."""
    fitting: list[int] = []
    for number in order:
        needed = minutes(taking(deck, [*fitting, number]))
        if needed <= time + 0.01:  # for rounding
            fitting.append(number)
        elif not fitting:
            raise ValueError(f"{deck[0].headline} takes {needed:.0f} minutes at least")
        elif number in own:
            break
    return sorted(fitting)


def _listed(sections) -> str:
    listed = ", ".join(map(str, sections))
    return f"section{'s' * (len(sections) > 1)} {listed}" if listed else "no sections"


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
