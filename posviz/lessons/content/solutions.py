"""Solutions: position from content."""

import numpy as np


def my_plan(config, position):
    """Turns, sees, multiplied by: [layers, 3]."""
    layers = range(1, config["num_hidden_layers"] + 1)
    interval = config["no_rope_layer_interval"]
    flags = np.array(config["no_rope_layers"] or [layer % interval != 0 for layer in layers])
    steps = np.floor((position + 1) / config["floor_scale"])
    factor = 1 + config["attn_scale"] * np.log(steps + 1)
    sees = np.where(flags, config["sliding_window"], 0)
    return np.stack([flags, sees, np.where(flags, 1, factor)], axis=1)


def my_bias(logits):
    """The bias of FoX [len, len]."""
    sums = np.cumsum(-np.log(1 + np.exp(-logits)))
    return np.tril(sums[:, None] - sums)


def my_weights(scores, scale, allowed):
    """Weights [q_len, k_len]."""
    seen = allowed.sum(axis=1, keepdims=True)
    powers = np.where(allowed, np.exp(scale * np.log(seen) * scores), 0)
    return powers / powers.sum(axis=1, keepdims=True)


def my_counted(scores, by_row):
    """The bias of CoPE [len, len]."""
    gates = np.tril(1 / (1 + np.exp(-scores)))
    positions = np.minimum(gates[:, ::-1].cumsum(axis=1)[:, ::-1], by_row.shape[1] - 1)
    below, above = np.floor(positions).astype(int), np.ceil(positions).astype(int)
    part = positions - below
    low, high = (np.take_along_axis(by_row, rows, axis=1) for rows in (below, above))
    return np.tril((1 - part) * low + part * high)
