"""How long a lesson takes, by a rule, is what it says; and none takes more than an hour.

200 words a minute; 3 minutes for each prediction and for what each explorer asks; 8 for each
exercise. An appendix is optional, and counted by itself.
"""

import re
from pathlib import Path

import nbformat
import pytest

from posviz.course import LESSONS

FOLDER = Path(__file__).parent.parent / "notebooks"
WORDS, ASKED, EXERCISE = 1 / 200, 3, 8  # minutes
MOST = 60
APPENDIX = re.compile(r"## .*\bAppendix\b")

every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)


def cells(lesson):
    return nbformat.read(FOLDER / f"{lesson.notebook}.ipynb", as_version=4).cells


def minutes(lesson) -> tuple[int, int]:
    """Of the lesson without its appendix, and of the appendix, in steps of 5."""
    spent, optional = [0.0, 0.0], False
    for cell in cells(lesson):
        if cell.cell_type == "markdown":
            optional = optional or bool(APPENDIX.match(cell.source))
            spent[optional] += WORDS * len(cell.source.split())
        else:
            asked = re.findall(r"^predict\(|\.explore\(\)", cell.source, re.MULTILINE)
            exercises = re.findall(r"^check_\w+\(", cell.source, re.MULTILINE)
            spent[optional] += ASKED * len(asked) + EXERCISE * len(exercises)
    return tuple(5 * max(1, round(each / 5)) if each else 0 for each in spent)


@every_lesson
def test_a_lesson_says_how_long_it_takes(lesson):
    needed, optional = minutes(lesson)
    text = "\n".join(cell.source for cell in cells(lesson) if cell.cell_type == "markdown")
    wanted = f"**Time:** {needed} minutes"
    if optional:
        wanted += f", and {optional} more for the appendix"
    assert wanted in text, f"{lesson.notebook}: write {wanted}"
    assert needed <= MOST


def test_the_first_lesson_has_everybodys_minutes():
    text = "\n".join(cell.source for cell in cells(LESSONS[0]))
    found = re.findall(r"^\| (\d\d) \|.*\| (\d+) \|$", text, flags=re.MULTILINE)
    wanted = [(lesson.number, str(minutes(lesson)[0])) for lesson in LESSONS]
    assert found == wanted, "write as the last column of the table the minutes of " + str(wanted)
