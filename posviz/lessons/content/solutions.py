"""Solutions: position from content."""

import numpy as np


def my_plan(config):
    """Has RoPE, sees: [layers, 2]."""
    layers = range(1, config["num_hidden_layers"] + 1)
    interval = config["no_rope_layer_interval"]
    flags = np.array(config["no_rope_layers"] or [int(layer % interval != 0) for layer in layers])
    return np.stack([flags, np.where(flags, config["sliding_window"], 0)], axis=1)


def my_bias(logits):
    """The bias of FoX [len, len]."""
    sums = np.cumsum(-np.log(1 + np.exp(-logits)))
    return np.tril(sums[:, None] - sums)
