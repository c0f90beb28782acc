"""What the pictures of lesson 02 show, beside one sine and one cosine at a time."""

import itertools
import math

import numpy as np
import pytest

from posviz.lessons.sinusoidal.collision_hunter import CollisionHunter
from posviz.lessons.sinusoidal.counter_to_clock import DIALS, CounterToClock
from posviz.lessons.sinusoidal.shift_is_rotation import ShiftIsRotation
from posviz.lessons.sinusoidal.similarity_by_offset import SimilarityByOffset
from posviz.lessons.sinusoidal.sinusoidal_table import SinusoidalTable
from posviz.lessons.sinusoidal.wavelength_clocks import WavelengthClocks
from posviz.lessons.sinusoidal.why_not_integers import WhyNotIntegers
from tests.lessons.by_hand import caption_of, drawn, frequencies, named_lines


def angles(position, d_model, base=10_000):
    return [position * speed for speed in frequencies(d_model, base)]


def row(position, d_model, base=10_000):
    return [f(angle) for angle in angles(position, d_model, base) for f in (math.sin, math.cos)]


def on_a_dial(angle, length=1):
    """Across is the sine, up the cosine: a hand starts at twelve, and turns as a clock's."""
    return [length * math.sin(angle), length * math.cos(angle)]


@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
def test_the_marked_row_has_its_sines_and_cosines_at_their_columns(layout):
    lines = named_lines(SinusoidalTable(position=5, d_model=8, base=100, layout=layout))
    pairs = np.arange(4)
    sines, cosines = (2 * pairs, 2 * pairs + 1) if layout == "interleaved" else (pairs, pairs + 4)
    at = angles(5, 8, 100)
    expected = {
        "sine columns": (sines, [math.sin(angle) for angle in at]),
        "cosine columns": (cosines, [math.cos(angle) for angle in at]),
    }
    for name, points in expected.items():
        np.testing.assert_allclose(lines[name], points, atol=1e-12)


@pytest.mark.parametrize("position", [0, 5, 11, 31])
def test_a_hand_is_in_the_shaded_half_where_the_digit_is_1(position):
    arrays, _ = drawn(CounterToClock(position=position))
    digits = [int(digit) for digit in f"{position % 16:04b}"]
    assert (arrays.hands[:, 0] < 0).astype(int).tolist() == digits  # the left half is shaded
    np.testing.assert_allclose(arrays.tips, DIALS + 0.9 * arrays.hands)
    angle = 2 * math.pi * (position + 0.5) / 16  # of the highest bit: never on the border
    np.testing.assert_allclose(arrays.hands[0], on_a_dial(angle))


def test_every_clock_shows_the_angle_of_its_pair():
    arrays, _ = drawn(WavelengthClocks(position=70, d_model=16, base=500))
    hands = arrays.hands[:, 1] - arrays.hands[:, 0]
    expected = [on_a_dial(angle, 0.9) for angle in angles(70, 16, 500)]
    np.testing.assert_allclose(hands, expected, atol=1e-12)


def test_codes_of_both_sentences():
    arrays, _ = drawn(WhyNotIntegers(length=40, position=3))
    for codes, length in zip(arrays.codes, (40, 16), strict=True):
        expected = [[i, i / length, *row(i, 8)[2:4]] for i in range(length)]
        np.testing.assert_allclose(codes, expected, atol=1e-12)


@pytest.mark.parametrize("d_model", [2, 64])
def test_similarity_is_the_mean_cosine_and_its_first_rise_is_told(d_model):
    picture = SimilarityByOffset(offset=9, d_model=d_model)
    arrays, _ = drawn(picture)
    means = [np.mean([math.cos(angle) for angle in angles(n, d_model)]) for n in range(101)]
    np.testing.assert_allclose(arrays.similarity, means, atol=1e-12)
    lines = named_lines(picture)
    np.testing.assert_allclose(lines["the offset"], [[9], [means[9]]])
    np.testing.assert_allclose(lines["mean of the pairs"][1], means[9])
    rise = next(n for n in range(100) if means[n + 1] > means[n])
    assert f"the first rise is from offset {rise} to {rise + 1}." in caption_of(picture)


def test_a_pair_is_turned_clockwise_from_pos_to_pos_plus_k():
    picture = ShiftIsRotation(position=12, offset=7, pair=3, d_model=64)
    speed = frequencies(64, 10_000)[3]
    lines = named_lines(picture)
    for name, position in (("pos", 12), ("pos + k", 19)):
        hand = np.transpose([[0, 0], on_a_dial(position * speed)])
        np.testing.assert_allclose(lines[name], hand, atol=1e-12)
    arc = [on_a_dial(angle, 0.5) for angle in np.linspace(12 * speed, 19 * speed, 60)]
    np.testing.assert_allclose(lines["M"], np.transpose(arc), atol=1e-12)
    for name, function in (("sine", math.sin), ("cosine", math.cos)):
        x, y = lines[name]
        np.testing.assert_allclose(y, [function(at * speed) for at in x], atol=1e-12)


def test_the_nearest_collision_is_that_of_a_search_through_all_rows():
    picture = CollisionHunter(d_model=4, base=30, largest=500)
    start = row(0, 4, 30)
    apart = [math.dist(start, row(offset, 4, 30)) for offset in range(1, 501)]
    lines = named_lines(picture)
    nearest = 1 + int(np.argmin(apart))
    np.testing.assert_allclose(lines["nearest of all"], [[nearest], [min(apart)]], rtol=1e-6)
    np.testing.assert_allclose(lines["the neighbour"][1], apart[0])
    starts = lines["nearest here"][0].astype(int)
    ranges = [min(apart[a - 1 : b - 1]) for a, b in itertools.pairwise(starts)]
    np.testing.assert_allclose(lines["nearest here"][1][:-2], ranges[:-1], rtol=1e-6, atol=1e-7)
