"""The solutions, and every listed mistake as a reader would write it."""

import numpy as np

from posviz.exercises.learned.moved import check_unnoticed
from tests.exercises.every_mistake import mistake_tests


def inside(moved, rows):
    return all(position in range(rows) for position in moved)


def together(positions, moved):
    return len({int(b - a) for a, b in zip(positions, moved, strict=True)}) == 1


def unsigned(positions):
    return [[abs(int(a - b)) for a in positions] for b in positions]


MISTAKES = {
    "ends of the table forgotten": lambda p, moved, rows: together(p, moved),
    "negative positions let in": lambda p, moved, rows: max(moved) < rows and together(p, moved),
    "last row passed": lambda p, moved, rows: inside(moved, rows + 1) and together(p, moved),
    "order alone": lambda p, moved, rows: inside(moved, rows) and sorted(moved) == list(moved),
    "distances without sign": lambda p, moved, rows: (
        inside(moved, rows) and unsigned(p) == unsigned(moved)
    ),
    "positions sorted": lambda p, moved, rows: (
        inside(moved, rows) and together(sorted(p), sorted(moved))
    ),
    "distances sorted": lambda p, moved, rows: (
        inside(moved, rows)
        and np.sort(unsigned(p), None).tolist() == np.sort(unsigned(moved), None).tolist()
    ),
    "every move": lambda p, moved, rows: True,
    "no move at all": lambda p, moved, rows: np.array_equal(p, moved),
    "ends of the table alone": lambda p, moved, rows: inside(moved, rows),
}


def test_the_solutions_are_correct():
    def neighbours(positions, moved, rows):
        return inside(moved, rows) and np.array_equal(np.diff(moved), np.diff(positions))

    for solution in (neighbours, lambda p, m, rows: inside(m, rows) and together(p, m)):
        assert check_unnoticed(solution).status == "correct"


def test_all_forgotten_is_named():
    feedback = check_unnoticed(lambda p, m, rows: inside(m, rows) and np.diff(m) == np.diff(p))
    assert feedback.status == "wrong"
    assert feedback.message.startswith(
        "Your answer is True or False for each of 2 numbers, and one"
    )
    assert ".all()" in feedback.message


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_unnoticed, MISTAKES)]
)


def test_moves_of_every_kind_are_asked_about():
    told = [bool(check_unnoticed.reference(*case)) for case in check_unnoticed.cases()]
    assert told == [True, False, True, False, False, True, False, False]
    assert all(len(set(np.diff(positions))) > 1 for positions, *_ in check_unnoticed.cases())
