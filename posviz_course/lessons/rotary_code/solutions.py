"""Solutions: RoPE in code."""

import numpy as np

from posviz import apply_rotary, rotary_angles, rotary_frequencies


def my_half_split(w, num_heads):
    """Reorder the columns of w from interleaved to half_split, head by head."""
    heads = w.reshape(len(w), num_heads, -1)
    return np.concatenate([heads[..., 0::2], heads[..., 1::2]], axis=-1).reshape(w.shape)


def my_cached_scores(q, k, cached_keys, inv_freq):
    """Scores [len + 1] of a new token; q and k [head_dim], inv_freq [head_dim/2]."""
    angles = rotary_angles(len(cached_keys), inv_freq)
    q, k = apply_rotary(np.stack([q, k]), angles)  # the cache is rotated already
    return np.concatenate([cached_keys, k[None]]) @ q


def my_port(x, positions):
    """Rotate x [len, head_dim] by its positions [len], in interleaved pairs."""
    angles = np.outer(positions, rotary_frequencies(x.shape[1]))
    first, second = x[:, 0::2], x[:, 1::2]
    cos, sin = np.cos(angles), np.sin(angles)
    rotated = first * cos - second * sin, second * cos + first * sin
    return np.stack(rotated, axis=-1).reshape(x.shape)
