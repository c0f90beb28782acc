"""A lesson as slides for a projector: Reveal.js, with the pictures alive and no other host.

Each cell says what it becomes by nbconvert's metadata, `slideshow.slide_type`: a `slide` begins a
stack, a `subslide` a slide below it, `notes` are said beside the slide and `skip` is left out; a
cell without a mark is shown on the slide of the cell before it. A heading that begins a `slide`
names its whole stack. Of a code cell its picture is shown, no code, and what it prints where the
text before it is: on the slide if it is short, else beside it; a table has a slide of its own. A
heading without words, and a line that announces a picture, stand on the picture's slide.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from nbformat import NotebookNode

from posviz.pictures.scripts import as_script
from posviz.publish import live
from posviz.publish.assets import policy, scripts, styles, write, write_library
from posviz.publish.clean import markdown
from posviz.publish.lesson import about, living
from posviz.publish.speaker import asked
from posviz.wording import quoted

HERE = Path(__file__).parent
SCRIPT = as_script(HERE / "slides.js")
LIBRARIES = [*scripts("mathjax"), *scripts("reveal")]
# The speaker's window is written by Reveal.js, with a script in it, and shows the slides in frames.
SPEAKERS = [
    json.loads(f'"{text}"') for text in re.findall(r"<script>(.*?)<\\/script>", "".join(LIBRARIES))
]
POLICY = policy(
    [SCRIPT, *LIBRARIES, *SPEAKERS], "img-src data:", "frame-src 'self' file:", *live.POLICY
)
MARKS = ("slide", "subslide", "notes", "skip", "-")
LINES, WIDTH = 6, 72  # of printed text on a slide, at most
DENSE = 420  # characters on a slide, from which on its letters are smaller
LINE = 110  # characters above a picture, which leave it large

HEADING = re.compile(r"(#+) (.*)\n*")
BAR = re.compile(r"^.*%\|.*\n?", re.MULTILINE)  # of progress, which is over
TABLE = '<div class="posviz-table">'
ROWS = 10  # of a table on a slide, at most
FORMULA = re.compile(r"\$\$.*?\$\$", re.DOTALL)
TO_NOTEBOOK = re.compile(r'<a href="[^"]*\.ipynb[^>]*>(.*?)</a>')
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\.ipynb\)")
UNSEEN = re.compile(FORMULA.pattern + r"|\[|\]\([^)]*\)", re.DOTALL)  # and a link but for its words


@dataclass
class Slide:
    """A slide: its section, Markdown that is shown or said, and HTML of a picture."""

    section: str
    level: int = 0  # of its heading: 1 for the lesson or a half of it, 2 for a section
    shown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    picture: str = ""
    role: str = ""  # of the cell that begins it: "rule" where the lesson is summed up

    @property
    def kind(self) -> str:
        """How it is laid out."""
        return "picture" if self.picture else ("text", "title", "section")[self.level]

    @property
    def dense(self) -> bool:
        """Whether so much text is shown that the letters must be small."""
        return sum(len(UNSEEN.sub("", text)) for text in self.shown) > DENSE


def stacks(notebook: NotebookNode) -> list[list[Slide]]:
    """The slides of a lesson, a list for each cell that is marked as a `slide`, and for the first.

    Raises ValueError where such a cell does not begin with a heading, or a mark is unknown.
    """
    stacks: list[list[Slide]] = []
    said: list[str] = []
    skipped = False
    for number, cell in enumerate(notebook.cells):
        shown = cell.metadata.get("slideshow")
        mark = shown.get("slide_type") or "-" if isinstance(shown, dict) else shown or "-"
        if mark not in MARKS:
            allowed = ", ".join(MARKS)
            raise ValueError(
                f"cell {number}: slide_type must be one of {allowed}; got {quoted(mark)}"
            )
        # What code shows that follows on a skipped cell is left out, too.
        skipped = mark == "skip" or (skipped and mark == "-" and cell.cell_type == "code")
        if skipped:
            continue
        text = cell.source if cell.cell_type == "markdown" else ""
        if mark == "slide" or not stacks:
            heading = HEADING.match(text)
            if not heading:
                what = f"cell {number}: a slide must begin with a # heading; got {text[:40]!r}"
                raise ValueError(what)
            level = min(len(heading[1]), 2)
            stacks.append([Slide(heading[2], level, role=about(cell).get("role", ""))])
            text = text[heading.end() :]
        elif mark == "subslide":
            stacks[-1].append(Slide(stacks[-1][0].section))
        slide = stacks[-1][-1]
        if text:
            said = slide.notes if mark == "notes" else slide.shown
            said.append(text)
        elif mark != "-":
            said = slide.notes
        printed = "".join(output.get("text", "") for output in cell.get("outputs", []))
        if printed := BAR.sub("", printed):
            lines = printed.rstrip().splitlines()
            long = len(lines) > LINES or max(map(len, lines)) > WIDTH
            place = slide.notes if said is slide.shown and long else said
            fence = "`" * (1 + max([2, *map(len, re.findall("`+", printed))]))
            place.append(f"{fence}\n{printed.rstrip()}\n{fence}")
        for output in cell.get("outputs", []):
            for picture in _pictures(output):
                if slide.picture or (picture.startswith(TABLE) and slide.shown):
                    slide = Slide(slide.section)
                    stacks[-1].append(slide)
                    said = slide.notes
                slide.picture = picture
                if prediction := asked(picture):
                    slide.notes.append(prediction.notes)
    return [_joined(stack) for stack in stacks]


def _joined(stack: list[Slide]) -> list[Slide]:
    """The stack in which no slide is left that only announces the picture of the next."""
    joined: list[Slide] = []
    for slide in stack:
        before = joined[-1] if joined else None
        if before and slide.picture and _announces(before, slide):
            joined.pop()
            slide.shown = before.shown + slide.shown
            slide.notes = before.notes + slide.notes
        joined.append(slide)
    return joined


def _announces(before: Slide, slide: Slide) -> bool:
    if before.picture or before.level == 1 or slide.shown:
        return False
    if not before.shown:
        return True
    seen = UNSEEN.sub("", "\n\n".join(before.shown))
    few = len(seen) <= LINE and "\n\n" not in seen and not FORMULA.search(before.shown[0])
    return few and not before.level and "posviz-prediction" not in slide.picture


def _pictures(output: NotebookNode) -> list[str]:
    """The HTML of a living picture, of a figure or of a table, which may be long."""
    data = output.get("data", {})
    shown = data.get("text/html", "")
    if re.search("posviz-(explorer|prediction)", shown):
        return [TO_NOTEBOOK.sub(r"\1", shown)]
    if "image/png" in data:
        image = f"data:image/png;base64,{data['image/png']}"
        alt = escape(output.metadata.get("image/png", {}).get("alt", ""))
        return [f'<figure><img src="{image}" alt="{alt}"><figcaption>{alt}</figcaption></figure>']
    table = BeautifulSoup(shown, "html.parser").table
    rows = table.select("tbody > tr") if table else []
    return [
        f"{TABLE}<table>{table.thead or ''}<tbody>{''.join(map(str, rows[first : first + ROWS]))}"
        "</tbody></table></div>"
        for first in range(0, len(rows), ROWS)
        if table
    ]


def _html(texts: list[str]) -> Markup:
    """Markdown as HTML: what is folded stands open, links to other notebooks are plain text."""
    text = "\n\n".join(texts).replace("<details>", "<details open>")
    return Markup(markdown(LINK.sub(r"\1", text)))


def _inline(texts: list[str]) -> Markup:
    """A paragraph of Markdown as what is inside it."""
    return Markup(_html(texts).strip().removeprefix("<p>").removesuffix("</p>"))


def write_slides(notebook: Path, to: Path, choose: Callable = stacks) -> Path:
    """Write the slides of a stored lesson, `05_rope_slides.html`, and `assets` beside them.

    `choose` makes of the notebook those that are wanted; see `posviz.publish.lecture`.
    Raises what it raises, RuntimeError that names a cell which was not run, and OSError where the
    place cannot be written to.
    """
    lesson, assets = choose(living(notebook)), to / "assets"
    pages = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    pages.filters |= {"markdown": _html, "inline": _inline}
    page = pages.get_template("slides.html.j2").render(
        title=lesson[0][0].section, stacks=lesson, script=SCRIPT, policy=POLICY
    )
    for name in ("mathjax", "reveal"):
        write_library(name, assets)
    write(assets / "slides.css", styles(HERE / "slides.css"))
    live.write(to)
    return write(to / f"{notebook.stem}_slides.html", page.encode())
