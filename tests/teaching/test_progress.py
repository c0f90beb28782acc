"""Answers are noted on this machine, and counted."""

import json

import pytest
from IPython.core.interactiveshell import InteractiveShell

from posviz.teaching import progress
from posviz.teaching.checker import Checker
from posviz_course.lessons.order import check_attention
from posviz_course.progress import report


@pytest.fixture
def file(monkeypatch, tmp_path):
    """Where progress is kept during a test; a notebook's shell is there."""
    path = tmp_path / "new" / "progress.json"
    monkeypatch.setattr(progress, "file", lambda: path)
    monkeypatch.setattr("IPython.get_ipython", InteractiveShell)
    return path


def test_the_first_prediction_and_the_right_exercise_count(file):
    for right in (False, True):
        progress.note("predictions", "01", "Which?", right)
    for right in (False, True, False):
        progress.note("exercises", "01", "One attention head", right)
    assert progress.read()["01"] == {
        "predictions": {"Which?": False},
        "exercises": {"One attention head": True},
    }
    progress.note("exercises", "01", "An exercise of an older version", True)
    line = report()[1]
    assert (
        line
        == "  01  Why order matters: predictions: 1 answered, 0 right; exercises: 1 of 3 solved"
    )


def test_names_of_an_older_version_count_beside_ids_of_cells(file):
    file.parent.mkdir()
    file.write_text(json.dumps({"01": {"predictions": {"Which word moves?": True}}}))
    progress.note("predictions", "01", "lesson01-35", False)
    assert "predictions: 2 answered, 1 right" in report()[1]


def test_an_exercise_is_noted_under_its_lesson_once_it_was_tried(file):
    check_attention(...)
    assert not file.exists()
    check_attention(lambda x, *_: x)
    assert progress.read()["01"]["exercises"] == {"One attention head": False}
    check_attention(lambda *given: check_attention.reference(*given))
    assert progress.read()["01"]["exercises"] == {"One attention head": True}


def test_a_checker_of_no_lesson_is_noted_without_one(file):
    Checker("Two", reference=lambda: 2)(2)
    assert progress.read()[""]["exercises"] == {"Two": True}


def test_a_lesson_that_is_done_is_ticked_and_the_next_one_is_offered(file):
    assert report()[-2] == "Continue with 00 Start here."
    progress.note("predictions", "00", "Which?", False)
    assert report()[0].startswith("✓ 00")
    assert report()[-2] == "Continue with 01 Why order matters."
    check_attention(lambda *given: check_attention.reference(*given))
    assert report()[1].startswith("  01")
    assert report()[-2] == "Continue with 01 Why order matters."
    progress.note("predictions", "05", "Which?", True)
    assert report()[-2] == "Continue with 05 RoPE."


def test_the_report_tells_of_the_examination(file):
    for number, right in enumerate((True, False, True)):
        progress.note("examination", "11", str(number), right)
    assert report()[11].endswith("; examination: 2 solved")


def test_nothing_is_noted_where_no_notebook_runs(file, monkeypatch):
    monkeypatch.setattr("IPython.get_ipython", lambda: None)
    progress.note("predictions", "01", "Which?", True)
    assert not file.exists()


@pytest.mark.parametrize("text", ["{", None], ids=["no JSON", "a folder"])
def test_a_file_that_cannot_be_used_stops_no_checker(file, text):
    if text is None:
        file.mkdir(parents=True)
    else:
        file.parent.mkdir()
        file.write_text(text)
    assert check_attention(lambda *given: check_attention.reference(*given)).status == "correct"


def test_a_file_that_is_no_json_is_told(file):
    file.parent.mkdir()
    file.write_text("{")
    with pytest.raises(ValueError, match=r"progress\.json is no JSON"):
        report()
