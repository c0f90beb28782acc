"""Curves of xPos against formulas one distance at a time."""

import math

import numpy as np
import pytest

from posviz.lessons.xpos.xpos_curves import XposCurves
from posviz.lessons.xpos.xpos_decay import XposDecay
from tests.lessons.by_hand import drawn, product, turned


def zetas(head_dim, gamma=0.4):
    return [(2 * i / head_dim + gamma) / (1 + gamma) for i in range(head_dim // 2)]


def test_half_of_the_factor_is_left_at_the_half_life():
    picture = XposDecay(head_dim=16, gamma=0.7, scale_base=100, pair=60)
    _, (_, half, *_, in_map, on_curve) = drawn(picture)
    powers, pairs = half.line.get_data()
    assert pairs.tolist() == list(range(8))
    for power, zeta in zip(powers, zetas(16, 0.7), strict=True):
        assert zeta ** (10**power / 100) == pytest.approx(0.5)
    marks = [mark.line.get_xydata().tolist() for mark in (in_map, on_curve)]
    assert marks == [[[powers[7], 7]], [[powers[7], 0.5]]]


@pytest.mark.parametrize("content", ["all alike", "random"])
def test_both_curves_are_those_of_rotated_queries(content):
    picture = XposCurves(content=content, gamma=0.6, scale_base=300, base=500, distance=77)
    q, k, unit = *np.random.default_rng(3).standard_normal((2, 64)), 8
    if content == "all alike":
        q, k, unit = np.array([1, 0] * 32), np.array([1, 0] * 32), 32
    scores, zeta = picture.compute().scores, np.repeat(zetas(64, 0.6), 2)
    for distance in (0, 1, 77, 1024, 2048):
        at_distance = turned(q, distance, 500)
        rope = product(at_distance, k) / unit
        xpos = product(at_distance * zeta ** (distance / 300), k) / unit
        assert scores[:, distance] == pytest.approx([rope, xpos], abs=1e-10)


def test_the_decay_alone_bounds_the_score_of_xpos():
    arrays, (*_, curve) = drawn(XposCurves(content="all alike", scale_base=100))
    distances, decay = curve.line.get_data()
    assert distances.tolist() == list(range(2049))
    for distance in (0, 1, 500, 2048):
        factors = [zeta ** (distance / 100) for zeta in zetas(64)]
        assert decay[distance] == pytest.approx(math.fsum(factors) / 32, abs=1e-12)
    assert (abs(arrays.scores[1]) <= decay + 1e-12).all()


def test_random_scores_deviate_as_drawn():
    _, (*_, curve) = drawn(XposCurves(content="random", scale_base=300))
    _, decay = curve.line.get_data()
    assert np.array_equal(decay[2050:], -decay[:2049])
    q, k = np.random.default_rng(0).standard_normal((2, 20_000, 64))
    for distance in (0, 300, 1500):
        zeta = np.repeat(zetas(64), 2) ** (distance / 300)
        rotated = np.array(turned(q.T, distance)).T
        assert (rotated * zeta * k).sum(1).std() / 8 == pytest.approx(decay[distance], rel=0.02)
