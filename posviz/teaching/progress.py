"""What a reader has answered: a JSON file on this machine, read by `posviz progress` alone."""

import contextlib
import json
import os
import sys
from pathlib import Path

from posviz.files import replacing


def file() -> Path:
    """Where it is kept: in the folder that the system has for a user's data."""
    from platformdirs import user_data_path  # a browser's Python, which notes nothing, lacks it

    return user_data_path("posviz") / "progress.json"


def note(kind: str, lesson: str, name: str, right: bool) -> None:
    """Note an answer: a prediction's first one counts; an exercise stays right once it was right.

    name: the exercise's title, or the id of a question's cell: its words may change.
    Only answers in a notebook count, none in a script. A disk that cannot be written to or a
    broken file raises no error.
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
    """The number that the running notebook's name begins with; "" where it is unknown."""
    return Path(os.environ.get("JPY_SESSION_NAME", "")).name[:2]
