"""Lesson 01: the solutions, and every listed mistake as a reader would write it."""

import math

import numpy as np
import pytest

from posviz.exercises.order import check_attention, check_permutation


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
    *, divide=lambda x, q: np.sqrt(q.shape[1]), axis=1, keepdims=True, softmax=True, summed="v"
):
    """An attention head in NumPy with one thing of it changed."""

    def answer(x, w_q, w_k, w_v):
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        weights = q @ k.T / divide(x, q)
        if softmax:
            weights = np.exp(weights)
            weights = weights / weights.sum(axis=axis, keepdims=keepdims)
        return weights @ {"v": v, "k": k, "x": x, "nothing": np.eye(len(x))}[summed]

    return answer


ATTENTION_MISTAKES = {
    "softmax over the wrong axis": head(axis=0),
    "softmax over the whole matrix": head(axis=None),
    "keepdims forgotten": head(keepdims=False),
    "1/√head_dim missing": head(divide=lambda x, q: 1),
    "divided by head_dim": head(divide=lambda x, q: q.shape[1]),
    "divided by √d_model": head(divide=lambda x, q: np.sqrt(x.shape[1])),
    "keys weighted instead of values": head(summed="k"),
    "inputs weighted instead of values": head(summed="x"),
    "scores transposed": lambda x, w_q, w_k, w_v: head()(x, w_k, w_q, w_v),
    "softmax missing": head(softmax=False),
    "weights returned": head(summed="nothing"),
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


def test_the_solutions_are_correct():
    assert check_attention(attention).status == "correct"
    assert check_attention(head()).status == "correct"
    assert check_permutation(find_permutation).status == "correct"


@pytest.mark.parametrize("name", ATTENTION_MISTAKES)
def test_each_mistake_of_attention_is_named(name):
    assert check_attention(ATTENTION_MISTAKES[name]).mistake == name


@pytest.mark.parametrize("name", PERMUTATION_MISTAKES)
def test_each_mistake_of_the_permutation_is_named(name):
    assert check_permutation(PERMUTATION_MISTAKES[name]).mistake == name


def test_no_listed_mistake_is_left_untried():
    assert {mistake.name for mistake in check_attention.mistakes} == set(ATTENTION_MISTAKES)
    assert {mistake.name for mistake in check_permutation.mistakes} == set(PERMUTATION_MISTAKES)


def test_the_permutation_puts_the_inputs_into_the_order_of_the_outputs():
    for shuffled_head, inputs, outputs in check_permutation.cases():
        order = find_permutation(shuffled_head, inputs, outputs)
        np.testing.assert_allclose(shuffled_head(inputs[order]), outputs, atol=1e-12)


def test_two_mistakes_at_once_are_wrong_but_not_named():
    verdict = check_attention(head(divide=lambda x, q: 1, summed="k"))
    assert (verdict.status, verdict.mistake) == ("wrong", None)


def test_an_answer_in_torch_is_judged_like_any_other():
    import torch

    def in_torch(x, w_q, w_k, w_v):
        x, w_q, w_k, w_v = (torch.tensor(a, dtype=torch.float32) for a in (x, w_q, w_k, w_v))
        heads = (x @ w_q)[None], (x @ w_k)[None], (x @ w_v)[None]
        return torch.nn.functional.scaled_dot_product_attention(*heads)[0]

    assert check_attention(in_torch).status == "correct"
