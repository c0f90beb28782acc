"""Exercise: several attention heads side by side."""

import functools

import numpy as np

from posviz.attention import attend, softmax
from posviz.encodings.doors import NoPosition
from posviz.exercises.checker import Checker
from posviz.exercises.order import attention


def _heads(x, w_q, w_k, w_v, num_heads):
    """Heads without positions or mask: x [len, d_model] -> [len, num_heads·head_dim]."""
    return attend(
        x[None],
        w_q,
        w_k,
        w_v,
        num_heads=num_heads,
        encoding=NoPosition(),
        positions=np.arange(len(x)),
    )[0]


def _heads_inputs(rng, size):
    d_model, head_dim, num_heads = size + 2, 4 - 2 * (size % 2), 1 + size % 3
    projections = rng.normal(size=(3, d_model, num_heads * head_dim))
    return rng.normal(size=(size + 1, d_model)), *projections, num_heads


# The answer is a function (x [len, d_model], w_q, w_k, w_v [d_model, num_heads·head_dim],
# num_heads) -> [len, num_heads·head_dim].
check_heads = Checker("Several attention heads", reference=_heads, inputs=_heads_inputs)


def _cut(rows, num_heads):
    """The columns in pieces side by side: [len, width] -> [num_heads, len, head_dim]."""
    return np.stack(np.split(rows, num_heads, axis=1))


def _cut_in_turn(rows, num_heads):
    return np.stack([rows[:, head::num_heads] for head in range(num_heads)])


def _attention(cut, x, projections, num_heads, divisor=None):
    """Outputs [num_heads, len, head_dim], with the columns cut as `cut` does."""
    q, k, v = (cut(x @ w, num_heads) for w in projections)
    return softmax(q @ k.swapaxes(1, 2) / (divisor or q.shape[-1]) ** 0.5) @ v


@check_heads.mistake("one head")
def _(x, w_q, w_k, w_v, num_heads):
    """You made one head of the whole width. Cut the columns of q, k and v into num_heads pieces:
    each head has scores and a softmax of its own."""
    return _heads(x, w_q, w_k, w_v, 1)


@check_heads.mistake("divided by the root of the whole width")
def _(x, w_q, w_k, w_v, num_heads):
    """You divided the scores by the root of the number of all columns. The sum in q·k runs over
    those of one head: divide by √head_dim, the width of q after the cut."""
    return np.hstack(_attention(_cut, x, (w_q, w_k, w_v), num_heads, divisor=w_q.shape[1]))


@check_heads.mistake("cut and joined by reshape alone")
def _(x, w_q, w_k, w_v, num_heads):
    """You cut by reshape(num_heads, len, head_dim), and that mixes tokens: it goes through the rows
    one after the other. Reshape to (len, num_heads, head_dim), then swap the first two axes; swap
    them back before you join."""

    def by_reshape(rows, num_heads):
        return rows.reshape(num_heads, len(rows), -1)

    return _attention(by_reshape, x, (w_q, w_k, w_v), num_heads).reshape(len(x), -1)


@check_heads.mistake("joined by reshape alone")
def _(x, w_q, w_k, w_v, num_heads):
    """The heads are right, but a reshape of [num_heads, len, head_dim] mixes tokens: swap the first
    two axes before you join them to [len, num_heads·head_dim]."""
    return _attention(_cut, x, (w_q, w_k, w_v), num_heads).reshape(len(x), -1)


@check_heads.mistake("cut in turn")
def _(x, w_q, w_k, w_v, num_heads):
    """You dealt the columns out to the heads in turn. The first head has the first head_dim
    columns, the second the next."""
    return np.hstack(_attention(_cut_in_turn, x, (w_q, w_k, w_v), num_heads))


@check_heads.mistake("cut and joined in turn")
def _(x, w_q, w_k, w_v, num_heads):
    """You dealt the columns out to the heads in turn, as reshape(len, head_dim, num_heads) does.
    The first head has the first head_dim columns: reshape(len, num_heads, head_dim)."""
    outputs = _attention(_cut_in_turn, x, (w_q, w_k, w_v), num_heads)
    return outputs.transpose(1, 2, 0).reshape(len(x), -1)


def _in_every_head(one_head):
    """A function of one head in each of several, which stand side by side."""

    @functools.wraps(one_head)
    def several(x, w_q, w_k, w_v, num_heads):
        pieces = (_cut(w, num_heads) for w in (w_q, w_k, w_v))
        return np.hstack([one_head(x, *of_head) for of_head in zip(*pieces, strict=True)])

    return several


for _mistake in attention.check_attention.mistakes:
    check_heads.mistake(_mistake.name)(_in_every_head(_mistake.function))
