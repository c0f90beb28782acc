"""Context extension of a trained RoPE: lower frequencies, pair by pair.

In Hugging Face's rope_scaling, original_max_seq_len is called original_max_position_embeddings.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from posviz.encodings.checks import (
    require_choice,
    require_factor,
    require_integer,
    require_shape,
)
from posviz.encodings.frequencies import Frequencies, rotary_frequencies

__all__ = ["dynamic_ntk", "llama3", "longrope", "ntk", "position_interpolation", "yarn"]


def position_interpolation(
    rotary_dim: int, factor: float, *, base: float = 10_000.0
) -> Frequencies:
    """Divide every frequency by ``factor``, as if positions were divided by it.

    Shapes: inv_freq [rotary_dim/2]. Units: radians per token.

    Source: Chen et al. 2023 (Position Interpolation), section 2.3.

    >>> position_interpolation(8, 4.0).inv_freq.round(6).tolist()
    [0.25, 0.025, 0.0025, 0.00025]
    """
    return Frequencies(rotary_frequencies(rotary_dim, base) / require_factor(factor))


def ntk(rotary_dim: int, factor: float, *, base: float = 10_000.0) -> Frequencies:
    """Raise the base to base · factor^(d/(d−2)), d being rotary_dim ("NTK-aware").

    The first pair keeps its frequency, that of the last is divided by exactly ``factor``, and those
    between lie evenly on a log scale: pair k's is divided by factor^(2k/(d−2)).

    Shapes: inv_freq [rotary_dim/2]. Units: radians per token.

    Source: bloc97 2023 on Reddit, as given in Peng et al. 2023 (YaRN), equations 14 to 16.

    >>> (rotary_frequencies(8) / ntk(8, 4.0).inv_freq).round(2).tolist()  # each pair's divisor
    [1.0, 1.59, 2.52, 4.0]
    """
    inv_freq, factor = rotary_frequencies(rotary_dim, base), require_factor(factor)
    if rotary_dim == 2:
        raise ValueError("rotary_dim must be at least 4: with one pair, the first is the last.")
    return Frequencies(inv_freq * factor ** (-np.arange(0, rotary_dim, 2) / (rotary_dim - 2)))


def dynamic_ntk(
    rotary_dim: int,
    factor: float,
    *,
    seq_len: int,
    original_max_seq_len: int,
    base: float = 10_000.0,
) -> Frequencies:
    """Apply ``ntk`` with α = factor · seq_len / original_max_seq_len − (factor − 1).

    Up to original_max_seq_len this is RoPE, for any factor. With factor 1, α is the ratio of the
    lengths, the rule of the YaRN paper; Hugging Face has the general one. This function has no
    memory, but Hugging Face's module has: its longest text so far counts until a text is shorter
    than original_max_seq_len. ``KeyValueCache`` holds rotated keys, so keep seq_len fixed while it
    grows.

    Shapes: inv_freq [rotary_dim/2]. Units: tokens; radians per token.

    Source: emozilla 2023 on Reddit; Peng et al. 2023 (YaRN), section 3.3.

    >>> twice = dynamic_ntk(8, 1.0, seq_len=8192, original_max_seq_len=4096)
    >>> (rotary_frequencies(8) / twice.inv_freq).round(2).tolist()  # α is 2
    [1.0, 1.26, 1.59, 2.0]
    """
    factor = require_factor(factor)
    original = require_integer(original_max_seq_len, "original_max_seq_len")
    excess = max(require_integer(seq_len, "seq_len") / original, 1.0) - 1
    return ntk(rotary_dim, factor * excess + 1, base=base)


def yarn(
    rotary_dim: int,
    factor: float,
    *,
    original_max_seq_len: int,
    base: float = 10_000.0,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    ramp: str = "code",
    truncate: bool = True,
    attention_factor: float | None = None,
    mscale: float = 1.0,
    mscale_all_dim: float = 0.0,
) -> Frequencies:
    """Keep pairs above beta_fast rotations in training, slow those below beta_slow by factor.

    Pairs between are blended along a ramp. In the paper it is linear in the number of rotations. In
    the released code ("code", which trained the models) it is linear in the index of the pair, from
    the index that makes beta_fast rotations to the one that makes beta_slow, rounded outwards
    unless ``truncate`` is False. With equal betas (Kimi-K2) it is a step. Where it lies beyond the
    last pair, the released code reverses it; this function does not.

    attention_factor None is 0.1 · ln(factor) + 1 = √(1/t), with the paper's temperature t; in
    DeepSeek 0.1 · mscale · ln(factor) + 1 over the same with mscale_all_dim. In Hugging Face the
    attention factor depends on neither unless both are given and not 0.

    Shapes: inv_freq [rotary_dim/2]. Units: tokens; rotations; radians per token.

    Source: Peng et al. 2023 (YaRN), equations 17 to 22; ``LlamaYaRNScaledRotaryEmbedding``.

    >>> inv_freq, attention_factor = yarn(64, 4.0, original_max_seq_len=4096)
    >>> (rotary_frequencies(64) / inv_freq)[::6].round(2).tolist()  # kept, blended, slowed
    [1.0, 1.0, 1.13, 1.86, 4.0, 4.0]
    >>> round(attention_factor, 3)
    1.139
    """
    require_choice(ramp, "ramp", ("code", "paper"))
    inv_freq, factor = rotary_frequencies(rotary_dim, base), require_factor(factor)
    original = require_integer(original_max_seq_len, "original_max_seq_len")
    if not 0 < beta_slow <= beta_fast:
        raise ValueError(f"beta_slow must be above 0 and at most beta_fast, got {beta_slow:g}.")
    if ramp == "paper":
        kept = _kept_by_rotations(inv_freq, original, beta_slow, beta_fast)
    else:
        kept = _kept_by_index(rotary_dim, base, original, beta_slow, beta_fast, truncate)
    if attention_factor is None:
        ln = math.log(factor)
        attention_factor = (0.1 * mscale * ln + 1) / (0.1 * mscale_all_dim * ln + 1)
    return Frequencies(inv_freq * (kept + (1 - kept) / factor), attention_factor)


def longrope(
    rotary_dim: int,
    *,
    short_factors: Any,
    long_factors: Any,
    seq_len: int,
    original_max_seq_len: int,
    max_seq_len: int,
    base: float = 10_000.0,
    attention_factor: float | None = None,
) -> Frequencies:
    """Divide each frequency by a factor of its own, from one of two lists found by search.

    Texts longer than original_max_seq_len take long_factors, others short_factors.
    attention_factor None is √(1 + ln s / ln original_max_seq_len), s being max_seq_len /
    original_max_seq_len, and 1 where s ≤ 1: for both lists, as in the Phi-3 models. As
    ``KeyValueCache`` holds rotated keys, keep seq_len fixed while it grows.

    Shapes: short_factors, long_factors and inv_freq [rotary_dim/2]. Units: tokens; radians per
    token.

    Source: Ding et al. 2024 (LongRoPE), section 3; Phi-3's released code for the attention factor.

    >>> lengths = {"seq_len": 100, "original_max_seq_len": 4096, "max_seq_len": 131_072}
    >>> short = longrope(4, short_factors=[1, 1], long_factors=[1, 32], **lengths)
    >>> short.inv_freq.tolist(), round(short.attention_factor, 2)
    ([1.0, 0.01], 1.19)
    """
    inv_freq = rotary_frequencies(rotary_dim, base)
    short = require_shape(np.asarray(short_factors, float), "short_factors", len(inv_freq))
    long = require_shape(np.asarray(long_factors, float), "long_factors", len(inv_freq))
    original = require_integer(original_max_seq_len, "original_max_seq_len", low=2)  # ln 1 is 0
    seq_len = require_integer(seq_len, "seq_len")
    extension = max(require_integer(max_seq_len, "max_seq_len") / original, 1.0)
    if attention_factor is None:
        attention_factor = math.sqrt(1 + math.log(extension) / math.log(original))
    return Frequencies(inv_freq / (long if seq_len > original else short), attention_factor)


def llama3(
    rotary_dim: int,
    factor: float,
    *,
    original_max_seq_len: int,
    base: float = 500_000.0,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
) -> Frequencies:
    """Keep pairs above high_freq_factor rotations in training, slow those below low_freq_factor.

    The ramp between is that of the YaRN paper, linear in the number of rotations; YaRN's attention
    factor is not used. With two equal factors (Llama 4 Scout) the ramp is a step.

    Shapes: inv_freq [rotary_dim/2]. Units: tokens; rotations; radians per token.

    Source: Llama 3.1's released code, ``apply_scaling``.

    >>> llama = llama3(128, 8.0, original_max_seq_len=8192).inv_freq[24:40:3]
    >>> (rotary_frequencies(128, 500_000.0)[24:40:3] / llama).round(2).tolist()  # as for yarn
    [1.0, 1.0, 1.55, 3.68, 8.0, 8.0]
    """
    inv_freq, factor = rotary_frequencies(rotary_dim, base), require_factor(factor)
    original = require_integer(original_max_seq_len, "original_max_seq_len")
    if not 0 < low_freq_factor <= high_freq_factor:
        raise ValueError(
            "low_freq_factor must be above 0 and at most high_freq_factor, got "
            f"{low_freq_factor:g} and {high_freq_factor:g}."
        )
    kept = _kept_by_rotations(inv_freq, original, low_freq_factor, high_freq_factor)
    return Frequencies(inv_freq * (kept + (1 - kept) / factor))


def _kept_by_rotations(inv_freq: np.ndarray, original: int, slow: float, fast: float) -> np.ndarray:
    """Return 0 up to ``slow`` rotations in training, 1 from ``fast`` on: the paper's ramp."""
    rotations = original * inv_freq / (2 * math.pi)
    if slow == fast:
        return (rotations >= fast) * 1.0
    return np.clip((rotations - slow) / (fast - slow), 0, 1)


def _kept_by_index(
    rotary_dim: int, base: float, original: int, slow: float, fast: float, truncate: bool
) -> np.ndarray:
    """Return 1 up to the pair that makes ``fast`` rotations, 0 from that of ``slow`` on."""
    first, last = (
        # base^(−2k/d) · original = 2π · rotations, solved for k
        rotary_dim * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(base))
        for rotations in (fast, slow)
    )
    if truncate:
        first, last = math.floor(first), math.ceil(last)
    # The released code bounds the last pair by rotary_dim, not by the number of pairs.
    first, last = (min(max(index, 0), rotary_dim - 1) for index in (first, last))
    if first == last:
        last += 0.001  # as in the released code: a step
    return 1 - np.clip((np.arange(rotary_dim // 2) - first) / (last - first), 0, 1)
