"""Biases by distance against formulas, one distance at a time, and T5's buckets of transformers."""

import math

import numpy as np
import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from posviz.pictures.content.distance_functions import (
    DISTANCES,
    FURTHEST,
    LOOKS,
    DistanceFunctions,
)
from tests.pictures.alibi.test_alibi_labels import coloured, entries, lines_in
from tests.pictures.by_hand import caption_of, every_setting

SETTING = {"slope": 0.02, "exponent": 1.3, "r1": 1.5, "r2": 0.4, "threshold": 300}
LINEAR = 1044.48  # where that axis ends


def by_hand(name, distance, query):
    """What a function adds at a distance, with SETTING."""
    if name == "T5":
        bucket = T5Attention._relative_position_bucket
        return -0.1 * bucket(torch.tensor(-distance), bidirectional=False).item()
    if name == "ALiBi":
        return -0.02 * distance
    if name == "Kerple power":
        return -0.02 * distance**1.3
    if name == "Kerple log":
        return -1.5 * math.log(1 + 0.4 * distance)
    if distance > query:
        return math.nan
    read = math.log(0.1 * distance + 1) / (math.log(0.1 * max(300, query) + 1) + 1e-6)
    return -8 * max(read, 0)


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("query", [40, 300, 5000])
def test_biases_are_those_of_the_formulas(name, query):
    arrays = DistanceFunctions(distance=33, query=query, **SETTING).compute()
    picked = slice(None, None, 9)
    expected = [by_hand(name, distance, query) for distance in DISTANCES[picked].tolist()]
    assert arrays.curves[name][picked] == pytest.approx(expected, nan_ok=True)
    assert arrays.here[name] == pytest.approx(by_hand(name, 33, query))
    within = [by_hand("FIRE", distance, 300) for distance in DISTANCES[picked].tolist()]
    assert arrays.within[picked] == pytest.approx(within, nan_ok=True)
    assert arrays.near == pytest.approx(by_hand("FIRE", 33, 300))


def test_a_power_of_one_is_alibi():
    curves = DistanceFunctions(exponent=1.0, slope=0.03).compute().curves
    assert curves["Kerple power"] == pytest.approx(curves["ALiBi"])


def test_fire_of_this_network_is_kerples_log_up_to_l_and_stretches_with_the_row_from_there():
    arrays = DistanceFunctions(query=512, r1=2.023, r2=0.1).compute()
    near = DISTANCES <= 512
    expected = arrays.curves["Kerple log"][near] * 8 / math.log(52.2) / 2.023
    assert arrays.curves["FIRE"][near] == pytest.approx(expected, rel=1e-5)
    for query in (512, 4096, FURTHEST):  # the first token is as far in each
        fire = DistanceFunctions(query=query).compute().curves["FIRE"]
        assert np.nanmin(fire) == pytest.approx(-8, abs=1e-4)
        assert (np.isnan(fire) == (query < DISTANCES)).all()


def test_the_captions():
    assert caption_of(DistanceFunctions()) == (
        "100 tokens before a query at position 2,048 they add: T5 -3.00, ALiBi -6.25, Kerple power "
        "-1.57, Kerple log -4.62, FIRE -3.60 (-4.85 for one at L = 512 or before); to the row’s "
        "first token FIRE adds -8.00 (T5’s table, -0.1 a bucket, and FIRE’s network, -8 · x, are "
        "set for this picture, not trained)."
    )
    assert "FIRE -2.86 (-4.85 for one" in caption_of(DistanceFunctions(query=8192))
    assert "FIRE -4.85; to the row" in caption_of(DistanceFunctions(query=512))
    told = caption_of(DistanceFunctions(query=16, distance=400))  # held at its first token
    assert told.startswith("16 tokens before a query at position 16 they add: ")
    assert "FIRE -1.93; to the row’s first token FIRE adds -1.93 (T5" in told
    assert caption_of(DistanceFunctions(distance=1)).startswith("1 token before")


@pytest.mark.parametrize("axis", ["log", "linear"])
def test_lines_marks_and_what_the_legend_calls_them(axis):
    picture = DistanceFunctions(distance=900, axis=axis, query=2000, **SETTING)
    figure, arrays = picture.figure(), picture.compute()
    [axes], found = figure.axes, lines_in(figure)
    assert list(entries(figure)) == [*LOOKS, "FIRE, query at L", "the row’s first token"]
    for name, values in (arrays.curves | {"FIRE, query at L": arrays.within}).items():
        [line] = found[name]
        np.testing.assert_array_equal(line, np.stack([DISTANCES, values], axis=-1))
    ends = found["the row’s first token"]
    assert [end[:, 0].tolist() for end in ends] == [[2000, 2000]] * (axis == "log")
    assert axes.get_xlim()[1] == pytest.approx(LINEAR if axis == "linear" else 1.1 * FURTHEST)
    for name, (*_, mark) in LOOKS.items():
        marks = [line for line in coloured(axes, mark[:2]) if len(line) == 1]
        seen = arrays.here[name] > -12.5  # Kerple's power is below the axis
        assert [line.tolist() for line in marks] == [[[900, arrays.here[name]]]] * seen


def test_nothing_that_falls_rises():
    for picture in every_setting(DistanceFunctions, count=8):
        arrays = picture.compute()
        assert arrays.distance <= picture.query
        for values in arrays.curves.values():
            there = values[~np.isnan(values)]
            assert (np.diff(there) <= 1e-12).all()
            assert there.max() <= 0
