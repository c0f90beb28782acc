"""Solutions: xPos."""

import numpy as np


def my_scores(q, k, positions, inv_freq, zeta, scale_base):
    """Scores [len, len] of xPos, 0 for future keys; q, k [len, pairs] complex."""
    rotation = np.exp(1j * positions[:, None] * inv_freq)
    q_factor = zeta ** (positions[:, None] / scale_base)
    k_factor = zeta ** (-positions[:, None] / scale_base)
    q = q * rotation * q_factor
    k = k * rotation * k_factor
    return np.tril((q @ k.conj().T).real)


def my_half_lives(zeta, scale_base):
    """Distances, in tokens, at which each pair's factor is one half, [pairs]."""
    return scale_base * np.log(0.5) / np.log(zeta)


def my_mask(length, block):
    """Mask [length, length] of booleans; block in tokens."""
    positions = np.arange(length)
    blocks = positions // block
    near = blocks[:, None] - blocks <= 1
    return near & (positions[:, None] >= positions)
