"""What the tests of a class's tools share: the notebooks, and the quiz, made once."""

import pytest

from posviz_course.course import LESSONS
from posviz_tools.classroom.quiz import questions
from posviz_tools.cli import arguments


@pytest.fixture(scope="session")
def notebooks():
    return arguments.notebooks()


@pytest.fixture(scope="session")
def quiz(notebooks):
    return {row: questions(row, notebooks[row.notebook]) for row in LESSONS}
