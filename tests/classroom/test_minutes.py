"""How long a lesson takes is what it says, to 5 minutes; none takes above 50."""

import nbformat
import pytest

from posviz_course.course import LESSONS
from posviz_tools.classroom.minutes import rounded, spent
from posviz_tools.cli import arguments
from posviz_tools.notebooks import about, read

MOST = 52.5


def notebook(lesson):
    return read(arguments.notebooks()[lesson.notebook])


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)
def test_lesson_says_how_long_it_takes(lesson):
    needed = spent(notebook(lesson).cells)
    alone = needed["reading"] + needed["doing"]
    assert alone <= MOST
    wanted = {"minutes": rounded(alone), "optional": rounded(needed["optional"])}
    said = about(notebook(lesson))
    assert wanted.items() <= said.items(), f"{lesson.notebook}: write {wanted} in its metadata"


def test_the_rule_counts_words_lines_and_what_is_asked():
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    optional = text("## More\n" + "word " * 138, metadata={"posviz": {"role": "optional"}})
    asked = "recall(", "audit(", "predict(", "Picture().explore()", "check_bias("
    cells = [text("word " * 280), code("# why\nimport numpy\na = 1\n\nb = 2"), *map(code, asked)]
    found = spent([*cells, optional])
    assert found == pytest.approx({"reading": 2.3, "doing": 18.5, "optional": 1})


def test_the_first_lesson_says_how_long_the_longest_takes():
    text = "\n".join(cell.source for cell in notebook(LESSONS[0]).cells)
    longest = max(about(notebook(lesson))["minutes"] for lesson in LESSONS)
    assert f"Each lesson takes at most {longest} minutes." in text
