"""Five questions for each lesson, from what the course computes: predictions, claims, its map.

A prediction that can be asked away from its notebook has the tag `quiz`; claims that are stated
most fill up the five. The first lesson has neither: it is asked what its map says. No library that
is kept up writes what our questions have, a sentence for each choice: a template for each format.
"""

import io
import zipfile
from collections.abc import Iterator
from html import escape
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from jinja2 import FileSystemLoader

from posviz.wording import quoted
from posviz_course.claims import VERDICTS, every_claim
from posviz_course.course import Lesson
from posviz_course.lessons.start.encoding_map import ENTRIES
from posviz_tools.classroom.exercises import stored
from posviz_tools.publish import assets
from posviz_tools.publish.lesson import LETTERS, asked

QUESTIONS = 5
TAG = "quiz"
OF_THE_MAP = ("sinusoidal", "RoPE", "ALiBi", "Shaw", "none (NoPE)")  # a door each, and two of them


class QuizChoice(NamedTuple):
    """A choice, whether it is right, and the feedback for those who choose it; HTML."""

    text: str
    right: bool
    told: str


class Question(NamedTuple):
    """A question of which exactly one choice is right; its texts are HTML, well-formed as XML.

    name: the lesson's number and its own, "05.1". answer: for everybody.
    """

    name: str
    text: str
    choices: tuple[QuizChoice, ...]
    answer: str


Quiz = dict[Lesson, list[Question]]


def questions(row: Lesson, notebook: Path) -> list[Question]:
    """The five of a lesson; RuntimeError where it has fewer."""
    parts = _of_map() if row.topic == "start" else chain(_predictions(notebook), _claims(row))
    five = [Question(f"{row.number}.{i}", *texts) for i, texts in enumerate(islice(parts, 5), 1)]
    if len(five) < QUESTIONS:
        raise RuntimeError(f"lesson {row.number} has {len(five)} questions of {QUESTIONS}")
    return five


Parts = tuple[str, tuple[QuizChoice, ...], str]  # a question but for its name


def _predictions(notebook) -> Iterator[Parts]:
    """Those with the tag, from what their cells have shown."""
    for cell in stored(notebook).code:
        if TAG in cell.metadata.get("tags", []):
            shown = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
            prediction = asked("".join(shown))
            if prediction is None:
                raise RuntimeError(f"{notebook.name}: {quoted(cell.source[:40])} is no prediction")
            choices = (QuizChoice(text, "✓" in said, said) for text, said in prediction.choices)
            yield prediction.question, tuple(choices), prediction.answer


def _claims(row) -> Iterator[Parts]:
    """The claims of the lesson, each with its verdict."""
    for _, claim in every_claim(row.number):
        verdict = claim()
        choices = (QuizChoice(text, kind == verdict.word, "") for kind, text in VERDICTS.items())
        question = f"{_paragraph('Is that true?')}{_paragraph(claim.statement)}"
        yield question, tuple(choices), _paragraph(verdict.said)


def _of_map() -> Iterator[Parts]:
    """Where some encodings of the course enter, each beside the others' doors."""
    entries = {name: ENTRIES[name] for name in OF_THE_MAP}
    doors = {name: f"At the {' and the '.join(entry.doors)}" for name, entry in entries.items()}
    ideas = {name: _paragraph(f"That is {name}: {entry.idea}.") for name, entry in entries.items()}
    for name, entry in entries.items():
        choices = (QuizChoice(doors[entry], entry == name, ideas[entry]) for entry in entries)
        question = f"Where does the encoding “{name}” add the position?"
        yield _paragraph(question), tuple(choices), _paragraph("; ".join(entry.formula))


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def files(quiz: Quiz) -> dict[str, bytes]:
    """Every question for learning platforms, by file; a category or a test for each lesson."""
    return {"quiz.xml": _written("quiz.xml.j2", quiz=quiz), "quiz_qti.zip": _qti(quiz)}


def _qti(quiz: Quiz) -> bytes:
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


TEMPLATES = assets.TEMPLATES.overlay(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), lstrip_blocks=True
)
