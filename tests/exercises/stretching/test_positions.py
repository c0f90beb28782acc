"""The distances of Self-Extend, and every listed mistake as a reader would write it."""

import numpy as np
import pytest
import torch

from posviz.exercises.stretching.positions import check_distances
from tests.exercises.every_mistake import mistake_tests


def far(i, j, w, g):
    return i // g - j // g + w - w // g


def cells(far=far, *, near=lambda i, j, w, g: i - j, is_near=lambda i, j, w: i - j < w, ahead=None):
    def answer(length, window, group):
        def cell(i, j):
            if j > i and ahead is None:
                return 0
            return (near if is_near(i, j, window) else far)(i, j, window, group)

        return [[cell(i, j) for j in range(length)] for i in range(length)]

    return answer


def plain(i, j, w, g):
    return i - j


MISTAKES = {
    "groups not moved on": cells(lambda i, j, w, g: i // g - j // g),
    "moved on by the window": cells(lambda i, j, w, g: i // g - j // g + w),
    "distance grouped": cells(lambda i, j, w, g: (i - j) // g + w - w // g),
    "/ instead of // in the move": cells(lambda i, j, w, g: i // g - j // g + w - w / g),
    "/ instead of // in positions": cells(lambda i, j, w, g: i / g - j / g + w - w // g),
    "window one token longer": cells(is_near=lambda i, j, w: i - j <= w),
    "all in groups": cells(near=far),
    "none in groups": cells(plain),
    "near in groups, far exact": cells(plain, near=far),
    "all far keys alike": cells(lambda i, j, w, g: w),
    "only the key in groups": cells(lambda i, j, w, g: i - j // g + w - w // g),
    "window and group swapped": lambda length, window, group: cells()(length, group, window),
    "keys ahead counted": cells(ahead="counted"),
    "rows are keys": lambda *given: np.transpose(cells()(*given)),
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_distances, MISTAKES)]
)


def at_once(length, window, group):
    i, j = np.indices((length, length))
    return np.where(j > i, 0, np.where(i - j < window, i - j, far(i, j, window, group)))


def moved_query(length, window, group):
    """The move in the query's position, as the released code has it."""
    positions = torch.arange(length)
    shifted = positions // group + window - window // group
    apart = shifted[:, None] - positions // group
    exact = positions[:, None] - positions
    return torch.where(exact < window, exact, apart).tril().to(torch.float32)


@pytest.mark.parametrize("answer", [cells(), at_once, moved_query])
def test_the_distances_may_be_found_in_many_ways(answer):
    assert check_distances(answer).status == "correct"


def test_two_mistakes_at_once_are_named():
    answer = cells(lambda i, j, w, g: i // g - j // g + w)
    feedback = check_distances(lambda *given: np.transpose(answer(*given)))
    assert feedback.mistake == "rows are keys, and moved on by the window"


@pytest.mark.parametrize(
    "junk",
    [lambda *given: 5, lambda n, *_: np.eye(n), lambda n, *_: [[0] * n]],
)
def test_junk_is_refused(junk):
    feedback = check_distances(junk)
    assert (feedback.status, feedback.mistake) == ("wrong", None)


def test_the_group_divides_some_windows_and_others_not():
    rests = {window % group for _, window, group in check_distances.cases()}
    assert 0 in rests
    assert len(rests) > 1
