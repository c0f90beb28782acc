"""Stretching a trained RoPE to longer texts: slower turning, pair by pair.

In Hugging Face's rope_scaling, original_max_seq_len is called original_max_position_embeddings.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from posviz.arrays import as_float64, like
from posviz.encodings.checks import require_choice, require_integer, require_positive, require_real
from posviz.encodings.frequencies import Frequencies, rotary_frequencies

__all__ = ["dynamic_ntk", "llama3", "longrope", "ntk", "position_interpolation", "yarn"]

RAMPS = ("code", "paper")


def position_interpolation(
    rotary_dim: int, factor: float, *, base: float = 10_000.0
) -> Frequencies:
    """Turn every pair ``factor`` times more slowly, as if positions were divided by it.

    Shapes: inv_freq [rotary_dim/2]. Units: radians per token. float64.

    Raises:
        TypeError: when rotary_dim is not an integer or another argument not a number.
        ValueError: when rotary_dim is odd or below 2, base is not above 1, factor is below 1, or
            memory is short.

    Source: Chen et al. 2023 (Position Interpolation), section 2.3.
    """
    return Frequencies(rotary_frequencies(rotary_dim, base) / _require_factor(factor))


def ntk(rotary_dim: int, factor: float, *, base: float = 10_000.0) -> Frequencies:
    """Raise the base to base · factor^(d/(d−2)), d being rotary_dim ("NTK-aware").

    The first pair keeps its pace, the last turns exactly ``factor`` times more slowly, and those
    between lie evenly (on a log scale) between 1 and ``factor``.

    Shapes: inv_freq [rotary_dim/2]. Units: radians per token. float64.

    Raises:
        TypeError: when rotary_dim is not an integer or another argument not a number.
        ValueError: when rotary_dim is odd or below 4, base is not above 1, factor is below 1, or
            memory is short.

    Source: bloc97 2023 on Reddit, as given in Peng et al. 2023 (YaRN), equations 14 to 16.
    """
    inv_freq, factor = rotary_frequencies(rotary_dim, base), _require_factor(factor)
    if rotary_dim == 2:
        raise ValueError(
            "rotary_dim must be at least 4, got 2: the one pair is both the first, which keeps its "
            "pace, and the last, which does not (the exponent d/(d − 2) divides by zero)"
        )
    # Pair by pair, since the base itself can be too large for a number where these are not.
    steps = np.arange(0, rotary_dim, 2, dtype=np.float64)
    return Frequencies(inv_freq * factor ** (-steps / (rotary_dim - 2)))


def dynamic_ntk(
    rotary_dim: int,
    factor: float,
    *,
    seq_len: int,
    original_max_seq_len: int,
    base: float = 10_000.0,
) -> Frequencies:
    """Stretch as ``ntk`` does, by α = factor · seq_len / original_max_seq_len − (factor − 1).

    Up to original_max_seq_len this is RoPE, for any factor. With factor 1, α is the ratio of the
    lengths: the rule of the YaRN paper; Hugging Face has the general one. The frequencies depend
    on seq_len alone, not on lengths seen before, so keys must be cached before they are turned;
    ``KeyValueCache`` holds them turned: keep seq_len fixed while it grows.

    Shapes: inv_freq [rotary_dim/2]. Units: tokens; radians per token. float64.

    Raises:
        TypeError: when a dimension or length is not an integer or another argument not a number.
        ValueError: as ``ntk``, and when a length is below 1.

    Source: emozilla 2023 on Reddit; Peng et al. 2023 (YaRN), section 3.3.
    """
    factor = _require_factor(factor)
    original = require_integer(original_max_seq_len, "original_max_seq_len")
    beyond = max(require_integer(seq_len, "seq_len") / original, 1.0) - 1
    return ntk(rotary_dim, factor * beyond + 1, base=base)


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
    """Keep pairs that turned over beta_fast times in training, slow those under beta_slow turns.

    Pairs between are blended along a ramp. In the paper it is linear in the number of turns; in
    the released code, which trained the models and which others copied, in the index of the pair,
    from the one that makes beta_fast turns to the one that makes beta_slow (rounded outwards
    unless ``truncate`` is False). "code" is the default. Where its range lies beyond all pairs,
    the released code turns the ramp around; this does not. attention_factor None is
    0.1 · ln(factor) + 1 = √(1/t), t being the temperature: scores get its square. DeepSeek's
    models have 0.1 · mscale · ln(factor) + 1 over the same with mscale_all_dim: with two equal
    numbers it is 1, and their attention multiplies the scores by itself.

    Shapes: inv_freq [rotary_dim/2]. Units: tokens; turns; radians per token. float64.

    Raises:
        TypeError: when a dimension or length is not an integer or another argument not a number.
        ValueError: when rotary_dim is odd or below 2, base is not above 1, factor or the length
            below 1, the betas are not 0 < beta_slow < beta_fast, attention_factor is not above 0,
            an mscale is below 0, the ramp is unknown, or memory is short.

    Source: Peng et al. 2023 (YaRN), equations 17 to 22; ``LlamaYaRNScaledRotaryEmbedding``.
    """
    require_choice(ramp, "ramp", RAMPS)
    inv_freq, factor = rotary_frequencies(rotary_dim, base), _require_factor(factor)
    original = require_integer(original_max_seq_len, "original_max_seq_len")
    band = _require_band("beta_slow", beta_slow, "beta_fast", beta_fast)
    if ramp == "paper":
        kept = _kept_by_turns(inv_freq, original, *band)
    else:
        kept = _kept_by_index(rotary_dim, base, original, *band, truncate)
    if attention_factor is None:
        attention_factor = _sharper(factor, mscale, "mscale") / _sharper(
            factor, mscale_all_dim, "mscale_all_dim"
        )
    return Frequencies(
        _blend(inv_freq, factor, kept), require_positive(attention_factor, "attention_factor")
    )


def _sharper(factor: float, mscale: Any, name: str) -> float:
    number = require_real(mscale, name)
    if number < 0:
        raise ValueError(f"{name} must be at least 0, got {number:g}")
    return 0.1 * number * math.log(factor) + 1


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
    """Slow each pair by a factor of its own, taken from one of two lists found by search.

    Texts longer than original_max_seq_len take long_factors, others short_factors.
    attention_factor None is √(1 + ln s / ln original_max_seq_len), s being max_seq_len /
    original_max_seq_len, and 1 where s ≤ 1: for both lists, as in the Phi-3 models. As
    ``KeyValueCache`` holds keys turned, keep seq_len fixed while it grows. torch.compile cannot
    read the lists: call this outside.

    Shapes: short_factors, long_factors and inv_freq [rotary_dim/2]. Units: tokens; radians per
    token. float64.

    Raises:
        TypeError: when a dimension or length is not an integer, another argument not numbers, or
            the factors are torch tensors.
        ValueError: when rotary_dim is odd or below 2, base is not above 1, a factor is not above
            0 or there are not rotary_dim/2, seq_len or max_seq_len is below 1,
            original_max_seq_len below 2, or memory is short.

    Source: Ding et al. 2024 (LongRoPE), section 3; Phi-3's released code for the attention factor.
    """
    inv_freq = rotary_frequencies(rotary_dim, base)
    short = _require_factors(short_factors, "short_factors", inv_freq)
    long = _require_factors(long_factors, "long_factors", inv_freq)
    # The logarithm of 1, by which to divide, is 0.
    original = require_integer(original_max_seq_len, "original_max_seq_len", low=2)
    seq_len = require_integer(seq_len, "seq_len")
    stretch = require_integer(max_seq_len, "max_seq_len") / original
    if attention_factor is None:
        attention_factor = math.sqrt(1 + math.log(max(stretch, 1.0)) / math.log(original))
    return Frequencies(
        inv_freq / (long if seq_len > original else short),
        require_positive(attention_factor, "attention_factor"),
    )


def llama3(
    rotary_dim: int,
    factor: float,
    *,
    original_max_seq_len: int,
    base: float = 500_000.0,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
) -> Frequencies:
    """Keep pairs that turned over high_freq_factor times in training, slow the slow, blend between.

    The slow made fewer than low_freq_factor turns. The ramp between, linear in the number of
    turns, is that of the YaRN paper; its attention factor is not used.

    Shapes: inv_freq [rotary_dim/2]. Units: tokens; turns; radians per token. float64.

    Raises:
        TypeError: when a dimension or length is not an integer or another argument not a number.
        ValueError: when rotary_dim is odd or below 2, base is not above 1, factor or the length
            below 1, not 0 < low_freq_factor < high_freq_factor, or memory is short.

    Source: Llama 3.1's released code, ``apply_scaling``.
    """
    inv_freq, factor = rotary_frequencies(rotary_dim, base), _require_factor(factor)
    original = require_integer(original_max_seq_len, "original_max_seq_len")
    band = _require_band("low_freq_factor", low_freq_factor, "high_freq_factor", high_freq_factor)
    return Frequencies(_blend(inv_freq, factor, _kept_by_turns(inv_freq, original, *band)))


def _blend(inv_freq: np.ndarray, factor: float, kept: np.ndarray) -> np.ndarray:
    return inv_freq * (kept + (1 - kept) / factor)


def _kept_by_turns(inv_freq: np.ndarray, original: int, slow: float, fast: float) -> np.ndarray:
    turns = original * inv_freq / (2 * math.pi)
    return np.clip((turns - slow) / (fast - slow), 0, 1)


def _kept_by_index(
    rotary_dim: int, base: float, original: int, slow: float, fast: float, truncate: bool
) -> np.ndarray:
    """Return 1 for pairs to keep, 0 for pairs to slow: linear in their index between."""
    tiny, huge = sys.float_info.min, sys.float_info.max  # whose logarithms are numbers
    lengths = (min(max(original / (turns * 2 * math.pi), tiny), huge) for turns in (fast, slow))
    first, last = (rotary_dim * math.log(n) / (2 * math.log(base)) for n in lengths)
    if truncate:
        first, last = math.floor(first), math.ceil(last)
    # The released code bounds the last pair by rotary_dim, not by the number of pairs.
    first, last = (min(max(index, 0), rotary_dim - 1) for index in (first, last))
    if first == last:
        last += 0.001  # as in the released code: a step
    return 1 - np.clip(
        (np.arange(rotary_dim // 2, dtype=np.float64) - first) / (last - first), 0, 1
    )


def _require_factor(factor: Any) -> float:
    number = require_real(factor, "factor")
    if number < 1:
        raise ValueError(f"factor must be at least 1, for it stretches, got {number:g}")
    return number


def _require_factors(values: Any, name: str, inv_freq: np.ndarray) -> np.ndarray:
    factors = like(as_float64(values, name), inv_freq, name)
    if factors.shape != inv_freq.shape:
        raise ValueError(
            f"{name} must be [rotary_dim/2], one for each of {len(inv_freq)} pairs, "
            f"got shape {factors.shape}"
        )
    if (factors <= 0).any():
        raise ValueError(f"{name} must be above 0, got {factors.min():g} among them")
    return factors


def _require_band(low_name: str, low: Any, high_name: str, high: Any) -> tuple[float, float]:
    low, high = require_positive(low, low_name), require_positive(high, high_name)
    if low >= high:
        raise ValueError(f"{low_name} must be below {high_name}, got {low:g} and {high:g}")
    return low, high
