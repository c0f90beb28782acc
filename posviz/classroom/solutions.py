"""A lesson's exercises solved, and every mistake on their lists with the sentence it is told."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from posviz.classroom.assign import header, with_terms, write
from posviz.classroom.exercises import of_lesson, solution
from posviz.course import Lesson
from posviz.publish.rerun import executed


def write_solutions(lesson: Lesson, notebook: Path, file: Path) -> Path:
    """Write the notebook of a lesson's solutions, executed, and return where it is.

    Raises RuntimeError that names the cell where one fails, OSError where it cannot be written.
    """
    exercises = [with_terms(each) for each in of_lesson(notebook)]
    cells = header(lesson, exercises, "solutions")
    for exercise in exercises:
        cells += _solved(lesson, exercise)
    with TemporaryDirectory() as folder:
        return write(executed(write(cells, Path(folder, file.name))).cells, file)


def _solved(lesson, exercise) -> Iterator[NotebookNode]:
    yield new_markdown_cell(exercise.text)
    for code in (*exercise.given, solution(lesson, exercise), exercise.check):
        yield new_code_cell(code)
    listed = exercise.checker.mistakes
    told = [f"- *{mistake.name}*: {mistake.message}" for mistake in listed]
    yield new_markdown_cell("\n".join(["**Mistakes that it names**", "", *told]))
