"""What a reader has answered of the course, in lines."""

from importlib import import_module
from importlib.util import find_spec

from posviz.teaching import progress
from posviz_course.course import LESSONS, Lesson


def report() -> list[str]:
    """What was answered, a line for each lesson, what comes next, and where that is kept.

    A lesson is done when its exercises are solved, or where it has none, when it was begun.
    Raises ValueError where the file is no JSON.
    """
    known, lines, following = progress.read(), [], ""
    for lesson in LESSONS:
        answered = known.get(lesson.number, {})
        guesses, solved = answered.get("predictions", {}), answered.get("exercises", {})
        votes, tasks = answered.get("votes", {}), answered.get("examination", {})
        titles = _exercises(lesson)
        right = sum(solved.get(title, False) for title in titles)
        is_done = right == len(titles) if titles else bool(guesses)
        if answered or not following:
            following = "" if is_done else f"{lesson.number} {lesson.title}"
        line = (
            f"{'✓' if is_done else ' '} {lesson.number}  {lesson.title}: predictions: "
            f"{len(guesses)} answered, {sum(guesses.values())} right; exercises: "
            f"{right} of {len(titles)} solved"
        )
        if votes:
            line += f"; votes: {sum(votes.values())} of {len(votes)} right"
        if tasks:
            line += f"; examination: {sum(tasks.values())} solved"
        lines.append(line)
    if following:
        lines.append(f"Continue with {following}.")
    return [*lines, f"Kept in {progress.file()}, and sent nowhere."]


def _exercises(lesson: Lesson) -> list[str]:
    """The titles of a lesson's exercises; a reader may have solved others in an older version."""
    name = f"posviz_course.lessons.{lesson.topic}.exercises"
    names = vars(import_module(name)) if find_spec(name) else {}
    return [checker.title for key, checker in names.items() if key.startswith("check_")]
