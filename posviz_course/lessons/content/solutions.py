"""Solutions: position from content."""

import numpy as np


def my_gates(text):
    """A gate for each token: 0.001 to forget all before it, else 1."""
    tokens = text.split()
    starts = [i > 0 and tokens[i - 1] == "." for i in range(len(tokens))]
    return np.where(starts, 0.001, 1.0)


def my_bias(logits):
    """The bias of FoX [len, len]."""
    steps = np.log(1 / (1 + np.exp(-logits)))  # ln f of each token
    sums = np.cumsum(steps)
    return np.tril(sums[:, None] - sums)
