"""Lesson 10's claim about a cache of keys, by a loop over keys and pairs."""

import cmath

import numpy as np
import pytest

from posviz.lessons.stretching.claims import a_cache_changes_nothing


def test_cache_under_dynamic_ntk_changes_scores_as_a_loop_finds():
    queries, keys = np.random.default_rng(0).normal(size=(2, 64, 8, 2)) @ [1, 1j]

    def score(key, tokens):
        total = 0
        for pair in range(8):
            then, now = ((1e4 * max(n / 16, 1) ** (8 / 7)) ** (-pair / 8) for n in (tokens, 64))
            rotated = keys[key][pair] * cmath.exp(1j * key * then)
            total += (queries[63][pair] * cmath.exp(63j * now) * rotated.conjugate()).real
        return total

    change = max(abs(score(key, key + 1) - score(key, 64)) for key in range(64))
    numbers = a_cache_changes_nothing().numbers
    assert list(numbers.values()) == pytest.approx([change, 0], abs=1e-9)
