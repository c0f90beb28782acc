"""What a reader has answered of the course, in lines."""

from importlib import import_module
from importlib.util import find_spec

from posviz.teaching import progress
from posviz_course.course import LESSONS, Lesson


def report() -> list[str]:
    """What was answered, a line for each lesson, and where that is kept.

    Raises ValueError where the file is no JSON.
    """
    known, lines = progress.read(), []
    for lesson in LESSONS:
        answered = known.get(lesson.number, {})
        guesses, solved = answered.get("predictions", {}), answered.get("exercises", {})
        votes = answered.get("votes", {})
        tasks, titles = answered.get("examination", {}), _exercises(lesson)
        line = (
            f"{lesson.number}  {lesson.title}: predictions: {len(guesses)} answered, "
            f"{sum(guesses.values())} right; exercises: "
            f"{sum(solved.get(title, False) for title in titles)} of {len(titles)} solved"
        )
        if votes:
            line += f"; votes: {sum(votes.values())} of {len(votes)} right"
        if tasks:
            line += f"; examination: {sum(tasks.values())} solved"
        lines.append(line)
    return [*lines, f"Kept in {progress.file()}, and sent nowhere."]


def _exercises(lesson: Lesson) -> list[str]:
    """The titles of a lesson's exercises; a reader may have solved others in an older version."""
    name = f"posviz_course.lessons.{lesson.topic}.exercises"
    names = vars(import_module(name)) if find_spec(name) else {}
    return [checker.title for key, checker in names.items() if key.startswith("check_")]
