"""A lesson as slides for a projector: Reveal.js, with the pictures alive and no other host.

Which part of a notebook becomes a slide follows from how lessons are written:

- The title, its question, and what a reader will be able to do are the first slide.
- A heading begins a stack, whose first slide has it with the first paragraph, or with its first
  sentence where the paragraph is long, or with the list that stands in its place. The heading of
  a new half stands alone.
- A display formula joins the slide of its heading or of another formula; elsewhere it gets one.
- A figure or a living picture gets a slide, with its caption and with the sentence that announces
  it, one that ends in a colon.
- A paragraph that asks to predict is shown up to its last question mark; a short one with the
  block before it, to which it refers. The folded answer is a slide of its own.
- The takeaway of a lesson is a slide.
- Code, exercises and what is to be read at home are left out. All other prose goes into the notes
  of the slide it follows.
"""

import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from nbconvert.filters import markdown2html
from nbformat import NotebookNode

from posviz.engine.filmstrip import script, styles
from posviz.publish.assets import write, write_library
from posviz.publish.lesson import played

# Nothing comes from another host. From a disk, the page itself has no origin, so files are named.
# The speaker's window is written by Reveal.js, with a script in it, and shows the slides in frames.
POLICY = (
    "default-src 'none'; script-src 'self' file: 'unsafe-inline'; style-src 'self' file: "
    "'unsafe-inline'; img-src data:; frame-src 'self' file:; base-uri 'none'; form-action 'none'"
)
HERE = Path(__file__).parent
TO_READ_AT_HOME = ("What people say", "In practice", "When a picture stands still")
SHORT = 150  # characters of a prompt, below which it is shown with the block before it
LONG = 280  # characters of a paragraph, from which on a heading's slide has its first sentence only
DENSE = 420  # characters on a slide, from which on its letters are smaller
FORMULAS = 3  # at most, on one slide

