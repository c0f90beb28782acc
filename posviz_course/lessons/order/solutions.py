"""Solutions: why order matters."""

import numpy as np


def my_heads(x, w_q, w_k, w_v, num_heads):
    """Return the outputs of all heads, side by side, [len, num_heads * head_dim]."""
    q, k, v = ((x @ w).reshape(len(x), num_heads, -1).swapaxes(0, 1) for w in (w_q, w_k, w_v))
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ v).swapaxes(0, 1).reshape(len(x), -1)


def my_permutation(head, inputs, outputs):
    """Return order, [len], for which head(inputs[order]) is outputs."""
    distances = np.abs(outputs[:, None] - head(inputs)).sum(axis=-1)
    return distances.argmin(axis=1)


def my_attention(x, w_q, w_k, w_v):
    """Return the outputs of one head, [len, head_dim]."""
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.T / np.sqrt(q.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v
