"""Stretched frequencies against transformers, rotary-embedding-torch and loops."""

import math
from itertools import product

import numpy as np
import pytest
from rotary_embedding_torch import RotaryEmbedding
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from posviz import (
    Frequencies,
    dynamic_ntk,
    llama3,
    longrope,
    ntk,
    position_interpolation,
    rotary_frequencies,
    yarn,
)

# head_dim, the part of it that rotates, and the base
HEADS = [(128, 128, 1e4), (64, 32, 5e5), (6, 6, 1e4)]
each_factor = pytest.mark.parametrize("factor", [1.0, 2.0, 40.0])


def hugging_face(rope_type, head, *, longest=4096, seq_len=None, **parameters):
    head_dim, rotary_dim, base = head
    config = LlamaConfig(
        hidden_size=2 * head_dim,
        num_attention_heads=2,
        max_position_embeddings=longest,
        rope_parameters={
            "rope_type": rope_type,
            "rope_theta": base,
            "partial_rotary_factor": rotary_dim / head_dim,
            **parameters,
        },
    )
    inv_freq, attention_factor = ROPE_INIT_FUNCTIONS[rope_type](config, "cpu", seq_len=seq_len)
    return inv_freq.numpy(), attention_factor


def require_same(found, theirs):
    """transformers computes in float32, where a power of the base is off by a few 1e-7."""
    assert isinstance(found, Frequencies)
    assert found.inv_freq.dtype == np.float64
    np.testing.assert_allclose(found.inv_freq, theirs[0], rtol=3e-6)
    assert found.attention_factor == pytest.approx(theirs[1], rel=1e-12)


@each_factor
def test_position_interpolation_is_linear_scaling(factor):
    for head in HEADS:
        found = position_interpolation(head[1], factor, base=head[2])
        require_same(found, hugging_face("linear", head, factor=factor))


@each_factor
def test_ntk_is_that_of_rotary_embedding_torch(factor):
    for dim in (4, 128):
        theirs = RotaryEmbedding(dim, theta_rescale_factor=factor).freqs.detach().numpy()
        require_same(ntk(dim, factor), (theirs, 1.0))


@pytest.mark.parametrize("seq_len", [1, 2048, 2049, 10**6])
def test_dynamic_ntk_is_that_of_transformers(seq_len):
    lengths = {"seq_len": seq_len, "original_max_seq_len": 2048}
    for head in HEADS:
        theirs = hugging_face("dynamic", head, longest=2048, seq_len=seq_len, factor=2.0)
        require_same(dynamic_ntk(head[1], 2.0, base=head[2], **lengths), theirs)


@pytest.mark.parametrize("factor", [1.0, 8.0])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"truncate": False},
        {"beta_fast": 16.0, "beta_slow": 2.0},
        {"beta_fast": 1.0, "beta_slow": 1.0},  # a step, as Kimi-K2 has it
        {"beta_fast": 1.2, "attention_factor": 0.7},
        {"mscale": 1.0, "mscale_all_dim": 0.707},
        {"mscale": 0.5, "mscale_all_dim": 0.5},
    ],
    ids=str,
)
def test_yarn_is_that_of_transformers(factor, options):
    for head, original in product(HEADS, (40, 4096)):
        lengths = {"original_max_position_embeddings": original}
        theirs = hugging_face("yarn", head, factor=factor, **lengths, **options)
        found = yarn(head[1], factor, original_max_seq_len=original, base=head[2], **options)
        require_same(found, theirs)


