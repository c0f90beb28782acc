"""Solutions: xPos."""

import numpy as np


def my_scores(q, k, positions, inv_freq, zeta, scale_base):
    """Scores [len, len] of xPos, 0 for keys ahead; q, k [len, pairs] complex."""
    turn = np.exp(1j * positions[:, None] * inv_freq)
    q_factor = zeta ** (positions[:, None] / scale_base)
    k_factor = zeta ** (-positions[:, None] / scale_base)
    q = q * turn * q_factor
    k = k * turn * k_factor
    return np.tril((q @ k.conj().T).real)


def my_mask(length, block):
    """Mask [length, length] of booleans; block in tokens."""
    positions = np.arange(length)
    blocks = positions // block
    near = blocks[:, None] - blocks <= 1
    return near & (positions[:, None] >= positions)


def my_overflow(largest, zeta, scale_base):
    """Position, in tokens, at which a key of ones reaches the largest number."""
    return -scale_base * np.log(largest) / np.log(zeta.min())
