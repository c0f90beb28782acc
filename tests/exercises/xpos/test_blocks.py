"""The mask, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest
import torch

from posviz.exercises.xpos.blocks import check_blockwise_mask
from tests.exercises.every_mistake import mistake_tests


def cell_by_cell(sees):
    """Fill the mask cell by cell: sees(query, key, block)."""

    def answer(length, block):
        return [[sees(i, j, block) for j in range(length)] for i in range(length)]

    return answer


def right(i, j, block):
    return j <= i and i // block - j // block in (0, 1)


def row_by_row(length, block):
    """One slice per query, which starts below 0 in the first block."""
    mask = np.zeros((length, length), dtype=bool)
    for i in range(length):
        mask[i, (i // block - 1) * block : i + 1] = True
    return mask


def added_to_the_scores(low):
    def answer(length, block):
        mask = torch.tensor(cell_by_cell(right)(length, block))
        return torch.zeros(length, length).masked_fill(~mask, low)

    return answer


MISTAKES = {
    "window of one block": cell_by_cell(lambda i, j, block: i - block < j <= i),
    "window of two blocks": cell_by_cell(lambda i, j, block: i - 2 * block < j <= i),
    "window of two blocks and one": cell_by_cell(lambda i, j, block: 0 <= i - j <= 2 * block),
    "/ instead of //": cell_by_cell(lambda i, j, block: 0 <= i / block - j / block <= 1),
    "own block only": cell_by_cell(lambda i, j, block: j <= i and i // block == j // block),
    "pieces of a training length": cell_by_cell(
        lambda i, j, block: j <= i and i // (2 * block) == j // (2 * block)
    ),
    "block before only": cell_by_cell(lambda i, j, block: i // block == j // block + 1),
    "one block too many": cell_by_cell(lambda i, j, block: (i // block - 2) * block <= j <= i),
    "all before": cell_by_cell(lambda i, j, block: j <= i),
    "own block not causal": cell_by_cell(lambda i, j, block: i // block - j // block in (0, 1)),
    "not causal": cell_by_cell(lambda i, j, block: i // block - j // block < 2),
    "neighbours on both sides": cell_by_cell(lambda i, j, block: abs(i // block - j // block) < 2),
    "itself hidden": cell_by_cell(lambda i, j, block: j != i and right(i, j, block)),
    "blocks one place early": cell_by_cell(
        lambda i, j, block: j <= i and (i + 1) // block - (j + 1) // block < 2
    ),
    "blocks one place late": cell_by_cell(
        lambda i, j, block: j <= i and (i - 1) // block - (j - 1) // block < 2
    ),
    "first block empty": row_by_row,
    "% instead of //": cell_by_cell(lambda i, j, block: j <= i and i % block - j % block < 2),
    "block halved": cell_by_cell(lambda i, j, block: right(i, j, block / 2)),
    "block doubled": cell_by_cell(lambda i, j, block: right(i, j, 2 * block)),
    "rows are keys": cell_by_cell(lambda i, j, block: right(j, i, block)),
    "True for what is hidden": cell_by_cell(lambda i, j, block: not right(i, j, block)),
    "−∞ for what is hidden": added_to_the_scores(-math.inf),
    "a low number for what is hidden": added_to_the_scores(-1e9),
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_blockwise_mask, MISTAKES)]
)


@pytest.mark.parametrize("low", [-1e4, float(np.finfo(np.float32).min)])
def test_a_low_number_is_named_however_low(low):
    feedback = check_blockwise_mask(added_to_the_scores(low))
    assert feedback.mistake == "a low number for what is hidden"


def of_squares(length, block):
    """A block of ones beside a triangle, for each block of queries."""
    mask = np.zeros((length, length), dtype=bool)
    for start in range(0, length, block):
        mask[start : start + block, max(start - block, 0) : start] = True
        mask[start : start + block, start : start + block] = True
    return np.tril(mask)


def in_torch(length, block):
    blocks = torch.arange(length) // block
    near = (blocks[:, None] - blocks) <= 1
    return near & torch.ones(length, length, dtype=torch.bool).tril()


@pytest.mark.parametrize(
    "answer", [cell_by_cell(right), of_squares, in_torch, lambda *given: of_squares(*given) * 1.0]
)
def test_the_mask_may_be_written_in_many_ways(answer):
    assert check_blockwise_mask(answer).status == "correct"


def test_what_is_wrong_in_no_known_way_is_told_with_its_input():
    feedback = check_blockwise_mask(lambda length, block: np.zeros((length, length), bool))
    assert (feedback.status, feedback.mistake) == ("wrong", None)
    assert "block = " in feedback.evidence


def test_an_answer_and_what_is_expected_are_shown_alike_and_in_full():
    mine, expected = check_blockwise_mask(row_by_row).evidence.split("expected")
    for shown in (mine, expected):
        assert "1 0" in shown
        assert "..." not in shown


def test_what_is_not_attempted_is_told_so():
    def empty(*given): ...

    assert check_blockwise_mask(empty).status == "not attempted"


def test_texts_have_more_than_three_blocks_and_blocks_more_than_one_token():
    cases = check_blockwise_mask.cases()
    assert all(block > 1 and length > 3 * block for length, block in cases)
    assert any(length > 4 * block for length, block in cases)
