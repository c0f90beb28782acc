"""Solutions: sinusoidal tables."""

import numpy as np


def my_sinusoidal(positions, d_model, base):
    """Return the sinusoidal table, [len, d_model]."""
    angles = np.outer(positions, base ** (-np.arange(0, d_model, 2) / d_model))
    table = np.empty((len(positions), d_model))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


found_base = 500  # column 1 is a sine, so pair 1 of 4 turns by 0.2115 = base^(−1/4) a token
