"""Claims whose numbers take more than a call: the same by a slow loop, a search or a library."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from posviz.encodings.xpos import resolution
from posviz.lessons.content import claims as layers
from posviz.lessons.rotary import claims as rotary
from posviz.lessons.sinusoidal import claims as sinusoidal
from posviz.lessons.xpos import claims as xpos
from tests.teaching.stored import measured


def is_measured(claim, *numbers):
    """Whether a claim measures these numbers, to the digits that it shows."""
    return measured(claim()) == pytest.approx(numbers, rel=1e-3, abs=1e-9)


# ---------------------------------------------------------------- tables


def test_nearest_row_is_that_of_a_search_over_all_offsets():
    """The distance of two rows whose angles differ by a is √Σ(2 − 2 cos a)."""
    angles = np.outer(range(3, 6284), [10_000 ** (-pair / 4) for pair in range(4)])
    distances = np.sqrt((2 - 2 * np.cos(angles)).sum(axis=1))
    # More rows than are computed at a time; the last one is the nearest.
    assert sinusoidal._nearest(8, 3, 6283) == pytest.approx(distances.min())
    assert distances.argmin() == len(distances) - 1


# ---------------------------------------------------------------- RoPE and xPos


def test_share_of_texts_with_higher_near_scores_is_that_of_a_loop():
    """Scores as real parts of complex products, one text at a time."""
    rotations = np.exp(1j * np.outer(np.arange(32), [10_000 ** (-pair / 32) for pair in range(32)]))
    near = np.array([[abs(m - n) <= 2 for n in range(32)] for m in range(32)])
    count = 0
    for seed in range(500):
        vectors = np.random.default_rng(seed).normal(size=(2, 32, 64))
        q, k = (vectors[..., ::2] + 1j * vectors[..., 1::2]) * rotations
        scores = (q @ k.conj().T).real
        count += scores[near].mean() > scores[~near].mean()
    assert is_measured(rotary.scores_are_higher_near_the_diagonal, count / 500, 1)


def zeta(distance, pair, head_dim):
    """ζ^(distance/512), as in the paper of xPos."""
    return ((2 * pair / head_dim + 0.4) / 1.4) ** (distance / 512)


def curve(head_dim, *, decays):
    """Scores of equal keys at 1024 distances."""
    return [
        sum(
            math.cos(distance * 10_000 ** (-2 * pair / head_dim))
            * (zeta(distance, pair, head_dim) if decays else 1)
            for pair in range(head_dim // 2)
        )
        / math.sqrt(head_dim)
        for distance in range(1024)
    ]


def equation_3(scores):
    """The resolution as xPos's paper has it; the last distance has no next."""
    powers = [math.exp(s) for s in scores]
    steps = (here * (here - there) for here, there in pairwise(powers))
    return math.fsum(steps) / math.fsum(powers) ** 2


def test_resolution_is_the_papers_with_and_without_decay():
    ratios = []
    for head_dim in (16, 64, 128):
        with_it, without = (curve(head_dim, decays=decays) for decays in (True, False))
        assert resolution(np.array(with_it)) == pytest.approx(equation_3(with_it))
        ratios.append(equation_3(with_it) / equation_3(without))
    assert [*xpos.its_resolution_is_higher().numbers.values()] == pytest.approx(ratios)


def last_that_fits(largest, scale_base):
    """By whole numbers: (7/2)^position is at most largest^scale_base."""
    position = int(scale_base * math.log(largest) / math.log(3.5))
    assert Fraction(7, 2) ** position <= largest**scale_base < Fraction(7, 2) ** (position + 1)
    return position


def test_last_position_that_fits_a_format_is_exact():
    float32, float16 = 2**128 - 2**104, 65_504
    places = [(float32, 512), (float16, 512), (float16, 2 * 512)]
    lasts = [last_that_fits(*place) for place in places]
    assert lasts == [36_260, 4_532, 9_064]
    assert [*xpos.keys_fit_their_format().numbers.values()] == lasts


# ---------------------------------------------------------------- layers


def test_reach_of_windows_is_that_of_a_walk_back():
    def reached(layers):
        """Walk back from the last of 64 tokens, one step at a time."""
        found = {63}
        for _ in range(layers):
            found |= {j for i in found for j in range(max(0, i - 7), i + 1)}
        return len(found)

    assert [reached(layers) for layers in (1, 3)] == [1 * 7 + 1, 3 * 7 + 1]
    assert is_measured(layers.a_window_is_the_reach, *(reached(layers) for layers in (2, 4)))
