"""The exercises of a lesson, as its notebook has them: text, cells, checker, what is lent."""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

import posviz
from posviz.course import Lesson
from posviz.publish.lesson import StoredLesson
from posviz.teaching import solutions
from posviz.teaching.checker import Checker
from posviz.teaching.feedback import POINTS

stored = functools.cache(StoredLesson)
"""The lesson of a notebook, by its path; each is read once."""
_NAMED = re.compile(r"\*\*(?:Exercise|Task)(?: (\d+))?(?:: (.+?)[.,]?)?\*\*")
_ASKED = re.compile(r"^(check_\w+)\((\w+)\)$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} .*\n+", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\(")


@dataclass(frozen=True)
class Exercise:
    """An exercise of a lesson.

    name: of the variable or function that the reader fills in.
    text: the Markdown that asks for it.
    given: code that shows something before the reader answers, often none.
    stub: the code that the reader is to fill in.
    check: the code that shows the verdict.
    module: where the checker is, and checker_name how it is called there.
    lent: what an answer may use of posviz: what text and stub call by name.
    """

    name: str
    text: str
    given: list[str]
    stub: str
    check: str
    checker: Checker
    module: str
    checker_name: str
    lent: dict[str, Callable[..., Any]]

    @property
    def label(self) -> str:
        """As a sheet names it, with its points: "1 rotate a head (10)"."""
        found = _NAMED.match(self.text)
        number, name = found.groups() if found else (None, None)
        name = name or self.checker.title.rpartition(": ")[2]
        return f"{number or ''} {name} ({POINTS})".lstrip()


@functools.cache
def of_lesson(notebook: Path) -> list[Exercise]:
    """The exercises of a lesson's notebook, in its order."""
    cells, found = stored(notebook).notebook.cells, []
    imports: dict[str, str] = {}
    for number, cell in enumerate(cells):
        imports |= _imported(cell)
        if cell.cell_type == "code" and (asked := _ASKED.search(cell.source)):
            found.append(_exercise(_before(cells, number), cell.source, asked, imports))
    return found


def _imported(cell) -> dict[str, str]:
    """The modules of the exercises' names that a cell imports."""
    lines = re.findall(r"^from (posviz\.lessons\.\S+) import (.+)$", cell.source, re.MULTILINE)
    return {name.strip(): module for module, names in lines for name in names.split(",")}


def _before(cells: list[NotebookNode], number: int) -> list[NotebookNode]:
    """The cells of an exercise before its check: from the text that asks for it on."""
    first = max(i for i in range(number) if cells[i].cell_type == "markdown")
    return cells[first:number]


def _exercise(before, check, asked, imports) -> Exercise:
    text, *code = [cell.source for cell in before]
    text = _HEADING.sub("", text)
    if f"{asked[2]} = ..." in check:  # one cell to answer and to check
        stub, check = check[: asked.start()].rstrip(), check[asked.start() :]
        *given, stub = [*code, stub]
    else:
        *given, stub = code
    called = {name for part in [*_CODE.findall(text), stub] for name in _CALLED.findall(part)}
    lent = {name: getattr(posviz, name) for name in sorted(called & set(dir(posviz)))}
    module = imports[asked[1]]
    checker = getattr(import_module(module), asked[1])
    return Exercise(asked[2], text, given, stub, check, checker, module, asked[1], lent)


def solution(lesson: Lesson, exercise: Exercise) -> str:
    """The code that answers an exercise: its stub with what solutions.py has for each name."""
    codes, solved = solutions.codes(lesson.topic), exercise.stub
    for name, code in solutions.defined(exercise.stub).items():
        solved = solved.replace(code, codes.get(name, code))
    return solved
