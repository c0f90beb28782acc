"""A lesson as its instructor sees it: what it aims at, what it takes, and what it shows in turn."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

import posviz.lessons
from posviz.classroom.exercises import Exercise, of_lesson
from posviz.classroom.minutes import rounded, spent
from posviz.course import LESSONS, Lesson
from posviz.publish import lecture
from posviz.publish.lesson import read

_AIMS = re.compile(r"\*\*You will be able to\*\*\n\n((?:\d\. .*\n?)+)")
_EXERCISE = re.compile(r"\s*\(exercise (\d)\)")
_NEEDS = re.compile(r"\*\*You need\*\*(.*?)\*\*Time:", re.DOTALL)
_LESSON = re.compile(r"\]\((\d\d)_\w+\.ipynb\)")
_HEADING = re.compile(r"#{2,3} (.*)")


class Minutes(NamedTuple):
    """What a lesson takes: before a class, of what a class does, and alone with its words."""

    lecture: int
    lab: int
    alone: int
    appendix: int


class Objective(NamedTuple):
    """What a reader will be able to do, as Markdown, and the exercises that show it."""

    text: str
    exercises: tuple[Exercise, ...]


class Shown(NamedTuple):
    """A picture to be moved: its section, and one line that opens it without the notebook.

    whole: whether it is the lesson's own in all; else the lesson gives it data besides.
    """

    section: str
    line: str
    whole: bool


@dataclass(frozen=True)
class Plan:
    """A lesson. needs: the numbers of the lessons that it builds on."""

    row: Lesson
    needs: tuple[str, ...]
    objectives: tuple[Objective, ...]
    exercises: tuple[Exercise, ...]
    minutes: Minutes
    shown: tuple[Shown, ...]


def plan(row: Lesson, notebook: Path) -> Plan:
    """What a lesson's notebook says of itself."""
    cells = read(notebook).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    exercises = _exercises(notebook)
    return Plan(
        row,
        _needs(row, text),
        tuple(_objectives(text, exercises)),
        exercises,
        _minutes(cells, text),
        tuple(_shown(cells)),
    )


def plans(notebooks: dict[str, Path]) -> list[Plan]:
    """Every lesson of the course, by the names of its notebooks."""
    return [plan(row, notebooks[row.notebook]) for row in LESSONS]


def _exercises(notebook) -> tuple[Exercise, ...]:
    try:
        return tuple(of_lesson(notebook))
    except RuntimeError:  # the first lesson has none
        return ()


def _needs(row, text) -> tuple[str, ...]:
    found = _NEEDS.search(text)
    numbers = _LESSON.findall(found[1]) if found else []
    return tuple(sorted({number for number in numbers if number < row.number}))


def _objectives(text, exercises) -> Iterator[Objective]:
    listed = _AIMS.search(text)
    for line in listed[1].splitlines() if listed else ():
        numbers = [int(number) for number in _EXERCISE.findall(line)]
        shown_by = tuple(exercises[number - 1] for number in numbers)
        aim = _EXERCISE.sub("", line).partition(". ")[2].rstrip(";.")
        yield Objective(aim, shown_by)


def _minutes(cells, text) -> Minutes:
    lesson, appendix = spent(cells)
    named = lecture.NAMED.search(text)
    taught = int(named["minutes"]) if named else rounded(lesson.all)
    return Minutes(taught, rounded(lesson.doing), rounded(lesson.all), rounded(appendix.all))


def _shown(cells: list[NotebookNode]) -> Iterator[Shown]:
    """The explorers in order; those that show no picture of the course are the lesson's alone."""
    section, named = "", {}
    for cell in cells:
        if cell.cell_type == "markdown":
            heading = _HEADING.match(cell.source)
            section = heading[1] if heading else section
            continue
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                named[node.targets[0].id] = node.value
            if isinstance(node, ast.Attribute) and node.attr == "explore":
                made = named.get(getattr(node.value, "id", ""), node.value)
                yield from _opened(section, made)


def _opened(section, made) -> Iterator[Shown]:
    """The line for `SinusoidalTable(d_model=16)`, with what of it can be said in a line."""
    if not isinstance(made, ast.Call) or ast.unparse(made.func) not in posviz.lessons.names():
        return
    said = [each for each in made.keywords if isinstance(each.value, ast.Constant)]
    call = ast.unparse(ast.Call(made.func, [], said))
    whole = len(said) == len(made.keywords) and not made.args
    yield Shown(section, f"posviz.{call}.explore()", whole)
