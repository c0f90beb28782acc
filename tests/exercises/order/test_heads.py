"""The solution, and every listed mistake of several heads as a reader would write it."""

import numpy as np
import pytest

from posviz.exercises.order.heads import check_heads
from tests.exercises.every_mistake import mistake_tests
from tests.exercises.order.test_attention import ATTENTION_MISTAKES, attention, head


def in_columns(one):
    """Several heads of one: a loop over columns."""

    def answer(x, w_q, w_k, w_v, num_heads):
        width = w_q.shape[1] // num_heads
        columns = [np.arange(width) + start for start in range(0, w_q.shape[1], width)]
        return np.concatenate([one(x, w_q[:, c], w_k[:, c], w_v[:, c]) for c in columns], axis=1)

    return answer


def reshaped(cut, join, divide=lambda q: q.shape[-1]):
    """Several heads by axes: `cut` and `join` say how."""

    def answer(x, w_q, w_k, w_v, num_heads):
        q, k, v = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
        powers = np.exp(np.einsum("hid,hjd->hij", q, k) / np.sqrt(divide(q)))
        weights = powers / powers.sum(axis=-1, keepdims=True)
        return join(np.einsum("hij,hjd->hid", weights, v), len(x))

    return answer


def cut(rows, num_heads):
    return rows.reshape(len(rows), num_heads, -1).transpose(1, 0, 2)


def cut_in_turn(rows, num_heads):
    return rows.reshape(len(rows), -1, num_heads).transpose(2, 0, 1)


def join(heads, length):
    return heads.transpose(1, 0, 2).reshape(length, -1)


def cut_by_reshape(rows, num_heads):
    return rows.reshape(num_heads, len(rows), -1)


def joined_in_turn(heads, length):
    return heads.transpose(1, 2, 0).reshape(length, -1)


def by_reshape(heads, length):
    return heads.reshape(length, -1)


HEADS_MISTAKES = {
    "one head": lambda x, w_q, w_k, w_v, num_heads: head()(x, w_q, w_k, w_v),
    "divided by the root of the whole width": reshaped(cut, join, lambda q: len(q) * q.shape[-1]),
    "cut and joined by reshape alone": reshaped(cut_by_reshape, by_reshape),
    "cut by reshape alone": reshaped(cut_by_reshape, join),
    "joined by reshape alone": reshaped(cut, by_reshape),
    "cut in turn": reshaped(cut_in_turn, join),
    "cut and joined in turn": reshaped(cut_in_turn, joined_in_turn),
}
IN_EVERY_HEAD = {name: in_columns(answer) for name, answer in ATTENTION_MISTAKES.items()}


UNSCALED = {"divide": lambda q: 1}
TWO_MISTAKES = {
    ("joined by reshape alone", "cut in turn"): reshaped(cut_in_turn, by_reshape),
    ("cut in turn", "1/√head_dim missing"): reshaped(cut_in_turn, join, **UNSCALED),
    ("cut by reshape alone", "1/√head_dim missing"): reshaped(cut_by_reshape, join, **UNSCALED),
    ("one head", "softmax missing"): lambda x, w_q, w_k, w_v, num_heads: ATTENTION_MISTAKES[
        "softmax missing"
    ](x, w_q, w_k, w_v),
    ("joined by reshape alone", "softmax over the wrong axis"): lambda *case: by_reshape(
        cut(IN_EVERY_HEAD["softmax over the wrong axis"](*case), case[-1]), len(case[0])
    ),
    ("1/√head_dim missing", "keys weighted instead of values"): lambda x, w_q, w_k, w_v, n: (
        IN_EVERY_HEAD["1/√head_dim missing"](x, w_q, w_k, w_k, n)
    ),
}


@pytest.mark.parametrize(
    ("names", "answer"), TWO_MISTAKES.items(), ids=map(" and ".join, TWO_MISTAKES)
)
def test_two_mistakes_at_once_are_named(names, answer):
    feedback = check_heads(answer)
    assert feedback.status == "mistake", feedback
    assert {*feedback.mistake.split(", and ")} == {*names}


def test_solutions_are_correct():
    for answer in (reshaped(cut, join), in_columns(attention)):
        assert check_heads(answer).status == "correct"


test_each_mistake_is_named, test_no_mistake_is_untried = mistake_tests(
    [(check_heads, HEADS_MISTAKES | IN_EVERY_HEAD)]
)
