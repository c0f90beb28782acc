"""The table of the course, against folders, notebooks, and lists that are kept by hand.

Numbers in README.md and in the notebooks' texts are written anew by `python -m tests.test_course`.
"""

import re
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest

from posviz_course.course import EXAMINATION, LESSONS, OF_TOPIC

ROOT = Path(__file__).parent.parent
TABLE = "posviz_course/course.py"
FILES = [ROOT / "README.md", *sorted((ROOT / "notebooks").glob("*.ipynb"))]

every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)


def prose(notebook) -> list[str]:
    """The text cells of a lesson."""
    cells = nbformat.read(ROOT / "notebooks" / f"{notebook}.ipynb", as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "markdown"]


def renumbered(file) -> str:
    """What the file holds, with the lessons' numbers that the table gives."""
    text = file.read_text("utf-8")
    numbers = {name: row.number for row in LESSONS for name in (row.notebook[3:], row.title)}
    names = "|".join(sorted(numbers, reverse=True))  # RoPE in two dimensions before RoPE
    named = rf"\b\d\d(_| · | \| \[?)({names})\b"
    text = re.sub(named, lambda found: numbers[found[2]] + found[0][2:], text)
    text = re.sub(r"\[([Ll]esson )?\d\d\]\((\d\d)_", r"[\1\2](\2_", text)
    own = r"(audit\(\\\"|figures/|Lesson )\d\d(?=[\\_:])"  # in a notebook's code and its outputs
    text = re.sub(own, rf"\g<1>{file.stem[:2]}", text)
    return re.sub(r"(^[ \"]*\| \d\d \| .*\n)+", _in_order, text, flags=re.MULTILINE)


def _in_order(rows) -> str:
    return "".join(sorted(rows[0].splitlines(keepends=True)))


def rows(text) -> list[str]:
    """The rows of a text's table of lessons: those that begin with a number of two digits."""
    return re.findall(r"^\| \d\d \|.*", text, flags=re.MULTILINE)


def test_lessons_are_in_order_and_each_number_and_topic_is_there_once():
    numbers = [lesson.number for lesson in LESSONS]
    assert numbers == sorted(set(numbers))
    assert len(OF_TOPIC) == len(numbers)


def test_every_notebook_has_its_row():
    notebooks = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert notebooks == {lesson.notebook for lesson in (*LESSONS, EXAMINATION)}, (
        f"each notebook has a row in {TABLE}, and is called by its number and title"
    )


def test_every_folder_is_a_topic():
    for top in ("posviz_course", "tests"):
        folders = {path.parent.name for path in (ROOT / top / "lessons").glob("*/*.py")}
        unknown = folders - {lesson.topic for lesson in (*LESSONS, EXAMINATION)}
        assert not unknown, f"{top}/lessons/{unknown} is no topic: add its lesson to {TABLE}"


@every_lesson
def test_a_notebook_begins_as_its_row_says(lesson):
    heading = f"# {lesson.number} · {lesson.title}"
    assert prose(lesson.notebook)[0].splitlines()[0] == heading, (
        f"{lesson.notebook} begins otherwise than {TABLE} says: its first line should be {heading}"
    )


@pytest.mark.parametrize(("lesson", "following"), [*pairwise(LESSONS)])
def test_a_notebook_leads_to_the_next(lesson, following):
    name = f"{following.number} · {following.title}"
    wanted = f"[{name}]({following.notebook}.ipynb)"
    assert wanted in "\n".join(prose(lesson.notebook)), f"{lesson.notebook}: write {wanted}"


def test_the_readme_has_the_table():
    wanted = [f"| {row.number} | {row.title} | {row.question} |" for row in LESSONS]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert rows(readme) == wanted, "write under Lessons in README.md\n" + "\n".join(wanted)


def test_the_first_lesson_has_the_table():
    first, *others = LESSONS
    wanted = [f"| {first.number} | {first.title} | you are here |"]
    wanted += [
        f"| {row.number} | [{row.title}]({row.notebook}.ipynb) | {row.question} |" for row in others
    ]
    assert rows("\n".join(prose(first.notebook))) == wanted, (
        f"write the table in {first.notebook} as\n" + "\n".join(wanted)
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_numbers_are_those_of_the_table(file):
    same = file.read_text("utf-8") == renumbered(file)  # no assert on them: the difference is long
    assert same, f"run `python -m {__name__}`: {file.name} has other numbers than {TABLE}"


@every_lesson
def test_a_lesson_that_is_named_by_its_number_is_a_link(lesson):
    """So that a number is seen to be wrong: "[lesson 05](05_rope.ipynb)"."""
    _, text = "\n".join(prose(lesson.notebook)).split("\n", 1)
    named = re.findall(r"(?<!\[)\b(?:[Ll]essons? |(?=\d\d · ))(\d\d)", text)
    assert not named, f"{lesson.notebook} names {named}: make links, as [lesson 05](05_rope.ipynb)"


if __name__ == "__main__":
    for path in FILES:
        path.write_text(renumbered(path), encoding="utf-8")
