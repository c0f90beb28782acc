"""The course as its instructor sees it, read once."""

import pytest

from posviz.course import LESSONS
from posviz.publish import arguments
from posviz.teaching.lessons import plans
from posviz.teaching.quiz import questions


@pytest.fixture(scope="session")
def notebooks():
    return arguments.notebooks()


@pytest.fixture(scope="session")
def lessons(notebooks):
    return plans(notebooks)


@pytest.fixture(scope="session")
def quiz(notebooks):
    return {row: questions(row, notebooks[row.notebook]) for row in LESSONS}
