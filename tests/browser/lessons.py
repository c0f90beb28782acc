"""Which lessons are looked at in a browser, and their pages and slides."""

import functools

import nbformat
import pytest

import run
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.site.pages import whole_site

NOTEBOOKS = sorted(run.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
ALL, SITE = [path.stem for path in NOTEBOOKS], whole_site(NOTEBOOKS, "")
LESSON = "00_start_here"  # the shortest: its page and its slides are those of the default run
# Between them these have every kind of control, and they are quick.
SHORT = (LESSON, "01_why_order_matters", "11_position_from_content")


def lessons(default):
    """Every lesson for parametrize; all but the default ones are left to a release."""
    release = pytest.mark.release("every lesson")
    return [pytest.param(name, marks=() if name in default else release) for name in ALL]


def code(name):
    """The sources of a notebook's cells of code."""
    cells = nbformat.read(run.NOTEBOOKS / f"{name}.ipynb", as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def writer(write, to):
    """Return a function that writes a lesson, by its name, into a folder, each only once."""
    return functools.cache(lambda name: write(lesson(name), to))


def lesson(name):
    """A lesson as a part of the website."""
    return StoredLesson(run.NOTEBOOKS / f"{name}.ipynb", SITE)
