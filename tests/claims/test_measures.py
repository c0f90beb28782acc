"""What the claims of several lessons measure."""

import numpy as np

from posviz.claims.measures import SAME, largest, normal


def test_the_largest_entry_whatever_its_sign_is_a_plain_number():
    found = largest(np.array([[1.0, -3.0], [2.0, 0.0]]))
    assert (found, type(found)) == (3.0, float)


def test_rounding_is_the_same_and_the_seventh_digit_is_not():
    numbers = normal(0, 1000)
    assert largest((numbers + 100) - 100 - numbers) < SAME
    assert largest(numbers.astype(np.float32) - numbers) > SAME


def test_normal_numbers_are_those_of_the_seed():
    expected = np.random.default_rng(7)
    found = normal(7, 2, 3)
    assert found.shape == (2, 3)
    assert found.ravel().tolist() == [expected.normal() for _ in range(6)]
    many = normal(0, 100_000)
    assert abs(many.mean()) < 0.02
    assert abs(many.std() - 1) < 0.02
