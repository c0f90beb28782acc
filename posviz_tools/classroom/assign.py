"""Notebooks that hold a lesson's exercises alone: for readers, for nbgrader, for otter-grader.

For graders it is the instructor's version, with solutions and hidden tests: their own commands
make the students' version of it, without both.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from posviz.teaching.feedback import POINTS
from posviz_course.course import Lesson
from posviz_tools.classroom.exercises import Exercise, of_lesson, solution
from posviz_tools.classroom.submission import SECONDS
from posviz_tools.notebooks import executed
from posviz_tools.publish.assets import write_file

_HINT = re.compile(r"\n*<details><summary>Hint</summary>.*?</details>", re.DOTALL)
_KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def assign(
    lesson: Lesson,
    notebook: Path,
    kind: str,
    file: Path,
    seed: int,
    hints: bool = True,
    share: float = 0,
) -> Path:
    """Write a notebook with the exercises of a lesson, and return where it is.

    kind: one of KINDS. The seed draws the inputs of hidden tests. hints: whether they stay; share:
    the part of the points that a mistake with a name is worth. Raises RuntimeError where the lesson
    has no exercises, OSError for files.
    """
    exercises = [_with_terms(exercise) for exercise in of_lesson(notebook)]
    if not hints:
        exercises = [replace(exercise, text=_HINT.sub("", exercise.text)) for exercise in exercises]
    cells = _header(lesson, exercises, "exercises")
    if kind == "otter":
        cells.insert(0, new_raw_cell(OTTER_CONFIG))
    if kind == "nbgrader":
        start = "from posviz_tools.classroom.grade import run_only_tests"
        cells[1].source += "\n" + _hide(start, f"seed = {seed}", "run_only_tests(seed)")
        cells[1].metadata = _for_nbgrader("start", solution=False, points=0)
    for exercise in exercises:
        cells += KINDS[kind](lesson, exercise, seed, share)
    return _write(cells, file)


def file_of(lesson: Lesson, kind: str, to: Path) -> Path:
    """The file of an assignment, or of solutions where the kind is "solved"."""
    if kind == "nbgrader":
        folder = f"lesson{lesson.number}" if lesson.number else lesson.notebook
        to = to / "source" / folder
    end = "_solutions" if kind == "solved" else ""
    return to / f"{lesson.notebook}{end}.ipynb"


def write_solutions(lesson: Lesson, notebook: Path, file: Path) -> Path:
    """Write the notebook of a lesson's solutions, executed, and return where it is.

    Raises RuntimeError that names the cell where one fails, OSError where it cannot be written.
    """
    exercises = [_with_terms(exercise) for exercise in of_lesson(notebook)]
    cells = _header(lesson, exercises, "solutions")
    for exercise in exercises:
        cells += _solved(lesson, exercise)
    with TemporaryDirectory() as folder:
        return _write(executed(_write(cells, Path(folder, file.name))).cells, file)


def _with_terms(exercise: Exercise) -> Exercise:
    """The exercise, with its section, and what an answer may use of posviz, which is imported."""
    terms = "Use nothing of posviz in your answer, even if a cell above imports it."
    given = exercise.given
    if exercise.lent:
        listed = ", ".join(f"`{name}`" for name in exercise.lent)
        terms = f"You may use {listed} of posviz, and nothing else of it."
        given = [f"from posviz import {', '.join(exercise.lent)}", *given]
    number, _, title = exercise.section.partition(" ")
    if number.isdigit():
        terms = f"Section {number} of the lesson, *{title}*, teaches what it needs. {terms}"
    asked, hint, folded = exercise.text.partition("\n\n<details>")
    return replace(exercise, text=f"{asked}\n\n{terms}{hint}{folded}", given=given)


def _header(lesson: Lesson, exercises: list[Exercise], what: str) -> list[NotebookNode]:
    """The first cells: of which lesson this is, and the import of NumPy.

    Raises RuntimeError where there are no exercises.
    """
    if not exercises:
        raise RuntimeError(f"{lesson.notebook}.ipynb has no exercises")
    taught = "the lesson" if lesson.number else "the lessons"
    text = (
        f"# {lesson.heading}: {what}\n\n"
        f"What they need is taught in {taught}. Write each answer in "
        "NumPy or torch. Each exercise says what you may use of posviz. When an answer is graded, "
        f"each statement and each call has {SECONDS} seconds, and the others count if one fails."
    )
    return [new_markdown_cell(text), new_code_cell("import numpy as np")]


def _write(cells: list[NotebookNode], file: Path) -> Path:
    """Write a notebook, as a whole or not at all; the same cells give the same bytes."""
    for number, cell in enumerate(cells):
        cell.id = f"exercises-{number}"
    made = new_notebook(cells=cells, metadata=_KERNEL)
    nbformat.validate(made)
    return write_file(file, nbformat.writes(made).encode())


# ---------------------------------------------------------------- for readers


def _open(_, exercise, __, ___) -> Iterator[NotebookNode]:
    yield new_markdown_cell(exercise.text)
    for code in (*exercise.given, exercise.stub, _check(exercise)):
        yield new_code_cell(code)


def _solved(lesson, exercise) -> Iterator[NotebookNode]:
    yield new_markdown_cell(exercise.text)
    for code in (*exercise.given, solution(lesson, exercise), exercise.check):
        yield new_code_cell(code)
    lines = [f"- *{mistake.name}*: {mistake.message}" for mistake in exercise.checker.mistakes]
    yield new_markdown_cell("\n".join(["**Mistakes that it names**", "", *lines]))


def _check(exercise) -> str:
    """The code that shows the verdict, and never the solution."""
    call = f"{exercise.checker_name}({exercise.name}"
    return exercise.check.replace(f"{call})", f"{call}, solution=False)")


# ---------------------------------------------------------------- for graders


def _answered(lesson, exercise, begin, end, kept: Callable[[str, list[str]], list[str]]) -> str:
    """The reader's cell with the solution between marks; `kept` makes the lines of what is shown.

    It is given the indent and the lines of the reader's cell that the solution replaces.
    """
    lines: list[str] = []
    stub, whole = exercise.stub.splitlines(), solution(lesson, exercise).splitlines()
    for _, i, j, k, m in SequenceMatcher(None, stub, whole, autojunk=False).get_opcodes():
        asked, solved = stub[i:j], whole[k:m]
        indent = solved[0][: -len(solved[0].lstrip())]
        marked = [*kept(indent, asked), indent + begin, *solved, indent + end]
        lines += solved if asked == solved else marked
    return "\n".join(lines)


def _hidden(lesson, exercise, file, seed, share) -> list[str]:
    """The lines of a hidden test, which raises the feedback on an answer that earns no points.

    file: code for where the submission lies.
    """
    asked = f'notebooks()["{lesson.notebook}"], "{exercise.name}", {file}, seed, {share:g}'
    return [
        "from posviz_tools.classroom.grade import require",
        "from posviz_tools.cli.arguments import notebooks",
        f"seed = {seed}",  # in a line that no error shows
        f"points = require({asked})",
    ]


def _nbgrader(lesson, exercise, seed, share) -> Iterator[NotebookNode]:
    def kept(indent, asked):
        return [f"{indent}# {line.strip()}" for line in asked]

    yield new_markdown_cell(f"{exercise.text}\n\n({POINTS} points)")
    yield from map(new_code_cell, exercise.given)
    marks = "### BEGIN SOLUTION", "### END SOLUTION"
    answered = _answered(lesson, exercise, *marks, kept)
    if "..." not in exercise.stub:  # code with a mistake: marks at its line would show where
        answered = "\n".join([exercise.stub, marks[0], solution(lesson, exercise), marks[1]])
    yield new_code_cell(answered, metadata=_for_nbgrader(exercise.name, solution=True))
    hidden = _hidden(lesson, exercise, f'"{lesson.notebook}.ipynb"', seed, share)
    # What a reader sees is a text there: it would run the submission, without its limits.
    end = ['"""', "points"] if share else ['"""']  # nbgrader gives what a cell shows, if it does
    test = _hide(*hidden, 'for_readers = """'), _check(exercise), _hide(*end)
    about = _for_nbgrader(f"check_{exercise.name}", solution=False, points=POINTS)
    yield new_code_cell("\n".join(test), metadata=about)


