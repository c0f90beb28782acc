"""Lesson 08: overflow and blocks, and every listed mistake as a reader would write it."""

import math
import statistics

import numpy as np
import pytest
import torch

from posviz.exercises.xpos_length import check_blockwise_mask, check_overflow_position
from tests.exercises.every_mistake import mistake_tests


def position_of(zeta, largest, scale_base):
    return scale_base * math.log(largest, 1 / zeta)


def solution(largest, zeta, scale_base):
    return position_of(min(zeta), largest, scale_base)


OVERFLOW_MISTAKES = {
    "scale_base forgotten": lambda most, zeta, s: math.log(most, 1 / zeta[0]),
    "divided by scale_base": lambda most, zeta, s: math.log(most, 1 / zeta[0]) / s,
    "counted from the middle": lambda most, zeta, s: position_of(zeta[0] ** 0.5, most, s),
    "rounded": lambda *given: math.floor(solution(*given)),
    "ζ forgotten": lambda most, zeta, s: s * math.log(most),
    "log2 with ln": lambda most, zeta, s: -s * math.log2(most) / math.log(zeta[0]),
    "ln with log2": lambda most, zeta, s: -s * math.log(most) / math.log2(zeta[0]),
    "log10 with ln": lambda most, zeta, s: -s * math.log10(most) / math.log(zeta[0]),
    "ln with log10": lambda most, zeta, s: -s * math.log(most) / math.log10(zeta[0]),
    "slowest pair": lambda most, zeta, s: position_of(zeta[-1], most, s),
    "every pair": lambda most, zeta, s: [position_of(pair, most, s) for pair in zeta],
    "mean of the pairs": lambda most, zeta, s: position_of(statistics.fmean(zeta), most, s),
    "sign": lambda most, zeta, s: s * math.log(most) / math.log(zeta[0]),
    "upside down": lambda most, zeta, s: s * math.log(1 / zeta[0]) / math.log(most),
    "multiplied by ln(1/ζ)": lambda most, zeta, s: s * math.log(most) * math.log(1 / zeta[0]),
    "1 − ζ for its logarithm": lambda most, zeta, s: s * math.log(most) / (1 - zeta[0]),
    "ζ for its logarithm": lambda most, zeta, s: s * math.log(most) / zeta[0],
}


def cell_by_cell(sees):
    """Fill the mask cell by cell: sees(query, key, block)."""

    def answer(length, block):
        return [[sees(i, j, block) for j in range(length)] for i in range(length)]

    return answer


def right(i, j, block):
    return j <= i and i // block - j // block in (0, 1)


def added_to_the_scores(length, block):
    mask = torch.tensor(cell_by_cell(right)(length, block))
    return torch.zeros(length, length).masked_fill(~mask, -math.inf)


MASK_MISTAKES = {
    "window of one block": cell_by_cell(lambda i, j, block: i - block < j <= i),
    "window of two blocks": cell_by_cell(lambda i, j, block: i - 2 * block < j <= i),
    "/ instead of //": cell_by_cell(lambda i, j, block: 0 <= i / block - j / block <= 1),
    "own block only": cell_by_cell(lambda i, j, block: j <= i and i // block == j // block),
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
    "% instead of //": cell_by_cell(lambda i, j, block: j <= i and i % block - j % block < 2),
    "block halved": cell_by_cell(lambda i, j, block: right(i, j, block / 2)),
    "rows are keys": cell_by_cell(lambda i, j, block: right(j, i, block)),
    "True for what is hidden": cell_by_cell(lambda i, j, block: not right(i, j, block)),
    "−∞ for what is hidden": added_to_the_scores,
}

MISTAKES = [(check_overflow_position, OVERFLOW_MISTAKES), (check_blockwise_mask, MASK_MISTAKES)]

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(MISTAKES)


@pytest.mark.parametrize("rounded", [round, math.ceil])
def test_rounding_is_named_whichever_way_it_goes(rounded):
    verdict = check_overflow_position(lambda *given: rounded(solution(*given)))
    assert verdict.mistake == "rounded"


def first_of_all(largest, zeta, scale_base):
    return min(position_of(pair, largest, scale_base) for pair in zeta)


def by_bisection(largest, zeta, scale_base):
    low, high = 0.0, 1e9
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        fits = -middle / scale_base * math.log(zeta[0]) < math.log(largest)
        low, high = (middle, high) if fits else (low, middle)
    return low


@pytest.mark.parametrize("answer", [solution, first_of_all, by_bisection])
def test_the_overflow_may_be_found_in_many_ways(answer):
    assert check_overflow_position(answer).status == "correct"


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


def test_the_numbers_of_the_lesson_come_out():
    """With ζ = 0.4/1.4: 70.8 and 8.85 without scale_base, 36 260 and 4 532 with 512."""
    zeta = np.array([0.4 / 1.4])
    found = [
        check_overflow_position.reference(np.finfo(dtype).max.item(), zeta, scale_base)
        for scale_base in (1, 512)
        for dtype in (np.float32, np.float16)
    ]
    assert found[:2] == pytest.approx([70.8, 8.85], abs=0.05)
    assert [int(position) for position in found[2:]] == [36_260, 4_532]


def test_what_is_wrong_in_no_known_way_is_told_with_its_input():
    wrong = [
        (check_overflow_position(lambda *given: solution(*given) + 9), "scale_base = "),
        (check_overflow_position(lambda *given: round(solution(*given), -3)), "scale_base = "),
        (check_blockwise_mask(lambda length, block: np.zeros((length, length), bool)), "block = "),
    ]
    for verdict, named in wrong:
        assert (verdict.status, verdict.mistake) == ("wrong", None)
        assert named in verdict.evidence


@pytest.mark.parametrize("check", [check for check, _ in MISTAKES], ids=lambda check: check.title)
def test_what_is_not_attempted_is_told_so(check):
    def empty(*given): ...

    assert check(empty).status == "not attempted"


def test_texts_have_more_than_three_blocks_and_blocks_more_than_one_token():
    assert all(block > 1 and length > 3 * block for length, block in check_blockwise_mask.cases())


def test_both_formats_and_more_than_one_pair_are_asked_for():
    cases = check_overflow_position.cases()
    assert {65_504.0, float(np.finfo(np.float32).max)} < {largest for largest, *_ in cases}
    assert all(len(set(zeta)) > 1 for _, zeta, _ in cases)
