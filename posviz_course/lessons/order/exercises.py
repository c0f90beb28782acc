"""Exercises: write one attention head and several, find how a sentence was shuffled."""

import numpy as np

from posviz.attention import softmax
from posviz.teaching.mistakes import answer, argument, right_on, step, wrong
from posviz_course.lesson_checker import LessonChecker


def _attended(x, q, k, v, *, divisor=None, weigh=softmax, carried=None):
    """Attention without positions or mask: x [len, d_model], q, k, v and result [len, head_dim].

    divisor: (x, q) -> what scores are divided by; carried: (x, v) -> the rows that are summed.
    """
    divide_by = np.sqrt(q.shape[1]) if divisor is None else divisor(x, q)
    return weigh(q @ k.T / divide_by) @ (v if carried is None else carried(x, v))


def one_head(x, w_q, w_k, w_v, **steps):
    """One head: x [len, d_model], w_q, w_k, w_v [d_model, head_dim] -> [len, head_dim]."""
    return _attended(x, x @ w_q, x @ w_k, x @ w_v, **steps)


def _cut(rows, num_heads):
    """Cut [len, num_heads·head_dim] into num_heads pieces [len, head_dim]."""
    return np.split(rows, num_heads, axis=1)


def several_heads(x, w_q, w_k, w_v, num_heads, *, cut=_cut, join=np.hstack, **steps):
    """Heads side by side: x [len, d_model], w_q, w_k, w_v [d_model, width] -> [len, width]."""
    pieces = zip(*(cut(x @ w, num_heads) for w in (w_q, w_k, w_v)), strict=True)
    return join([_attended(x, *of_one_head, **steps) for of_one_head in pieces])


def _head_inputs(rng, size):
    d_model, head_dim = size + 2, 4 - 2 * (size % 2)  # unlike, so that √d_model is not √head_dim
    projections = rng.normal(size=(3, d_model, head_dim))
    return rng.normal(size=(size + 1, d_model)), *projections


def _heads_inputs(rng, size):
    d_model, head_dim, num_heads = size + 2, 4 - 2 * (size % 2), 1 + size % 3
    projections = rng.normal(size=(3, d_model, num_heads * head_dim))
    return rng.normal(size=(size + 1, d_model)), *projections, num_heads


def _one_token(inputs):
    x, *rest = inputs(np.random.default_rng(0), 1)
    return x[:1], *rest


IN_A_HEAD = [
    step("softmax over the wrong axis",
        "Your softmax runs down the columns. Every query shares out its own attention, so each row "
        "of weights sums to 1: take it over the last axis, the keys.",
        weigh=lambda scores: softmax(scores.T).T),
    step("keepdims forgotten",
        "Your softmax divides column j by the sum of row j, for NumPy lines a vector up with the "
        "columns. Keep the summed axis: sum(axis=-1, keepdims=True).",
        weigh=lambda scores: np.exp(scores) / np.exp(scores).sum(axis=-1)),
    step("1/√head_dim missing",
        "You forgot to divide the scores by √head_dim: without it they grow with head_dim, and in "
        "a wide head one token gets nearly all the weight.",
        divisor=lambda x, q: 1),
    step("divided by head_dim",
        "You divided the scores by head_dim; divide by its square root, the standard deviation of "
        "a sum of head_dim products.",
        divisor=lambda x, q: q.shape[1]),
    step("divided by √d_model",
        "You divided the scores by √d_model. The sum in q·k has head_dim terms: divide by "
        "√head_dim, the width of the queries and keys.",
        divisor=lambda x, q: np.sqrt(x.shape[1])),
    argument("keys weighted instead of values",
        "You weighted the keys. Keys only decide how much a token is looked at; what is summed are "
        "the values, x @ w_v.",
        w_v=lambda w_k: w_k),
    step("inputs weighted instead of values",
        "You weighted the rows of x; project them to values first, with w_v.",
        carried=lambda x, v: x),
    argument("scores transposed",
        "Your scores are transposed: row i belongs to query i, so it holds q_i·k_j for every key "
        "j. Compute q @ k.T, not k @ q.T.",
        w_q=lambda w_k: w_k,
        w_k=lambda w_q: w_q),
    step("causal mask applied",
        "You let each token look only at itself and at those before it. This head has no mask: "
        "every token looks at all of them.",
        weigh=lambda scores: softmax(np.where(np.tri(len(scores)), scores, -np.inf))),
    step("softmax missing",
        "You weighted the values by the scores themselves; the softmax must first make each row "
        "positive and sum to 1.",
        weigh=lambda scores: scores),
    step("weights returned",
        "You returned the weights; one step is left: they weight the values, weights @ v.",
        carried=lambda x, v: np.eye(len(x))),
]

check_attention = LessonChecker(
    "One attention head",
    one_head,
    _head_inputs,
    edges=[_one_token(_head_inputs)],
    mistakes=IN_A_HEAD,
)


