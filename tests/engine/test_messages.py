"""What a view may be called, and what counts as a whole number."""

import pytest

from posviz.engine.messages import is_name, is_whole


@pytest.mark.parametrize(
    ("value", "fits"),
    [("", True), ("x" * 64, True), ("x" * 65, False), (None, False), (7, False), (["a"], False)],
)
def test_a_name_is_a_short_text(value, fits):
    assert is_name(value) is fits


@pytest.mark.parametrize(
    ("value", "fits"),
    [(0, True), (9, True), (-1, False), (10, False), (True, False), (1.0, False), ("1", False)],
)
def test_a_whole_number_is_no_bool_and_no_float(value, fits):
    assert is_whole(value, 0, 9) is fits


def test_javascript_counts_no_further():
    assert (is_whole(2**53, 0), is_whole(2**53 + 1, 0)) == (True, False)
