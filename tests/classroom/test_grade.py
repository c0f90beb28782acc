"""A class, graded."""

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from posviz_course.course import EXAMINATION, LESSONS
from posviz_course.lessons.rotary import check_slip
from posviz_tools.classroom import grade, submission
from posviz_tools.classroom.exercises import of_lesson, solution
from posviz_tools.cli import arguments
from tests.classroom.made_up import MADE_UP, WHOLE, code_of, hand_in, slipped

ROPE, ALIBI = LESSONS[5], LESSONS[8]
NOTEBOOKS = {row: arguments.notebooks()[row.notebook] for row in (*LESSONS[1:], EXAMINATION)}
NOTEBOOK = NOTEBOOKS[ROPE]
RARE = {
    *("exponent doubled", "1/√head_dim missing", "only the queries rotated"),
    *("empty", "half done", "under other names"),
}


def read_in(folder):
    return grade.submissions(folder, NOTEBOOKS)


def test_submissions_are_named_as_their_files_or_folders(tmp_path):
    names = ("ann", "bob/lesson05/05_rope", "cy/first", "cy/second", "dora/.ipynb_checkpoints/x")
    for name in names:
        hand_in((tmp_path / name).parent, "", (tmp_path / name).name)
    students = [each.student for each in read_in(tmp_path)]
    assert students == ["ann", "bob", "cy/first", "cy/second", "dora"]
    with pytest.raises(RuntimeError, match="no notebooks in"):
        read_in(tmp_path / "nobody")


def test_whoever_hands_in_no_notebook_has_a_row_that_names_the_file(tmp_path):
    for name in ("ann", "dora/05"):
        hand_in((tmp_path / name).parent, WHOLE, Path(name).name)
    (tmp_path / "ann.ipynb").rename(tmp_path / "ann.IPYNB")
    (tmp_path / "lea" / "lesson").mkdir(parents=True)
    handed_in = ("bob.py", "cem.html", "kai/05.pdf", "kai/data.csv")
    beside = ("ann.html", "dora/picture.png", "dora/lesson/data.csv")
    aside = (
        *(".DS_Store", "__pycache__/bob.pyc", "__MACOSX/cem.html", "~$cem.docx", "Thumbs.db"),
        *(".ipynb_checkpoints/ann.ipynb", "feedback/ann/05.html", *grade.FILES),
    )
    for name in (*handed_in, *beside, *aside):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"%PDF \xff")
    found = {each.student: each.fault for each in read_in(tmp_path)}
    names = {"bob": "bob.py", "cem": "cem.html", "kai": "05.pdf"}
    faults = {student: f"{name} is not a notebook." for student, name in names.items()}
    faults["lea"] = "The folder lea has no notebook."
    assert found == {"ann": "", "dora": ""} | faults
    with pytest.raises(RuntimeError, match="2 of 2 notebooks answer lesson 05"):
        grade.lesson_of(read_in(tmp_path), tmp_path, ALIBI)


CELL = {"cell_type": "code", "id": "a#%", "metadata": {}, "source": ["x = 1\n", "y = 'é'"]}
TEXT = {"cell_type": "markdown", "metadata": 3, "source": "", "outputs": []}
ODD = {
    "outputs and ids": {"cells": [TEXT, CELL | {"execution_count": "1", "outputs": "none"}]},
    "version 3": {"worksheets": [{"cells": [{"cell_type": "code", "input": CELL["source"]}]}]},
}
NONE = {
    b"": "it is empty",
    b'{"cells": [': "it is no JSON (Expecting value: line 1 column 12 (char 11))",
    b"<html>": "it is no JSON (Expecting value: line 1 column 1 (char 0))",
    b"[" * 10**6: "it is no JSON (maximum recursion depth exceeded",
    **dict.fromkeys((b"{}", b"[]", b"3", b'{"cells": 3}', b'{"cells": [3]}'), "it has no cells"),
}


