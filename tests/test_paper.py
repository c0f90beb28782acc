"""The article about the course tells its numbers, and cites what its bibliography has."""

import re
from pathlib import Path

from pybtex.database import parse_file

from posviz_course import lessons
from posviz_course.course import LESSONS
from tests.teaching.checkers import CHECKERS

DOCS = Path(__file__).parents[1] / "docs"
PAPER = (DOCS / "paper.md").read_text("utf-8")


def test_its_numbers_are_those_of_the_course():
    assert f"in {len(LESSONS)} lessons" in PAPER
    assert f"live pictures, {len(lessons.names())} in the course" in PAPER
    exercises = {id(checker) for checker in CHECKERS.values()}
    assert f"{len(exercises)} exercises whose checkers" in PAPER


def test_it_cites_all_of_its_bibliography_and_nothing_else():
    cited = set(re.findall(r"@(\w+)", PAPER.partition("---\n\n")[2]))
    assert cited == set(parse_file(DOCS / "paper.bib").entries)


def test_it_has_the_length_that_the_journal_asks_for():
    text = PAPER.partition("---\n\n")[2]
    assert 250 <= len(text.split()) <= 1000
