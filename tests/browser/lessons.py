"""Which lessons are looked at in a browser, and their pages and slides."""

import functools

import pytest

import run
from posviz.publish.lesson import PATTERN, StoredLesson

ALL = sorted(path.stem for path in run.NOTEBOOKS.glob(f"{PATTERN}.ipynb"))
LESSON = "00_start_here"  # the shortest: its page and its slides are those of the default run
# Between them these have every kind of control, and they are quick.
SHORT = (LESSON, "01_why_order_matters", "11_position_from_content")


def lessons(default):
    """Every lesson for parametrize; all but the default ones are left to a release."""
    release = pytest.mark.release("every lesson")
    return [pytest.param(name, marks=() if name in default else release) for name in ALL]


def writer(write, to):
    """Return a function that writes a lesson, by its name, into a folder, each only once."""
    return functools.cache(lambda name: write(StoredLesson(run.NOTEBOOKS / f"{name}.ipynb"), to))
