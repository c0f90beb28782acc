"""A text that is moved, and every listed mistake as a reader would write it."""

import numpy as np

from posviz.exercises.choosing.moved import check_moved
from tests.exercises.every_mistake import mistake_tests


def right(layer, positions):
    return max(abs(x) for x in np.ravel(layer(positions + 100) - layer(positions)))


def test_the_largest_change_is_right():
    assert check_moved(right).status == "correct"


test_each_mistake_is_named, test_no_mistake_is_left_untried = mistake_tests(
    [
        (
            check_moved,
            {
                "no absolute value": lambda f, p: max(np.ravel(f(p + 100) - f(p))),
                "mean": lambda f, p: sum(np.ravel(abs(f(p + 100) - f(p)))) / f(p).size,
                "one token farther": lambda f, p: abs(f(p + 1) - f(p)).max(),
                "positions times 100": lambda f, p: abs(f(100 * p) - f(p)).max(),
                "outputs moved": lambda f, p: abs(np.roll(f(p), 100, axis=0) - f(p)).max(),
                "changes returned": lambda f, p: abs(f(p + 100) - f(p)),
            },
        )
    ]
)
