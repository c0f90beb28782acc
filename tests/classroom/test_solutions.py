"""The notebook of solutions: each right, each mistake with its sentence."""

import nbformat
import pytest

from posviz.classroom.exercises import of_lesson
from posviz.classroom.solutions import _solved, write_solutions
from posviz.cli import arguments
from posviz.course import LESSONS
from tests.classroom.test_assign import one_or_each

NOTEBOOKS = arguments.notebooks()


def test_every_mistake_is_told():
    lesson = LESSONS[5]
    for exercise in of_lesson(NOTEBOOKS[lesson.notebook]):
        text = list(_solved(lesson, exercise))[-1].source
        for mistake in exercise.checker.mistakes:
            assert f"- *{mistake.name}*: {mistake.message}" in text


@pytest.mark.slow("a notebook")
@one_or_each
def test_every_answer_is_told_to_be_right(lesson, tmp_path):
    file = write_solutions(lesson, NOTEBOOKS[lesson.notebook], tmp_path / "solved.ipynb")
    cells = nbformat.read(file, as_version=4).cells
    shown = [
        output.data["text/plain"]
        for cell in cells
        for output in cell.get("outputs", [])
        if "data" in output
    ]
    assert len(shown) == len(of_lesson(NOTEBOOKS[lesson.notebook]))
    assert all(text.startswith("✓") for text in shown)