check_heads = LessonChecker(
    "Several attention heads",
    several_heads,
    _heads_inputs,
    edges=[_one_token(_heads_inputs)],
    mistakes=[
        argument("one head",
            "You made one head of the whole width. Cut the columns of q, k and v into num_heads "
            "pieces: each head has scores and a softmax of its own.", num_heads=1),
        argument("divided by the root of the whole width",
            "You divided the scores by the root of the number of all columns. The sum in q·k "
            "runs over those of one head: divide by √head_dim, the width of q after the cut.",
            w_q=lambda w_q, num_heads: w_q / np.sqrt(num_heads)),
        argument("divided by the root of the number of heads",
            "You divided the scores by the root of the number of heads, which is q.shape[0] after "
            "the cut. Divide by √head_dim, which is q.shape[-1].",
            w_q=lambda w_q, num_heads: w_q * np.sqrt(w_q.shape[1]) / num_heads),
        step("divided by the root of the length",
            "You divided the scores by the root of the number of words, which is q.shape[1] after "
            "the cut. Divide by √head_dim, which is q.shape[-1].",
            divisor=lambda x, q: np.sqrt(len(x))),
        step("cut by reshape alone",
            "You cut by reshape(num_heads, len, head_dim), and that mixes tokens: it goes "
            "through the rows one after the other. Reshape to (len, num_heads, head_dim), then "
            "swap the first two axes.",
            cut=lambda rows, num_heads: rows.reshape(num_heads, len(rows), -1)),
        step("joined by reshape alone",
            "A reshape of the outputs [num_heads, len, head_dim] mixes tokens: swap the first "
            "two axes before you join them to [len, num_heads·head_dim].",
            join=lambda outputs: np.stack(outputs).reshape(len(outputs[0]), -1)),
        step("cut in turn",
            "You dealt the columns out to the heads in turn. The first head has the first "
            "head_dim columns, the second the next.",
            cut=lambda rows, num_heads: [rows[:, head::num_heads] for head in range(num_heads)]),
        *IN_A_HEAD[:7],  # the others are rare where there are several heads
    ],
)


def find_permutation(head, inputs, outputs):
    """Return the order [len] for which head(inputs[order]) is outputs: a head never mixes rows.

    Shapes: head a function [len, d_model] -> [len, d_model], inputs and outputs [len, d_model].
    """
    return abs(outputs[:, None] - head(inputs)).sum(axis=-1).argmin(axis=-1)


def _shuffled_sentence(rng, size):
    near = True
    while near:  # until np.isclose takes no row of the outputs for another
        x, *projections = rng.normal(size=(4, size + 2, size + 2))
        x = x[1:]  # a token less than d_model
        rows = one_head(x, *projections)
        near = (abs(rows[:, None] - rows).sum(axis=-1) + np.eye(size + 1)).min() < 0.01
    cycle = rng.permutation(size + 1)
    order = np.empty_like(cycle)
    order[cycle] = np.roll(cycle, 1)  # one cycle: every row moves, and three make an inverse unlike
    return (lambda rows: one_head(rows, *projections)), x, order


def _shuffled_inputs(rng, size):
    head, x, order = _shuffled_sentence(rng, size)
    return head, x, head(x[order])


def _with_equal_ends(rng, size):
    """A sentence whose head has the same first and last column in every row."""
    head, x, order = _shuffled_sentence(rng, size)

    def ends_0(rows):
        outputs = head(rows)
        outputs[:, [0, -1]] = 0
        return outputs

    return ends_0, x, order


def _shuffled_after(rng, size):
    head, x, order = _with_equal_ends(rng, size)
    return head, x, head(x)[order]


def _ends_equal():
    head, x, order = _with_equal_ends(np.random.default_rng(1), 3)
    return head, x, head(x[order])


def _reordered(order):
    head, x, _ = _shuffled_sentence(np.random.default_rng(0), len(order) - 1)
    return head, x, head(x[order])


check_permutation = LessonChecker(
    "The order of the shuffled sentence",
    find_permutation,
    _shuffled_inputs,
    edges=[_reordered([2, 1, 0]), _reordered([0]), _ends_equal()],  # one token stays; one token
    mistakes=[
        answer("inverse permutation", lambda order: np.argsort(order),
            "You found the inverse: entry i must say which input stands in place i of the "
            "shuffled sentence, and yours says where input i went. Compare each row of outputs "
            "with all of head(inputs), not the other way round."),
        argument("inputs compared with outputs",
            "You compared outputs with the inputs themselves. Rows that belong together are "
            "equal only after the head: compare with head(inputs).",
            head=lambda: lambda inputs: inputs),
        wrong("the order of the inputs",
            lambda head, inputs, outputs: np.arange(len(inputs)),
            "You got 0, 1, 2, …, the order of the inputs. Compare the rows of head(inputs) with "
            "those of outputs, not with themselves."),
        wrong("the largest dot product",
            lambda head, inputs, outputs: (outputs @ head(inputs).T).argmax(axis=1),
            "You took the row with the largest dot product. A long row has large products with "
            "many rows: take the nearest row."),
        wrong("differences that cancel",
            lambda head, inputs, outputs: (outputs[:, None] - head(inputs)).sum(-1).argmin(-1),
            "You added up differences of both signs, so they cancel, and the least sum is far "
            "below 0. Take their absolute values first."),
        wrong("one column",
            lambda head, inputs, outputs: abs(outputs[:, :1] - head(inputs)[:, 0]).argmin(axis=1),
            "You compared the first column alone. Different rows may agree there: compare whole "
            "rows."),
        answer("permutation matrix", lambda order: np.eye(len(order))[order],
            "You returned the matrix P. Return the order instead: P.argmax(axis=1)."),
        answer("counted from 1", lambda order: order + 1,
            "You counted from 1; rows are counted from 0."),
        right_on("exact comparison", _shuffled_after,
            "You asked for rows that are exactly equal. The shuffled head adds up in another "
            "order, so the rows agree only up to rounding: take the nearest row, or compare with "
            "np.isclose."),
    ],
)
