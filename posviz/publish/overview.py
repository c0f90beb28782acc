"""What a notebook says of itself: title, question, needs, minutes, sections and sources."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from bs4 import BeautifulSoup
from nbformat import NotebookNode

from posviz import sources
from posviz.publish.clean import cleaned, markdown
from posviz.publish.lesson import read

_QUESTION = re.compile(r"^\*(?!\*)(.+?)\*$", re.MULTILINE)
_NEEDS = re.compile(r"\*\*You need\*\* (.+?)(?=[.:;](?:\s|$))", re.DOTALL)
_TIME = re.compile(r"\*\*Time:\*\* (\d+)\s+minutes(?:, and (\d+) more for the appendix)?")
_HEADINGS = ("h1", "h2", "h3")
TO_LESSON = re.compile(r"(\]\([^)\s:]+)\.ipynb(?=[)#])")  # in Markdown, up to the ending


class Overview(NamedTuple):
    """A lesson: its file's stem, title, question, what it needs, as HTML, and its minutes."""

    stem: str
    title: str
    question: str
    needs: str
    minutes: int
    appendix: int


class Section(NamedTuple):
    """A part of a lesson: its heading's level, anchor and HTML, its text, and its code."""

    level: int
    anchor: str
    title: str
    text: list[str]
    code: list[str]


def overview(notebook: Path) -> Overview:
    """What a notebook's text says; what it does not say is empty, or 0 minutes.

    Raises RuntimeError for what is no notebook, or has no cells.
    """
    cells = cleaned(read(notebook)).cells
    first = cells[0].source
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    question, needs, time = _QUESTION.search(first), _NEEDS.search(text), _TIME.search(text)
    needed = markdown(TO_LESSON.sub(r"\1.html", needs[1])) if needs else ""
    return Overview(
        notebook.stem,
        first.partition("\n")[0].lstrip("# ") or notebook.stem,
        question[1] if question else "",
        needed.strip().removeprefix("<p>").removesuffix("</p>"),
        *(int(number or 0) for number in (time.groups() if time else (0, 0))),
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
