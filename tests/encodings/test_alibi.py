"""ALiBi against other libraries."""

import numpy as np
import pytest
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from x_transformers.x_transformers import AlibiPositionalBias

from posviz import alibi_bias, alibi_slopes, offsets


def test_slopes_of_eight_heads_halve_from_one_half():
    assert alibi_slopes(8).tolist() == [2.0**-exponent for exponent in range(1, 9)]


def test_slopes_of_twelve_heads_are_those_of_eight_and_four_of_sixteen():
    exponents = [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]
    np.testing.assert_allclose(alibi_slopes(12), [2**-x for x in exponents], rtol=1e-15)


@pytest.mark.parametrize("heads", [1, 2, 3, 6, 12, 20, 71])
def test_slopes_are_those_of_bloom(heads):
    """Bloom gives slope × key position, so the second key shows the slope."""
    theirs = build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)[:, 0, 1]
    np.testing.assert_allclose(alibi_slopes(heads), theirs, rtol=1e-5)


@pytest.mark.parametrize("heads", [6, 8])
def test_the_bias_is_that_of_x_transformers(heads):
    theirs = AlibiPositionalBias(heads=heads)(5, 9)  # five queries after four tokens
    ours = alibi_bias(alibi_slopes(heads), offsets(range(4, 9), range(9)))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_the_bias_counts_distances_both_ways_in_each_sentence():
    found = alibi_bias([0.5, 0.25], [[[2, -1]], [[0, -8]]])
    assert found.tolist() == [[[[-1, -0.5]], [[-0.5, -0.25]]], [[[0, -4]], [[0, -2]]]]
