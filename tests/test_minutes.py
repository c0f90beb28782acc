"""How long a lesson takes, by a rule, is what it says, to 5 minutes; none takes above an hour.

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


def spent(some_cells) -> list[float]:
    """Minutes of a lesson without its appendix, and of the appendix."""
    found, optional = [0.0, 0.0], False
    for cell in some_cells:
        if cell.cell_type == "markdown":
            optional = optional or bool(APPENDIX.match(cell.source))
            found[optional] += WORDS * len(cell.source.split())
        else:
            asked = re.findall(r"^predict\(|\.explore\(\)", cell.source, re.MULTILINE)
            exercises = re.findall(r"^check_\w+\(", cell.source, re.MULTILINE)
            found[optional] += ASKED * len(asked) + EXERCISE * len(exercises)
    return found


def minutes(lesson) -> tuple[int, int]:
    """Of the lesson without its appendix, and of the appendix, in steps of 5."""
    return tuple(5 * max(1, round(each / 5)) if each else 0 for each in spent(cells(lesson)))


@every_lesson
def test_a_lesson_says_how_long_it_takes(lesson):
    needed, optional = minutes(lesson)
    text = "\n".join(cell.source for cell in cells(lesson) if cell.cell_type == "markdown")
    wanted = f"**Time:** {needed} minutes"
    if optional:
        wanted += f", and {optional} more for the appendix"
    assert wanted in text, f"{lesson.notebook}: write {wanted}"


@every_lesson
def test_no_lesson_takes_above_an_hour(lesson):
    assert spent(cells(lesson))[0] <= MOST


def test_minutes_above_the_hour_are_not_rounded_away():
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    long = [text("word " * 480), *20 * [code("predict(")], text("## Appendix\n" + "word " * 198)]
    assert spent(long) == pytest.approx([62.4, 1])
    assert spent(long)[0] > MOST


def test_the_first_lesson_has_everybodys_minutes():
    text = "\n".join(cell.source for cell in cells(LESSONS[0]))
    found = re.findall(r"^\| (\d\d) \|.*\| (\d+) \|$", text, flags=re.MULTILINE)
    wanted = [(lesson.number, str(minutes(lesson)[0])) for lesson in LESSONS]
    assert found == wanted, "write as the last column of the table the minutes of " + str(wanted)
