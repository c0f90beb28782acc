"""What a function of a reader returns, for a picture of an exercise."""

import numpy as np


def own_numbers(returned, shape) -> np.ndarray | None:
    """The numbers that a reader's function returned; None while it has no body."""
    if returned is ... or returned is None:
        return None
    if np.shape(returned) != shape:
        raise ValueError(
            f"Your function returned shape {np.shape(returned)}, not {shape}: solve the exercise "
            "first."
        )
    return np.asarray(returned, dtype=float)
