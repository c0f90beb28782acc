"""Frequencies, angles and wavelengths."""

import math

import numpy as np
import pytest
import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from posviz import proportional_frequencies, rotary_angles, rotary_frequencies, wavelengths


def test_frequencies_are_powers_of_the_base_pair_by_pair():
    for dim, base in ((2, 1.5), (6, 100.0), (64, 10_000.0), (128, 500_000.0)):
        slowly = [1 / math.pow(base, 2 * i / dim) for i in range(dim // 2)]
        np.testing.assert_allclose(rotary_frequencies(dim, base), slowly, rtol=1e-13)


@pytest.mark.parametrize("fraction", [0.25, 0.3, 1.0])
def test_proportional_frequencies_are_those_of_gemma(fraction):
    rope = {"rope_type": "proportional", "rope_theta": 1e4, "partial_rotary_factor": fraction}
    config = LlamaConfig(hidden_size=128, num_attention_heads=2, rope_parameters=rope)
    theirs, _ = ROPE_INIT_FUNCTIONS["proportional"](config, torch.device("cpu"))
    np.testing.assert_allclose(proportional_frequencies(64, fraction), theirs, rtol=1e-6)
    assert not proportional_frequencies(8, 0).any()


def test_wavelengths_for_d_model_512():
    """62 832 tokens, 2π·10 000, is a limit that the last of 256 pairs does not reach."""
    found = wavelengths(rotary_frequencies(512))[[0, 64, 128, 192, 255]]
    np.testing.assert_allclose(found, [6.2832, 62.8319, 628.3185, 6283.1853, 60611.4772], atol=1e-4)


def test_a_pair_that_does_not_rotate_has_an_infinite_wavelength():
    assert wavelengths([1.0, 0.0]).tolist() == [2 * math.pi, math.inf]
    assert wavelengths(torch.tensor([1.0, 0.0])).tolist() == [2 * math.pi, math.inf]


@pytest.mark.parametrize("position", [131_072, np.float32(131_073), torch.tensor(131_073)], ids=str)
def test_angles_are_exact_far_out(position):
    """In float32 some would be off by more than 1e-3."""
    inv_freq = rotary_frequencies(128)
    exact = [int(position) * 10_000 ** (-2 * i / 128) for i in range(64)]
    np.testing.assert_allclose(rotary_angles(position, inv_freq), exact, rtol=1e-14)
    coarse = np.float32(position) * inv_freq.astype(np.float32)
    assert np.abs(coarse - exact).max() > 1e-3


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)], ids=str)
def test_angles_have_a_row_for_each_position(shape):
    positions = np.arange(math.prod(shape)).reshape(shape)
    found = rotary_angles(positions, [1.0, 0.25])
    assert found.shape == (*shape, 2)
    np.testing.assert_array_equal(found[..., 1], positions / 4)


def test_angles_are_of_the_kind_of_the_arguments():
    assert isinstance(rotary_angles([0, 1], [1.0]), np.ndarray)
    for given in ((torch.arange(3), [1.0]), (range(3), torch.ones(1))):
        found = rotary_angles(*given)
        assert found.dtype == torch.float64
