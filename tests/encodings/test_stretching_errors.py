"""What stretching refuses, and how it says so."""

import math

import pytest
import torch

from posviz.encodings.stretching import (
    dynamic_ntk,
    llama3,
    longrope,
    ntk,
    position_interpolation,
    yarn,
)


def plain_longrope(**changes):
    lists = {"short_factors": [1, 1], "long_factors": [1, 2]}
    lengths = {"seq_len": 5, "original_max_seq_len": 4, "max_seq_len": 8}
    return longrope(4, **{**lists, **lengths, **changes})


def plain_yarn(**changes):
    return yarn(8, changes.pop("factor", 2.0), **{"original_max_seq_len": 64, **changes})


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: position_interpolation(7, 2), ValueError, "rotary_dim must be even"),
        (lambda: position_interpolation(8, 0.5), ValueError, "factor must be at least 1.* got 0.5"),
        (lambda: position_interpolation(8, "2"), TypeError, "factor must be a real number"),
        (lambda: position_interpolation(8, 2, base=1), ValueError, "base must be above 1"),
        (lambda: position_interpolation(10**15, 2), ValueError, "rotary_dim: an array of"),
        (lambda: ntk(2, 8), ValueError, "rotary_dim must be at least 4, got 2: .* divides by zero"),
        (lambda: yarn(8, 2, original_max_seq_len=4, mscale=-1), ValueError, "mscale must be at"),
        (lambda: ntk(8, math.nan), ValueError, "factor must be finite"),
        (
            lambda: dynamic_ntk(8, 2, seq_len=0, original_max_seq_len=4),
            ValueError,
            "seq_len must be at least 1",
        ),
        (
            lambda: dynamic_ntk(8, 2, seq_len=9, original_max_seq_len=4.0),
            TypeError,
            "original_max_seq_len must be an integer",
        ),
        (
            lambda: dynamic_ntk(2, 2, seq_len=9, original_max_seq_len=4),
            ValueError,
            "rotary_dim must be at least 4",
        ),
        (
            lambda: dynamic_ntk(8, 0.9, seq_len=9, original_max_seq_len=4),
            ValueError,
            "factor must be at least 1",
        ),
        (lambda: plain_yarn(factor=0), ValueError, "factor must be at least 1"),
        (lambda: plain_yarn(original_max_seq_len=0), ValueError, "original_max_seq_len must be"),
        (lambda: plain_yarn(ramp="hf"), ValueError, "ramp must be one of 'code', 'paper'"),
        (lambda: plain_yarn(beta_slow=0), ValueError, "beta_slow must be above 0"),
        (lambda: plain_yarn(beta_slow=32), ValueError, "beta_slow must be below beta_fast, got 32"),
        (lambda: plain_yarn(attention_factor=0), ValueError, "attention_factor must be above 0"),
        (lambda: plain_longrope(long_factors=[1]), ValueError, r"long_factors must be \[rotary_di"),
        (lambda: plain_longrope(short_factors=[1, 0]), ValueError, "short_factors must be above 0"),
        (lambda: plain_longrope(short_factors=["a", "b"]), TypeError, "short_factors must be real"),
        (lambda: plain_longrope(long_factors=torch.ones(2)), TypeError, "long_factors must be a N"),
        (lambda: plain_longrope(original_max_seq_len=1), ValueError, "original_max_seq_len must "),
        (lambda: plain_longrope(max_seq_len=0), ValueError, "max_seq_len must be at least 1"),
        (lambda: plain_longrope(seq_len=0), ValueError, "seq_len must be at least 1"),
        (lambda: plain_longrope(attention_factor=-1), ValueError, "attention_factor must be above"),
        (
            lambda: llama3(8, 8, original_max_seq_len=64, low_freq_factor=4),
            ValueError,
            "low_freq_factor must be below high_freq_factor, got 4 and 4",
        ),
        (lambda: llama3(8, 0.5, original_max_seq_len=64), ValueError, "factor must be at least"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
