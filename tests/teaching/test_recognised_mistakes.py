"""Mistakes that show in many ways: told by inputs that forgive them, or by what outputs share."""

import numpy as np

from posviz.teaching.checker import Checker


def test_a_mistake_that_does_no_harm_on_some_inputs_is_named_by_them():
    check_sign = Checker("Sizes", np.abs, lambda rng, size: (rng.normal(size=size) - 1,))
    add = check_sign.harmless_on("sign kept")
    add(positive_numbers)
    kept, doubled = check_sign(lambda x: x), check_sign(lambda x: 2 * x)
    raising = check_sign(only_positive)
    assert (kept.status, kept.mistake, kept.message) == ("mistake", "sign kept", "Drop the sign.")
    assert (doubled.status, doubled.mistake) == ("wrong", None)
    assert raising.mistake == "sign kept"
    assert check_sign(np.abs).status == "correct"


def test_a_mistake_that_shows_in_many_values_is_named_by_what_they_share():
    check_prime = Checker("A prime above 40", lambda: 41)
    check_prime.mistake("the answer to everything")(lambda: 42)
    check_prime.recognised_by("even")(divisible)
    assert check_prime(41).status == "correct"
    assert check_prime(42).mistake == "the answer to everything"  # what is listed goes first
    even, odd = check_prime(50), check_prime(51)
    assert (even.status, even.mistake, even.message) == ("mistake", "even", "Halve it.")
    assert (odd.status, odd.mistake) == ("wrong", None)
    # Neither another shape nor nan, which is not odd, is called even.
    assert check_prime([50, 50]).mistake is check_prime(float("nan")).mistake is None


def divisible(number):
    """Halve
    it."""
    return number % 2 != 1


def positive_numbers(rng, size):
    """Drop
    the sign."""
    return (rng.random(size),)


def only_positive(x):
    if (x < 0).any():
        raise ValueError
    return x
