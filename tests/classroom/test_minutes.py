"""How long a lesson takes is what it says, to 5 minutes; none takes above 50."""

import nbformat
import pytest

from posviz.classroom.minutes import rounded, spent
from posviz.cli import arguments
from posviz.course import LESSONS
from posviz.publish.lesson import about, read

MOST = 52.5


def notebook(lesson):
    return read(arguments.notebooks()[lesson.notebook])


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)
def test_lesson_says_how_long_it_takes(lesson):
    needed, optional = spent(notebook(lesson).cells)
    assert needed.all <= MOST
    wanted = {"minutes": rounded(needed.all), "optional": rounded(optional.all)}
    said = about(notebook(lesson))
    assert wanted.items() <= said.items(), f"{lesson.notebook}: write {wanted} in its metadata"


def test_the_rule_counts_words_lines_and_what_is_asked():
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    optional = text("## More\n" + "word " * 138, metadata={"posviz": {"role": "optional"}})
    asked = "recall(", "audit(", "predict(", "Picture().explore()", "check_bias("
    cells = [text("word " * 280), code("# why\nimport numpy\na = 1\n\nb = 2"), *map(code, asked)]
    needed, rest = spent([*cells, optional])
    assert (needed.reading, needed.doing) == pytest.approx((2.3, 18.5))
    assert (rest.reading, rest.doing) == pytest.approx((1, 0))


def test_the_first_lesson_says_how_long_the_longest_takes():
    text = "\n".join(cell.source for cell in notebook(LESSONS[0]).cells)
    longest = max(about(notebook(lesson))["minutes"] for lesson in LESSONS)
    assert f"Each lesson takes at most {longest} minutes." in text
