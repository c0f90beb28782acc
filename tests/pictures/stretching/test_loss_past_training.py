"""The curves and the caption of a real model's losses, against the stored numbers."""

import json
import re
from functools import cache

import numpy as np
import pytest

from posviz.models import stretched_real as stretched
from posviz.pictures.stretching.loss_past_training import TOP, LossPastTraining
from tests.pictures.by_hand import caption_of, drawn

ENTRIES = {
    stretched.named(each["method"], each["factor"]): each
    for each in json.loads(stretched.RESULTS.read_text())["entries"]
}
OPTIONS = LossPastTraining.reading.options


def mean(name, start, stop):
    """Over the tokens of some bins of 256, one by one."""
    losses, counts = ENTRIES[name]["losses"][start:stop], ENTRIES[name]["counts"][start:stop]
    return sum(x * n for x, n in zip(losses, counts, strict=True)) / sum(counts)


def right(name):
    found = [each["right"] for each in ENTRIES[name]["needles"] if each["asked"] > 8192]
    assert len(found) == 10
    return sum(found) / 10


@cache
def parts_of(name):
    """What is drawn of a reading, to be looked at by more than one test."""
    return drawn(LossPastTraining(reading=name))[1]


def test_every_reading_is_offered_but_those_that_are_always_shown():
    assert {*OPTIONS, "nothing changed", "cropped"} == set(ENTRIES)


@pytest.mark.sampled(quick=3)
@pytest.mark.parametrize("name", OPTIONS)
def test_curves_are_means_of_two_bins(name):
    for part, entry in zip(parts_of(name)[:3], ("nothing changed", name, "cropped"), strict=True):
        x, y = part.line.get_data()
        assert list(x) == [256 + 512 * at for at in range(32)]
        first = 16 if entry == "cropped" else 0
        assert np.isnan(y[:first]).all()
        expected = [mean(entry, 2 * at, 2 * at + 2) for at in range(first, 32)]
        assert y[first:] == pytest.approx(expected)
        assert 1 < np.nanmin(y) < np.nanmax(y) < TOP


@pytest.mark.parametrize("name", OPTIONS)
def test_marks_are_means_of_five_needles(name):
    for part, entry in zip(parts_of(name)[3:], ("nothing changed", name, "cropped"), strict=True):
        x, y = part.line.get_data()
        assert list(x) == [4096, 8192, 12_288, 16_384]
        shares = [each["right"] for each in ENTRIES[entry]["needles"]]
        read = len(shares) // 5
        assert read == (2 if entry == "cropped" else 4)
        assert np.isnan(y[:-read]).all()
        expected = [sum(shares[at : at + 5]) / 5 for at in range(0, len(shares), 5)]
        assert y[-read:] == pytest.approx(expected)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_caption_has_the_means_and_the_digits(name):
    told = [
        float(x.replace(",", ""))
        for x in re.findall(
            r"\d[\d,.]*\d", caption_of(LossPastTraining(reading=name)).split(": ", 1)[1]
        )
    ]
    short = [mean(each, 0, 16) for each in (name, "nothing changed")]
    long = [mean(each, 32, 64) for each in (name, "nothing changed", "cropped")]
    expected = [short[0], 4096, short[1], long[0], 8192, *long[1:]]
    assert told[:7] == pytest.approx(expected, abs=0.005)
    shares = [int(x) for x in re.findall(r"(\d+)%", caption_of(LossPastTraining(reading=name)))]
    assert shares == [round(100 * right(each)) for each in (name, "nothing changed", "cropped")]


def test_the_trained_length_is_marked():
    for axes in LossPastTraining().figure().axes:
        ends = [line.get_xdata() for line in axes.lines if line.get_label() == "trained length"]
        assert [list(x) for x in ends] == [[8192, 8192]]
        assert axes.get_xlim()[0] == 0
        assert 16_384 < axes.get_xlim()[1] < 17_000
