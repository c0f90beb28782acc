"""The instructor's guide: one page about the whole course, and its quiz for learning platforms."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from posviz_course.course import LESSONS, Lesson
from posviz_tools.classroom import quiz
from posviz_tools.classroom.exercises import Exercise, of_lesson, stored
from posviz_tools.classroom.minutes import rounded, spent
from posviz_tools.publish.assets import policy, write_file
from posviz_tools.publish.clean import markdown
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.place import read_picture

FILES = ("guide.html", "quiz.xml", "quiz_qti.zip")
LECTURE, LABS = 90, 180  # minutes a week: one lecture, and two labs of 90
WEEKS = (("00", "01", "02"), ("03", "04", "05", "06"), ("07", "08", "09", "10"), ("11", "12", "13"))
_EXPLORED = re.compile(r"^(?:\w+ = )?(\w+\(.*\))(?:\n\w+)?\.explore\(\)", re.MULTILINE)


class Minutes(NamedTuple):
    """What a lesson takes: before a class, of what a class does, and alone with its words."""

    lecture: int
    lab: int
    alone: int
    optional: int


class Plan(NamedTuple):
    """A lesson as its instructor sees it.

    needs: the lessons that it builds on. aims: what a reader will be able to do, as Markdown, and
    the exercises that show it. pictures: the section of each, and a line that opens it.
    """

    row: Lesson
    needs: list[Lesson]
    aims: list[tuple[str, list[Exercise]]]
    exercises: list[Exercise]
    minutes: Minutes
    pictures: list[tuple[str, str]]


def plan(row: Lesson, notebook: Path) -> Plan:
    """What a lesson's notebook says of itself."""
    lesson, exercises = stored(notebook), of_lesson(notebook)
    aims = [
        (aim["text"], [exercises[number - 1] for number in aim["exercises"]])
        for aim in lesson.metadata.get("aims", ())
    ]
    needed = spent(lesson.notebook.cells)
    alone = rounded(needed["reading"] + needed["doing"])
    lecture = lesson.metadata.get("lecture", {}).get("minutes", alone)
    minutes = Minutes(lecture, rounded(needed["doing"]), alone, rounded(needed["optional"]))
    return Plan(row, lesson.needs, aims, exercises, minutes, list(_pictures(lesson)))


def _pictures(lesson: StoredLesson) -> Iterator[tuple[str, str]]:
    """Those of the course in their order, but for those that a lesson gives data of its own."""
    for section in lesson.sections:
        title = section.title if section.level > 1 else "the first picture"
        for call in _EXPLORED.findall("\n".join(section.code)):
            if read_picture(call)[0]:
                yield title, f"posviz.{call}.explore()"


def weeks(plans: Iterable[Plan]) -> list[list[Plan]]:
    """The lessons of each week."""
    known = {plan.row.number: plan for plan in plans}
    return [[known[number] for number in week] for week in WEEKS]


def write_guide(notebooks: dict[str, Path], to: Path) -> list[Path]:
    """Write the page, and the quiz for Moodle and as QTI; return where they are.

    notebooks: every lesson's, by name. Raises RuntimeError where a lesson lacks questions, OSError
    where `to` cannot be written.
    """
    plans = [plan(row, notebooks[row.notebook]) for row in LESSONS]
    asked = {row: quiz.questions(row, notebooks[row.notebook]) for row in LESSONS}
    page = quiz.TEMPLATES.get_template("guide.html.j2").render(
        plans=plans,
        quiz=asked,
        weeks=weeks(plans),
        lecture=LECTURE,
        labs=LABS,
        markdown=markdown,
        policy=policy([]),
    )
    files = {"guide.html": page.encode()} | quiz.files(asked)
    return [write_file(to / name, text) for name, text in files.items()]
