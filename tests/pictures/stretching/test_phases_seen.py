"""Arcs that training has seen and those it has not, against angles one pair at a time."""

import math

import numpy as np
import pytest

from posviz.pictures.stretching._methods import METHODS
from posviz.pictures.stretching.phases_seen import PhasesSeen
from tests.pictures.alibi.test_alibi_labels import coloured, entries
from tests.pictures.by_hand import caption_of, every_setting, frequencies
from tests.pictures.stretching.test_turns_in_training import theirs


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("setting", [(1e4, 4096, 4.0), (5e5, 8192, 8.0), (1e3, 500, 1.3)])
def test_arcs_are_those_of_the_frequencies(method, setting):
    base, length, factor = setting
    arrays = PhasesSeen(method=method, base=base, length=length, factor=factor).compute()
    turn = 2 * math.pi
    trained = [length * speed / turn for speed in frequencies(128, base)]
    used = [factor * length * speed / turn for speed in theirs(method, 128, *setting)]
    np.testing.assert_allclose(arrays.trained, trained, rtol=1e-12)
    np.testing.assert_allclose(arrays.used, used, rtol=3e-6)
    # Where a method ends an arc exactly where the training did, it is no new one.
    new = [old < 1 and end > old * (1 + 1e-5) for old, end in zip(trained, used, strict=True)]
    assert arrays.new.tolist() == new


@pytest.mark.parametrize(("method", "count", "most"), [("NTK", 17, "1.45"), ("none", 18, "4.00")])
def test_the_caption_has_the_audited_counts(method, count, most):
    assert caption_of(PhasesSeen(method=method)).endswith(
        f"18 of 64 pairs do not finish a turn in 4,096 tokens, and {count} of these enter an arc "
        f"never seen by token 16,384, up to {most} times the trained arc (pair 46)."
    )


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("none", "NTK")])
def test_with_other_methods_no_arc_is_new(method):
    assert caption_of(PhasesSeen(method=method)).endswith(
        "18 of 64 pairs do not finish a turn in 4,096 tokens, and none of these enters an arc "
        "never seen by token 16,384."
    )


def test_where_all_pairs_turn_the_caption_says_so():
    told = caption_of(PhasesSeen(base=100))
    assert told.endswith(": all 64 pairs finish a turn in 4,096 tokens.")


def test_discs_begin_with_the_last_pair_that_turned():
    for picture in every_setting(PhasesSeen):
        arrays = picture.compute()
        turned = sum(
            picture.length * speed >= 2 * math.pi for speed in frequencies(128, picture.base)
        )
        assert arrays.shown[0] == min(turned - 1, 64 - 8)
        assert arrays.shown[1] == arrays.shown[0] + 1
        assert arrays.shown[-1] == 63
        assert len(set(arrays.shown)) == 8


def area(polygon):
    x, y = polygon.T
    return (np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def test_sectors_hands_and_labels_of_the_discs():
    figure = PhasesSeen(method="NTK", factor=8, base=3e4).figure()
    arrays = PhasesSeen(method="NTK", factor=8, base=3e4).compute()
    [axes], patches = figure.axes, entries(figure)
    seen, new = axes.collections
    for sectors, name in ((seen, "seen in training"), (new, "never seen")):
        assert tuple(sectors.get_facecolor()[0]) == patches[name].get_facecolor()
    trained, used = arrays.trained[arrays.shown], arrays.used[arrays.shown]
    whole = np.minimum(trained, 1)
    areas = [area(path.vertices[:-1]) for path in seen.get_paths()]
    np.testing.assert_allclose(areas, math.pi * whole, rtol=2e-3)
    rest = np.maximum(np.minimum(used, 1) - whole, 0)
    areas = [area(path.vertices[:-1]) for path in new.get_paths()]
    np.testing.assert_allclose(areas, math.pi * rest, rtol=2e-3, atol=1e-9)
    assert min(rest[1:4]) > 0.01
    [hands] = coloured(axes, "C0")
    tips = hands.reshape(-1, 3, 2)[:, 1] - hands.reshape(-1, 3, 2)[:, 0]
    angles = np.arctan2(*tips.T[::-1]) / (2 * math.pi) % 1
    assert angles == pytest.approx(used[used < 1])
    assert [text.get_text() for text in axes.texts] == [f"pair {pair}" for pair in arrays.shown]
    for text, path in zip(axes.texts, seen.get_paths(), strict=True):
        centre = path.vertices[0]
        assert text.get_position() == pytest.approx((centre[0], centre[1] - 1.1))
