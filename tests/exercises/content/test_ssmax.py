"""Scalable-Softmax, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest
import torch

from posviz.exercises.content.ssmax import check_ssmax
from tests.exercises.every_mistake import mistake_tests


def row_by_row(factor=lambda s, n: s * math.log(n), *, count=lambda i, seen, allowed: sum(seen)):
    """Each row's weights as quotients, one key after the other."""

    def answer(scores, scale, allowed):
        rows = []
        for i, (z, seen) in enumerate(zip(scores, allowed, strict=True)):
            times = factor(scale, count(i, seen, allowed))
            parts = [
                math.exp(times * x) if is_seen else 0 for x, is_seen in zip(z, seen, strict=True)
            ]
            rows.append([part / sum(parts) for part in parts])
        return rows

    return answer


def everything_seen(scores, scale, allowed):
    factor = scale * np.log(allowed.sum(axis=1))[:, None]
    parts = np.exp(factor * scores)
    return parts / parts.sum(axis=1, keepdims=True)


def at_0(scores, scale, allowed):
    factor = scale * np.log(allowed.sum(axis=1))[:, None]
    parts = np.exp(factor * scores * allowed)
    return parts / parts.sum(axis=1, keepdims=True)


def weights_scaled(scores, scale, allowed):
    plain = np.array(row_by_row(lambda s, n: 1)(scores, scale, allowed))
    return plain * (scale * np.log(allowed.sum(axis=1)))[:, None]


MISTAKES = {
    "plain softmax": row_by_row(lambda s, n: 1),
    "one n for all rows": row_by_row(count=lambda i, seen, allowed: len(seen)),
    "padding counted": row_by_row(count=lambda i, seen, allowed: i + 1),
    "most that any row sees": row_by_row(
        count=lambda i, seen, allowed: max(sum(row) for row in allowed)
    ),
    "log2": row_by_row(lambda s, n: s * math.log2(n)),
    "log10": row_by_row(lambda s, n: s * math.log10(n)),
    "ln missing": row_by_row(lambda s, n: s * n),
    "ln(n + 1)": row_by_row(lambda s, n: s * math.log(n + 1)),
    "scale left out": row_by_row(lambda s, n: math.log(n)),
    "scale inside the logarithm": row_by_row(lambda s, n: math.log(s * n)),
    "1 added": row_by_row(lambda s, n: 1 + s * math.log(n)),
    "on the weights": weights_scaled,
    "hidden keys at 0": at_0,
    "hidden after the softmax": lambda *given: everything_seen(*given) * given[2],
    "nothing hidden": everything_seen,
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_ssmax, MISTAKES)]
)


def in_torch(scores, scale, allowed):
    allowed = torch.tensor(allowed)
    factor = scale * allowed.sum(dim=1, keepdim=True).log()
    sharpened = (factor * torch.tensor(scores)).masked_fill(~allowed, -torch.inf)
    return sharpened.softmax(dim=1).to(torch.float32)


def by_powers(scores, scale, allowed):
    """e to the power of z · ln n is n to the power of z."""
    parts = allowed * allowed.sum(axis=1, keepdims=True) ** (scale * scores)
    return parts / parts.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("answer", [row_by_row(), in_torch, by_powers])
def test_the_weights_may_be_found_in_many_ways(answer):
    assert check_ssmax(answer).status == "correct"


def test_subtracting_is_told_to_change_nothing():
    def subtracted(scores, scale, allowed):
        return row_by_row(lambda s, n: 1)(scores - scale * np.log(len(scores)), scale, allowed)

    assert check_ssmax(subtracted).mistake == "plain softmax"


@pytest.mark.parametrize("junk", [lambda z, *_: z, lambda *given: given[2], lambda *given: 1.0])
def test_junk_is_refused(junk):
    feedback = check_ssmax(junk)
    assert (feedback.status, feedback.mistake) == ("wrong", None)


def test_some_texts_are_padded_and_some_not():
    assert {bool(allowed[-1].all()) for _, _, allowed in check_ssmax.cases()} == {True, False}
