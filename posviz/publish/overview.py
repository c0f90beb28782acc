"""What a notebook says of itself: title, question, needs, minutes, sections and sources."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from bs4 import BeautifulSoup
from nbformat import NotebookNode

from posviz import sources
from posviz.course import LESSONS, Lesson
from posviz.publish.clean import cleaned, markdown
from posviz.publish.lesson import about, read

_QUESTIONS = {row.notebook: row.question for row in LESSONS}
_HEADINGS = ("h1", "h2", "h3")
TO_LESSON = re.compile(r"(\]\([^)\s:]+)\.ipynb(?=[)#])")  # in Markdown, up to the ending


class Overview(NamedTuple):
    """A lesson: its file's stem, title, question, what it needs, and its minutes.

    needs: the lessons that it builds on. knowledge: what else. optional: minutes of what may be
    left out, which are not in `minutes`.
    """

    stem: str
    title: str
    question: str
    needs: tuple[Lesson, ...]
    knowledge: str
    minutes: int
    optional: int


class Section(NamedTuple):
    """A part of a lesson: its heading's level, anchor and HTML, its text, and its code."""

    level: int
    anchor: str
    title: str
    text: list[str]
    code: list[str]


def overview(notebook: Path) -> Overview:
    """What a notebook says; what it does not say is empty, or 0 minutes.

    Raises RuntimeError for what is no notebook, or has no cells.
    """
    lesson = cleaned(read(notebook))
    said = about(lesson)
    return Overview(
        notebook.stem,
        lesson.cells[0].source.partition("\n")[0].lstrip("# ") or notebook.stem,
        _QUESTIONS.get(notebook.stem, ""),
        tuple(row for row in LESSONS if row.number in said.get("needs", ())),
        said.get("knowledge", ""),
        said.get("minutes", 0),
        said.get("optional", 0),
    )


def sections(cells: Iterable[NotebookNode]) -> list[Section]:
    """The parts of a lesson in their order: what is folded or hidden is none of their text."""
    found = [Section(1, "", "", [], [])]
    for cell in cells:
        if cell.cell_type == "code" and not cell.metadata.get("jupyter", {}).get("source_hidden"):
            found[-1].code.append(cell.source)
        if cell.cell_type != "markdown":
            continue
        soup = BeautifulSoup(markdown(cell.source), "html.parser")
        for unread in soup.select("details, .anchor-link"):
            unread.extract()
        for part in soup.find_all(recursive=False):
            if part.name in _HEADINGS:
                level, anchor = int(part.name[1]), str(part.get("id", ""))
                found.append(Section(level, anchor, part.decode_contents(), [], []))
            else:
                found[-1].text.append(" ".join(part.get_text().split()))
    return found[1:]


def cited(lesson: NotebookNode) -> set[str]:
    """The keys of the sources that the text and what the cells show link to."""
    shown = [markdown(cell.source) for cell in lesson.cells if cell.cell_type == "markdown"]
    outputs = [output for cell in lesson.cells for output in cell.get("outputs", [])]
    shown += [output.get("data", {}).get("text/html", "") for output in outputs]
    links = [
        link for text in shown for link in BeautifulSoup(text, "html.parser").select("a[title]")
    ]
    return {str(link["title"]) for link in links} & sources.bibliography().keys()
