"""Solutions: the examination."""

import numpy as np


def head(x, w_q, w_k, w_v):
    """Return the outputs [len, head_dim] of one head; x [len, d_model]."""
    scores = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1])
    powers = np.exp(scores)
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights @ (x @ w_v)


def table(positions, d_model, base):
    """Return the sinusoidal table, [len, d_model]."""
    pair = np.arange(d_model // 2)
    angles = np.outer(positions, base ** (-2 * pair / d_model))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), d_model)


def has_row(position, rows, padding_offset):
    """Return True if the table has a row for the position, else False."""
    return 0 <= position < rows - padding_offset


def rows(q_positions, k_positions, max_distance):
    """Return the row of Shaw's table that each pair reads, [q_len, k_len]."""
    offset = k_positions - q_positions[:, None]
    return np.clip(offset, -max_distance, max_distance) + max_distance


def rotated(x, positions, base):
    """Rotate x [len, head_dim] in neighbouring pairs by its positions [len]."""
    angles = np.outer(positions, base ** (-np.arange(0, x.shape[1], 2) / x.shape[1]))
    z = (x[:, ::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def scores(x, w_q, w_k, positions, base):
    """Return the scores [len, len] of x [len, d_model] with RoPE."""
    q, k = rotated(x @ w_q, positions, base), rotated(x @ w_k, positions, base)
    return q @ k.T / np.sqrt(q.shape[1])


angle = (4 - 7) * 0.5
matrix = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]


def rotate(x, position, inv_freq):
    """Rotate a vector [head_dim] in neighbouring pairs by its position."""
    z = (x[::2] + 1j * x[1::2]) * np.exp(1j * position * inv_freq)
    return np.stack([z.real, z.imag], axis=-1).ravel()


def cached_scores(q, k, cached_keys, inv_freq):
    """Return the scores [n + 1] of a new token; q and k [head_dim], n cached keys."""
    q = rotate(q, len(cached_keys), inv_freq)
    k = rotate(k, len(cached_keys), inv_freq)
    return np.append(cached_keys @ q, k @ q)


def axial(rows, columns, head_dim, base):
    """Return the angles of axial RoPE, [n, head_dim/2]."""
    inv_freq = base ** (-2 * np.arange(head_dim // 4) / (head_dim / 2))
    return np.hstack([np.outer(columns, inv_freq), np.outer(rows, inv_freq)])


def series(heads):
    """Return the slopes 2^(−8h/n) of n heads."""
    return 2.0 ** (-8 * np.arange(1, heads + 1) / heads)


def released(heads):
    """Return the slopes of any number of heads, as in the released code."""
    power = 2 ** (heads.bit_length() - 1)
    return np.append(series(power), series(2 * power)[::2][: heads - power])


def slopes(num_heads):
    """Return one slope for each head, [num_heads]."""
    return released(num_heads)


def mask(length, block):
    """Return the mask [length, length], True where a query may look."""
    i, j = np.arange(length)[:, None], np.arange(length)
    return (j <= i) & (i // block - j // block < 2)


def m(factor, k):
    """Return YaRN's factor, with the weight k for the logarithm."""
    return 0.1 * k * np.log(factor) + 1


def on_scores(factor, mscale, mscale_all_dim):
    """Return what scores are multiplied by."""
    factor_of_cos = m(factor, 1)
    if mscale and mscale_all_dim:
        factor_of_cos = m(factor, mscale) / m(factor, mscale_all_dim)
    return factor_of_cos**2


def bias(logits):
    """Return the bias of FoX [len, len] from logits [len]."""
    gates, length = np.log(1 / (1 + np.exp(-logits))), len(logits)
    result = np.zeros((length, length))
    for i in range(length):
        for j in range(i + 1):
            result[i, j] = sum(gates[k] for k in range(j + 1, i + 1))
    return result
