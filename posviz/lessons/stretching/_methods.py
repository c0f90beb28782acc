"""The methods that stretch a trained RoPE, by the names that pictures have for them."""

from math import log, pi

import numpy as np

from posviz.encodings import stretching
from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from posviz.lessons.rotary.score_decay import turned_sums

METHODS = (
    *("none", "PI", "NTK", "dynamic NTK", "YaRN by index", "YaRN by turns"),
    *("Llama-3", "larger base"),
)
TRAINED = 4096  # tokens: Llama-2's, of pictures without a knob for it
KEPT, BLENDED, SLOWED = range(3)  # what becomes of a pair


def stretched(method, rotary_dim, base, length, factor) -> Frequencies:
    """Return what a method makes of RoPE's frequencies, for ``factor`` times the trained length.

    Each has the numbers of its released code. Dynamic NTK has the frequencies that it takes at the
    end of the longer text.
    """
    of = {"base": base}
    if method == "none":
        return Frequencies(rotary_frequencies(rotary_dim, base))
    if method == "larger base":
        return Frequencies(rotary_frequencies(rotary_dim, larger_base(base, length, factor)))
    if method == "PI":
        return stretching.position_interpolation(rotary_dim, factor, **of)
    if method == "NTK":
        return stretching.ntk(rotary_dim, factor, **of)
    of["original_max_seq_len"] = length
    if method == "dynamic NTK":
        return stretching.dynamic_ntk(rotary_dim, factor, seq_len=round(factor * length), **of)
    if method == "Llama-3":
        return stretching.llama3(rotary_dim, factor, **of)
    ramp = {"YaRN by index": "code", "YaRN by turns": "paper"}[method]
    return stretching.yarn(rotary_dim, factor, ramp=ramp, **of)


def larger_base(base, length, factor) -> float:
    """Return the base with which as many pairs turn once in the longer text as did in training.

    With n = rotary_dim/2, the first n · log_b(L/2π) pairs turn at least once in L tokens.

    Source: Liu et al. 2023, "Scaling Laws of RoPE-based Extrapolation", on the critical base.
    """
    return base ** (log(factor * length / (2 * pi)) / log(length / (2 * pi)))


def fate(shares, factor):
    """Say what became of each pair by the share of its frequency that it has: [pairs] of KEPT …"""
    # Shares are quotients of floats.
    kept, slowed = shares > 1 - 1e-9, shares < (1 + 1e-9) / factor
    return np.select([kept, slowed], [KEPT, SLOWED], BLENDED)


def title(method, rotary_dim, base, length, factor) -> str:
    """Write the method with the number that it takes from all others, for captions."""
    if method == "none" or factor == 1:
        return "Unchanged" if method == "none" else method
    if method == "larger base":
        return f"Larger base ({larger_base(base, length, factor):,.0f})"
    if method == "NTK":
        return f"NTK (base {base * factor ** (rotary_dim / (rotary_dim - 2)):,.0f})"
    if method == "dynamic NTK":
        alpha = factor * (round(factor * length) / length - 1) + 1
        return f"Dynamic NTK (α = {alpha:.4g})"
    return method


def mean_cosines(inv_freq, count):
    """Return the mean of cos(m · inv_freq) over the pairs for m = 0 … count − 1: [count].

    It is the score of a query and a key that are alike, as a share of that at distance 0.
    """
    pairs = len(inv_freq)
    return turned_sums(np.full(pairs, 1 / pairs, dtype=complex), count, inv_freq).real


def outline(x, low, high):
    """Return the points around what lies between two lines, [2 · points, 2]."""
    return np.transpose([np.r_[x, x[::-1]], np.r_[high, low[::-1]]])
