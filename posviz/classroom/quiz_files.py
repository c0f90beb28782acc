"""The quiz for a learning platform: as Moodle XML, as GIFT, and as a package of QTI 2.1.

No library that is kept up writes what our questions have, a sentence for each choice: a template
each, by the formats' own pages.
"""

import io
import re
import zipfile
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from posviz.classroom.quiz import Question
from posviz.course import Lesson

Quiz = dict[Lesson, list[Question]]
LETTERS = "ABCDE"  # the identifiers of choices in QTI
_ACTS = re.compile(r"([\\~=#{}:])")  # what GIFT takes for its own


def moodle_xml(quiz: Quiz) -> bytes:
    """Every question as Moodle's own XML, a category for each lesson."""
    return _written("quiz.xml.j2", quiz=quiz)


def gift(quiz: Quiz) -> bytes:
    """Every question as GIFT, which Moodle and others read, a category for each lesson."""
    return _written("quiz.gift.j2", quiz=quiz)


def qti(quiz: Quiz) -> bytes:
    """A package of QTI 2.1, zipped: a test of each lesson, an item of each question."""
    names = {row: f"{row.notebook}.xml" for row in quiz}
    items = {question: f"{question.name}.xml" for five in quiz.values() for question in five}
    files = {"imsmanifest.xml": _written("manifest.xml.j2", quiz=quiz, names=names, items=items)}
    for row, five in quiz.items():
        files[names[row]] = _written("test.xml.j2", row=row, questions=five, items=items)
    for question, name in items.items():
        files[name] = _written("item.xml.j2", question=question, letters=LETTERS)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in files.items():  # each with the same date, so that two runs are the same
            package.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _written(template, **about) -> bytes:
    return TEMPLATES.get_template(template).render(**about).encode()


def _in_gift(html) -> str:
    """In one line, for an empty line ends a question, and with GIFT's own signs as they are."""
    return _ACTS.sub(r"\\\1", " ".join(html.split()))


TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=lambda name: name is not None and ".gift" not in name,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
TEMPLATES.filters["gift"] = _in_gift
