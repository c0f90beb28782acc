"""CoPE's positions, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest
import torch

from posviz.exercises.content.counting import check_cope
from tests.exercises.every_mistake import mistake_tests


def sigma(x):
    return 1 / (1 + math.exp(-x))


def behind(gates, i, j):
    return sum(gates[j : i + 1])


def mixed(row, p):
    """The row of the table at p, between two entries, and its end beyond."""
    p = min(max(p, 0), len(row) - 1)
    low = math.floor(p)
    high = min(low + 1, len(row) - 1)
    return (low + 1 - p) * row[low] + (p - low) * row[high]


def cell_by_cell(gate=sigma, *, count=behind, read=mixed, ahead=0):
    def answer(scores, by_row):
        def cell(i, j):
            if j > i and ahead is not None:
                return ahead
            gates = [gate(x) for x in scores[i]]
            return read(by_row[i], count(gates, i, j))

        return [[cell(i, j) for j in range(len(scores))] for i in range(len(scores))]

    return answer


def at_one(round_):
    return lambda row, p: row[min(round_(p), len(row) - 1)]


def swapped(row, p):
    p = min(p, len(row) - 1)
    low, high = math.floor(p), math.ceil(p)
    return (p - low) * row[low] + (1 - (p - low)) * row[high]


def uncut(row, p):
    low = math.floor(p)
    return (low + 1 - p) * row[low] + (p - low) * row[math.ceil(p)]


def mean(row, p):
    p = min(p, len(row) - 1)
    return (row[math.floor(p)] + row[math.ceil(p)]) / 2


def shared(scores, by_row):
    """Gates that share 1, as the softmax of a causal row."""
    rows = []
    for i, z in enumerate(scores):
        total = sum(math.exp(x) for x in z[: i + 1])
        gates = [math.exp(x) / total for x in z]
        rows.append([mixed(by_row[i], behind(gates, i, j)) if j <= i else 0 for j in range(len(z))])
    return rows


def positions(scores, by_row):
    return cell_by_cell(read=lambda row, p: p)(scores, by_row)


MISTAKES = {
    "summed from the first key": cell_by_cell(count=lambda gates, i, j: sum(gates[: j + 1])),
    "keys ahead counted": cell_by_cell(count=lambda gates, i, j: sum(gates[j:])),
    "key's own gate left out": cell_by_cell(count=lambda gates, i, j: sum(gates[j + 1 : i + 1])),
    "query's own gate left out": cell_by_cell(count=lambda gates, i, j: sum(gates[j:i])),
    "floor only": cell_by_cell(read=at_one(math.floor)),
    "ceil only": cell_by_cell(read=at_one(math.ceil)),
    "rounded to the nearest": cell_by_cell(read=at_one(round)),
    "parts swapped": cell_by_cell(read=swapped),
    "halves": cell_by_cell(read=mean),
    "not cut off": cell_by_cell(read=uncut),
    "one row too few": cell_by_cell(read=lambda row, p: mixed(row[:-1], p)),
    "from the start again": cell_by_cell(read=lambda row, p: mixed(row, p % (len(row) - 1))),
    "0 beyond the table": cell_by_cell(
        read=lambda row, p: mixed(row, p) if p <= len(row) - 1 else 0
    ),
    "gates without the sigmoid": cell_by_cell(float),
    "softmax for the sigmoid": shared,
    "all gates open": cell_by_cell(lambda x: 1),
    "positions returned": positions,
    "added to the scores": lambda scores, by_row: np.tril(scores) + cell_by_cell()(scores, by_row),
    "keys ahead not 0": cell_by_cell(ahead=None),
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_cope, MISTAKES)]
)


def with_interp(scores, by_row):
    gates = np.tril(1 / (1 + np.exp(-scores)))
    counted = np.cumsum(gates[:, ::-1], axis=1)[:, ::-1]
    rows = np.arange(by_row.shape[1])
    return np.tril([np.interp(p, rows, row) for p, row in zip(counted, by_row, strict=True)])


def in_float32(scores, by_row):
    scores, by_row = (torch.tensor(x, dtype=torch.float32) for x in (scores, by_row))
    counted = torch.sigmoid(scores).tril().flip(-1).cumsum(-1).flip(-1)
    counted = counted.clamp(max=by_row.shape[-1] - 1)
    low = counted.floor().long()
    high = counted.ceil().long()
    part = counted - low
    mix = by_row.gather(-1, high) * part + by_row.gather(-1, low) * (1 - part)
    return mix.tril()


@pytest.mark.parametrize("answer", [cell_by_cell(), with_interp, in_float32])
def test_the_bias_may_be_found_in_many_ways(answer):
    assert check_cope(answer).status == "correct"


@pytest.mark.parametrize("junk", [lambda *given: 2, lambda z, _: z, lambda z, _: np.eye(len(z))])
def test_junk_is_refused(junk):
    feedback = check_cope(junk)
    assert (feedback.status, feedback.mistake) == ("wrong", None)


def test_some_positions_are_beyond_the_table_and_some_tables_long_enough():
    beyond = {bool(positions(*case)[-1][0] > case[1].shape[1] - 1) for case in check_cope.cases()}
    assert beyond == {True, False}
