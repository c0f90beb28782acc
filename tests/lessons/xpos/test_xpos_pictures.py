"""Pictures of xPos against formulas one distance, one key and one dtype at a time."""

import math

import numpy as np
import pytest

from posviz_course.lessons.xpos.blockwise_mask import BlockwiseMask
from posviz_course.lessons.xpos.forgetting import Forgetting
from posviz_course.lessons.xpos.xpos_decay import XposDecay
from tests.lessons.by_hand import product, turned


def zetas(head_dim, gamma=0.4):
    return [(2 * i / head_dim + gamma) / (1 + gamma) for i in range(head_dim // 2)]


def test_half_of_the_factor_is_left_at_the_half_life():
    half_lives = XposDecay(head_dim=16, gamma=0.7, scale_base=100).compute().half_lives
    for half_life, zeta in zip(half_lives, zetas(16, 0.7), strict=True):
        assert zeta ** (half_life / 100) == pytest.approx(0.5)


@pytest.mark.parametrize("content", ["identical", "random"])
def test_both_curves_are_those_of_rotated_queries(content):
    q, k = np.random.default_rng(3).standard_normal((2, 64))
    if content == "identical":
        q = k = np.array([1, 0] * 32)
    scores = Forgetting(content=content, forgetting=1.6).compute().scores
    zeta = np.repeat(zetas(64), 2)
    for distance in (0, 1, 77, 1024, 2048):
        at_distance = turned(q, distance)
        rope = product(at_distance, k) / 8
        xpos = product(at_distance * zeta ** (distance / 320), k) / 8
        assert scores[:, distance] == pytest.approx([rope, xpos], abs=1e-10)


def test_the_mask_and_its_counts_are_those_of_a_loop():
    arrays = BlockwiseMask().compute()
    for row, key in np.ndindex(32, 32):
        blocks_back = row // 8 - key // 8
        expected = 0 if key > row else {0: 3, 1: 2}.get(blocks_back, 1)
        assert arrays.kinds[row, key] == expected
    assert arrays.seen.tolist() == [sum(kinds > 1) for kinds in arrays.kinds]


def test_a_reader_s_half_lives_are_dots_and_right_ones_are_counted():
    def half_lives(zeta, scale_base):  # of all pairs but the first
        return [-1.0, *(scale_base * math.log(0.5, z) for z in zeta[1:])]

    picture = XposDecay(half_lives, head_dim=16, gamma=0.7, scale_base=100)
    arrays = picture.compute()
    x, pairs = arrays.dots
    assert x[1:] == pytest.approx(arrays.halves[0][1:])
    assert pairs.tolist() == list(range(8))
    assert picture.caption(arrays).startswith("7 of your 8 half-lives")


def test_half_lives_that_are_not_written_draw_no_dots():
    picture = XposDecay(lambda zeta, scale_base: ...)
    arrays = picture.compute()
    assert len(arrays.dots[0]) == 0
    assert picture.caption(arrays) == "Your function returns no half-lives yet."
    with pytest.raises(ValueError, match=r"shape \(\), not \(64,\)"):
        XposDecay(lambda zeta, scale_base: 1.0).compute()
