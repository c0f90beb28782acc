"""Grade the submissions of a lesson, and write a table: student, exercise, points, mistake."""

import csv
import io
import os
import re
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from posviz.classroom import submission
from posviz.classroom.exercises import of_lesson
from posviz.classroom.submission import answer
from posviz.publish import assets
from posviz.publish.batch import reason
from posviz.publish.lesson import read
from posviz.teaching.checker import Checker
from posviz.teaching.feedback import Feedback

_MAGIC = re.compile(r"^\s*[%!].*$", re.MULTILINE)


class Row(NamedTuple):
    """A line of the table.

    mistake: the name of a known one, or else "wrong", "error", "not attempted"; "" where right.
    told: the sentence that goes with it.
    """

    student: str
    exercise: str
    points: int
    mistake: str
    told: str


def grade(folder: Path, notebook: Path, seed: int) -> list[Row]:
    """A row for each exercise of each notebook below a folder, graded by a process for each core.

    The seed draws the inputs. Raises RuntimeError where there are no notebooks in the folder, and
    on Windows.
    """
    if submission.resource is None:
        raise RuntimeError("Windows cannot limit a process: grade in WSL, on Linux or on macOS.")
    files = submissions(folder)
    if not files:
        raise RuntimeError(f"there are no notebooks in {folder}")
    lesson = of_lesson(notebook)
    job = partial(_graded, notebook=notebook, seed=seed)
    # Forked processes have the checkers already.
    with ProcessPoolExecutor(os.cpu_count(), get_context("fork"), _bounded) as pool:
        told = pool.map(job, files.values())
        told = tqdm(told, total=len(files), unit="submission", disable=None)
        return [
            _row(student, exercise, feedback)
            for student, verdicts in zip(files, told, strict=True)
            for exercise, feedback in zip(lesson, verdicts, strict=True)
        ]


def submissions(folder: Path) -> dict[str, Path]:
    """The notebooks below a folder by student: the name of the file, or of its folder.

    Where a student has several, each is named by its path.
    """
    files = [file for file in sorted(folder.rglob("*.ipynb")) if not _hidden(file, folder)]
    names = [file.relative_to(folder).with_suffix("").parts for file in files]
    first = [parts[0] for parts in names]
    return {
        parts[0] if first.count(parts[0]) == 1 else "/".join(parts): file
        for parts, file in zip(names, files, strict=True)
    }


def _hidden(file, folder) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _bounded():
    """In a process that grades: what a submission asks it to compute must fit, too."""
    most = 2 * submission.MEMORY
    submission.resource.setrlimit(submission.resource.RLIMIT_DATA, (most, most))


def _graded(file: Path, *, notebook: Path, seed: int) -> list[Feedback]:
    lesson = of_lesson(notebook)
    try:
        cells = [cell.source for cell in read(file).cells if cell.cell_type == "code"]
    except Exception as error:  # whatever a file may hold
        said = f"The notebook cannot be read: {reason(error)}"
        return [Feedback("error", exercise.checker.title, said) for exercise in lesson]
    return [verdict(each.checker, each.name, each.lent, cells, seed) for each in lesson]


def verdict(
    checker: Checker, name: str, lent: dict[str, Callable], cells: Iterable[str], seed: int
) -> Feedback:
    """What a checker says of what a submission's cells call by this name.

    lent: what these may use of posviz. The seed draws the inputs.
    """
    check = replace(checker, seed=(seed,))
    code = [_MAGIC.sub("", cell) for cell in cells]
    try:
        with answer(code, name, lent) as given:
            return check(given, solution=False)
    except Exception as error:  # such as a limit that is met between two calls
        return Feedback("error", check.title, f"Your code stopped: {reason(error)}")


def _row(student, exercise, feedback) -> Row:
    mistake = "" if feedback else feedback.mistake or feedback.status
    return Row(student, exercise.checker.title, feedback.points, mistake, feedback.message)


def write(rows: Iterable[Row], file: Path) -> Path:
    """Write the table; OSError where that cannot be."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerows([Row._fields, *rows])
    return assets.write(file, text.getvalue().encode())
