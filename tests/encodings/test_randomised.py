"""Randomised positions: distinct, in order, and every one as likely as the next."""

import numpy as np
import pytest

from posviz import arrays
from posviz.encodings.randomised import randomised_positions


@pytest.mark.parametrize(("length", "most"), [(0, 1), (1, 1), (5, 5), (40, 2048)])
def test_they_are_distinct_in_order_and_within_bounds(length, most):
    found = randomised_positions(length, most, rng=3)
    assert found.shape == (length,)
    assert found.dtype == np.int64
    assert (np.diff(found) > 0).all()
    assert set(found.tolist()) <= set(range(most))


def test_all_positions_are_as_likely_and_each_draw_is_another():
    rng = np.random.default_rng(0)
    drawn = np.stack([randomised_positions(3, 6, rng=rng) for _ in range(4000)])
    np.testing.assert_allclose(np.bincount(drawn.ravel()) / 4000, 0.5, atol=0.04)
    assert len(np.unique(drawn, axis=0)) == 20  # of 6 positions, 3 at a time


def test_a_seed_gives_the_same_again():
    first, again = (randomised_positions(9, 99, rng=1) for _ in range(2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, randomised_positions(9, 99, rng=2))


def test_memory_for_all_positions_is_asked_for_where_many_are_drawn(monkeypatch):
    monkeypatch.setattr(arrays, "_free_memory", lambda x: 10**8)
    with pytest.raises(ValueError, match="max_position: an array of 20,000,000 numbers"):
        randomised_positions(1_000_001, 20_000_000, rng=0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((5, 4, 0), ValueError, "max_position must be at least length, 5, got 4"),
        ((2.0, 4, 0), TypeError, "length must be an integer, got 2.0"),
        ((2, 4, None), TypeError, "rng must be a NumPy Generator or a seed, got None"),
        ((2, 4, "now"), TypeError, "rng must be a NumPy Generator or a seed, got 'now'"),
    ],
)
def test_bad_input_is_named(arguments, error, message):
    length, most, rng = arguments
    with pytest.raises(error, match=message):
        randomised_positions(length, most, rng=rng)
