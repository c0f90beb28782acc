"""A lesson's notebook as it is stored: read once, cleaned, with what it says of itself."""

from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import nbformat
from bs4 import BeautifulSoup
from nbformat import NotebookNode

from posviz import sources
from posviz.course import LESSONS, Lesson
from posviz.pictures.stored import LINE
from posviz.publish.batch import reason
from posviz.publish.clean import cleaned, markdown, sanitised
from posviz.publish.place import place

PATTERN = "[0-9][0-9]_*"  # of the names of lessons
_QUESTIONS = {row.notebook: row.question for row in LESSONS}
_HEADINGS = ("h1", "h2", "h3")


def read(notebook: Path) -> NotebookNode:
    """A notebook as it is stored.

    Raises RuntimeError that names it where it is none, or has no cells.
    """
    try:
        found = nbformat.read(notebook, as_version=4)
        nbformat.validate(found)
    except OSError:
        raise
    except Exception as error:  # nbformat lets through what its parts raise
        raise RuntimeError(f"{notebook.name} is no notebook: {reason(error)}") from None
    if not found.cells:
        raise RuntimeError(f"{notebook.name} has no cells")
    return found


def about(part: NotebookNode) -> dict:
    """What the metadata of a notebook or of a cell says to posviz, as CONTRIBUTING.md has it."""
    return part.metadata.get("posviz", {})


class Section(NamedTuple):
    """A part of a lesson: its heading's level, anchor and HTML, its text, and its code."""

    level: int
    anchor: str
    title: str
    text: list[str]
    code: list[str]


class StoredLesson:
    """A lesson's notebook, read and cleaned at first use, and what it says of itself.

    What it does not say is empty, or 0 minutes. Raises RuntimeError for what is no notebook, or has
    no cells.
    """

    def __init__(self, path: Path, shelf: "dict[Path, StoredLesson] | None" = None) -> None:
        """shelf: lessons of the same folder, each of which is read only once."""
        self.path, self.stem = path, path.stem
        self.shelf = {} if shelf is None else shelf
        self.shelf[path] = self

    @cached_property
    def notebook(self) -> NotebookNode:
        """What the notebook stores, cleaned, with a place for each explorer to live."""
        notebook = cleaned(read(self.path))
        for cell in notebook.cells:
            for output in list(cell.get("outputs", [])):
                if output.get("data", {}).get("text/plain") == LINE:  # a hint for notebooks alone
                    cell.outputs.remove(output)
                if html := sanitised(place(output)):
                    output.data["text/html"] = html
        return notebook

    @property
    def code(self) -> list[NotebookNode]:
        """The cells of code."""
        return [cell for cell in self.notebook.cells if cell.cell_type == "code"]

    def check_was_run(self) -> None:
        """Raise RuntimeError that names a cell which was not run."""
        for number, cell in enumerate(self.notebook.cells):
            if cell.cell_type == "code" and cell.source.strip() and not cell.execution_count:
                raise RuntimeError(
                    f"{self.path.name}, cell {number} was not run: run all of it and save it"
                )

    @property
    def title(self) -> str:
        """Its first line, which is its heading."""
        return self.notebook.cells[0].source.partition("\n")[0].lstrip("# ") or self.stem

    @property
    def question(self) -> str:
        """What the course asks there."""
        return _QUESTIONS.get(self.stem, "")

    @property
    def needs(self) -> tuple[Lesson, ...]:
        """The lessons that it builds on."""
        needed = self.metadata.get("needs", ())
        return tuple(row for row in LESSONS if row.number in needed)

    @property
    def metadata(self) -> dict:
        """What else it builds on, its minutes, and those of what may be left out."""
        return {"knowledge": "", "minutes": 0, "optional": 0} | about(self.notebook)

    @property
    def neighbours(self) -> "dict[str, StoredLesson]":
        """The lessons before and after it in its folder, by "prev" and "next"."""
        paths = sorted(self.path.parent.glob(f"{PATTERN}.ipynb"))
        if self.path not in paths:
            return {}
        here = paths.index(self.path)
        near = {"prev": paths[:here][-1:], "next": paths[here + 1 : here + 2]}
        return {
            way: self.shelf.get(path) or StoredLesson(path, self.shelf)
            for way, found in near.items()
            for path in found
        }

    @cached_property
    def sections(self) -> list[Section]:
        """Its parts in their order: what is folded or hidden is none of their text."""
        found = [Section(1, "", "", [], [])]
        for cell in self.notebook.cells:
            if cell.cell_type == "markdown":
                read_text(markdown(cell.source), found)
            elif not cell.metadata.get("jupyter", {}).get("source_hidden"):
                found[-1].code.append(cell.source)
        return found[1:]

    @cached_property
    def cited(self) -> set[str]:
        """The keys of the sources that the text and what the cells show link to."""
        cells = self.notebook.cells
        html = [markdown(cell.source) for cell in cells if cell.cell_type == "markdown"]
        outputs = (output for cell in self.code for output in cell.outputs)
        html += [output.get("data", {}).get("text/html", "") for output in outputs]
        links = BeautifulSoup("".join(html), "html.parser").select("a[title]")
        return {str(link["title"]) for link in links} & sources.bibliography().keys()


def stored_lessons(paths: list[Path]) -> list[StoredLesson]:
    """The lessons of notebooks, none of which is read twice."""
    shelf: dict[Path, StoredLesson] = {}
    return [StoredLesson(path, shelf) for path in paths]


def read_text(html: str, found: list[Section]) -> None:
    """Add headings and text to the sections, of which there is one at least."""
    soup = BeautifulSoup(html, "html.parser")
    for unread in soup.select("details, .anchor-link"):
        unread.extract()
    for part in soup.find_all(recursive=False):
        if part.name in _HEADINGS:
            level, anchor = int(part.name[1]), str(part.get("id", ""))
            found.append(Section(level, anchor, part.decode_contents(), [], []))
        else:
            found[-1].text.append(" ".join(part.get_text().split()))
