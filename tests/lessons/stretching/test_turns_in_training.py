"""Pairs that turned, and what methods make of them, against other people's code and loops."""

import math

import numpy as np
import pytest

from posviz.lessons.stretching._methods import fate, larger_base
from posviz.lessons.stretching.turns_in_training import TurnsInTraining
from tests.lessons.by_hand import caption_of, frequencies


def base_by_halving(base, length, factor):
    """The base whose pair with a wavelength of the longer text is the one that had the trained."""
    pair = math.log(length / (2 * math.pi)) / math.log(base)  # as a share of all
    low, high = base, base**10
    for _ in range(200):
        middle = math.sqrt(low * high)
        longest = 2 * math.pi * middle**pair
        low, high = (middle, high) if longest < factor * length else (low, middle)
    return low


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ({"length": 8192, "base": 500_000}, "35 of 64 pairs"),  # Llama-3
        ({"length": 32_768, "base": 1_000_000}, "40 of 64 pairs"),  # Qwen2.5
        ({"head_dim": 64, "base": 150_000}, "18 of 32 pairs"),  # gpt-oss
        ({"head_dim": 64}, "23 of 32 pairs"),  # DeepSeek-V3
    ],
)
def test_pairs_that_turn_in_released_models(model, told):
    assert caption_of(TurnsInTraining(**model)).startswith(told)


def test_pairs_at_the_edges_of_the_factor_are_kept_or_slowed():
    assert fate(np.array([1.0, 0.999, 0.3, 0.25, 0.1]), 4.0).tolist() == [0, 1, 1, 2, 2]
    assert fate(np.array([1.0]), 1.0).tolist() == [0]


@pytest.mark.parametrize("factor", [1.0, 2.0, 7.3])
def test_with_the_larger_base_as_many_pairs_turn_in_the_longer_text(factor):
    base = larger_base(1e4, 4096, factor)
    assert base == pytest.approx(base_by_halving(1e4, 4096, factor), rel=1e-9)
    turned = [
        sum(length * speed >= 2 * math.pi for speed in frequencies(128, each))
        for length, each in ((4096, 1e4), (factor * 4096, base * (1 - 1e-12)))
    ]
    assert turned == [46, 46]
