"""What the hidden tests of nbgrader and otter-grader call."""

from collections.abc import Iterable

import posviz
from posviz.classroom.grade import verdict
from posviz.teaching.checker import Checker


def require(
    checker: Checker, name: str, cells: Iterable[str], *, lent: Iterable[str], seed: int
) -> None:
    """Raise AssertionError, with what the reader is told, unless the cells answer the exercise.

    The kernel's cells, `In`, run again in a process that has no posviz but what is lent.
    """
    functions = {each: getattr(posviz, each) for each in lent}
    feedback = verdict(checker, name, functions, cells, seed)
    if not feedback:
        raise AssertionError(feedback.message)
