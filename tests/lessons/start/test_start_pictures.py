"""The error that lesson 00's picture owns up to is the largest of all products."""

import numpy as np

from posviz.lessons.start.same_on_every_device import D_MODEL, SameOnEveryDevice
from tests.lessons.by_hand import caption_of, frequencies


def test_the_error_is_the_largest_of_float32_beside_a_mean_of_cosines():
    picture = SameOnEveryDevice(seq_len=40)
    arrays = picture.compute()
    apart = np.subtract.outer(np.arange(40), np.arange(40))
    exact = np.mean([np.cos(apart * speed) for speed in frequencies(D_MODEL, 10_000)], axis=0)
    largest = abs(arrays.similarity - exact).max()
    np.testing.assert_allclose(arrays.error, largest, rtol=1e-6)
    assert caption_of(picture).endswith(f"the largest error is {largest:.1e}.")
