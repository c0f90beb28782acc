"""What the pictures of lesson 02 show, beside one sine and one cosine at a time."""

import itertools
import math

import numpy as np
import pytest

from posviz import (
    CollisionHunter,
    CounterToClock,
    HandAndWave,
    ShiftIsRotation,
    SimilarityByOffset,
    sinusoidal,
)
from tests.lessons.by_hand import frequencies, named_lines


def angles(position, d_model, base=10_000):
    return [position * speed for speed in frequencies(d_model, base)]


@pytest.mark.parametrize("position", [0, 5, 11, 31])
def test_a_hand_is_in_the_shaded_half_where_the_digit_is_1(position):
    hands = CounterToClock(position=position).compute().hands
    digits = [int(digit) for digit in f"{position % 16:04b}"]
    assert (hands[:, 1] < 0).astype(int).tolist() == digits  # the lower half is shaded
    angle = 2 * math.pi * (position + 0.5) / 16  # of the highest bit: never on the border
    np.testing.assert_allclose(hands[0], [math.cos(angle), math.sin(angle)])


def test_height_and_reach_of_a_hand_are_sine_and_cosine_of_its_angle():
    picture = HandAndWave(position=14)  # frequency 1/2
    arrays = picture.compute()
    x, y = math.cos(14 / 2), math.sin(14 / 2)
    np.testing.assert_allclose(arrays.tip, [[x], [y]], atol=1e-12)
    bars = [([13.65] * 2, [0, y]), ([14.35] * 2, [0, x])]
    np.testing.assert_allclose(arrays.bars, bars, atol=1e-12)
    assert picture.caption(arrays).endswith("its height is 0.66, and its reach is 0.75.")


@pytest.mark.parametrize("d_model", [2, 64])
def test_similarity_is_the_mean_cosine_and_its_first_rise_is_told(d_model):
    picture = SimilarityByOffset(offset=9, d_model=d_model)
    arrays = picture.compute()
    means = [np.mean([math.cos(angle) for angle in angles(n, d_model)]) for n in range(101)]
    np.testing.assert_allclose(arrays.similarity[1], means, atol=1e-12)
    rise = next(n for n in range(100) if means[n + 1] > means[n])
    assert picture.caption(arrays).endswith(f"it first rises after offset {rise}.")


def test_a_pair_rotates_counter_clockwise_from_pos_to_pos_plus_k():
    lines = named_lines(ShiftIsRotation(position=12, offset=7, pair=24))
    start, end = angles(12, 512)[24], angles(19, 512)[24]
    for name, angle in (("pos", start), ("pos + k", end)):
        hand = [[0, math.cos(angle)], [0, math.sin(angle)]]
        np.testing.assert_allclose(lines[name], hand, atol=1e-12)
    arc = np.linspace(start, end, 60)
    np.testing.assert_allclose(lines["M"], [0.5 * np.cos(arc), 0.5 * np.sin(arc)], atol=1e-12)


def test_the_nearest_collision_is_that_of_a_search_through_all_rows():
    rows = sinusoidal(range(100_001), 4)
    apart = np.linalg.norm(rows[1:] - rows[0], axis=1)
    lines = named_lines(CollisionHunter(d_model=4))
    nearest = [[1 + int(np.argmin(apart))], [min(apart)]]
    np.testing.assert_allclose(lines["nearest of all"], nearest, rtol=1e-6)
    np.testing.assert_allclose(lines["row 1"][1], apart[0])
    starts = lines["nearest of 250 rows"][0].astype(int)
    ranges = [min(apart[a - 1 : b - 1]) for a, b in itertools.pairwise(starts)]
    np.testing.assert_allclose(
        lines["nearest of 250 rows"][1][:-2], ranges[:-1], rtol=1e-6, atol=1e-7
    )
