"""Randomised positions: distinct, in order, and each as likely as the next."""

import numpy as np
import pytest

from posviz import randomised_positions


@pytest.mark.parametrize(("length", "most"), [(0, 1), (5, 5), (40, 2048)])
def test_positions_are_distinct_in_order_and_within_bounds(length, most):
    found = randomised_positions(length, most, rng=3)
    assert (found.shape, found.dtype) == ((length,), np.int64)
    assert (np.diff(found) > 0).all()
    assert set(found.tolist()) <= set(range(most))


def test_all_positions_are_as_likely():
    rng = np.random.default_rng(0)
    drawn = np.stack([randomised_positions(3, 6, rng=rng) for _ in range(1000)])
    np.testing.assert_allclose(np.bincount(drawn.ravel()) / 1000, 0.5, atol=0.06)
    assert len(np.unique(drawn, axis=0)) == 20  # of 6 positions, 3 at a time


def test_a_seed_gives_the_same_again():
    first, again, other = (randomised_positions(9, 99, rng=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
