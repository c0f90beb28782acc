"""A lesson's notebook as it is stored: read once, cleaned, with what it says of itself."""

import re
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bs4 import BeautifulSoup
from nbformat import NotebookNode

from posviz_course import sources
from posviz_course.course import EXAMINATION, LESSONS, Lesson
from posviz_tools.notebooks import about, read
from posviz_tools.publish.clean import ALONE, Site, cleaned, markdown

LETTERS = "ABCDE"  # of the choices of a prediction, as slides.css counts them


class Section(NamedTuple):
    """A part of a lesson: its heading's level, anchor and HTML, its text, and its code."""

    level: int
    anchor: str
    title: str
    text: list[str]
    code: list[str]


class StoredLesson:
    """A lesson's notebook, read and cleaned at first use, and what it says of itself.

    What it does not say is empty, or 0 minutes. site: where its links may lead.
    neighbours: the lessons before and after it there, by "prev" and "next".
    """

    def __init__(self, path: Path, site: Site = ALONE) -> None:
        self.path, self.stem, self.site = path, path.stem, site
        self.neighbours: dict[str, StoredLesson] = {}

    @cached_property
    def notebook(self) -> NotebookNode:
        """What the notebook stores, cleaned."""
        return cleaned(read(self.path), self.site)

    @property
    def code(self) -> list[NotebookNode]:
        """The cells of code."""
        return [cell for cell in self.notebook.cells if cell.cell_type == "code"]

    @property
    def outputs(self) -> list[NotebookNode]:
        """What the cells show."""
        return [output for cell in self.code for output in cell.outputs]

    @property
    def exercises(self) -> int:
        """How many cells check an answer."""
        return sum(bool(re.search(r"(?m)^check_\w+\(", cell.source)) for cell in self.code)

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
        return next((row.question for row in LESSONS if row.notebook == self.stem), "")

    @property
    def needs(self) -> list[Lesson]:
        """The lessons that it builds on."""
        return [row for row in LESSONS if row.number in self.metadata.get("needs", ())]

    @property
    def metadata(self) -> dict:
        """What else it builds on, its minutes, and those of what may be left out."""
        return {"knowledge": "", "minutes": 0, "optional": 0} | about(self.notebook)

    @cached_property
    def sections(self) -> list[Section]:
        """Its parts in their order: what is folded or hidden is none of their text."""
        sections = [Section(1, "", "", [], [])]
        for cell in self.notebook.cells:
            if cell.cell_type == "markdown":
                read_text(markdown(cell.source, self.site), sections)
            elif not cell.metadata.get("jupyter", {}).get("source_hidden"):
                sections[-1].code.append(cell.source)
        return sections[1:]

    @cached_property
    def cited(self) -> set[str]:
        """The keys of the sources that the text and what the cells show link to."""
        cells = self.notebook.cells
        html = [markdown(cell.source, self.site) for cell in cells if cell.cell_type == "markdown"]
        html += [output.get("data", {}).get("text/html", "") for output in self.outputs]
        links = BeautifulSoup("".join(html), "html.parser").select("a[title]")
        return {str(link["title"]) for link in links} & sources.bibliography().keys()


def stored_lessons(paths: list[Path], site: Site = ALONE) -> list[StoredLesson]:
    """The lessons of these notebooks, each beside the next one."""
    lessons = [StoredLesson(path, site) for path in paths]
    numbered = (lesson for lesson in lessons if lesson.stem != EXAMINATION.notebook)
    for one, other in pairwise(numbered):
        one.neighbours["next"], other.neighbours["prev"] = other, one
    return lessons


def read_text(html: str, sections: list[Section]) -> None:
    """Add headings and text to the sections, of which there is one at least."""
    soup = BeautifulSoup(html, "html.parser")
    for unread in soup.select("details, .anchor-link"):
        unread.extract()
    for element in soup.find_all(recursive=False):
        if element.name in ("h1", "h2", "h3"):
            level, anchor = int(element.name[1]), str(element.get("id", ""))
            sections.append(Section(level, anchor, element.decode_contents(), [], []))
        else:
            sections[-1].text.append(" ".join(element.get_text().split()))


class Asked(NamedTuple):
    """A prediction as it was shown, in HTML: each choice with its feedback."""

    html: str
    question: str
    choices: list[tuple[str, str]]
    answer: str

    @property
    def notes(self) -> str:
        """Return what each choice means, by its letter on the slide, and the answer."""
        lettered = zip(LETTERS, (feedback for _, feedback in self.choices), strict=False)
        choices = (f"<p><strong>{letter}</strong></p>\n{text}\n" for letter, text in lettered)
        return "".join(choices) + self.answer


def asked(html: str) -> Asked | None:
    """The prediction in what a cell has shown, without pictures; None where there is none.

    Its links lead out of the course: other pages are elsewhere.
    """
    prediction = BeautifulSoup(html, "html.parser").select_one(".posviz-prediction:has(> details)")
    if prediction is None:
        return None
    for image in prediction("img"):
        image.decompose()
    for link in prediction("a"):
        del link["title"]  # the key of a source
        if "//" not in str(link.get("href")):
            link.unwrap()
    whole, folded = prediction.decode(), prediction.find_all("details", recursive=False)
    heads = [head.extract().decode_contents() for head in prediction.select("details > summary")]
    bodies = [details.extract().decode_contents() for details in folded]
    choices = list(zip(heads[:-1], bodies[:-1], strict=True))
    return Asked(whole, prediction.decode_contents(), choices, bodies[-1])
