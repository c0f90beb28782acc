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
from posviz.publish.lesson import about, read

_HEADING = re.compile(r"#{2,3} (.*)")


class Minutes(NamedTuple):
    """What a lesson takes: before a class, of what a class does, and alone with its words."""

    lecture: int
    lab: int
    alone: int
    optional: int


class Objective(NamedTuple):
    """What a reader will be able to do, as Markdown, and the exercises that show it."""

    text: str
    exercises: tuple[Exercise, ...]


class ShownPicture(NamedTuple):
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
    shown: tuple[ShownPicture, ...]


def plan(row: Lesson, notebook: Path) -> Plan:
    """What a lesson's notebook says of itself."""
    lesson = read(notebook)
    said, (needed, optional) = about(lesson), spent(lesson.cells)
    exercises = tuple(of_lesson(notebook))
    objectives = (
        Objective(aim["text"], tuple(exercises[number - 1] for number in aim["exercises"]))
        for aim in said.get("aims", ())
    )
    alone = rounded(needed.all)
    lecture = said.get("lecture", {}).get("minutes", alone)
    minutes = Minutes(lecture, rounded(needed.doing), alone, rounded(optional.all))
    needs, shown = tuple(said.get("needs", ())), tuple(_shown(lesson.cells))
    return Plan(row, needs, tuple(objectives), exercises, minutes, shown)


def plans(notebooks: dict[str, Path]) -> list[Plan]:
    """Every lesson of the course, by the names of its notebooks."""
    return [plan(row, notebooks[row.notebook]) for row in LESSONS]


def _shown(cells: list[NotebookNode]) -> Iterator[ShownPicture]:
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


def _opened(section, made) -> Iterator[ShownPicture]:
    """The line for `SinusoidalTable(d_model=16)`, with what of it can be said in a line."""
    if not isinstance(made, ast.Call) or ast.unparse(made.func) not in posviz.lessons.names():
        return
    said = [each for each in made.keywords if isinstance(each.value, ast.Constant)]
    call = ast.unparse(ast.Call(made.func, [], said))
    whole = len(said) == len(made.keywords) and not made.args
    yield ShownPicture(section, f"posviz.{call}.explore()", whole)
