"""Curves of runs that are written by hand: every run, the medians, and the reader's own."""

import numpy as np
import pytest

from posviz.lessons.length._curves import by_position
from posviz.lessons.length.extrapolation_curves import ExtrapolationCurves
from tests.lab.made_results import made
from tests.lessons.by_hand import caption_of, drawn

RUNS = {"ALiBi": (0.9, 0.8, 0.7, 0.6), "RoPE": (1.0, 0.3, 0.2, 0.125)}
FOUND = [
    made("recall", arm, seed, np.array(values) - 0.05 * seed)
    for arm, values in RUNS.items()
    for seed in range(3)
]
PLACES = np.where(np.arange(128) < 16, 2.0, 4.0)
BYTES = [made("bytes", arm, 0, (2, 3, 4, 4), PLACES + k) for k, arm in enumerate(RUNS)]
MINE = made("recall", "RoPE", 7, (0.5, 0.4, 0.3, 0.2))


def curves(picture):
    _, parts = drawn(picture)
    return [np.array(part.line.get_data()) for part in parts if hasattr(part, "line")]


def test_every_run_is_a_thin_line_and_the_median_goes_through_their_middle():
    thin, thin_beside, median, beside = curves(ExtrapolationCurves(FOUND, task="recall"))
    for runs, middle, arm in ((thin, median, "ALiBi"), (thin_beside, beside, "RoPE")):
        assert middle[0].tolist() == [16, 32, 64, 128]
        assert middle[1] == pytest.approx(np.array(RUNS[arm]) - 0.05)
        for seed in range(3):
            assert runs[1][5 * seed : 5 * seed + 4] == pytest.approx(middle[1] + 0.05 * (1 - seed))
            assert np.isnan(runs[1][5 * seed + 4])


def test_nothing_beside_leaves_one_arm():
    lines = curves(ExtrapolationCurves(FOUND, task="recall", beside="nothing"))
    assert np.isnan(lines[3][1]).all()
    assert lines[1].size == 0
    assert "RoPE" not in caption_of(ExtrapolationCurves(FOUND, task="recall", beside="nothing"))


def test_positions_are_bins_of_which_one_begins_where_the_training_ends():
    picture = ExtrapolationCurves(BYTES)
    found = by_position(picture._tables["bytes"])
    assert found.x[0] > 4
    assert found.runs["ALiBi"][0].tolist() == [2.0 if x < 16 else 4.0 for x in found.x]
    *_, median, beside = curves(picture)
    np.testing.assert_array_equal(beside[1], median[1] + 1)
    widths = np.diff(np.log2(found.x))
    assert widths.max() < 0.6  # about a quarter of an octave, but for whole numbers


def test_the_readers_run_is_laid_over_its_own_task():
    picture = ExtrapolationCurves(FOUND, mine=MINE, task="recall")
    mine = curves(picture)[-1]
    assert mine[1].tolist() == [0.5, 0.4, 0.3, 0.2]
    assert "your run of RoPE 50% and 20%" in caption_of(picture)
    assert repr(picture).startswith("ExtrapolationCurves(given=..., mine=..., task='recall'")
    picture.task = "bytes"
    assert len(curves(picture)) == 4
    assert "your run" not in caption_of(picture)
