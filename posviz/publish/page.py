"""A lesson as a page of a course website, with the pictures alive, no server and no other host."""

import base64
import copy
import functools
import json
import re
from pathlib import Path

from bs4 import BeautifulSoup
from nbconvert import HTMLExporter
from nbformat import NotebookNode

from posviz import sources
from posviz.course import EXAMINATION
from posviz.pictures.export import notebook_png
from posviz.pictures.scripts import as_script
from posviz.publish.assets import (
    LIVE_POLICY,
    THEME,
    policy,
    scripts,
    styles,
    write_file,
    write_library,
    write_packed,
)
from posviz.publish.cards import CARDS, write_card
from posviz.publish.clean import PNG, sanitised
from posviz.publish.lesson import PATTERN, StoredLesson
from posviz.publish.live import build, names
from posviz.publish.place import picture_of

HERE = Path(__file__).parent
PAGES = (PATTERN, EXAMINATION.notebook)
SCRIPT = as_script(HERE / "page.js")

_BETWEEN = re.compile(
    r'(?P<before><a (?:(?:class|rel)="\w+" )?)(?:data-)?href='
    r'"(?P<stem>[^":#/]+)\.(?:html|ipynb)(?=["#])'
)


def write_page(lesson: StoredLesson, to: Path, repository: str = "") -> Path:
    """Write a lesson, as it is stored, as `to`/<its name>.html; what pages share is in `to`/assets.

    The notebook lies in `to`/notebooks. repository: as "owner/name" on GitHub, from where Colab and
    Binder open it. Raises RuntimeError that names a cell which was not run, OSError where `to`
    cannot be written.
    """
    lesson.check_was_run()
    card = lesson.stem if lesson.stem in CARDS else ""
    if card:
        write_card(card, to)
    shown = {
        "lesson": lesson,
        "repository": repository,
        "policy": _policy(),
        "theme": THEME,
        "card": card,
        "cells": cells(lesson),
        "script": SCRIPT,
        "sections": [section for section in lesson.sections if section.level > 1],
        "sources": sources.listed(lesson.cited),
        "neighbours": lesson.neighbours,
        "megabytes": write_assets(to),
    }
    # embed_images would close every <details> before what it hides.
    exporter = HTMLExporter(template_file=str(HERE / "page.html.j2"), anchor_link_text="#")
    exporter.register_filter("sanitised", sanitised)
    page, _ = exporter.from_notebook_node(_adapted(lesson.notebook), {"page": shown})
    write_file(to / "notebooks" / lesson.path.name, lesson.path.read_bytes())
    return write_file(to / f"{lesson.stem}.html", page.encode())


def _adapted(notebook) -> NotebookNode:
    """A copy of a notebook in which code is hidden or folded, and tables fit a telephone."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            continue
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            cell.metadata["transient"] = {"remove_source": True}
        cell.metadata["folded"] = any(
            "image/png" in output.get("data", {}) for output in cell.outputs
        )
        for output in cell.outputs:
            if "text/html" in output.get("data", {}):
                output.data["text/html"] = adapted(output.data["text/html"])
    return notebook


def write_assets(to: Path) -> int:
    """Write what pages share: styles, MathJax and Python; return how many MB Python has."""
    write_file(to / "assets" / "page.css", styles(HERE / "page.css"))
    write_library("mathjax", to / "assets")
    write_packed(to / "assets" / "codemirror" / "editor.js", build.editor())
    return build.write_python(to)


@functools.cache
def _policy() -> str:
    libraries = [*scripts("mathjax"), build.editor().decode()]
    return policy([THEME, SCRIPT, *libraries], "img-src data:", *LIVE_POLICY)


def cells(lesson: StoredLesson) -> list[dict]:
    """The lesson's code, as cells.js reads it: which cells a reader of the page may run."""
    able = {*names.runnable({cell.id: cell.source for cell in lesson.code})}
    return [
        {"id": cell.id, "source": cell.source, "runs": cell.id in able and not _asks(cell)}
        for cell in lesson.code
    ]


def _asks(cell) -> bool:
    """Whether a cell shows questions, which live without Python."""
    shown = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
    return any("posviz-prediction" in html for html in shown)


def adapted(html: str) -> str:
    """HTML of a cell with what dark pages and telephones need."""
    soup = BeautifulSoup(html, "html.parser")
    for place in soup.select(".posviz-live"):
        values = json.loads(str(place["data-values"]))
        picture = picture_of(str(place["data-picture"]), values)
        if picture is None:
            continue
        png, _ = notebook_png(picture.figure(dark=True))
        dark = PNG + base64.b64encode(png).decode()
        [image] = place.select("img")
        image.wrap(soup.new_tag("picture"))
        image.insert_before(
            soup.new_tag("source", media="(prefers-color-scheme: dark)", srcset=dark)
        )
    for table in soup.select("table:has(thead)"):
        heads = [cell.get_text() for cell in table.select("thead tr:last-child > *")]
        for row in table.select("tbody tr"):
            for head, cell in zip(heads[1:], row.find_all(["th", "td"])[1:], strict=False):
                cell["data-label"] = head
    return soup.decode()


def link(to: Path, *others: str) -> None:
    """Let links of the lessons' pages in `to`, and of these others, lead to pages that lie there.

    To be called after pages were written: a link to a lesson's notebook leads to its page, and one
    to a page that is not there keeps its words alone. Raises OSError that names the file which
    cannot be written.
    """
    there = {file.name for file in to.glob("*.html")}

    def linked(found):
        file = f"{found['stem']}.html"
        attribute = "href" if file in there else "data-href"
        return f'{found["before"]}{attribute}="{file}'

    own = [page for name in PAGES for page in to.glob(f"{name}.html")]
    for page in [*own, *(to / name for name in others)]:
        write_file(page, _BETWEEN.sub(linked, page.read_text("utf-8")).encode())
