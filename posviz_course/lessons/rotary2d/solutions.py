"""Solutions: RoPE in two dimensions."""

import numpy as np


def my_axial(rows, columns, head_dim, base):
    """Return the angles of axial RoPE, [n, head_dim/2]."""
    half = head_dim // 2
    inv_freq = base ** (-np.arange(0, half, 2) / half)
    return np.concatenate([np.outer(columns, inv_freq), np.outer(rows, inv_freq)], axis=1)


def my_kind(f):
    """Return which encoding made the scores f [n, n]: 0, 1 or 2."""
    if np.allclose(f[1:, :-1], f[:-1, 1:]):  # row + column decides
        return 2
    if np.allclose(f[1:, 1:] + f[:-1, :-1], f[1:, :-1] + f[:-1, 1:]):
        return 0
    return 1
