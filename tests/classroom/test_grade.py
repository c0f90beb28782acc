"""A class, graded."""

import csv

import pytest

from posviz.classroom import grade, submission
from posviz.classroom.exercises import of_lesson, solution
from posviz.cli import arguments
from posviz.course import EXAMINATION, LESSONS
from tests.classroom.made_up import MADE_UP, WHOLE, hand_in

NOTEBOOK = arguments.notebooks()[LESSONS[5].notebook]
RARE = {
    *("exponent doubled", "1/√head_dim missing", "only the queries rotated"),
    *("empty", "half done", "under other names"),
}


def test_submissions_are_called_as_their_files_or_folders(tmp_path):
    for name in (
        "ann",
        "bob/lesson05/05_rope",
        "cy/first",
        "cy/second",
        "dora/.ipynb_checkpoints/x",
    ):
        hand_in((tmp_path / name).parent, "", (tmp_path / name).name)
    assert list(grade.submissions(tmp_path)) == ["ann", "bob", "cy/first", "cy/second"]
    with pytest.raises(RuntimeError, match="no notebooks in"):
        grade.grade(tmp_path / "nobody", NOTEBOOK, 0)


def made_up(folder, name):
    package = str(submission.PACKAGE.parent)
    code = MADE_UP[name][0].replace("PLACE", str(folder)).replace("PACKAGE", package)
    hand_in(folder, code, "student")
    return folder / "student.ipynb"


@pytest.mark.slow("a process")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.release("a process each") if name in RARE else ())
        for name in MADE_UP
    ],
)
def test_cheats_and_mistakes_get_their_verdicts(name, tmp_path, monkeypatch):
    monkeypatch.setattr(submission, "SECONDS", 5)
    file = made_up(tmp_path, name)
    verdicts = grade._graded(file, notebook=NOTEBOOK, seed=len(name))
    rows = [
        grade._row(name, *each) for each in zip(grade.of_lesson(NOTEBOOK), verdicts, strict=True)
    ]
    assert tuple(row.mistake for row in rows) == MADE_UP[name][1], verdicts
    assert all(row.points == (0 if row.mistake else 10) for row in rows)
    assert file.exists()


@pytest.mark.slow("a process")
def test_nobody_changes_anybody_else_s_result(tmp_path):
    hostile = ("deletes files", "kills", "prints 100 MB")
    for name in hostile:
        made_up(tmp_path / name, name)
    hand_in(tmp_path, WHOLE, "right")
    (tmp_path / "broken.ipynb").write_text("{")
    rows = grade.grade(tmp_path, NOTEBOOK, 1)
    points = {
        name: [row.points for row in rows if row.student == name]
        for name in grade.submissions(tmp_path)
    }
    assert points["right"] == [10, 10, 10]
    assert points["broken"] == [0, 0, 0]
    assert set(points) == {"right", "broken", *hostile}
    told = [row for row in rows if row.student == "broken"]
    assert told[0].told.startswith("The notebook cannot be read: RuntimeError: broken.ipynb is no")
    file = grade.write(rows, tmp_path / "grades.csv")
    with file.open(newline="") as opened:
        assert list(csv.reader(opened)) == [
            list(grade.Row._fields),
            *([*map(str, row)] for row in rows),
        ]


@pytest.mark.slow("a process")
def test_an_examination_is_graded_task_by_task(tmp_path):
    """One task is as it was given, one has another mistake, and the others are fixed."""
    notebook = arguments.notebooks()[EXAMINATION.notebook]
    given, *others = of_lesson(notebook)
    code = [given.stub, *(solution(EXAMINATION, task) for task in others)]
    code[5] = "matrix = np.eye(2)"
    hand_in(tmp_path, "\n\n\n".join(["import numpy as np", *code]), "ann")
    rows = grade.grade(tmp_path, notebook, 1)
    assert [row.mistake for row in rows] == ["not attempted", *[""] * 4, "identity", *[""] * 6]
    assert sum(row.points for row in rows) == 100
    assert rows[0].exercise == "Task 1: One attention head"
