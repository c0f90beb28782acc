"""Lesson 01's exercises: the order of a shuffled sentence, and two mistakes in a head."""

import numpy as np
import pytest

from posviz_course.lessons.order import check_heads, check_permutation


def index_of_equal_row(head, inputs, outputs):
    rows = head(inputs)
    return [np.where((rows == output).all(axis=1))[0][0] for output in outputs]


def argmax_of_equal_rows(head, inputs, outputs):
    return (outputs[:, None] == head(inputs)).all(axis=-1).argmax(axis=-1)


@pytest.mark.parametrize("answer", [index_of_equal_row, argmax_of_equal_rows])
def test_an_exact_comparison_is_named_whether_it_stops_or_not(answer):
    feedback = check_permutation(answer)
    assert feedback.mistake == "exact comparison"
    assert feedback.evidence


def test_two_mistakes_in_every_head_are_both_named():
    def unscaled_with_keys_for_values(x, w_q, w_k, w_v, num_heads):
        q, k = (np.stack(np.split(x @ w, num_heads, axis=1)) for w in (w_q, w_k))
        powers = np.exp(q @ k.swapaxes(1, 2))
        return np.hstack([*(powers / powers.sum(axis=-1, keepdims=True) @ k)])

    mistakes = check_heads(unscaled_with_keys_for_values).mistake.split(", and ")
    assert {*mistakes} == {"1/√head_dim missing", "keys weighted instead of values"}
