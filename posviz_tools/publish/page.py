"""A lesson as a page of a course website, with the pictures alive, no server and no other host."""

import base64
import functools
import re
from collections.abc import Iterable
from pathlib import Path

import yaml
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter
from nbformat import NotebookNode

import posviz_tools
from posviz.pictures.bitmaps import notebook_png
from posviz.pictures.scripts import as_script
from posviz_course import sources
from posviz_tools.publish import assets
from posviz_tools.publish.clean import Site, markdown
from posviz_tools.publish.formulas import breakable
from posviz_tools.publish.images import CARDS, write_card, write_narrow
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.live import build, names
from posviz_tools.publish.place import Narrow, picture_of, place, stored_image

HERE = Path(__file__).parent
SCRIPT = as_script(HERE / "page.js")
IMAGES = "img-src 'self' file: data:"
AROUND = {  # the site's other pages, by what leads to them
    "index": "Lessons",
    "pictures": "Pictures",
    "glossary": "Glossary",
    "claims": "Claims",
    "libraries": "Libraries",
    "references": "References",
    "search": "Search",
    "about": "About",
}


def site_in(to: Path, notebooks: Iterable[Path], repository: str = "", address: str = "") -> Site:
    """Where links of these lessons' pages may lead: to each other, and to what lies in `to`."""
    files = (*to.glob("*.html"), *notebooks)
    return Site(frozenset(file.stem for file in files), repository, address)


def write_page(lesson: StoredLesson, to: Path) -> Path:
    """Write a lesson, as it is stored, as `to`/<its name>.html; what pages share is in `to`/assets.

    The notebook lies in `to`/notebooks. Raises RuntimeError that names a cell which was not run.
    """
    lesson.check_was_run()
    card = lesson.stem if lesson.stem in CARDS else ""
    if card:
        write_card(card, to)
    shown = {
        "lesson": lesson,
        "to": to,
        "around": AROUND,
        "policy": _policy(),
        "theme": assets.THEME,
        "card": card,
        "cells": cells(lesson),
        "script": SCRIPT,
        "sections": [section for section in lesson.sections if section.level > 1],
        "citation": citation(),
        "sources": sources.listed(lesson.cited),
        "megabytes": write_shared(to),
    }
    page, _ = _exporter().from_notebook_node(lesson.notebook, {"page": shown})
    assets.write_file(to / "notebooks" / lesson.path.name, lesson.path.read_bytes())
    return assets.write_file(to / f"{lesson.stem}.html", page.encode())


@functools.cache
def _exporter() -> HTMLExporter:
    # embed_images would close every <details> before what it hides.
    exporter = HTMLExporter(template_file=str(HERE / "page.html.j2"))
    for function in (markdown, breakable, labelled, living, figure, shows_picture):
        exporter.register_filter(function.__name__, function)
    return exporter


def write_shared(to: Path) -> int:
    """Write what pages share: styles, MathJax and Python; return how many MB Python has."""
    assets.write_own(to / "assets" / "page.css", assets.styles(HERE / "page.css"))
    assets.write_library("mathjax", to / "assets")
    assets.write_packed(to / "assets" / "codemirror" / "editor.js", build.editor())
    return build.write_python(to)


@functools.cache
def _policy() -> str:
    libraries = [*assets.scripts("mathjax"), build.editor().decode()]
    own = [assets.THEME, SCRIPT, *libraries]
    return assets.policy(own, IMAGES, *assets.LIVE_POLICY)


def cells(lesson: StoredLesson) -> list[dict]:
    """The lesson's code, as cells.js reads it: which cells a reader of the page may run."""
    able = {*names.runnable({cell.id: cell.source for cell in lesson.code})}
    asking = {cell.id for cell in lesson.code if "posviz-prediction" in str(cell.outputs)}
    runs = able - asking  # questions live without Python
    return [{"id": c.id, "source": c.source, "runs": c.id in runs} for c in lesson.code]


@functools.cache
def citation() -> dict:
    """What CITATION.cff says."""
    return yaml.safe_load(beside("CITATION.cff").read_text("utf-8"))


def beside(file: str) -> Path:
    """The path of a file that lies beside the package in a clone, and else in it."""
    package = Path(posviz_tools.__file__).parent
    return next(filter(Path.exists, (folder / file for folder in (package.parent, package))))


def shows_picture(cell: NotebookNode) -> bool:
    """Whether a cell shows a picture, for which its code is folded."""
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


def living(output: NotebookNode, to: Path) -> str:
    """HTML of the place of a stored explorer; "" for another output."""
    made = output.get("data", {}).get("text/plain", "")
    return place(made, *_stored(output, made, to)) if "image/png" in output.get("data", {}) else ""


def figure(output: NotebookNode, source: str, to: Path) -> str:
    """HTML of a stored figure; that of a picture is a cell's last line, `Name(...).figure()`."""
    drawn = re.search(r"^(\w+\(.*\))\.figure\(\)\s*\Z", source, re.MULTILINE)
    return f"<figure>{stored_image(*_stored(output, drawn[1] if drawn else '', to))}</figure>"


def _stored(output, made, to) -> tuple[str, dict, str, Narrow | None]:
    """A stored picture and its metadata; of one with this repr also a dark and a narrow one."""
    stored = output.data["image/png"], output.metadata.get("image/png", {})
    picture = picture_of(made)
    if picture is None:
        return *stored, "", None
    dark, _ = notebook_png(picture.figure(dark=True))
    return *stored, base64.b64encode(dark).decode(), write_narrow(picture, to)


def labelled(html: str) -> str:
    """HTML in which each cell of a table names its column, which telephones show."""
    soup = BeautifulSoup(html, "html.parser")
    for table in soup.select("table:has(thead)"):
        heads = [cell.get_text() for cell in table.select("thead tr:last-child > *")]
        for row in table.select("tbody tr"):
            for head, cell in zip(heads[1:], row.find_all(["th", "td"])[1:], strict=False):
                cell["data-label"] = head
    return soup.decode()
