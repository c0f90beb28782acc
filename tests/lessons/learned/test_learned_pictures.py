"""The numbers in lesson 03's pictures of tables: cosines, paths, spectra; what is refused."""

import math

import numpy as np
import pytest

from posviz.lessons.learned.learned_table import LearnedTable
from posviz.models.small import table_snapshots
from tests.lessons.by_hand import drawn, product

RNG = np.random.default_rng(7)
RUN = {0: RNG.normal(size=(20, 6)), 10: RNG.normal(size=(20, 6)), 90: RNG.normal(size=(20, 6))}


def mean_cosine(rows, offset):
    unit = [row / math.sqrt(product(row, row)) for row in rows]
    pairs = range(len(rows) - offset)
    return math.fsum(product(unit[i], unit[i + offset]) for i in pairs) / len(pairs)


@pytest.mark.parametrize(("progress", "step"), [(5, 0), (6, 10), (56, 90)])
def test_nearest_snapshot_is_shown_in_the_plane_of_the_last(progress, step):
    arrays, _ = drawn(LearnedTable(RUN, progress=progress, centred=True))
    rows = RUN[step] - RUN[step].mean(axis=0)
    means = [mean_cosine(rows, offset) for offset in range(11)]
    np.testing.assert_allclose(arrays.means, means, atol=1e-12)
    deviations = RUN[90] - RUN[90].mean(axis=0)
    directions = np.linalg.svd(deviations)[2][:2]
    signs = -np.sign(deviations[0] @ directions.T)
    np.testing.assert_allclose(arrays.path, rows @ directions.T * signs, atol=1e-10)


def test_one_long_table_is_thinned():
    table = RNG.normal(size=(1030, 7)).cumsum(axis=0)
    arrays, (image, *_) = drawn(LearnedTable({0: table}, progress=30))
    assert arrays.cosines.shape == (344, 344)
    assert len(arrays.path) == 344
    assert arrays.cosines[3, 7] == pytest.approx(mean_cosine(table[[9, 21]], 1))
    assert arrays.means[515] == pytest.approx(mean_cosine(table, 515))
    assert image.artist.get_extent() == [-0.5, 1031.5, 1031.5, -0.5]


@pytest.mark.filterwarnings("error")
def test_a_table_of_zeros_is_shown_without_a_warning():
    arrays, _ = drawn(LearnedTable({3: np.zeros((6, 4))}, centred=True))
    np.testing.assert_array_equal(arrays.cosines, 0)


WRONG = [
    ([RUN[0]], "snapshots must be a dict {step: table}, with whole steps from 0 on"),
    ({}, "snapshots must be a dict {step: table}"),
    ({"a": RUN[0]}, "whole steps from 0 on"),
    ({5: RUN[0].tolist()}, r"snapshots\[5\] must be an array of floats"),
    ({5: RUN[0][:3]}, "with at least 4 rows and 2 columns"),
    ({5: RUN[0] * np.nan}, "finite"),
    ({0: RUN[0], 5: RUN[0][:9]}, "must have one shape"),
]


@pytest.mark.parametrize(("snapshots", "message"), WRONG)
def test_wrong_snapshots_are_refused_by_name(snapshots, message):
    with pytest.raises(ValueError, match=message):
        LearnedTable(snapshots)


def test_data_that_the_course_ships_are_told_by_knobs():
    run = {step: table + 1e-5 for step, table in table_snapshots().items()}
    assert repr(LearnedTable(run, progress=0)).startswith("LearnedTable(progress=0")
    assert "snapshots=..." in repr(LearnedTable({step: run[step] for step in (0, 400)}))
    assert "snapshots=..." in repr(LearnedTable(run | {400: run[367]}))
