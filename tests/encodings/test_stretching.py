"""Stretched frequencies against Hugging Face, other libraries and loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rotary_embedding_torch import RotaryEmbedding
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from posviz.encodings.frequencies import Frequencies, rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.encodings.stretching import (
    dynamic_ntk,
    llama3,
    longrope,
    ntk,
    position_interpolation,
    yarn,
)

# head_dim, the part of it that turns, and the base
HEADS = [(128, 128, 1e4), (64, 32, 5e5), (80, 20, 1e6), (6, 6, 1e4), (4, 4, 1e4)]
FACTORS = [1.0, 1.5, 2.0, 8.0, 40.0]
each_head = pytest.mark.parametrize("head", HEADS)
each_factor = pytest.mark.parametrize("factor", FACTORS)
DIMS = st.integers(2, 64).map(lambda pairs: 2 * pairs)
DIMS_FROM_2 = st.integers(1, 64).map(lambda pairs: 2 * pairs)
BASES = st.floats(2.0, 1e7)
LENGTHS = st.integers(1, 10**6)
STRETCHES = st.floats(1, 1000)


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
    """Hugging Face computes in float32, where a power of the base is off by a few 1e-7."""
    assert isinstance(found, Frequencies)
    assert found.inv_freq.dtype == np.float64
    np.testing.assert_allclose(found.inv_freq, theirs[0], rtol=3e-6)
    assert found.attention_factor == pytest.approx(theirs[1], rel=1e-12)


@each_head
@each_factor
def test_position_interpolation_is_linear_scaling(head, factor):
    found = position_interpolation(head[1], factor, base=head[2])
    require_same(found, hugging_face("linear", head, factor=factor))


@pytest.mark.parametrize("dim", [4, 6, 64, 128])
@each_factor
def test_ntk_is_that_of_rotary_embedding_torch(dim, factor):
    theirs = RotaryEmbedding(dim, theta_rescale_factor=factor).freqs.detach().numpy()
    require_same(ntk(dim, factor), (theirs, 1.0))


@each_head
@each_factor
@pytest.mark.parametrize("seq_len", [1, 2047, 2048, 2049, 5000, 10**6])
def test_dynamic_ntk_is_that_of_hugging_face(head, factor, seq_len):
    theirs = hugging_face("dynamic", head, longest=2048, seq_len=seq_len, factor=factor)
    lengths = {"seq_len": seq_len, "original_max_seq_len": 2048}
    require_same(dynamic_ntk(head[1], factor, base=head[2], **lengths), theirs)


@each_head
@each_factor
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"truncate": False},
        {"beta_fast": 16.0, "beta_slow": 2.0},
        {"beta_fast": 1.2, "attention_factor": 0.7},
        {"mscale": 1.0, "mscale_all_dim": 0.707},
        {"mscale": 0.5, "mscale_all_dim": 0.5},
    ],
)
@pytest.mark.parametrize("original", [40, 4096, 131_072])
def test_yarn_is_that_of_hugging_face(head, factor, options, original):
    lengths = {"original_max_position_embeddings": original}
    theirs = hugging_face("yarn", head, factor=factor, **lengths, **options)
    found = yarn(head[1], factor, original_max_seq_len=original, base=head[2], **options)
    require_same(found, theirs)


@each_head
@pytest.mark.parametrize("attention_factor", [None, 1.19])
@pytest.mark.parametrize("longest", [1024, 4096, 131_072])
@pytest.mark.parametrize("seq_len", [1, 4095, 4096, 4097, 10**6])
def test_longrope_is_that_of_hugging_face(head, attention_factor, longest, seq_len):
    short, long = (np.linspace(1, end, head[1] // 2).tolist() for end in (1.5, 60))
    both = {"seq_len": seq_len, "attention_factor": attention_factor}
    theirs = hugging_face(
        *("longrope", head),
        **both,
        longest=longest,
        short_factor=short,
        long_factor=long,
        original_max_position_embeddings=4096,
    )
    lists = {"short_factors": short, "long_factors": np.array(long)}
    lengths = {"original_max_seq_len": 4096, "max_seq_len": longest}
    require_same(longrope(head[1], base=head[2], **both, **lists, **lengths), theirs)


@each_head
@each_factor
@pytest.mark.parametrize("band", [(1.0, 4.0), (0.5, 32.0)])
def test_llama3_is_that_of_hugging_face(head, factor, band):
    both = dict(zip(("low_freq_factor", "high_freq_factor"), band, strict=True))
    lengths = {"original_max_position_embeddings": 8192}
    theirs = hugging_face("llama3", head, factor=factor, **lengths, **both)
    found = llama3(head[1], factor, original_max_seq_len=8192, base=head[2], **both)
    require_same(found, theirs)


def by_turns(dim, factor, base, original, slow, fast):
    """Ask of each pair how often it turned in training, as the papers word it."""
    for i in range(dim // 2):
        inv_freq = base ** (-2 * i / dim)
        turns = original * inv_freq / (2 * math.pi)
        if turns < slow:
            yield inv_freq / factor
        elif turns > fast:
            yield inv_freq
        else:
            smooth = (turns - slow) / (fast - slow)
            yield (1 - smooth) * inv_freq / factor + smooth * inv_freq


@given(dim=DIMS_FROM_2, factor=STRETCHES, base=BASES, original=LENGTHS)
def test_the_ramp_of_the_paper_and_llama3_pair_by_pair(dim, factor, base, original):
    paper = yarn(dim, factor, original_max_seq_len=original, base=base, ramp="paper")
    expected = list(by_turns(dim, factor, base, original, 1, 32))
    np.testing.assert_allclose(paper.inv_freq, expected, rtol=1e-9)
    llama = llama3(dim, factor, original_max_seq_len=original, base=base)
    expected = list(by_turns(dim, factor, base, original, 1, 4))
    np.testing.assert_allclose(llama.inv_freq, expected, rtol=1e-9)
    assert llama.attention_factor == 1


@given(dim=DIMS_FROM_2, factor=STRETCHES, base=BASES, original=st.integers(300, 10**6))
def test_the_ramp_of_the_code_pair_by_pair(dim, factor, base, original):
    """The pair that makes 32 turns is where a line through the index starts, to that of 1 turn."""
    found = yarn(dim, factor, original_max_seq_len=original, base=base, truncate=False)
    # base^(−2i/d) = 2π · turns / original, solved for i
    first, last = (-dim / 2 * math.log(2 * math.pi * turns / original, base) for turns in (32, 1))
    last = min(last, dim - 1)
    for i in range(dim // 2):
        inv_freq = base ** (-2 * i / dim)
        slowed = (i - first) / (last - first) if first < last else 0.0
        slowed = min(max(slowed, 0.0), 1.0)
        expected = slowed * inv_freq / factor + (1 - slowed) * inv_freq
        assert found.inv_freq[i] == pytest.approx(expected, rel=1e-9)


@each_factor
def test_yarn_at_a_head_of_128_trained_on_4096(factor):
    """The released code keeps pairs up to 20, slows those from 46, and blends between."""
    found = yarn(128, factor, original_max_seq_len=4096)
    slower = rotary_frequencies(128) / found.inv_freq
    np.testing.assert_allclose(slower[:21], 1, rtol=1e-15)
    np.testing.assert_allclose(slower[46:], factor, rtol=1e-14)
    np.testing.assert_allclose(1 / slower[33], (1 + 1 / factor) / 2, rtol=1e-14)
    if factor > 1:
        assert (np.diff(slower[20:47]) > 0).all()


@pytest.mark.parametrize(("factor", "percent"), [(2, 23), (4, 42), (8, 57), (16, 67), (32, 75)])
def test_how_far_the_ramps_of_code_and_paper_differ(factor, percent):
    code, paper = (
        yarn(128, factor, original_max_seq_len=4096, ramp=ramp).inv_freq
        for ramp in ("code", "paper")
    )
    assert 100 * np.max(np.abs(code - paper) / code) == pytest.approx(percent, abs=0.5)


@pytest.mark.parametrize("ramp", ["code", "paper"])
def test_pairs_that_all_turn_often_are_all_kept(ramp):
    """Even the last of these makes 326 turns in 4096 tokens."""
    found = yarn(128, 8, original_max_seq_len=4096, base=2.0, ramp=ramp)
    np.testing.assert_array_equal(found.inv_freq, rotary_frequencies(128, 2.0))


def test_the_temperature_of_yarn():
    found = yarn(128, 8, original_max_seq_len=4096)
    assert found.attention_factor == pytest.approx(1.2079441541679836, rel=1e-15)
    q, k = np.random.default_rng(0).normal(size=(2, 1, 128))
    angles = rotary_angles([3], found.inv_freq)
    plain, scaled = (
        apply_rotary(q, angles, attention_factor=factor)
        @ apply_rotary(k, angles, attention_factor=factor).T
        for factor in (1.0, found.attention_factor)
    )
    np.testing.assert_allclose(scaled, (0.1 * math.log(8) + 1) ** 2 * plain)


def test_ntk_at_a_head_of_128_stretched_eight_times():
    found = ntk(128, 8).inv_freq
    np.testing.assert_allclose(found, rotary_frequencies(128, 82_684.62264), rtol=1e-9)
    slower = rotary_frequencies(128) / found
    assert slower[0] == 1
    assert slower[-1] == pytest.approx(8, rel=1e-14)


def test_ntk_where_the_new_base_is_too_large_for_a_number():
    np.testing.assert_allclose(ntk(4, 1e200).inv_freq, [1, 1e-202], rtol=1e-14)


@given(factor=STRETCHES, original=LENGTHS, first=LENGTHS, second=LENGTHS)
def test_dynamic_ntk_is_rope_in_training_and_slower_the_longer(factor, original, first, second):
    short, long = (
        dynamic_ntk(8, factor, seq_len=seq_len, original_max_seq_len=original).inv_freq
        for seq_len in sorted((first, second))
    )
    assert (long <= short).all()
    inside = dynamic_ntk(8, factor, seq_len=original, original_max_seq_len=original).inv_freq
    np.testing.assert_array_equal(inside, rotary_frequencies(8))
    alpha = max(factor * second / original - (factor - 1), 1)
    found = dynamic_ntk(8, factor, seq_len=second, original_max_seq_len=original).inv_freq
    assert rotary_frequencies(8)[-1] / found[-1] == pytest.approx(alpha, rel=1e-9)


def methods(dim, factor, base, original):
    """Every method that takes a factor, at a length of factor times the original."""
    seq_len = math.ceil(factor * original)
    keywords = {"original_max_seq_len": original, "base": base}
    yield position_interpolation(dim, factor, base=base)
    yield ntk(dim, factor, base=base)
    yield yarn(dim, factor, **keywords)
    yield yarn(dim, factor, **keywords, ramp="paper")
    yield yarn(dim, factor, **keywords, truncate=False)
    yield llama3(dim, factor, **keywords)
    yield longrope(
        dim,
        short_factors=np.ones(dim // 2),
        long_factors=np.full(dim // 2, factor),
        seq_len=seq_len,
        max_seq_len=seq_len,
        original_max_seq_len=original + 1,
        base=base,
    )
    yield dynamic_ntk(dim, factor, seq_len=original, **keywords)


@given(dim=DIMS, base=BASES, original=LENGTHS)
def test_stretching_by_one_is_rope(dim, base, original):
    for found in methods(dim, 1.0, base, original):
        np.testing.assert_allclose(found.inv_freq, rotary_frequencies(dim, base), rtol=1e-15)
        assert found.attention_factor == 1


@given(dim=DIMS, factor=STRETCHES, base=BASES, original=LENGTHS)
def test_no_pair_is_sped_up_nor_slowed_by_more_than_the_factor(dim, factor, base, original):
    for found in methods(dim, factor, base, original):
        slower = rotary_frequencies(dim, base) / found.inv_freq
        assert slower.min() >= 1 - 1e-14
        assert slower.max() <= factor * (1 + 1e-12)


def test_longrope_switches_after_the_original_length():
    short, long = (
        longrope(
            6,
            short_factors=[1, 2, 4],
            long_factors=[1, 8, 64],
            seq_len=seq_len,
            original_max_seq_len=4096,
            max_seq_len=4096**2,
        )
        for seq_len in (4096, 4097)
    )
    np.testing.assert_array_equal(short.inv_freq, rotary_frequencies(6) / [1, 2, 4])
    np.testing.assert_array_equal(long.inv_freq, rotary_frequencies(6) / [1, 8, 64])
    # The stretch is the original length itself: the ratio of the logarithms is 1.
    assert short.attention_factor == long.attention_factor == pytest.approx(math.sqrt(2))
