"""The solutions, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest

from posviz.exercises.order.attention import check_attention, check_permutation
from tests.exercises.every_mistake import mistake_tests


def dot(first, second):
    return sum(a * b for a, b in zip(first, second, strict=True))


def attention(x, w_q, w_k, w_v):
    """One attention head, number by number."""
    q, k, v = ((x @ w).tolist() for w in (w_q, w_k, w_v))
    outputs = []
    for query in q:
        powers = [math.exp(dot(query, key) / math.sqrt(len(key))) for key in k]
        weights = [power / sum(powers) for power in powers]
        outputs.append([dot(weights, column) for column in zip(*v, strict=True)])
    return outputs


def head(
    *,
    divide=lambda x, q: np.sqrt(q.shape[1]),
    exp=np.exp,
    axis=1,
    keepdims=True,
    softmax=True,
    summed="v",
):
    """An attention head in NumPy with one thing of it changed."""

    def answer(x, w_q, w_k, w_v):
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        weights = q @ k.T / divide(x, q)
        if softmax:
            weights = exp(weights)
            weights = weights / weights.sum(axis=axis, keepdims=keepdims)
        return weights @ {"v": v, "k": k, "x": x, "nothing": np.eye(len(x))}[summed]

    return answer


def weights_transposed(x, w_q, w_k, w_v):
    return head(summed="nothing")(x, w_q, w_k, w_v).T @ (x @ w_v)


def scaled_late(x, w_q, w_k, w_v):
    return head(divide=lambda *_: 1)(x, w_q, w_k, w_v) * w_q.shape[1] ** -0.5


def causal(x, w_q, w_k, w_v):
    """Each output is computed from the words up to its own."""
    return [head()(x[: i + 1], w_q, w_k, w_v)[-1] for i in range(len(x))]


ATTENTION_MISTAKES = {
    "softmax over the wrong axis": head(axis=0),
    "softmax over the whole matrix": head(axis=None),
    "keepdims forgotten": head(keepdims=False),
    "1/√head_dim missing": head(divide=lambda x, q: 1),
    "divided by head_dim": head(divide=lambda x, q: q.shape[1]),
    "divided by √d_model": head(divide=lambda x, q: np.sqrt(x.shape[1])),
    "divided by √len": head(divide=lambda x, q: np.sqrt(len(q))),
    "scaled after the softmax": scaled_late,
    "exp forgotten": head(exp=lambda scores: scores),
    "divided by √2": head(divide=lambda x, q: np.sqrt(2)),
    "divided by √8": head(divide=lambda x, q: np.sqrt(8)),
    "multiplied by √head_dim": head(divide=lambda x, q: 1 / np.sqrt(q.shape[1])),
    "keys weighted instead of values": head(summed="k"),
    "inputs weighted instead of values": head(summed="x"),
    "scores transposed": lambda x, w_q, w_k, w_v: head()(x, w_k, w_q, w_v),
    "weights transposed": weights_transposed,
    "causal mask applied": causal,
    "softmax missing": head(softmax=False),
    "weights returned": head(summed="nothing"),
    "scores returned": head(softmax=False, summed="nothing"),
}


def find_permutation(head, inputs, outputs):
    rows = head(inputs)
    order = []
    for output in outputs:
        order += [i for i, row in enumerate(rows) if np.allclose(row, output)]
    return order


def inverse(head, inputs, outputs):
    order = find_permutation(head, inputs, outputs)
    return [order.index(i) for i in range(len(order))]


def compared_with_inputs(head, inputs, outputs):
    distances = [[np.abs(output - row).sum() for row in inputs] for output in outputs]
    return [row.index(min(row)) for row in distances]


def matrix(head, inputs, outputs):
    order = find_permutation(head, inputs, outputs)
    return [[float(i == place) for i in range(len(order))] for place in order]


PERMUTATION_MISTAKES = {
    "inverse permutation": inverse,
    "identity": lambda head, inputs, outputs: list(range(len(inputs))),
    "inputs compared with outputs": compared_with_inputs,
    "permutation matrix": matrix,
    "counted from 1": lambda *given: [place + 1 for place in find_permutation(*given)],
}


def index_of_equal_row(head, inputs, outputs):
    rows = head(inputs)
    return [np.where((rows == output).all(axis=1))[0][0] for output in outputs]


def index_in_list(head, inputs, outputs):
    rows = head(inputs).tolist()
    return [rows.index(output) for output in outputs.tolist()]


def argmax_of_equal(head, inputs, outputs):
    return (outputs[:, None] == head(inputs)).all(axis=-1).argmax(axis=-1)


def equal_rows_only(head, inputs, outputs):
    return np.nonzero((outputs[:, None] == head(inputs)).all(axis=-1))[1]


MISTAKES = [
    (check_attention, ATTENTION_MISTAKES),
    (check_permutation, PERMUTATION_MISTAKES | {"exact comparison": index_of_equal_row}),
]


@pytest.mark.parametrize(
    "answer", [index_of_equal_row, index_in_list, argmax_of_equal, equal_rows_only]
)
def test_an_exact_comparison_is_named_whether_it_crashes_or_not(answer):
    feedback = check_permutation(answer)
    assert (feedback.status, feedback.mistake) == ("mistake", "exact comparison")
    assert "np.isclose" in feedback.message
    assert feedback.evidence


def test_a_crash_that_is_no_exact_comparison_is_told_as_it_is():
    feedback = check_permutation(lambda head, inputs, outputs: head(inputs)[len(inputs)])
    assert feedback.status == "error"
    assert "IndexError" in feedback.message


def test_outputs_returned_together_with_the_weights_are_told_apart():
    feedback = check_attention(lambda *given: (head()(*given), head(summed="nothing")(*given)))
    assert feedback.message == (
        "Your function returned a tuple of 2 arrays; one is asked for. "
        "Number 1 is the right one: return it alone."
    )


def test_a_transposed_output_is_recognised_though_the_first_is_square():
    feedback = check_attention(lambda *given: head()(*given).T)
    assert feedback.message.startswith("Your answer is the transpose")


def test_the_solutions_are_correct():
    assert check_attention(attention).status == "correct"
    assert check_attention(head()).status == "correct"
    assert check_permutation(find_permutation).status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(MISTAKES)


def test_the_permutation_puts_the_inputs_into_the_order_of_the_outputs():
    for shuffled_head, inputs, outputs in check_permutation.cases():
        order = find_permutation(shuffled_head, inputs, outputs)
        np.testing.assert_allclose(shuffled_head(inputs[order]), outputs, atol=1e-12)


def test_two_mistakes_at_once_are_both_named():
    feedback = check_attention(head(divide=lambda x, q: 1, summed="k"))
    assert feedback.mistake == "1/√head_dim missing, and keys weighted instead of values"


def test_an_answer_in_torch_is_judged_like_any_other():
    import torch

    def in_torch(x, w_q, w_k, w_v):
        x, w_q, w_k, w_v = (torch.tensor(a, dtype=torch.float32) for a in (x, w_q, w_k, w_v))
        heads = (x @ w_q)[None], (x @ w_k)[None], (x @ w_v)[None]
        return torch.nn.functional.scaled_dot_product_attention(*heads)[0]

    assert check_attention(in_torch).status == "correct"
