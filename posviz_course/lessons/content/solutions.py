"""Solutions: position from content."""

import numpy as np


def my_plan(config):
    """Has RoPE, sees: [layers, 2]."""
    layers = np.arange(config["num_hidden_layers"]) + 1
    flags = config["no_rope_layers"] or layers % config["no_rope_layer_interval"] != 0
    return np.stack([flags, np.where(flags, config["sliding_window"], 0)], axis=1)


def my_bias(logits):
    """The bias of FoX [len, len]."""
    steps = np.log(1 / (1 + np.exp(-logits)))  # ln f of each token
    sums = np.cumsum(steps)
    return np.tril(sums[:, None] - sums)