def _hide(*lines) -> str:
    """Lines that nbgrader leaves out of the readers' version."""
    return "\n".join(["### BEGIN HIDDEN TESTS", *lines, "### END HIDDEN TESTS"])


def _for_nbgrader(name, *, solution, **points) -> dict:
    """What nbgrader's scheme 3 says of a cell: a reader's answer, or a test with points."""
    kind = {"solution": solution, "grade": not solution, "locked": not solution, "task": False}
    return {
        "nbgrader": {"schema_version": 3, "grade_id": name, "cell_type": "code"} | kind | points
    }


OTTER_CONFIG = """\
# ASSIGNMENT CONFIG
init_cell: false
export_cell: false
show_question_points: true
plugins:
  - posviz_tools.classroom.otter.KeepOut
generate:
  show_hidden: true
  force_public_test_summary: false
tests:
  ok_format: false
"""


def _otter(lesson, exercise, seed, share) -> Iterator[NotebookNode]:
    def kept(indent, asked):
        return [f'{indent}""" # BEGIN PROMPT', *asked, f'{indent}""" # END PROMPT']

    # A test earns all its points or none, so a mistake with a name has a test of its own.
    points = {share: share * POINTS, 0: (1 - share) * POINTS}
    parts = [part for part in points if points[part]]
    about = f"name: {exercise.name}\npoints: {[points[p] for p in parts]}\ncheck_cell: false"
    yield new_raw_cell(f"# BEGIN QUESTION\n{about}")
    yield new_markdown_cell(exercise.text)
    yield from map(new_code_cell, exercise.given)
    yield new_raw_cell("# BEGIN SOLUTION")
    marks = "# BEGIN SOLUTION NO PROMPT", "# END SOLUTION"
    yield new_code_cell(_answered(lesson, exercise, *marks, kept))
    yield new_raw_cell("# END SOLUTION")
    yield new_raw_cell("# BEGIN TESTS")
    for number, part in enumerate(parts, 1):
        hidden = _hidden(lesson, exercise, "env['file']", seed, part)
        test = [f"def test_{exercise.name}_{number}(env):", *hidden]
        yield new_code_cell("# HIDDEN\n" + "\n    ".join(test))
    yield new_raw_cell("# END TESTS")
    yield new_code_cell(_check(exercise))
    yield new_raw_cell("# END QUESTION")


KINDS = {"self": _open, "nbgrader": _nbgrader, "otter": _otter}
