"""The methods of context extension by the names that pictures have for them."""

from math import ceil, log, pi, sqrt

import numpy as np

from posviz.encodings import stretching
from posviz.encodings.frequencies import Frequencies, rotary_angles, rotary_frequencies

MAIN = ("none", "PI", "NTK", "YaRN")
METHODS = (*MAIN[:3], "dynamic NTK", "YaRN", "YaRN (paper)", "Llama 3.1", "larger base")


def stretched(method, head_dim, base, length, factor) -> Frequencies:
    """Return a method's frequencies for a text that is `factor` times the trained length.

    Each has the numbers of its released code; dynamic NTK is at the end of the longer text.
    """
    trained = {"base": base, "original_max_seq_len": length}
    if method in ("none", "larger base"):
        base = larger_base(base, length, factor) if method == "larger base" else base
        return Frequencies(rotary_frequencies(head_dim, base))
    if method == "PI":
        return stretching.position_interpolation(head_dim, factor, base=base)
    if method == "NTK":
        return stretching.ntk(head_dim, factor, base=base)
    if method == "dynamic NTK":
        return stretching.dynamic_ntk(head_dim, factor, seq_len=round(factor * length), **trained)
    if method == "Llama 3.1":
        return stretching.llama3(head_dim, factor, **trained)
    ramp = {"YaRN": "code", "YaRN (paper)": "paper"}[method]
    return stretching.yarn(head_dim, factor, ramp=ramp, **trained)


def larger_base(base, length, factor) -> float:
    """Return the base that keeps the number of pairs which finish a rotation.

    With n = head_dim/2, the first n · log_b(L/2π) pairs finish one in L tokens.

    Source: Liu et al. 2023, "Scaling Laws of RoPE-based Extrapolation", on the critical base.
    """
    return base ** (log(factor * length / (2 * pi)) / log(length / (2 * pi)))


def mean_cosines(inv_freq, count):
    """Return the mean of cos(distance · inv_freq) over the pairs, [count].

    It is the score of identical q and k as a share of the score at distance 0.
    """
    # Every distance is a · stride + b with b < stride, and cos(x + y) = cos x cos y − sin x sin y.
    stride = ceil(sqrt(count))
    coarse, fine = (rotary_angles(step * np.arange(stride), inv_freq) for step in (stride, 1))
    cosines = np.cos(coarse) @ np.cos(fine).T - np.sin(coarse) @ np.sin(fine).T
    return cosines.ravel()[:count] / len(inv_freq)


def outline(x, low, high):
    """Return the points around the area between two lines, [2 · points, 2]."""
    return np.transpose([np.r_[x, x[::-1]], np.r_[high, low[::-1]]])