RULE = re.compile(r"^---$", re.MULTILINE)
BLOCK = re.compile(r"<details>[\s\S]*?</details>|.+(?:\n.+)*")
HEADING = re.compile(r"(#+) (?:\d+ (?!·))?(.*)")
PARAGRAPH = re.compile(r"(?![|<$]|[-*] |\d+\. )")
LIST = re.compile(r"[-*] |1\. ")
SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z$`*])")
ANSWER = re.compile(r"<details><summary>(.*?)</summary>([\s\S]*)</details>")
EXERCISE = re.compile(r" \(exercises? [^)]*\)")
TAKEAWAY = re.compile(r"\*\*(The )?takeaway")
WILL_BE_ABLE = re.compile(r"\*\*You will be able|1\. ")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\.ipynb\)")


@dataclass
class Slide:
    """A slide: its kind and section, Markdown that is shown or said, and HTML of a picture."""

    kind: str
    section: str
    shown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    picture: str = ""

    @property
    def dense(self) -> bool:
        """Whether so much text is shown that the letters must be small."""
        return sum(len(block) for block in self.shown if not block.startswith("$$")) > DENSE


class _Talk:
    """The slides of a notebook so far; `stacks` holds a list of them for each section."""

    def __init__(self):
        self.stacks: list[list[Slide]] = []
        self._at_home = False
        self._before = ""  # the block that a picture or a prompt may refer to
        self._asked = False  # and not yet answered

    @property
    def _slide(self) -> Slide:
        return self.stacks[-1][-1]

    def read(self, cell: NotebookNode):
        """Take the blocks of a Markdown cell to slides, or to the notes of the newest one."""
        self._before = ""
        for block in BLOCK.findall(RULE.sub("", cell.source)):
            if heading := HEADING.match(block):
                self._begin(len(heading[1]), heading[2])
            elif block.startswith("**Exercise"):
                self._at_home = True
            elif not self._at_home:
                if not self._shows(block):
                    self._slide.notes.append(block)
                self._before = "" if self._slide.kind in ("predict", "answer") else block

    def show(self, output: NotebookNode):
        """Give what a cell shows a slide of its own, if it is a picture."""
        if self._at_home or not (picture := _picture(output)):
            return
        sentence = SENTENCE_END.split(self._before)[-1]
        self._add("picture", sentence if sentence.endswith(":") else "").picture = picture
        self._before = ""

    def _begin(self, level: int, heading: str):
        kind = "section" if level > 1 else "part" if self.stacks else "title"
        self.stacks.append([Slide(kind, heading)])
        self._at_home = heading in TO_READ_AT_HOME
        self._before = ""

    def _add(self, kind: str, *shown: str) -> Slide:
        section = self.stacks[-1][0].section
        self.stacks[-1].append(Slide(kind, section, [block for block in shown if block]))
        return self._slide

    def _shows(self, block: str) -> bool:
        """Put the block on a slide, or a part of it; whether all of it can be seen there."""
        slide = self._slide
        if "**Predict" in block:
            asked = block[: block.rfind("?") + 1] or block
            self._add("predict", self._before if len(asked) < SHORT else "", asked)
            self._asked = True
            return asked == block
        if self._asked and (answer := ANSWER.match(block)):
            self._add("answer", f"**{answer[1]}**", answer[2].strip())
            self._asked = False
        elif TAKEAWAY.match(block):
            self._add("takeaway", block)
        elif block.startswith("$$"):
            self._formula(block)
        elif slide.kind == "title" and (len(slide.shown) == 0 or WILL_BE_ABLE.match(block)):
            slide.shown.append(EXERCISE.sub("", block))
        elif slide.kind == "section" and not slide.shown and not slide.notes:
            return self._open_section(block)
        else:
            return False
        return True

    def _formula(self, block: str):
        slide = self._slide
        formulas = sum(shown.startswith("$$") for shown in slide.shown)
        if slide.kind in ("section", "formula") and formulas < FORMULAS:
            slide.shown.append(block)
        else:
            sentence = SENTENCE_END.split(self._before)[-1]
            self._add("formula", sentence if PARAGRAPH.match(sentence) else "", block)

    def _open_section(self, block: str) -> bool:
        first = block
        if not LIST.match(block):
            if not PARAGRAPH.match(block):
                return False
            if len(block) > LONG:
                first = SENTENCE_END.split(block)[0]
        self._slide.shown.append(first)
        return first == block


def _picture(output: NotebookNode) -> str:
    """The HTML of a living picture or of a figure; nothing for an output that is none."""
    data = output.get("data", {})
    if "posviz-filmstrip" in data.get("text/html", ""):
        return data["text/html"]
    if "image/png" in data:
        image = f"data:image/png;base64,{data['image/png'].strip()}"
        alt = escape(output.metadata.get("image/png", {}).get("alt", ""))
        return f'<figure><img src="{image}" alt="{alt}"><figcaption>{alt}</figcaption></figure>'
    return ""


def stacks(notebook: NotebookNode) -> list[list[Slide]]:
    """The slides of a lesson, a list for each section, by the rules above.

    Raises ValueError where the lesson does not begin with a heading.
    """
    first = notebook.cells[0].source if notebook.cells else ""
    if not HEADING.match(first):
        raise ValueError(f"the lesson begins with {first[:40]!r}: it must begin with a # heading")
    talk = _Talk()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            talk.read(cell)
        for output in cell.get("outputs", []):
            talk.show(output)
    slides = ([s for s in stack if s.shown or s.picture or s.notes] for stack in talk.stacks)
    stacks = [stack for stack in slides if stack]
    for stack in stacks:
        _announce_nothing(stack[0])
    return stacks


def _announce_nothing(slide: Slide):
    """Take away a last sentence that ends in a colon, after which a reader finds code."""
    *sentences, last = SENTENCE_END.split("".join(slide.shown[-1:]))
    if sentences and last.endswith(":"):
        slide.notes.insert(0, slide.shown[-1])
        slide.shown[-1] = " ".join(sentences)


def _html(blocks: list[str]) -> Markup:
    """Markdown as HTML, with links to other notebooks as plain text."""
    return Markup(markdown2html(LINK.sub(r"\1", "\n\n".join(blocks))))


def _inline(blocks: list[str]) -> Markup:
    """A paragraph of Markdown as what is inside it."""
    return Markup(_html(blocks).strip().removeprefix("<p>").removesuffix("</p>"))


def write_slides(notebook: Path, to: Path) -> Path:
    """Run a lesson and write its slides, `05_rope_slides.html`, and `assets` beside them.

    Raises what a cell of the lesson raises, and OSError where the place cannot be written to.
    """
    lesson = stacks(played(notebook))
    pages = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    pages.filters |= {"markdown": _html, "inline": _inline}
    page = pages.get_template("slides.html.j2").render(
        title=lesson[0][0].section, stacks=lesson, policy=POLICY
    )
    assets = to / "assets"
    for name in ("mathjax", "reveal"):
        write_library(name, assets)
    write(assets / "slides.css", (styles() + (HERE / "slides.css").read_text("utf-8")).encode())
    write(assets / "slides.js", (script() + (HERE / "slides.js").read_text("utf-8")).encode())
    return write(to / f"{notebook.stem}_slides.html", page.encode())
