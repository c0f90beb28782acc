"""FoX's bias, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest
import torch

from posviz.exercises.content.forgetting import check_fox
from tests.exercises.every_mistake import mistake_tests


def gate(x):
    return 1 / (1 + math.exp(-x))


def kept(x):
    return math.log(gate(x))


def summed(each=kept, *, first=1, last=0, ahead=None):
    """The plain loop over the tokens from j + first to i − last."""

    def answer(logits):
        def cell(i, j):
            if j > i:
                return 0 if ahead is None else ahead(logits[i + 1 : j + 1])
            return sum(each(x) for x in logits[j + first : i + 1 - last])

        return [[cell(i, j) for j in range(len(logits))] for i in range(len(logits))]

    return answer


def by_cell(cell):
    def answer(logits):
        n = len(logits)
        return [[cell(logits, i, j) if j <= i else 0 for j in range(n)] for i in range(n)]

    return answer


MISTAKES = {
    "key's own gate counted": summed(first=0),
    "query's own gate left out": summed(last=1),
    "one token early": summed(first=0, last=1),
    "gates not logged": summed(gate),
    "sigmoid forgotten": summed(float),
    "sign": summed(lambda x: -kept(x)),
    "what is forgotten": summed(lambda x: math.log(1 - gate(x))),
    "the product itself": by_cell(
        lambda logits, i, j: math.prod(gate(x) for x in logits[j + 1 : i + 1])
    ),
    "summed from the first token": by_cell(
        lambda logits, i, j: sum(kept(x) for x in logits[: i + 1])
    ),
    "query's gate for every step": by_cell(lambda logits, i, j: (i - j) * kept(logits[i])),
    "one gate for all tokens": by_cell(
        lambda logits, i, j: (i - j) * sum(kept(x) for x in logits) / len(logits)
    ),
    "keys ahead not 0": summed(ahead=lambda between: -sum(kept(x) for x in between)),
    "rows are keys": lambda logits: np.transpose(summed()(logits)),
    "log2": summed(lambda x: math.log2(gate(x))),
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_fox, MISTAKES)]
)


def by_sums(logits):
    sums = np.cumsum(-np.logaddexp(0, -logits))
    return np.tril(sums[:, None] - sums)


def in_float32(logits):
    sums = torch.nn.functional.logsigmoid(torch.tensor(logits, dtype=torch.float32)).cumsum(0)
    return (sums[:, None] - sums).tril()


@pytest.mark.parametrize("answer", [summed(), by_sums, in_float32])
def test_the_bias_may_be_found_in_many_ways(answer):
    assert check_fox(answer).status == "correct"


def test_two_mistakes_at_once_are_named():
    answer = summed(lambda x: -math.log(1 - gate(x)))
    assert check_fox(answer).mistake == "sign, and what is forgotten"


@pytest.mark.parametrize("junk", [lambda x: x, lambda x: 0.0, lambda x: np.eye(len(x))])
def test_junk_is_refused(junk):
    feedback = check_fox(junk)
    assert (feedback.status, feedback.mistake) == ("wrong", None)
