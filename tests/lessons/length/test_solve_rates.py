"""Dots of runs that are written by hand: solved, solved inside alone, not even inside."""

from posviz.lab.tables import ALL_ARMS
from posviz.lessons.length.solve_rates import SolveRates
from tests.lab.made_results import made

FOUND = [
    made("recall", "RoPE", 0, (1, 0.95, 0.5, 0.2)),
    made("recall", "RoPE", 1, (0.9, 0.4, 0.95, 0.2)),
    made("recall", "RoPE", 2, (0.7, 0.99, 0.99, 0.9)),  # it did not learn inside
    made("parity", "none", 0, (1, 1, 1, 1)),
]


def kinds(picture):
    return {kind: len(x) for kind, (x, _) in picture.compute().dots.items()}


def test_who_did_not_learn_inside_solves_nothing_beyond():
    assert kinds(SolveRates(FOUND)) == {"solved": 4 + 3, "learned": 2, "missed": 3}
    assert kinds(SolveRates(FOUND, share=0.7)) == {"solved": 7 + 3, "learned": 2, "missed": 0}
    assert kinds(SolveRates(FOUND, share=1.0)) == {"solved": 1 + 3, "learned": 2, "missed": 6}


def test_dots_stand_in_the_row_of_their_arm_and_the_column_of_their_task():
    x, y = SolveRates(FOUND).compute().dots["missed"]
    assert [round(place) for place in x] == [0, 1, 2]
    assert {round(place) for place in y} == {ALL_ARMS.index("RoPE")}
    x, y = SolveRates([FOUND[-1]]).compute().dots["solved"]
    assert [round(place - 0.01) for place in x] == [10, 11, 12]  # the fourth task, 3.5 columns each
    assert {round(place) for place in y} == {0}
