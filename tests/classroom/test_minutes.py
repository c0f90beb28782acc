"""How long a lesson takes is what it says, to 5 minutes; none takes above an hour."""

import nbformat
import pytest

from posviz.classroom.minutes import rounded, spent
from posviz.cli import arguments
from posviz.course import LESSONS
from posviz.publish.lesson import about, read

MOST = 60


def notebook(lesson):
    return read(arguments.notebooks()[lesson.notebook])


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)
def test_lesson_says_how_long_it_takes(lesson):
    needed, optional = spent(notebook(lesson).cells)
    assert needed.all <= MOST
    wanted = {"minutes": rounded(needed.all), "optional": rounded(optional.all)}
    said = about(notebook(lesson))
    assert wanted.items() <= said.items(), f"{lesson.notebook}: write {wanted} in its metadata"


def test_minutes_above_the_hour_are_not_rounded_away():
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    optional = text("## More\n" + "word " * 198, metadata={"posviz": {"role": "optional"}})
    long = [text("word " * 480), *20 * [code("predict(")], optional]
    assert [part.all for part in spent(long)] == pytest.approx([62.4, 1])
    assert [part.doing for part in spent(long)] == [60, 0]
    assert spent(long)[0].all > MOST


def test_the_first_lesson_says_how_long_the_longest_takes():
    text = "\n".join(cell.source for cell in notebook(LESSONS[0]).cells)
    longest = max(about(notebook(lesson))["minutes"] for lesson in LESSONS)
    assert f"Each lesson takes at most {longest} minutes." in text
