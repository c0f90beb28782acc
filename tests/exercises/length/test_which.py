"""Which curve goes on, and every listed mistake as a reader would write it."""

import pytest

from posviz.exercises.length.which import check_which
from tests.exercises.every_mistake import mistake_tests


def mean(row, start, stop):
    return sum(row[start:stop]) / (stop - start)


def by(value, choose=min):
    """The number of the curve with the least value, or the most."""

    def answer(curves, trained):
        values = [value(list(row), trained, len(row)) for row in curves]
        return values.index(choose(values))

    return answer


def growth(row, trained, end):
    return mean(row, trained, end) - mean(row, trained // 2, trained)


MISTAKES = {
    "lowest inside": by(lambda row, trained, end: mean(row, 0, trained)),
    "lowest of all positions": by(lambda row, trained, end: mean(row, 0, end)),
    "lowest beyond": by(lambda row, trained, end: mean(row, trained, end)),
    "the last position": by(lambda row, trained, end: row[-1] - mean(row, trained // 2, trained)),
    "from the first position": by(
        lambda row, trained, end: mean(row, trained, end) - mean(row, 0, trained)
    ),
    "most growth": by(growth, max),
}
test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_which, MISTAKES)]
)


def test_a_loop_is_right():
    assert check_which(by(growth)).status == "correct"


@pytest.mark.parametrize("number", range(4))
def test_always_the_same_curve_is_refused(number):
    assert check_which(lambda curves, trained: number).status == "wrong"
