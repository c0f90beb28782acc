"""What a reader has answered: a JSON file on this machine, read by `report` alone."""

import contextlib
import json
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from posviz.course import LESSONS, Lesson
from posviz.pictures.files import replacing

_LESSONS = "posviz.lessons."


def file() -> Path:
    """Where it is kept: in the folder that the system has for a user's data."""
    from platformdirs import user_data_path  # a browser's Python, which notes nothing, lacks it

    return user_data_path("posviz") / "progress.json"


def note(kind: str, lesson: str, name: str, right: bool) -> None:
    """Note an answer: of a prediction the first counts; else once right stays right.

    name: the exercise's title, or the id of a question's cell: its words may change.
    Only a notebook's reader is heard, no script. A disk that cannot be written to, or a file that
    somebody has broken, keeps nobody from learning.
    """
    shell = sys.modules.get("IPython")
    if shell is None or shell.get_ipython() is None:
        return
    with contextlib.suppress(OSError, ValueError):
        known = read()
        answers = known.setdefault(lesson, {}).setdefault(kind, {})
        if name not in answers or (kind != "predictions" and right > answers[name]):
            answers[name] = right
            with replacing(file()) as new:
                new.write(json.dumps(known, indent=1, ensure_ascii=False).encode())


def read() -> dict[str, dict[str, dict[str, bool]]]:
    """By lesson and kind: whether what was answered is right.

    Raises ValueError where the file is no JSON.
    """
    try:
        return json.loads(file().read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ValueError(f"{file()} is no JSON: {error}") from error


def lesson_of_notebook() -> str:
    """The number that the running notebook's name begins with; "" where the host does not tell."""
    return Path(os.environ.get("JPY_SESSION_NAME", "")).name[:2]


def lesson_of_checker(checker: object) -> Lesson | None:
    """The lesson that has a checker among its exercises; None for one of the reader's own."""
    for lesson in LESSONS:
        module = sys.modules.get(f"{_LESSONS}{lesson.topic}.exercises")
        if module and any(checker is each for each in vars(module).values()):
            return lesson
    return None


def report() -> list[str]:
    """What was answered, a line for each lesson, and where that is kept.

    Raises ValueError where the file is no JSON.
    """
    known, lines = read(), []
    for lesson in LESSONS:
        found = known.get(lesson.number, {})
        guesses, solved = found.get("predictions", {}), found.get("exercises", {})
        votes = found.get("votes", {})
        tasks, titles = found.get("examination", {}), _exercises(lesson)
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
    return [*lines, f"Kept in {file()}, and sent nowhere."]


def _exercises(lesson) -> list[str]:
    """The titles of a lesson's exercises; a reader may have solved others in an older version."""
    name = f"{_LESSONS}{lesson.topic}.exercises"
    found = vars(import_module(name)) if find_spec(name) else {}
    return [each.title for key, each in found.items() if key.startswith("check_")]
