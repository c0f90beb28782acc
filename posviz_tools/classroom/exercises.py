"""The exercises of a lesson, as its notebook has them: text, cells, checker, what is lent."""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import posviz
from posviz.teaching.checker import Checker
from posviz.teaching.feedback import POINTS
from posviz_course import solutions
from posviz_course.course import EXAMINATION, LESSONS, Lesson
from posviz_tools.publish.lesson import StoredLesson

stored = functools.cache(StoredLesson)  # by the path of a notebook: each is read once
_NAMED = re.compile(r"\*\*(?:Exercise|Task)(?: (\d+))?(?:: (.+?)[.,]?)?\*\*")
_ASKED = re.compile(r"^(check_\w+)\((\w+)\)$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} .*\n+", re.MULTILINE)
_SECTION = re.compile(r"^## (.+)", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\(")


@dataclass(frozen=True)
class Exercise:
    """An exercise of a lesson.

    name: of the variable or function that the reader fills in.
    section: the heading that it stands under, with its number.
    text: the Markdown that asks for it.
    given: code that shows something before the reader answers, often none.
    stub: the code that the reader is to fill in.
    check: the code that shows the verdict.
    checker_name: how the checker is called where the lesson imports it.
    lent: what an answer may use of posviz: what text and stub call by name.
    """

    name: str
    section: str
    text: str
    given: list[str]
    stub: str
    check: str
    checker: Checker
    checker_name: str
    lent: dict[str, Callable[..., Any]]

    @property
    def label(self) -> str:
        """As a sheet names it, with its points: "1 rotate a head (10)"."""
        match = _NAMED.match(self.text)
        number, name = match.groups() if match else (None, None)
        name = name or self.checker.title.rpartition(": ")[2]
        return f"{number or ''} {name} ({POINTS})".lstrip()


@functools.cache
def of_lesson(notebook: Path) -> list[Exercise]:
    """The exercises of a lesson's notebook, in its order."""
    (row,) = [row for row in (*LESSONS, EXAMINATION) if row.notebook == notebook.stem]
    checkers, exercises = import_module(f"posviz_course.lessons.{row.topic}"), []
    before: list[str] = []  # from the last text on
    section = ""
    for cell in stored(notebook).notebook.cells:
        if cell.cell_type == "markdown":
            before = []
            section = "".join(_SECTION.findall(cell.source)) or section
        elif asked := _ASKED.search(cell.source):
            checker = getattr(checkers, asked[1])
            exercises.append(_exercise(section, before, cell.source, asked, checker))
        before.append(cell.source)
    return exercises


def _exercise(
    section: str, before: list[str], check: str, asked: re.Match, checker: Checker
) -> Exercise:
    text, code = _HEADING.sub("", before[0]), before[1:]
    if f"{asked[2]} = ..." in check:  # one cell to answer and to check
        stub, check = check[: asked.start()].rstrip(), check[asked.start() :]
        *given, stub = [*code, stub]
    else:
        *given, stub = code
    called = {name for part in [*_CODE.findall(text), stub] for name in _CALLED.findall(part)}
    lent = {name: getattr(posviz, name) for name in sorted(called & set(dir(posviz)))}
    return Exercise(asked[2], section, text, given, stub, check, checker, asked[1], lent)


def solution(lesson: Lesson, exercise: Exercise) -> str:
    """The code that answers an exercise: its stub with what solutions.py has for each name."""
    codes, solved = solutions.codes(lesson.topic), exercise.stub
    for name, code in solutions.defined(exercise.stub).items():
        solved = solved.replace(code, codes.get(name, code))
    return solved
