"""Numbers as captions write them."""

import pytest

from posviz.wording import signed, tokens


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [(-3, "", "−3"), (-0.5, ".2f", "−0.50"), (1e-5, ".1g", "1e−05"), (-0.001, "z.2f", "0.00")],
)
def test_the_minus_is_that_of_print(number, form, text):
    assert signed(number, form) == text


@pytest.mark.parametrize(
    ("length", "text"), [(6.2832, "6.28"), (99.99, "99.99"), (100, "100"), (47117.3, "47,117")]
)
def test_a_long_length_is_whole(length, text):
    assert tokens(length) == text
