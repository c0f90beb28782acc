"""Solutions: stretching the context."""

import numpy as np


def my_base(head_dim, factor, base):
    """The new base, one number."""
    return base * factor ** (head_dim / (head_dim - 2))


def my_ramp(head_dim, base, length, factor, fast, slow):
    """The share of its frequency that each pair keeps, [head_dim/2]."""
    low, high = head_dim / 2 * np.log(length / (2 * np.pi * np.array([fast, slow]))) / np.log(base)
    low, high = np.floor(low), np.ceil(high)
    ramp = np.clip((np.arange(head_dim // 2) - low) / (high - low), 0, 1)
    return 1 - ramp + ramp / factor


def my_factor(factor, mscale, mscale_all_dim):
    """What a score is multiplied by, one number."""
    if mscale and mscale_all_dim:
        first, second = (0.1 * k * np.log(factor) + 1 for k in (mscale, mscale_all_dim))
    else:
        first, second = 0.1 * np.log(factor) + 1, 1
    return (first / second) ** 2  # the query has the factor, and the key