@pytest.mark.parametrize("written", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("name", ODD)
def test_what_jupyter_opens_is_a_notebook_however_it_is_written(name, written, tmp_path):
    file = tmp_path / "ann.ipynb"
    file.write_text(json.dumps(ODD[name], ensure_ascii=False), written)
    assert grade.code_cells(file) == ["x = 1\ny = 'é'"]


def test_what_is_no_notebook_is_told_with_why(tmp_path):
    hand_in(tmp_path, "", "ann")
    for number, data in enumerate(NONE):
        (tmp_path / f"f{number}.ipynb").write_bytes(data)
    (tmp_path / "gone.ipynb").symlink_to("nowhere")
    _, *found, gone = [each.fault for each in read_in(tmp_path)]
    for number, (fault, why) in enumerate(zip(found, NONE.values(), strict=True)):
        assert fault.startswith(f"f{number}.ipynb is not a notebook: {why}")
    assert gone.startswith("gone.ipynb cannot be read: No such file or directory")


@pytest.mark.parametrize("lesson", NOTEBOOKS, ids=lambda lesson: lesson.notebook)
def test_a_notebook_s_lesson_is_found_from_its_answers(lesson):
    stubs = [exercise.stub for exercise in of_lesson(NOTEBOOKS[lesson])]
    assert grade._answered("\n".join(stubs), NOTEBOOKS) == lesson
    assert grade._answered(NOTEBOOKS[lesson].read_text("utf-8"), NOTEBOOKS) == lesson


@pytest.mark.parametrize(
    ("lessons", "named", "found"),
    [
        ((ROPE, ROPE, ALIBI, None), None, ROPE),
        ((ROPE, ROPE, ALIBI), ROPE, ROPE),
        ((ROPE, ALIBI), ALIBI, ALIBI),
        ((ROPE, ALIBI), None, "05 · RoPE and 08 · ALiBi: name the lesson"),
        (
            (ROPE, ROPE),
            ALIBI,
            "2 of 2 notebooks answer lesson 05. Did you mean `posviz grade class 05`?",
        ),
        ((ROPE, ROPE, ALIBI), ALIBI, "2 of 3 notebooks answer lesson 05."),
        ((None,), ROPE, "no notebook has an answer"),
    ],
)
def test_a_class_is_of_the_lesson_that_most_notebooks_answer(lessons, named, found):
    notebooks = [grade.Submission("", [], "", lesson) for lesson in lessons]
    if isinstance(found, str):
        with pytest.raises(RuntimeError) as raised:
            grade.lesson_of(notebooks, Path("class"), named)
        assert found in str(raised.value)
    else:
        assert grade.lesson_of(notebooks, Path("class"), named) == found


def made_up(folder, name):
    student = name.replace("/", " over ")
    hand_in(folder, code_of(name, folder), student)
    return folder / f"{student}.ipynb"


@pytest.mark.slow("a process")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.release("a process each") if name in RARE else ())
        for name in MADE_UP
    ],
)
def test_cheats_and_mistakes_get_their_verdicts(name, tmp_path, monkeypatch):
    monkeypatch.setattr(submission, "SECONDS", 4)
    file = made_up(tmp_path, name)
    (given,) = read_in(tmp_path)
    verdicts = grade._verdicts(given, lesson=ROPE, notebook=NOTEBOOK, seed=len(name))
    rows = [grade._row(name, each, 0.5) for each in verdicts]
    assert tuple(row.mistake for row in rows) == MADE_UP[name][1], verdicts
    for row, found in zip(rows, verdicts, strict=True):
        assert row.points == {"correct": 10, "mistake": 5}.get(found.status, 0)
    assert file.exists()


@pytest.mark.slow("a process")
def test_nobody_changes_anybody_else_s_result(tmp_path):
    hostile = ("deletes files", "kills", "prints 100 MB")
    for name in hostile:
        made_up(tmp_path, name)
    hand_in(tmp_path, WHOLE, "right")
    hand_in(tmp_path, solution(ALIBI, of_lesson(NOTEBOOKS[ALIBI])[2]), "stray")
    hand_in(tmp_path / "two", "import nowhere as n\nmy_rotary = my_scores = n", "first")
    hand_in(tmp_path / "two", WHOLE, "second")
    (tmp_path / "broken.ipynb").write_text("")
    rows = grade.grade(read_in(tmp_path), ROPE, NOTEBOOK, 1)
    points = {name: [row.points for row in own] for name, own in grade.by_student(rows).items()}
    assert points["right"] == [10, 10, 10]
    assert points["broken"] == points["stray"] == [0, 0, 0]
    assert set(points) == {"right", "broken", "stray", "two/first", "two/second", *hostile}
    told = {row.student: row.feedback for row in rows}
    assert told["broken"] == "broken.ipynb is not a notebook: it is empty."
    assert told["stray"] == "This notebook answers lesson 08."
    assert grade.remarks(rows) == (
        "2 of 8 were not graded: broken (no notebook that can be read), stray (lesson 08). "
        "With several notebooks, of which each is graded: two (2). "
        "nowhere is missing here (answers that need it: 2)."
    )
    assert grade.summary(rows) == "6 notebooks, mean 25.0 of 30 points"
    labels = [
        "1 rotate a head (10)",
        "2 the scores of a head (10)",
        "3 the matrix in the middle (10)",
    ]
    assert [row.exercise for row in rows[:3]] == labels


