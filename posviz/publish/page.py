"""A lesson as a page of a course website, with the pictures alive, no server and no other host."""

import base64
import io
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from bs4 import BeautifulSoup
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from nbconvert import HTMLExporter
from PIL import Image

from posviz import sources
from posviz.engine.export import png_bytes
from posviz.engine.filmstrip import styles
from posviz.engine.scripts import as_script
from posviz.exercises.prediction import Prediction
from posviz.publish.assets import policy, scripts, write, write_frames, write_library
from posviz.publish.clean import cleaned, markdown, sanitised
from posviz.publish.lesson import executed_with_filmstrips, read

HERE = Path(__file__).parent
LESSONS = "[0-9][0-9]_*"
THUMBNAIL = 480  # pixels across
SCRIPT = as_script(HERE / "page.js")
POLICY = policy([SCRIPT, *scripts("mathjax")], "img-src data:")
INDEX_POLICY = policy([], "img-src 'self' file:")

_QUESTION = re.compile(r"^\*(?!\*)(.+?)\*$", re.MULTILINE)
_HEADING = re.compile(r'<h([23]) id="([^"]+)">(.*?)</h\1>', re.DOTALL)
_ANCHOR = re.compile(r'<a class="anchor-link".*?</a>')
_TO_LESSON = re.compile(r"(\]\([^)\s:]+)\.ipynb(?=[)#])")
_SHOWN_TO_LESSON = re.compile(r'(<a href="\d\d_[^":/#]*)\.ipynb(?=["#])')
_BETWEEN = re.compile(r'(?P<before><a (?:rel="\w+" )?)(?:data-)?href="(?P<file>\d\d_[^"#/]*\.html)')
_STILL = re.compile(r'<img src="data:image/png;base64,([^"]+)"')


class Entry(NamedTuple):
    """A page in the index: its file's stem, its title and its question."""

    stem: str
    title: str
    question: str


def write_page(notebook: Path, to: Path) -> Path:
    """Run a lesson and write it as `to`/<its name>.html; what pages share is in `to`/assets.

    Raises RuntimeError that names the cell where one fails, OSError where `to` cannot be written.
    """
    lesson = cleaned(executed_with_filmstrips(notebook))
    write_frames(lesson, notebook.stem, to / "assets")
    for cell in lesson.cells:
        if cell.cell_type == "markdown":
            cell.source = _TO_LESSON.sub(r"\1.html", cell.source)
            continue
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            cell.metadata["transient"] = {"remove_source": True}
        for output in cell.outputs:
            if "text/html" in output.get("data", {}):
                html = output.data["text/html"]
                output.data["text/html"] = _SHOWN_TO_LESSON.sub(r"\1.html", html)
    about = _about(notebook)
    shown = {
        "lesson": about._asdict(),
        "policy": POLICY,
        "script": SCRIPT,
        "sections": _sections(lesson),
        "sources": sources.listed(_cited(lesson)),
        "neighbours": _neighbours(notebook),
        "answers": _answers(lesson),
    }
    # embed_images would close every <details> before what it hides.
    exporter = HTMLExporter(template_file=str(HERE / "page.html.j2"), anchor_link_text="#")
    exporter.register_filter("sanitised", sanitised)
    page, _ = exporter.from_notebook_node(lesson, {"page": shown})
    _write_assets(to)
    still = _first_still(lesson)
    if still:
        write(to / "assets" / f"{about.stem}.png", _thumbnail(still))
    return write(to / f"{about.stem}.html", page.encode())


def write_index(to: Path) -> Path:
    """Write `to`/index.html, which shows every lesson's page that lies in `to`.

    To be called after pages were written: where one leads to a lesson that has no page in `to`, it
    keeps the words and loses the link, until a later index finds that lesson's page, too. Raises
    OSError that names the file which cannot be written.
    """
    files = sorted(to.glob(f"{LESSONS}.html"))
    lessons = {file: lesson for file in files if (lesson := _of_page(file))}
    for file in lessons:
        _link(file, {other.name for other in lessons})
    pictures = {path.stem for path in (to / "assets").glob(f"{LESSONS}.png")}
    jinja = Environment(loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined)
    page = jinja.get_template("index.html.j2").render(
        lessons=lessons.values(), pictures=pictures, policy=INDEX_POLICY
    )
    _write_assets(to)
    return write(to / "index.html", page.encode())


