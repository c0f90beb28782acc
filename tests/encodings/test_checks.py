"""Arguments are refused by name, with what came and what is allowed."""

import numpy as np
import pytest
import torch

from posviz.encodings import checks


@pytest.mark.parametrize("value", [4, np.int64(4), torch.tensor(4)])
def test_whole_numbers_pass(value):
    assert checks.require_integer(value, "heads") == 4
    assert checks.require_even(value, "heads") == 4


@pytest.mark.parametrize("value", [4.0, "4", None, [4]])
def test_what_is_not_whole_is_refused(value):
    with pytest.raises(TypeError, match="heads must be an integer, got"):
        checks.require_integer(value, "heads")


def test_small_and_odd_numbers_are_refused():
    with pytest.raises(ValueError, match="heads must be at least 1, got 0"):
        checks.require_integer(0, "heads")
    with pytest.raises(ValueError, match="d_model must be at least 2, got 0"):
        checks.require_even(0, "d_model")
    with pytest.raises(ValueError, match=r"heads must be below 2\*\*63, got a number of 64 bits"):
        checks.require_integer(2**63, "heads")
    with pytest.raises(ValueError, match=r"d_model must be even, .*got 7"):
        checks.require_even(7, "d_model")


@pytest.mark.parametrize("value", [2, np.float32(2), torch.tensor(2.0), np.array(2)])
def test_a_base_above_one_passes(value):
    assert checks.require_base(value) == 2.0


@pytest.mark.parametrize("value", [1, 0.5, 0, -3, float("nan"), float("inf")])
def test_a_base_that_is_too_small_or_no_number_is_refused(value):
    with pytest.raises(ValueError, match="base must be"):
        checks.require_base(value)


@pytest.mark.parametrize("value", ["2", None, 2j, [1, 2], torch.ones(2)])
def test_a_base_is_one_real_number(value):
    with pytest.raises(TypeError, match="base must be a real number, got"):
        checks.require_base(value)


@pytest.mark.parametrize("value", [0, -1e-9, float("inf")])
def test_what_has_to_be_positive_is(value):
    assert checks.require_positive(1e-9, "gamma") == 1e-9
    with pytest.raises(ValueError, match="gamma must be"):
        checks.require_positive(value, "gamma")


@pytest.mark.parametrize("value", ["c", None, 1, ["a"]])
def test_a_choice_is_one_of_its_options(value):
    assert checks.require_choice("a", "layout", ("a", "b")) == "a"
    with pytest.raises(ValueError, match="layout must be one of 'a', 'b', got"):
        checks.require_choice(value, "layout", ("a", "b"))


@pytest.mark.parametrize(
    ("shape", "target", "expected"),
    [((3,), (2, 3), True), ((1, 3), (2, 3), True), ((2, 3), (1, 3), False), ((2,), (3,), False)],
)
def test_a_shape_is_read_as_a_larger_one(shape, target, expected):
    assert checks.broadcasts_to(shape, target) is expected


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_an_array_is_looked_through_for_what_is_not_above_0(kind):
    checks.require_above(kind([0.1, 2.0]), "r2", at_most=2.0)
    checks.require_above(torch.zeros(2, device="meta"), "r2")
    for values, told in (([1.0, 0.0], "0"), ([-2.0], "-2"), ([np.nan], "nan"), ([np.inf], "inf")):
        with pytest.raises(ValueError, match=f"r2 must be above 0, got {told}$"):
            checks.require_above(kind(values), "r2")
    with pytest.raises(ValueError, match=r"r2 must be above 0 and at most 2, got 2\.5"):
        checks.require_above(kind([1.0, 2.5]), "r2", at_most=2.0)
