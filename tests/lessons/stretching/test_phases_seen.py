"""Arcs that training has seen and those it has not, against angles one pair at a time."""

import math

import numpy as np
import pytest

from posviz.lessons.stretching.phases_seen import PhasesSeen
from tests.lessons.by_hand import every_setting, frequencies

TURN = 2 * math.pi


@pytest.mark.parametrize("method", ["none", "PI", "NTK"])
@pytest.mark.parametrize("setting", [(1e4, 4096, 4.0), (1e3, 500, 1.3)])
def test_arcs_are_those_of_the_frequencies(method, setting):
    base, length, factor = setting
    arrays = PhasesSeen(method=method, base=base, length=length, factor=factor).compute()
    trained = np.array(frequencies(128, base)) * length / TURN
    stretched = {
        "none": factor * trained,
        "PI": trained,
        "NTK": np.array(frequencies(128, base * factor ** (128 / 126))) * factor * length / TURN,
    }
    np.testing.assert_allclose(arrays.trained, trained, rtol=1e-12)
    np.testing.assert_allclose(arrays.used, stretched[method], rtol=3e-6)
    # Where a method ends an arc exactly where the training did, it is no new one.
    new = (trained < 1) & (stretched[method] > trained * (1 + 1e-5))
    assert arrays.new.tolist() == new.tolist()


def test_discs_begin_with_the_last_pair_that_turned():
    for picture in every_setting(PhasesSeen):
        shown = picture.compute().shown
        speeds = frequencies(128, picture.base)
        turned = sum(picture.length * speed >= TURN for speed in speeds)
        assert shown[:2].tolist() == [min(turned - 1, 64 - 8), min(turned, 64 - 7)]
        assert (shown[-1], len(set(shown))) == (63, 8)
