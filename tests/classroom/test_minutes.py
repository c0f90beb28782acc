"""How long a lesson takes is what it says, to 5 minutes; none takes above an hour."""

import re

import nbformat
import pytest

from posviz.classroom.minutes import rounded, spent
from posviz.cli import arguments
from posviz.course import LESSONS
from posviz.publish.lesson import read

MOST = 60


def cells(lesson):
    return read(arguments.notebooks()[lesson.notebook]).cells


def minutes(lesson) -> tuple[int, int]:
    """Of the lesson without its appendix, and of the appendix, in steps of 5."""
    return tuple(rounded(part.all) for part in spent(cells(lesson)))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)
def test_lesson_says_how_long_it_takes(lesson):
    needed, optional = minutes(lesson)
    assert spent(cells(lesson))[0].all <= MOST
    text = "\n".join(cell.source for cell in cells(lesson) if cell.cell_type == "markdown")
    wanted = f"**Time:** {needed} minutes"
    if optional:
        wanted += f", and {optional} more for the appendix"
    assert wanted in text, f"{lesson.notebook}: write {wanted}"


def test_minutes_above_the_hour_are_not_rounded_away():
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    long = [text("word " * 480), *20 * [code("predict(")], text("## Appendix\n" + "word " * 198)]
    assert [part.all for part in spent(long)] == pytest.approx([62.4, 1])
    assert [part.doing for part in spent(long)] == [60, 0]
    assert spent(long)[0].all > MOST


def test_the_first_lesson_has_everybodys_minutes():
    text = "\n".join(cell.source for cell in cells(LESSONS[0]))
    found = re.findall(r"^\| (\d\d) \|.*\| (\d+) \|$", text, flags=re.MULTILINE)
    wanted = [(lesson.number, str(minutes(lesson)[0])) for lesson in LESSONS]
    assert found == wanted, "write as the last column of the table the minutes of " + str(wanted)
