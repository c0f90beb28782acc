"""The examination: what is given is not fixed, what is fixed is right, and both are noted."""

import numpy as np
import pytest

from posviz.teaching import progress
from posviz_course.course import EXAMINATION, LESSONS
from posviz_course.lessons.examination import check_6
from posviz_tools.classroom.exercises import of_lesson, solution
from posviz_tools.cli import arguments

TASKS = of_lesson(arguments.notebooks()[EXAMINATION.notebook])
each = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)


@pytest.fixture
def noted(monkeypatch):
    found = []
    monkeypatch.setattr(progress, "note", lambda *answer: found.append(answer))
    return found


def answer(code, name):
    """What the code of a cell calls by this name."""
    names = {"np": np}
    exec(code, names)
    return names[name]


def test_there_are_twelve_tasks_in_the_order_of_the_lessons():
    assert [task.checker_name for task in TASKS] == [f"check_{number}" for number in range(1, 13)]
    lessons = [task.checker.lesson for task in TASKS]
    assert lessons == sorted(lessons)
    assert set(lessons) <= {lesson.number for lesson in LESSONS}


@each
def test_what_is_given_is_not_fixed_and_is_not_noted(task, noted):
    told = task.checker(answer(task.stub, task.name))
    assert told.status == "not attempted", told
    assert told.message.startswith("Not fixed yet")
    assert noted == []


@each
def test_what_is_fixed_is_right_and_is_noted(task, noted):
    fixed = solution(EXAMINATION, task).splitlines()
    assert len(set(fixed) - set(task.stub.splitlines())) == 1
    told = task.checker(answer("\n".join(fixed), task.name))
    assert told.status == "correct", told
    assert noted == [("examination", "13", told.title, True)]


def test_another_mistake_is_told_and_noted(noted):
    told = check_6([[1, 0], [0, 1]])
    assert (told.mistake, told.title) == ("identity", "Task 6: The matrix between q and k")
    assert noted == [("examination", "13", told.title, False)]


def test_no_solution_is_offered_however_often_it_is_tried(noted):
    assert [check_6(np.eye(2)).solution for _ in range(5)] == [""] * 5
