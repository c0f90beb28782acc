"""Solutions: RoPE in two dimensions."""

import numpy as np


def my_axial(rows, columns, head_dim, base):
    """Return the angles of axial RoPE, [n, head_dim/2]."""
    half = head_dim // 2
    inv_freq = base ** (-np.arange(0, half, 2) / half)
    return np.concatenate([np.outer(columns, inv_freq), np.outer(rows, inv_freq)], axis=1)


def my_mixed(rows, columns, frequencies):
    """Return the angles of mixed RoPE, [n, head_dim/2]."""
    return np.outer(columns, frequencies[0]) + np.outer(rows, frequencies[1])


my_offset = (3, -3)  # row and column turn each pair by the same angle, one forth and one back