@pytest.mark.slow("a process")
def test_a_mistake_costs_points_once_where_an_answer_calls_it(tmp_path):
    code = WHOLE.replace("arange(0, d, 2) / d", "arange(0, d, 2)").replace(
        "apply_rotary(x @ w_q, angles), apply_rotary(x @ w_k, angles)",
        "my_rotary(x @ w_q, positions, base), my_rotary(x @ w_k, positions, base)",
    )
    hand_in(tmp_path, code, "ann")
    rows = grade.grade(read_in(tmp_path), ROPE, NOTEBOOK, 1)
    assert [row.points for row in rows] == [0, 10, 10]
    assert rows[1].feedback == "This answer is right. Only exercise 1, which it calls, is wrong."


def test_a_definition_is_no_call():
    cells = ["def f(x): return x", "def g(x): return f(x)"]
    assert [grade._calls(cells, name) for name in "fg"] == [True, False]


def test_a_table_has_a_line_for_each_student_with_the_sum(tmp_path):
    rows = [
        grade.Row("ann", "RoPE", 10, "", "It agrees."),
        grade.Row("ann", "scores", 2.5, "degrees", "In degrees."),
        grade.Row("bob", "RoPE", 0, "error", "Stopped."),
        grade.Row("bob", "scores", 10.0, "", "It agrees."),
    ]
    grades, details = grade.write(rows, tmp_path)
    lines = ["student,RoPE,scores,sum", "ann,10,2.5,12.5", "bob,0,10,10"]
    assert grades.read_text().splitlines() == lines
    with details.open(newline="") as opened:
        read = [grade.Row(*line) for line in csv.reader(opened)]
    assert read[0] == grade.Row(*grade.Row._fields)
    assert [each._replace(points=float(each.points)) for each in read[1:]] == rows


@pytest.mark.slow("a process")
def test_an_examination_is_graded_task_by_task(tmp_path):
    """One task is as it was given, one has another mistake, and the others are fixed."""
    given, *others = of_lesson(NOTEBOOKS[EXAMINATION])
    code = [given.stub, *(solution(EXAMINATION, task) for task in others)]
    code[5] = "matrix = np.eye(2)"
    hand_in(tmp_path, "\n\n\n".join(["import numpy as np", *code]), "ann")
    notebooks = read_in(tmp_path)
    assert grade.lesson_of(notebooks, tmp_path) == EXAMINATION
    rows = grade.grade(notebooks, EXAMINATION, NOTEBOOKS[EXAMINATION], 1)
    assert [row.mistake for row in rows] == ["not attempted", *[""] * 4, "identity", *[""] * 6]
    assert grade.total(rows) == 100
    assert rows[0].exercise == "1 One attention head (10)"


@pytest.mark.slow("a process")
def test_a_hidden_test_raises_the_feedback_without_a_traceback(tmp_path, capsys, monkeypatch):
    hand_in(tmp_path, slipped(2, "4 - 7", "7 - 4"), "ann")
    grade.require(NOTEBOOK, "my_rotary", tmp_path / "ann.ipynb", 1)
    assert "✓ 1 rotate a head (10): correct. It agrees with" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="That is R at i − j, a common mistake") as raised:
        grade.require(NOTEBOOK, "my_matrix", "another_name.ipynb", 1)
    assert raised.value._render_traceback_() == [str(raised.value)]


@pytest.mark.parametrize(("execution", "kept"), [("autograde", []), ("validate", ["x = 1\n"])])
def test_nbgrader_s_kernel_runs_hidden_tests_alone(execution, kept, monkeypatch):
    kernel = SimpleNamespace(input_transformers_cleanup=[])
    monkeypatch.setattr(grade, "get_ipython", lambda: kernel)
    monkeypatch.setenv("NBGRADER_EXECUTION", execution)
    grade.run_only_tests(5)
    for lines, left in ((["x = 1\n"], kept), (["seed = 5\n", "1"], ["seed = 5\n", "1"])):
        for transform in kernel.input_transformers_cleanup:
            lines = transform(lines)
        assert lines == left


@pytest.mark.slow("a process")
def test_no_verdict_of_a_grader_holds_the_solution(monkeypatch):
    monkeypatch.setattr(check_slip, "tries", 99)
    assert check_slip(0).solution
    matrix = of_lesson(NOTEBOOK)[2]
    assert not grade.verdict(matrix, ["my_matrix = 0"], 1).solution
