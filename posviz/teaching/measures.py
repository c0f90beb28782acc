"""What the claims of several lessons measure, and what counts as the same."""

import numpy as np

SAME = 1e-9  # what differs by less is the same, up to the rounding of float64


def largest(difference: np.ndarray) -> float:
    """Return the largest entry, whatever its sign."""
    return float(np.abs(difference).max())


def normal(seed: int, *shape: int) -> np.ndarray:
    """Return random numbers of mean 0 and variance 1, the same ones for the same seed."""
    return np.random.default_rng(seed).normal(size=shape)
