"""Lesson 01's exercises: attention heads, and the order of a shuffled sentence."""

import numpy as np
import pytest

from posviz.lessons.order.exercises.attention import check_attention, check_permutation
from posviz.lessons.order.exercises.heads import check_heads


def index_of_equal_row(head, inputs, outputs):
    rows = head(inputs)
    return [np.where((rows == output).all(axis=1))[0][0] for output in outputs]


def argmax_of_equal_rows(head, inputs, outputs):
    return (outputs[:, None] == head(inputs)).all(axis=-1).argmax(axis=-1)


def equal_rows_only(head, inputs, outputs):
    return np.nonzero((outputs[:, None] == head(inputs)).all(axis=-1))[1]


@pytest.mark.parametrize("answer", [index_of_equal_row, argmax_of_equal_rows, equal_rows_only])
def test_an_exact_comparison_is_named_whether_it_stops_or_not(answer):
    feedback = check_permutation(answer)
    assert feedback.mistake == "exact comparison"
    assert "np.isclose" in feedback.message
    assert feedback.evidence


def test_an_error_without_an_exact_comparison_is_told_as_it_is():
    feedback = check_permutation(lambda head, inputs, outputs: head(inputs)[len(inputs)])
    assert feedback.status == "error"
    assert "IndexError" in feedback.message


def test_a_transposed_output_is_recognised():
    x, *_, w_v = check_attention.cases()[1]
    assert len(x) == w_v.shape[1]  # a square, whose shape does not tell
    feedback = check_attention(lambda *given: check_attention.reference(*given).T)
    assert feedback.message.startswith("Your answer is the transpose")


def unscaled_with_keys_for_values(x, w_q, w_k, w_v):
    powers = np.exp((x @ w_q) @ (x @ w_k).T)
    return powers / powers.sum(axis=1, keepdims=True) @ (x @ w_k)


def in_each_head(one_head):
    def answer(x, w_q, w_k, w_v, num_heads):
        cut = (np.split(w, num_heads, axis=1) for w in (w_q, w_k, w_v))
        return np.hstack([one_head(x, *of_head) for of_head in zip(*cut, strict=True)])

    return answer


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_attention, unscaled_with_keys_for_values),
        (check_heads, in_each_head(unscaled_with_keys_for_values)),
    ],
    ids=["one head", "several heads"],
)
def test_two_mistakes_in_a_head_are_both_named(check, answer):
    both = {"1/√head_dim missing", "keys weighted instead of values"}
    assert set(check(answer).mistake.split(", and ")) == both
