"""Solutions: RoPE."""

import numpy as np

from posviz import apply_rotary, rotary_angles, rotary_frequencies


def my_rotary(x, positions, base):
    """Rotate x [len, head_dim] in neighbouring pairs by its positions [len]."""
    head_dim = x.shape[1]
    angles = np.outer(positions, base ** (-np.arange(0, head_dim, 2) / head_dim))
    first, second = x[:, 0::2], x[:, 1::2]
    rotated = np.empty_like(x)
    rotated[:, 0::2] = first * np.cos(angles) - second * np.sin(angles)
    rotated[:, 1::2] = first * np.sin(angles) + second * np.cos(angles)
    return rotated


def my_scores(x, w_q, w_k, positions, base):
    """Return scores [len, len] of x [len, d_model], w_q and w_k [d_model, head_dim]."""
    head_dim = w_q.shape[1]
    angles = rotary_angles(positions, rotary_frequencies(head_dim, base))
    return apply_rotary(x @ w_q, angles) @ apply_rotary(x @ w_k, angles).T / np.sqrt(head_dim)


my_matrix = [[np.cos(-1.5), -np.sin(-1.5)], [np.sin(-1.5), np.cos(-1.5)]]  # (j − i) · 0.5
