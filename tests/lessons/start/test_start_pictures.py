"""The error that lesson 00's picture owns up to is the largest of all products."""

import numpy as np

from posviz import SameOnEveryDevice
from tests.lessons.by_hand import frequencies


def test_the_error_is_the_largest_of_float32_beside_a_mean_of_cosines():
    arrays = SameOnEveryDevice(seq_len=40).compute()
    apart = np.subtract.outer(np.arange(40), np.arange(40))
    exact = np.mean([np.cos(apart * speed) for speed in frequencies(64, 10_000)], axis=0)
    np.testing.assert_allclose(arrays.error, abs(arrays.similarity - exact).max(), rtol=1e-6)
