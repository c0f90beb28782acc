"""Claims: what a softmax does to scores."""

import numpy as np

from posviz.attention import softmax
from posviz_course.claims import claim

SCORES = np.random.default_rng(0).normal(size=16)


@claim(
    "Adding a number to the scores changes the weights.",
    cases={"if one key gets it": 3 * np.eye(16)[0], "if all keys get it": 3},
    measures="the largest change of a weight",
    rule="> 1e-9",
    section="2 Shuffle it",
)
def a_shift_changes_weights(added):
    """The softmax divides by the sum, so what all keys share cancels."""
    return abs(softmax(SCORES + added) - softmax(SCORES)).max()
