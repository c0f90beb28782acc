"""The rows of Shaw's table, and every listed mistake as a reader would write it."""

import numpy as np
import pytest
import torch

from posviz.exercises.relative.shaw import check_shaw_index
from tests.exercises.every_mistake import mistake_tests


def shaw_rows(row):
    """Fill the matrix cell by cell: row(query, key, max_distance) -> number of the row."""

    def answer(q_positions, k_positions, most):
        return [[row(query, key, most) for key in k_positions] for query in q_positions]

    return answer


def clipped(ahead, low, high):
    return max(low, min(high, ahead))


def by_place(q_positions, k_positions, most):
    places = range(len(q_positions)), range(len(k_positions))
    return [[clipped(j - i, -most, most) + most for j in places[1]] for i in places[0]]


SHAW_MISTAKES = {
    "sign of the offset": shaw_rows(lambda q, k, most: clipped(q - k, -most, most) + most),
    "not clipped": shaw_rows(lambda q, k, most: k - q + most),
    "clipped, not shifted": shaw_rows(lambda q, k, most: clipped(k - q, -most, most)),
    "neither clipped nor shifted": shaw_rows(lambda q, k, most: k - q),
    "clipped before 0": shaw_rows(lambda q, k, most: clipped(k - q, 0, 2 * most)),
    "shifted before clipped": shaw_rows(lambda q, k, most: clipped(k - q + most, -most, most)),
    "clipped to max_distance − 1": shaw_rows(
        lambda q, k, most: clipped(k - q + most, 0, 2 * most - 1)
    ),
    "clipped to 2·max_distance + 1": shaw_rows(
        lambda q, k, most: clipped(k - q + most, 0, 2 * most + 1)
    ),
    "rows from 1": shaw_rows(lambda q, k, most: clipped(k - q, -most, most) + most + 1),
    "distances": shaw_rows(lambda q, k, most: min(abs(q - k), most)),
    "distances, shifted": shaw_rows(lambda q, k, most: min(abs(q - k), most) + most),
    "wrapped around": shaw_rows(lambda q, k, most: (k - q + most) % (2 * most + 1)),
    "positions ignored": by_place,
}


right_rows = shaw_rows(lambda q, k, most: clipped(k - q, -most, most) + most)


def rows_in_numpy(q_positions, k_positions, max_distance):
    return np.clip(k_positions - q_positions[:, None] + max_distance, 0, 2 * max_distance)


def rows_in_torch(q_positions, k_positions, max_distance):
    ahead = torch.tensor(k_positions)[None] - torch.tensor(q_positions)[:, None]
    return ahead.clamp(-max_distance, max_distance) + max_distance


@pytest.mark.parametrize("answer", [right_rows, rows_in_numpy, rows_in_torch])
def test_shaws_rows_may_be_found_in_many_ways(answer):
    assert check_shaw_index(answer).status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_shaw_index, SHAW_MISTAKES)]
)


def test_a_wrong_answer_of_no_known_kind_is_told_with_its_input():
    halved = check_shaw_index(lambda *given: rows_in_numpy(*given) / 2)
    assert (halved.status, halved.mistake) == ("wrong", None)
    assert halved.message.startswith("The largest difference is")
    assert "max_distance = 1" in halved.evidence
    by_key = check_shaw_index(lambda *given: rows_in_numpy(*given).T)
    assert by_key.message.startswith("Your answer is the transpose")
    one_row = check_shaw_index(lambda q, k, most: rows_in_numpy(q, k, most)[0])
    assert "shape" in one_row.message


def test_what_is_not_attempted_is_told_so():
    def empty(q_positions, k_positions, max_distance): ...

    assert check_shaw_index(...).status == check_shaw_index(empty).status == "not attempted"


def test_far_keys_are_met_on_both_sides_and_the_query_itself():
    met = set()
    for q_positions, k_positions, most in check_shaw_index.cases():
        for ahead in {key - query for key in k_positions for query in q_positions}:
            met |= {"behind"} if ahead < -most else {"ahead"} if ahead > most else {ahead}
        assert 0 in met
        met.discard(0)
    assert {"behind", "ahead", -1, 1} <= met
