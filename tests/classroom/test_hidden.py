"""The hidden tests that graders run."""

import pytest

from posviz.classroom.grade import verdict
from posviz.classroom.hidden import require
from posviz.lessons.rotary import check_slip
from tests.classroom.made_up import IMPORTS, MATRIX

pytestmark = pytest.mark.slow("a process")


def test_it_raises_what_the_reader_is_told():
    require(check_slip, "my_matrix", [IMPORTS, MATRIX], lent=["apply_rotary"], seed=1)
    slip = [IMPORTS, MATRIX.replace("4 - 7", "7 - 4")]
    with pytest.raises(AssertionError, match="That is R at i − j, a common mistake"):
        require(check_slip, "my_matrix", slip, lent=[], seed=1)


def test_no_verdict_of_a_grader_holds_the_solution(monkeypatch):
    monkeypatch.setattr(check_slip, "tries", 99)
    assert check_slip(0).solution
    assert not verdict(check_slip, "my_matrix", {}, ["my_matrix = 0"], 1).solution
