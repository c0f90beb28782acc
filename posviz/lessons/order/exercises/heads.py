"""Exercise: several attention heads side by side."""

import functools
from types import FunctionType

import numpy as np

from posviz.attention import attend
from posviz.encodings.doors import NoPosition
from posviz.lessons.order.exercises import attention
from posviz.teaching.checker import Checker


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
check_heads = Checker(
    "Several attention heads",
    reference=_heads,
    inputs=_heads_inputs,
    edges=[attention.one_token(_heads_inputs)],
)


def _cut(rows, num_heads):
    """The columns in pieces side by side: [len, width] -> [num_heads, len, head_dim]."""
    return np.stack(np.split(rows, num_heads, axis=1))


def _cut_by_reshape(heads, x, projections, num_heads):
    """Outputs [num_heads, len, head_dim] of pieces that mix tokens; `heads` attends in each."""

    def one_head(q, k, v):
        select = np.split(np.eye(3 * q.shape[1]), 3, axis=1)
        return heads(np.hstack([q, k, v]), *select, 1)

    pieces = ((x @ w).reshape(num_heads, len(x), -1) for w in projections)
    return np.stack([one_head(*of_head) for of_head in zip(*pieces, strict=True)])


def _in_turn(width, num_heads):
    """The columns of head 0, of head 1, … if they are dealt out in turn."""
    return np.arange(width).reshape(-1, num_heads).T.ravel()


@check_heads.mistake("one head")
def _(x, w_q, w_k, w_v, num_heads):
    """You made one head of the whole width. Cut the columns of q, k and v into num_heads pieces:
    each head has scores and a softmax of its own."""
    return _heads(x, w_q, w_k, w_v, 1)


@check_heads.mistake("divided by the root of the whole width")
def _(x, w_q, w_k, w_v, num_heads):
    """You divided the scores by the root of the number of all columns. The sum in q·k runs over
    those of one head: divide by √head_dim, the width of q after the cut."""
    return _heads(x, w_q / np.sqrt(num_heads), w_k, w_v, num_heads)


@check_heads.mistake("cut and joined by reshape alone")
def _(x, w_q, w_k, w_v, num_heads):
    """You cut by reshape(num_heads, len, head_dim), and that mixes tokens: it goes through the rows
    one after the other. Reshape to (len, num_heads, head_dim), then swap the first two axes; swap
    them back before you join."""
    return _cut_by_reshape(_heads, x, (w_q, w_k, w_v), num_heads).reshape(len(x), -1)


@check_heads.mistake("cut by reshape alone")
def _(x, w_q, w_k, w_v, num_heads):
    """You cut by reshape(num_heads, len, head_dim), and that mixes tokens: it goes through the rows
    one after the other. Reshape to (len, num_heads, head_dim), then swap the first two axes."""
    return np.hstack(_cut_by_reshape(_heads, x, (w_q, w_k, w_v), num_heads))


@check_heads.mistake("joined by reshape alone")
def _(x, w_q, w_k, w_v, num_heads):
    """A reshape of the outputs [num_heads, len, head_dim] mixes tokens: swap the first two axes
    before you join them to [len, num_heads·head_dim]."""
    return _cut(_heads(x, w_q, w_k, w_v, num_heads), num_heads).reshape(len(x), -1)


@check_heads.mistake("cut in turn")
def _(x, w_q, w_k, w_v, num_heads):
    """You dealt the columns out to the heads in turn. The first head has the first head_dim
    columns, the second the next."""
    order = _in_turn(w_q.shape[1], num_heads)
    return _heads(x, w_q[:, order], w_k[:, order], w_v[:, order], num_heads)


@check_heads.mistake("cut and joined in turn")
def _(x, w_q, w_k, w_v, num_heads):
    """You dealt the columns out to the heads in turn, as reshape(len, head_dim, num_heads) does.
    The first head has the first head_dim columns: reshape(len, num_heads, head_dim)."""
    order = _in_turn(w_q.shape[1], num_heads)
    outputs = _heads(x, w_q[:, order], w_k[:, order], w_v[:, order], num_heads)
    return outputs[:, np.argsort(order)]


def _in_every_head(one_head):
    """A function of one head in each of several, which stand side by side."""

    @functools.wraps(one_head)
    def several(x, w_q, w_k, w_v, num_heads):
        # Where it calls the right head, it may be given one with another mistake.
        known = one_head.__globals__ | {"_head": functools.partial(_heads, num_heads=1)}
        one = FunctionType(one_head.__code__, known)
        pieces = (_cut(w, num_heads) for w in (w_q, w_k, w_v))
        return np.hstack([one(x, *of_head) for of_head in zip(*pieces, strict=True)])

    return several


for _mistake in attention.check_attention.mistakes:
    check_heads.mistake(_mistake.name)(_in_every_head(_mistake.change(None)))
