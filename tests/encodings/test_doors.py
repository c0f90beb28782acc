"""An encoding does nothing, except at the doors it overrides."""

import numpy as np
import pytest

from posviz.encodings.doors import DOORS, Encoding, NoPosition, doors


def test_no_encoding_changes_nothing():
    x = np.ones(3)
    encoding = NoPosition()
    for passed in (
        encoding.at_input(x, [0]),
        encoding.at_query(x, [0]),
        encoding.at_key(x, [0]),
        encoding.at_scores(x, None, None, [0], [0]),
        encoding.at_values(x, None, [0], [0]),
    ):
        assert passed is x
    assert doors(encoding) == ()


@pytest.mark.parametrize("head_dim", [1, 4, 64])
def test_scores_are_divided_by_the_root_of_head_dim(head_dim):
    assert Encoding().scale(head_dim) == pytest.approx(1 / np.sqrt(head_dim))


@pytest.mark.parametrize("door", DOORS)
def test_a_door_is_found_where_it_is_overridden_or_inherited(door):
    acting = type("Acting", (Encoding,), {door: lambda self, x, *others: x})
    heir = type("Heir", (acting,), {})
    assert doors(acting()) == doors(heir()) == (door,)


def test_scale_alone_is_no_door():
    unscaled = type("Unscaled", (Encoding,), {"scale": lambda self, head_dim: 1.0})
    assert doors(unscaled()) == ()
