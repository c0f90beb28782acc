"""The numbers in lesson 03's pictures of tables: cosines, paths; what is refused."""

import math

import numpy as np
import pytest

from posviz_course.lessons.learned.learned_table import LearnedTable
from posviz_course.lessons.learned.table_columns import TableColumns
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


@pytest.mark.filterwarnings("error")
def test_a_table_of_zeros_is_shown_without_a_warning():
    arrays, _ = drawn(LearnedTable({3: np.zeros((6, 4))}, centred=True))
    np.testing.assert_array_equal(arrays.cosines, 0)


WRONG = [
    ([RUN[0]], "snapshots must be a dict {step: table}"),
    ({}, "snapshots must be a dict {step: table}"),
    ({5: RUN[0][:3]}, "4 rows and 2 columns"),
    ({0: RUN[0], 5: RUN[0][:9]}, "must have one shape"),
]


@pytest.mark.parametrize(("snapshots", "message"), WRONG)
def test_wrong_snapshots_are_refused_by_name(snapshots, message):
    with pytest.raises(ValueError, match=message):
        LearnedTable(snapshots)


def test_slow_waves_are_the_best_fit_of_sines_and_cosines():
    arrays = TableColumns(column=7).compute()
    _, (_, column), (_, slow) = arrays.curves
    turns = 2 * np.pi * np.outer(range(512), range(1, 33)) / 512
    waves = np.hstack([np.sin(turns), np.cos(turns)])
    fitted = waves @ np.linalg.lstsq(waves, column, rcond=None)[0]
    np.testing.assert_allclose(slow, fitted, atol=1e-9)
    np.testing.assert_allclose(arrays.slow, fitted.var() / column.var(), atol=0.01)


def test_the_axis_of_a_column_holds_its_largest_number():
    arrays, _ = drawn(picture := TableColumns(column=303))  # with a peak at row 127
    low, high = picture.figure().axes[0].get_ylim()
    assert low < min(arrays.curves[1][1]) < -10
    assert high == -low