def _about(notebook) -> Entry:
    """What the first cell of a notebook says."""
    first = read(notebook).cells[0].source
    question, title = _QUESTION.search(first), first.partition("\n")[0].lstrip("# ")
    return Entry(notebook.stem, title or notebook.stem, question[1] if question else "")


def _of_page(page) -> Entry | None:
    """What a page says in its head; None for one that is not a lesson's."""
    head = BeautifulSoup(page.read_text("utf-8").partition("</head>")[0], "html.parser")
    title, question = head.title, head.find("meta", {"name": "description"})
    if title is None or question is None:
        return None
    return Entry(page.stem, title.text, str(question["content"]))


def _link(page, there):
    """Let a page's links to other lessons lead to those that are there; others are no links."""

    def linked(found):
        attribute = "href" if found["file"] in there else "data-href"
        return f'{found["before"]}{attribute}="{found["file"]}'

    write(page, _BETWEEN.sub(linked, page.read_text("utf-8")).encode())


def _neighbours(notebook) -> dict[str, Entry]:
    """The lessons before and after this one, by "prev" and "next"."""
    lessons = sorted(notebook.resolve().parent.glob(f"{LESSONS}.ipynb"))
    here = next((i for i, path in enumerate(lessons) if path.name == notebook.name), -1)
    near = {"prev": lessons[here - 1 : here], "next": lessons[here + 1 : here + 2]}
    if here < 0:
        return {}
    return {way: _about(paths[0]) for way, paths in near.items() if paths}


def _sections(lesson) -> list[tuple[int, str, str]]:
    """The headings below the title: level, anchor and HTML."""
    text = "\n".join(markdown(cell.source) for cell in lesson.cells if cell.cell_type == "markdown")
    found = _HEADING.findall(text)
    return [(int(level), anchor, _ANCHOR.sub("", title)) for level, anchor, title in found]


def _answers(lesson) -> list[tuple[str, str]]:
    """The questions of all predictions and their answers, as HTML: paper cannot be unfolded."""
    outputs = [output for cell in lesson.cells for output in cell.get("outputs", [])]
    shown = [output.get("data", {}).get("text/html", "") for output in outputs]
    asked = [BeautifulSoup(text, "html.parser") for text in shown if "posviz-prediction" in text]
    found = []
    for prediction in asked:
        question, answer = prediction.p, prediction.select_one(".posviz-answer")
        if question and answer and answer.summary:
            answer.summary.extract()
            found.append((question.decode_contents(), answer.decode_contents()))
    return found


def _cited(lesson) -> set[str]:
    """The keys of the sources that the text and what the cells show link to."""
    shown = [markdown(cell.source) for cell in lesson.cells if cell.cell_type == "markdown"]
    outputs = [output for cell in lesson.cells for output in cell.get("outputs", [])]
    shown += [output.get("data", {}).get("text/html", "") for output in outputs]
    links = [
        link for text in shown for link in BeautifulSoup(text, "html.parser").select("a[title]")
    ]
    return {str(link["title"]) for link in links} & sources.bibliography().keys()


def _first_still(lesson) -> bytes:
    """The first picture that moves, as it is shown at rest; empty where there is none."""
    outputs = [output for cell in lesson.cells for output in cell.get("outputs", [])]
    stills = (_STILL.search(output.get("data", {}).get("text/html", "")) for output in outputs)
    return next((base64.b64decode(still[1]) for still in stills if still), b"")


def _thumbnail(png) -> bytes:
    image = Image.open(io.BytesIO(png)).convert("RGBA")
    image.thumbnail((THUMBNAIL, THUMBNAIL))
    return png_bytes(np.asarray(image))


def _write_assets(to):
    """The styles, and MathJax."""
    own = (HERE / "page.css").read_text("utf-8")
    write(to / "assets" / "page.css", (styles() + Prediction._css + own).encode())
    write_library("mathjax", to / "assets")
