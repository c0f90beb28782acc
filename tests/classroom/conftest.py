"""What the tests of a class's tools share: the notebooks, and the quiz, made once."""

import pytest

from posviz.classroom.quiz import questions
from posviz.cli import arguments
from posviz.course import LESSONS


@pytest.fixture(scope="session")
def notebooks():
    return arguments.notebooks()


@pytest.fixture(scope="session")
def quiz(notebooks):
    return {row: questions(row, notebooks[row.notebook]) for row in LESSONS}
