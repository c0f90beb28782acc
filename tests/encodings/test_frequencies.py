"""Frequencies, angles and wavelengths."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from posviz.encodings.frequencies import (
    proportional_frequencies,
    rotary_angles,
    rotary_frequencies,
    tensor2tensor_frequencies,
    wavelengths,
)

DIMS = st.integers(1, 64).map(lambda pairs: 2 * pairs)
BASES = st.floats(1.5, 1e7)


def llama_config(head_dim, base, **parameters):
    return LlamaConfig(
        hidden_size=2 * head_dim,
        num_attention_heads=2,
        rope_parameters={"rope_type": "default", "rope_theta": base, **parameters},
    )


@pytest.mark.slow("seconds")
@given(dim=DIMS, base=BASES)
def test_frequencies_one_by_one(dim, base):
    slowly = [1 / math.pow(base, 2 * i / dim) for i in range(dim // 2)]
    np.testing.assert_allclose(rotary_frequencies(dim, base), slowly, rtol=1e-13)


@pytest.mark.parametrize(("head_dim", "base"), [(64, 10_000.0), (128, 500_000.0), (6, 100.0)])
def test_frequencies_are_those_of_llama(head_dim, base):
    theirs = LlamaRotaryEmbedding(llama_config(head_dim, base)).inv_freq
    np.testing.assert_allclose(rotary_frequencies(head_dim, base), theirs, rtol=1e-6)


@pytest.mark.parametrize("fraction", [0.25, 0.3, 0.75, 1.0])
def test_proportional_frequencies_are_those_of_gemma(fraction):
    config = llama_config(64, 1e4, rope_type="proportional", partial_rotary_factor=fraction)
    theirs, _ = ROPE_INIT_FUNCTIONS["proportional"](config, torch.device("cpu"))
    np.testing.assert_allclose(proportional_frequencies(64, fraction), theirs, rtol=1e-6)


def test_proportional_frequencies_stand_still_at_the_slow_end():
    assert proportional_frequencies(8, 0.5, base=100.0)[2:].tolist() == [0, 0]
    assert not proportional_frequencies(8, 0).any()


@given(dim=DIMS.filter(lambda dim: dim > 2), base=BASES)
def test_tensor2tensor_reaches_both_ends_in_equal_ratios(dim, base):
    found = tensor2tensor_frequencies(dim, base)
    np.testing.assert_allclose(found[[0, -1]], [1, 1 / base])
    np.testing.assert_allclose(found[1:] / found[:-1], found[1] / found[0])


def test_tensor2tensor_with_one_pair():
    assert tensor2tensor_frequencies(2).tolist() == [1.0]


def test_wavelengths_for_d_model_512():
    """62 832 tokens, 2π·10 000, is a limit that the last of 256 pairs does not reach."""
    found = wavelengths(rotary_frequencies(512))
    exact = [2 * math.pi * 10_000 ** (i / 256) for i in (0, 64, 128, 192, 255)]
    np.testing.assert_allclose(found[[0, 64, 128, 192, 255]], exact, rtol=1e-13)
    rounded = [6.2832, 62.8319, 628.3185, 6283.1853, 60611.4772]
    np.testing.assert_allclose(exact, rounded, atol=1e-4)


def test_a_pair_that_stands_still_never_comes_round():
    assert wavelengths([1.0, 0.0]).tolist() == [2 * math.pi, math.inf]
    assert wavelengths(torch.tensor([1.0, 0.0])).tolist() == [2 * math.pi, math.inf]


def test_angles_are_exact_far_out():
    """In float32 the angle at position 131 072 + 1 of pair 1 is off by more than 1e-3."""
    inv_freq = rotary_frequencies(128)
    exact = [131_073 * 10_000 ** (-2 * i / 128) for i in range(64)]
    for position in (np.float32(131_073), torch.tensor(131_073)):
        np.testing.assert_allclose(rotary_angles(position, inv_freq), exact, rtol=1e-14)
    coarse = np.float32(131_073) * inv_freq.astype(np.float32)
    assert np.abs(coarse - exact).max() > 1e-3


@given(shape=st.lists(st.integers(0, 3), max_size=3), pairs=st.integers(1, 4))
def test_angles_have_a_row_per_position(shape, pairs):
    positions = np.arange(math.prod(shape)).reshape(shape)
    inv_freq = rotary_frequencies(2 * pairs)
    found = rotary_angles(positions, inv_freq)
    assert found.shape == (*shape, pairs)
    for place in np.ndindex(*shape):
        np.testing.assert_allclose(found[place], [positions[place] * f for f in inv_freq])


def test_angles_are_of_the_callers_kind_and_let_gradients_through():
    learned = torch.tensor([1.0, 0.5], requires_grad=True)
    found = rotary_angles(range(3), learned)
    assert found.dtype == torch.float64
    found.sum().backward()
    assert learned.grad.tolist() == [3, 3]
    assert isinstance(rotary_angles(torch.arange(3), [1.0]), torch.Tensor)
    assert isinstance(rotary_angles([0, 1], [1.0]), np.ndarray)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rotary_frequencies(7), ValueError, "rotary_dim must be even"),
        (lambda: rotary_frequencies(4, 1), ValueError, "base must be above 1"),
        (lambda: rotary_frequencies(10**15), ValueError, "rotary_dim: an array of"),
        (lambda: tensor2tensor_frequencies(3), ValueError, "d_model must be even"),
        (lambda: tensor2tensor_frequencies(10**15), ValueError, "d_model: an array of"),
        (lambda: proportional_frequencies(5, 0.5), ValueError, "head_dim must be even"),
        (lambda: proportional_frequencies(4, 1.5), ValueError, r"fraction must be in \[0, 1\]"),
        (lambda: proportional_frequencies(4, "all"), TypeError, "fraction must be a real number"),
        (lambda: rotary_angles([np.nan], [1.0]), ValueError, "positions must be finite"),
        (lambda: rotary_angles([1], [[1.0]]), ValueError, "inv_freq must be a vector"),
        (lambda: rotary_angles(["a"], [1.0]), TypeError, "positions must be real numbers"),
        (
            lambda: rotary_angles(np.zeros(10**6), np.zeros(10**6)),
            ValueError,
            "positions × pairs: an array of",
        ),
        (lambda: wavelengths([-1.0]), ValueError, "inv_freq must not be negative"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
