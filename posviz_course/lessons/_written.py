"""What a reader's function of an exercise returns to the picture that it draws."""

import numpy as np


def written(answer, shape):
    """The answer as numbers of a shape; None while the function has no body."""
    if answer is ... or answer is None:
        return None
    if np.shape(answer) != shape:
        raise ValueError(
            f"Your function returned shape {np.shape(answer)}, not {shape}: solve the exercise "
            "first."
        )
    return np.asarray(answer, dtype=float)
