"""The examination: what is given is not mended, what is mended is right, and both are noted."""

from pathlib import Path

import nbformat
import numpy as np
import pytest

from posviz.course import LESSONS
from posviz.lessons.choosing import examination
from posviz.lessons.choosing.examination import TASKS, check_task
from posviz.teaching import progress

NOTEBOOK = Path(__file__).parents[3] / "notebooks" / "13_choosing.ipynb"
GIVEN = {
    int(cell.id.removeprefix("task-")): cell.source
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells
    if cell.cell_type == "code" and cell.id.startswith("task-")
}
MENDED = {  # what to put in place of what is wrong
    1: ("axis=0", "axis=1"),
    2: ("pair / d_model", "2 * pair / d_model"),
    3: ("< rows", "< rows - padding_offset"),
    4: ("offset + max_distance", "np.clip(offset, -max_distance, max_distance) + max_distance"),
    5: (
        "x = turned(x, positions, base)\n    q, k = x @ w_q, x @ w_k",
        "q, k = turned(x @ w_q, positions, base), turned(x @ w_k, positions, base)",
    ),
    6: ("(7 - 4)", "(4 - 7)"),
    7: ("q = turn(q, 0)", "q = turn(q, len(cached_keys))"),
    8: ("/ head_dim", "/ (head_dim / 2)"),
    9: ("return series(num_heads)", "return released(num_heads)"),
    10: ("i - j < 2 * block", "i // block - j // block < 2"),
    11: ("return factor_of_cos", "return factor_of_cos**2"),
    12: ("range(j, i + 1)", "range(j + 1, i + 1)"),
}


def feedback(source):
    """What the last line of a cell, a call of check_task, returns."""
    names = {"np": np, "check_task": check_task}
    *body, last = source.rstrip().split("\n")
    exec("\n".join(body), names)
    return eval(last, names)


def test_there_are_twelve_tasks_in_the_order_of_the_lessons():
    assert list(GIVEN) == list(TASKS) == list(range(1, 13))
    lessons = [progress.lesson_of_checker(task.checker) for task in TASKS.values()]
    assert lessons == sorted(lessons)
    assert set(lessons) <= {lesson.number for lesson in LESSONS}


@pytest.mark.parametrize("number", TASKS)
def test_what_is_given_is_not_mended_and_what_is_mended_is_right(number, monkeypatch):
    noted = []
    monkeypatch.setattr(progress, "note", lambda *answer: noted.append(answer))
    told = feedback(GIVEN[number])
    assert told.status == "not attempted", told
    assert told.message.startswith("Not mended yet")
    assert not [kind for kind, *_ in noted if kind == "examination"]
    wrong, right = MENDED[number]
    assert GIVEN[number].count(wrong) == 1
    told = feedback(GIVEN[number].replace(wrong, right))
    assert told.status == "correct", told
    assert ("examination", "13", told.title, True) in noted


def test_another_mistake_is_told_and_noted(monkeypatch):
    noted = []
    monkeypatch.setattr(progress, "note", lambda *answer: noted.append(answer))
    told = check_task(6, [[1, 0], [0, 1]])
    assert (told.mistake, told.title) == ("identity", "Task 6: The matrix between q and k")
    assert ("examination", "13", told.title, False) in noted


def test_a_task_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match=r"number must be one of '1'.*, got '13'"):
        examination.check_task(13, None)
