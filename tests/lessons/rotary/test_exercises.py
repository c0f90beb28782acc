"""Lesson 05: verdicts on answers that readers wrote, and the right matrix by complex numbers."""

import cmath
import re

import numpy as np
import pytest

from posviz_course.lessons.rotary import check_apply_rotary, check_rotary_scores, check_slip
from posviz_course.lessons.rotary.exercises import head_scores, not_rotated, rotated
from tests.teaching.written import plane

SCORES = """
def my_scores(x, w_q, w_k, positions, base):
    q, k = (my_rotary(x @ w, positions, base) for w in (w_q, w_k))
    return q @ k.T / np.sqrt(q.shape[1])"""


def in_halves(x, positions, base):
    return rotated(x, positions, base, layout="half_split")


def test_two_mistakes_at_once_are_both_named():
    feedback = check_apply_rotary(lambda x, positions, base: in_halves(x, -positions, base))
    assert feedback.mistake == "pairs from two halves, and sign of the sine"
    feedback = check_rotary_scores(
        lambda *given: head_scores(*given, at_key=not_rotated) * given[1].shape[1] ** 0.5
    )
    assert feedback.mistake == "1/√head_dim missing, and only the queries rotated"


@pytest.mark.parametrize("body", ["return ...", "return x", "return x * missing"])
def test_right_scores_are_right_where_my_rotary_is_not(body):
    exec(f"def my_rotary(x, positions, base):\n    {body}\n{SCORES}", mine := {"np": np})
    before = mine["my_rotary"]
    feedback = check_rotary_scores(mine["my_scores"])
    assert (
        feedback.message == "my_scores is right. But my_rotary, which it calls, is not right yet."
    )
    assert feedback
    assert mine["my_rotary"] is before
    exec(SCORES.replace("/ np.sqrt", "+ np.sqrt"), mine)
    assert not check_rotary_scores(mine["my_scores"])


def test_a_name_that_is_missing_is_looked_for_in_its_cell():
    exec(SCORES, mine := {"np": np})
    said = check_rotary_scores(mine["my_scores"]).message
    assert said.endswith("Is my_rotary spelt right, and has the cell run that defines it?")


def test_a_library_that_is_not_installed_is_not_needed():
    exec("def my_scores(*case):\n    import absent.nn", mine := {})
    said = check_rotary_scores(mine["my_scores"]).message
    assert said.endswith(". absent is not installed here: write your answer with NumPy.")


def test_the_smallest_failing_input_of_a_wrong_layout_has_two_pairs():
    # With one pair neighbours are halves.
    evidence = check_apply_rotary(lambda *given: in_halves(*given)).evidence
    assert len(re.findall(r"\.\d+", evidence.splitlines()[0])) == 4


@pytest.mark.parametrize("matrix", [[[0.0707, 0.9975], [0.9975, -0.0707]], [[1, 1], [1, 1]]])
def test_a_matrix_that_is_no_rotation_is_named(matrix):
    assert check_slip(matrix).mistake == "no rotation"


def test_an_unlisted_rotation_is_wrong_and_nothing_more_is_said():
    feedback = check_slip(plane(0.3))
    assert (feedback.status, feedback.mistake) == ("wrong", None)


def test_the_right_matrix_scores_as_rotated_vectors():
    q, k = 1 + 0.5j, 0.3 + 1.2j
    score = (q * cmath.exp(7 * 0.5j) * (k * cmath.exp(4 * 0.5j)).conjugate()).real
    by_matrix = [q.real, q.imag] @ check_slip.reference() @ [k.real, k.imag]
    assert by_matrix == pytest.approx(score)
    assert by_matrix == pytest.approx(1.1110, abs=5e-5)
