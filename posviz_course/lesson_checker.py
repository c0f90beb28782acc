"""A checker of a lesson, which has its solution there."""

import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from posviz.teaching.checker import Checker
from posviz.teaching.feedback import Feedback
from posviz_course import solutions
from posviz_course.course import LESSONS, Lesson


class LessonChecker(Checker):
    """A checker among the exercises of a lesson: it knows the lesson and its solutions."""

    @property
    def lesson(self) -> str:
        row = lesson_of(self)
        return row.number if row else ""

    def _judged(self, answer: Any) -> Feedback:
        """Judge an answer; one that calls another exercise's wrong answer is not wrong for it."""
        found = super()._judged(answer)
        for name in () if found else self._with_a_solution(answer):
            other = super()._judged(answer)
            if other:
                but = f"But {name}, which it calls, is not right yet."
                return replace(other, message=f"{answer.__name__} is right. {but}")
            found = other if other.mistake or found.status == "not attempted" else found
        return found

    def _with_a_solution(self, answer: Any) -> Iterator[str]:
        """Yield the names of a reader's other answers, each while its solution stands for it."""
        names = getattr(answer, "__globals__", {})
        for name, solution in self._solutions().items():
            theirs = names.get(name)
            if theirs is not answer and callable(theirs):
                names[name] = solution
                try:
                    yield name
                finally:
                    names[name] = theirs

    def solution(self) -> str:
        row, cases = lesson_of(self), self.cases()
        # Solutions of other exercises may warn at these inputs.
        with warnings.catch_warnings(action="ignore"):
            known = self._solutions().items()
            right = (name for name, answer in known if self._is_right(answer, cases))
            return next((solutions.codes(row.topic)[name] for name in right), "") if row else ""

    def _solutions(self) -> dict[str, Any]:
        row = lesson_of(self)
        return solutions.answers(row.topic) if row else {}


def lesson_of(checker: Checker) -> Lesson | None:
    """Return the lesson that has a checker among its exercises; None for one of the reader's."""
    for lesson in LESSONS:
        module = sys.modules.get(f"posviz_course.lessons.{lesson.topic}.exercises")
        if module and any(checker is value for value in vars(module).values()):
            return lesson
    return None
