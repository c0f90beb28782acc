"""Solutions: choosing."""

import numpy as np


def my_moved(layer, positions):
    """Return the largest change, one number."""
    return np.abs(layer(positions + 100) - layer(positions)).max()
