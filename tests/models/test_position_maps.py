"""Maps of positions against slow loops, by the definitions of their papers."""

from functools import partial

import numpy as np
import pytest

from posviz import (
    MappedRotary,
    Rotary,
    apply_rotary,
    causal_mask,
    dual_chunk_positions,
    rerope_positions,
    rotary_angles,
    rotary_frequencies,
    self_extend_positions,
    sink_positions,
)
from posviz.attention import attention
from tests.every_encoding import random


def rerope(i, j, window):
    return min(i - j, window)


def self_extend(i, j, window, group):
    return i - j if i - j < window else i // group - j // group + window - window // group


def dual_chunk(i, j, chunk, farthest):
    k, between = j % chunk, i // chunk - j // chunk
    if between == 0:
        return i % chunk - k
    return (min(i % chunk + chunk, farthest) if between == 1 else farthest) - k


def sink(i, j, sinks, window):
    """The place of each in a cache that has dropped what is neither first nor last."""
    kept = [*range(sinks), *range(max(sinks, i - window + 1), i + 1)]
    return len(kept) - 1 - kept.index(j) if i >= sinks else i - j


def is_kept(i, j, sinks, window):
    return j < sinks or i - j < window


CASES = {
    "rerope": (rerope_positions, rerope, {"window": 5}),
    "self-extend": (self_extend_positions, self_extend, {"window": 6, "group": 4}),
    "dual chunk": (dual_chunk_positions, dual_chunk, {"chunk": 5, "farthest": 7}),
    "sinks": (sink_positions, sink, {"sinks": 2, "window": 4}),
}
each_map = pytest.mark.parametrize(("make", "slow", "settings"), CASES.values(), ids=CASES)


@each_map
def test_distances_are_those_of_the_paper(make, slow, settings):
    found = np.zeros((30, 30))
    for q_positions, k_positions, where in make(range(30), range(30), **settings):
        found = np.where(where, np.subtract.outer(q_positions, k_positions), found)
    for i in range(30):
        for j in range(i + 1):
            if slow is not sink or is_kept(i, j, **settings):
                assert found[i, j] == pytest.approx(slow(i, j, **settings), abs=1e-12), (i, j)
            else:
                assert found[i, j] == 0


@each_map
def test_scores_are_those_of_a_rotation_by_each_distance(make, slow, settings):
    q, k, v = random(3, 1, 2, 12, 8)
    mask = causal_mask(range(12), range(12))
    if slow is sink:
        mask &= np.array([[is_kept(i, j, **settings) for j in range(12)] for i in range(12)])
    encoding = MappedRotary(partial(make, **settings), Rotary(base=100, layout="half_split"))
    options = {"q_positions": range(12), "k_positions": range(12), "return_weights": True}
    _, weights = attention(q, k, v, encoding=encoding, mask=mask, **options)
    scores = np.full((1, 2, 12, 12), -np.inf)
    for i, j in np.argwhere(mask):
        angles = rotary_angles([slow(i, j, **settings)], rotary_frequencies(8, 100))
        rotated = apply_rotary(q[:, :, i : i + 1], angles, layout="half_split")[:, :, 0]
        scores[:, :, i, j] = (rotated * k[:, :, j]).sum(-1) / 8**0.5
    powers = np.exp(scores)
    np.testing.assert_allclose(weights, powers / powers.sum(-1, keepdims=True), atol=1e-12)
