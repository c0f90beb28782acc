"""What the pictures of lesson 13 show: two answers on longer texts, and weights of one text."""

import statistics

import numpy as np
import pytest

from posviz_course.choosing.length import ARMS, median
from posviz_course.choosing.rows import HYBRID, ROWS
from posviz_course.lab.results import committed
from posviz_course.lab.tables import table
from posviz_course.lessons.choosing.loss_and_recall import LossAndRecall
from posviz_course.lessons.choosing.same_x import SameX
from tests.lessons.by_hand import caption_of


@pytest.mark.parametrize("doublings", range(4))
def test_dots_are_the_medians_and_the_corner_keeps_both(doublings):
    arrays = LossAndRecall(doublings=doublings, encoding=HYBRID).compute()
    grew, found = arrays.path[:, -1]
    runs = table(committed(), "bytes").by_length["hybrid"].tolist()
    assert grew == statistics.median(run[doublings] - run[0] for run in runs)
    assert found == median("hybrid", "recall", 64 * 2**doublings)
    keep = [row for row in ARMS if arrays.every[list(ARMS).index(row)][0] < 0.1]
    assert set(arrays.both) <= set(keep)
    if doublings == 3:
        assert arrays.both == [HYBRID, "Kerple"]


def test_identical_tokens_without_positions_share_their_weight():
    here, there = (SameX(content=0.0, first=first).compute() for first in (0, 1000))
    even = np.tril(np.ones((16, 16))) / np.arange(1, 17)[:, None]
    np.testing.assert_allclose(np.nan_to_num(here.weights["none (NoPE)"]), even)
    changed = {row for row in ROWS if np.nanmax(abs(here.weights[row] - there.weights[row])) > 1e-9}
    assert changed == {"sinusoidal", "learned", "FIRE"}
    assert here.moved["none (NoPE)"] == 0


@pytest.mark.parametrize("row", ["FoX", "ALiBi"])
def test_a_loss_that_fell_is_said_to_grow_by_less_than_0(row):
    assert "grew by -0.0" in caption_of(LossAndRecall(doublings=3, encoding=row))


def test_rope_in_2d_changes_where_the_tokens_cross_a_line():
    changed = [first for first in range(1, 33) if "RoPE in 2-D" in _changed(first)]
    assert changed == list(range(17, 32))


def test_fire_changes_where_a_query_is_past_512():
    assert [first for first in (497, 498, 1000) if "FIRE" in _changed(first)] == [498, 1000]


def _changed(first):
    return SameX(content=0.0, first=first).compute().changed