@pytest.mark.parametrize("attention_factor", [None, 1.19])
@pytest.mark.parametrize(("longest", "seq_len"), [(1024, 1), (131_072, 4096), (131_072, 4097)])
def test_longrope_is_that_of_transformers(attention_factor, longest, seq_len):
    both = {"seq_len": seq_len, "attention_factor": attention_factor}
    for head in HEADS:
        short, long = (np.linspace(1, end, head[1] // 2).tolist() for end in (1.5, 60))
        lists = {"short_factor": short, "long_factor": long}
        original = {"original_max_position_embeddings": 4096}
        theirs = hugging_face("longrope", head, longest=longest, **both, **lists, **original)
        lists = {"short_factors": short, "long_factors": long}
        lengths = {"original_max_seq_len": 4096, "max_seq_len": longest}
        require_same(longrope(head[1], base=head[2], **both, **lists, **lengths), theirs)


@pytest.mark.parametrize("factor", [1.0, 8.0])
@pytest.mark.parametrize("band", [(1.0, 4.0), (0.5, 32.0), (1.0, 1.0)], ids=str)
def test_llama3_is_that_of_transformers(factor, band):
    both = dict(zip(("low_freq_factor", "high_freq_factor"), band, strict=True))
    lengths = {"original_max_position_embeddings": 8192}
    for head in HEADS:
        theirs = hugging_face("llama3", head, factor=factor, **lengths, **both)
        found = llama3(head[1], factor, original_max_seq_len=8192, base=head[2], **both)
        require_same(found, theirs)


def by_periods(dim, factor, base, original, slow, fast):
    """Ask of each pair how many periods it passed in training, as the paper words it."""
    for i in range(dim // 2):
        inv_freq = base ** (-2 * i / dim)
        periods = original * inv_freq / (2 * math.pi)
        smooth = min(max((periods - slow) / (fast - slow), 0), 1)
        yield (1 - smooth) * inv_freq / factor + smooth * inv_freq


@pytest.mark.parametrize(("dim", "base", "original"), [(128, 1e4, 4096), (32, 5e5, 300)])
def test_the_ramp_of_the_paper_counts_periods(dim, base, original):
    found = yarn(dim, 8, original_max_seq_len=original, base=base, ramp="paper")
    expected = list(by_periods(dim, 8, base, original, 1, 32))
    np.testing.assert_allclose(found.inv_freq, expected, rtol=1e-9)


def test_the_paper_ramp_with_equal_betas_is_a_step_at_so_many_rotations():
    options = {"beta_fast": 1.0, "beta_slow": 1.0, "ramp": "paper"}
    found = yarn(64, 32.0, original_max_seq_len=4096, base=50_000.0, **options)
    inv_freq = rotary_frequencies(64, 50_000.0)
    rotations = 4096 * inv_freq / (2 * np.pi)
    np.testing.assert_allclose(inv_freq / found.inv_freq, np.where(rotations >= 1, 1, 32))


@pytest.mark.parametrize("factor", [2.0, 8.0])
def test_yarn_at_a_head_of_128_trained_on_4096(factor):
    """The released code keeps pairs up to 20, slows those from 46, and blends between."""
    found = yarn(128, factor, original_max_seq_len=4096)
    slower = rotary_frequencies(128) / found.inv_freq
    np.testing.assert_allclose(slower[:21], 1, rtol=1e-15)
    np.testing.assert_allclose(slower[46:], factor, rtol=1e-14)
    np.testing.assert_allclose(1 / slower[33], (1 + 1 / factor) / 2, rtol=1e-14)
    assert (np.diff(slower[20:47]) > 0).all()


@pytest.mark.parametrize(("factor", "percent"), [(2, 23), (4, 42), (8, 57), (16, 67), (32, 75)])
def test_how_far_the_ramps_of_code_and_paper_differ(factor, percent):
    code, paper = (
        yarn(128, factor, original_max_seq_len=4096, ramp=ramp).inv_freq
        for ramp in ("code", "paper")
    )
    assert 100 * np.max(np.abs(code - paper) / code) == pytest.approx(percent, abs=0.5)


def test_the_temperature_of_yarn_at_a_factor_of_eight():
    found = yarn(128, 8, original_max_seq_len=4096)
    assert found.attention_factor == pytest.approx(1.2079441541679836, rel=1e-15)


def test_ntk_at_a_head_of_128_stretched_eight_times():
    found = ntk(128, 8).inv_freq
    np.testing.assert_allclose(found, rotary_frequencies(128, 82_684.62264), rtol=1e-9)
    slower = rotary_frequencies(128) / found
    assert slower[0] == 1
    assert slower[-1] == pytest.approx(8, rel=1e-14)


def test_longrope_switches_after_the_original_length():
    lists = {"short_factors": [1, 2, 4], "long_factors": [1, 8, 64]}
    lengths = {"original_max_seq_len": 4096, "max_seq_len": 4096**2}
    short, long = (longrope(6, seq_len=seq_len, **lists, **lengths) for seq_len in (4096, 4097))
    np.testing.assert_array_equal(short.inv_freq, rotary_frequencies(6) / [1, 2, 4])
    np.testing.assert_array_equal(long.inv_freq, rotary_frequencies(6) / [1, 8, 64])
    # The stretch is the original length itself: the ratio of the logarithms is 1.
    assert short.attention_factor == long.attention_factor == pytest.approx(math.sqrt(2))
