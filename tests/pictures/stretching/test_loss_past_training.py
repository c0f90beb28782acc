"""The curves and the caption of a real model's losses, against the stored numbers."""

import json

import numpy as np
import pytest

from posviz.models import stretched_real as stretched
from posviz.pictures.stretching.loss_past_training import TOP, LossPastTraining
from tests.pictures.by_hand import drawn

ENTRIES = {
    stretched.named(each["method"], each["factor"]): each
    for each in json.loads(stretched.RESULTS.read_text())["entries"]
}
OPTIONS = LossPastTraining.reading.options


def mean(name, start, stop):
    """Over the tokens of some bins of 256, one by one."""
    losses, counts = ENTRIES[name]["losses"][start:stop], ENTRIES[name]["counts"][start:stop]
    return sum(x * n for x, n in zip(losses, counts, strict=True)) / sum(counts)


def test_every_reading_is_offered_but_those_that_are_always_shown():
    assert {*OPTIONS, "nothing changed", "cropped"} == set(ENTRIES)


@pytest.mark.parametrize("name", OPTIONS[::5])
def test_curves_are_means_of_two_bins(name):
    _, parts = drawn(LossPastTraining(reading=name))
    for part, entry in zip(parts[:3], ("nothing changed", name, "cropped"), strict=True):
        x, y = part.line.get_data()
        assert list(x) == [256 + 512 * at for at in range(32)]
        first = 16 if entry == "cropped" else 0
        assert np.isnan(y[:first]).all()
        expected = [mean(entry, 2 * at, 2 * at + 2) for at in range(first, 32)]
        assert y[first:] == pytest.approx(expected)
        assert 1 < np.nanmin(y) < np.nanmax(y) < TOP
