"""The committed table against runs from scratch: two of its cheapest cells."""

import numpy as np
import pytest

from posviz_course.lab import train
from posviz_course.lab.configs import Config
from posviz_course.lab.named import SIZES
from posviz_course.lab.results import committed


@pytest.mark.release("it trains two models for seconds")
@pytest.mark.parametrize("arm", ["none", "RoPE"])
def test_cell_of_the_committed_table_is_found_again(arm):
    """To the last bit only on a machine like that of the table; elsewhere sums round otherwise.

    What differs grows in 150 steps of training, so other machines may be a few answers apart.
    """
    config = Config("majority", arm, 0, **SIZES["majority"])
    [kept] = [result for result in committed() if result.config == config]
    again = train.tested(config, *train.trained(config))
    if again.weights == kept.weights:
        assert again.readings == kept.readings
    assert again.losses == pytest.approx(kept.losses, abs=0.02)
    for name, reading in kept.readings.items():
        found = again.readings[name]
        assert found["by_length"] == pytest.approx(reading["by_length"], abs=0.04)
        places = (np.array(each["by_place"], dtype=float) for each in (found, reading))
        np.testing.assert_allclose(*places, atol=0.25)
