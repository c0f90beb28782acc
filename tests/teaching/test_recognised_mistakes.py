"""Mistakes that show in many ways: told by inputs that forgive them, or by what outputs share."""

import numpy as np

from posviz.teaching.checker import Checker
from posviz.teaching.mistakes import looks_like, right_on, wrong


def test_a_mistake_that_does_no_harm_on_some_inputs_is_named_by_them():
    kept = right_on("sign kept", lambda rng, size: (rng.random(size),), "Drop the sign.")
    check_sign = Checker(
        "Sizes", np.abs, lambda rng, size: (rng.normal(size=size) - 1,), mistakes=[kept]
    )

    def only_positive(x):
        if (x < 0).any():
            raise ValueError
        return x

    assert check_sign(lambda x: x).message == "Drop the sign."
    assert check_sign(only_positive).mistake == "sign kept"
    assert check_sign(lambda x: 2 * x).mistake is None
    assert check_sign(np.abs).status == "correct"


def test_a_mistake_that_shows_in_many_values_is_named_by_what_they_share():
    check_prime = Checker(
        "A prime above 40",
        lambda: 41,
        mistakes=[
            wrong("the answer to everything", lambda: 42, "It is not prime."),
            looks_like("even", lambda number: number % 2 != 1, "Halve it."),
        ],
    )
    assert check_prime(41).status == "correct"
    assert check_prime(42).mistake == "the answer to everything"  # what is listed goes first
    assert (check_prime(50).mistake, check_prime(50).message) == ("even", "Halve it.")
    assert check_prime(51).mistake is None
    # Neither another shape nor nan, which is not odd, is called even.
    assert check_prime([50, 50]).mistake is check_prime(float("nan")).mistake is None
