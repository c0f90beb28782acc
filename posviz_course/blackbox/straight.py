"""Frequencies that lie evenly on a log scale, some at rest, or each divided by its own number."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from posviz.encodings.frequencies import rotary_frequencies
from posviz_course.blackbox.lines import listed
from posviz_course.blackbox.rule import (
    LEAST,
    USUAL_BASES,
    FrequencyRule,
    base_argument,
    cost_of,
    digits,
    roundest,
)

MOST = 60.0  # the logarithm of a base
EXPONENTS = {  # name, and the exponent of pair k of n, as a share of the base
    "2k/d": lambda k, n: k / n,
    "k/(d/2-1)": lambda k, n: k / max(n - 1, 1),
    "2(k+1)/d": lambda k, n: (k + 1) / n,
    "(2k+1)/d": lambda k, n: (k + 0.5) / n,
    "k/d": lambda k, n: k / (2 * n),
    "4k/d": lambda k, n: 2 * k / n,
}


def _line(theta: np.ndarray, error: np.ndarray) -> tuple[float, float, float, float]:
    """Fit ln θ = start − slope · k where θ is above its error; return both, each with its error."""
    k = np.flatnonzero(theta > 4 * error)
    theta, error = theta[k], error[k]
    weight = (theta / error) ** 2
    total, mean = weight.sum(), (weight * k).sum() / weight.sum()
    spread = (weight * (k - mean) ** 2).sum()
    slope = -(weight * (k - mean) * np.log(theta)).sum() / spread
    start = (weight * np.log(theta)).sum() / total + slope * mean
    sure = 3 / math.sqrt(spread)
    return start, slope, 3 / math.sqrt(total) + mean * sure, sure


def straight(theta: np.ndarray, error: np.ndarray) -> Iterator[FrequencyRule]:
    """Yield the rules whose logarithms fall on one line: plain, linear and NTK.

    theta, error: [rotary_dim/2], in radians per token.
    """
    n, moving = len(theta), theta > 4 * error
    if n == 1 and moving[0]:
        factor = roundest(1 / theta[0], 4 * error[0] / theta[0] ** 2)
        one = f"Frequencies(np.array([{1 / factor:.12g}]))"
        yield FrequencyRule("plain" if factor == 1 else "linear", None, one, 0, factor)
    if moving.sum() < 2:
        return
    start, slope, start_spread, slope_spread = _line(theta, error)
    if not 0 < slope * n < MOST:
        return
    for name, share in EXPONENTS.items():
        first, step = share(0, n), share(1, n) - share(0, n)
        log_base, spread = slope / step, slope_spread / step
        if log_base > MOST:
            continue
        base = roundest(math.exp(log_base), math.exp(log_base) * min(spread, 0.5))
        if base > 1:
            factor = math.exp(-start - first * math.log(base))
            factor = roundest(factor, factor * min(start_spread + first * spread, 0.5))
            yield from _named_line(n, name, base, factor)
    odd = math.exp(slope * n)  # the base of "2k/d"
    for base in USUAL_BASES if n > 1 else ():
        if base * LEAST < odd:
            grown = (odd / base) ** ((n - 1) / n)
            factor = max(roundest(grown, grown * min(slope_spread * n, 0.5)), LEAST)
            line = f"ntk({2 * n}, {factor!r}{base_argument(base)})"
            cost = 2 + cost_of(base) + digits(factor)
            yield FrequencyRule("ntk", base, line, cost, factor)


def _named_line(n: int, name: str, base: float, factor: float) -> Iterator[FrequencyRule]:
    plain = {
        "2k/d": f"rotary_frequencies({2 * n}, {base!r})",
        "k/(d/2-1)": f"{base!r} ** (-np.arange({n}) / {max(n - 1, 1)})",
        "2(k+1)/d": f"{base!r} ** (-np.arange(1, {n + 1}) / {n})",
        "(2k+1)/d": f"{base!r} ** (-np.arange(1, {2 * n}, 2) / {2 * n})",
        "k/d": f"{base!r} ** (-np.arange({n}) / {2 * n})",
        "4k/d": f"{base!r} ** (-2 * np.arange({n}) / {n})",
    }[name]
    usual = name == "2k/d"
    cost = cost_of(base) + (0 if usual else 2.5) + (0 if factor == 1 else 1 + digits(factor))
    if factor == 1:
        yield FrequencyRule("plain", base, f"Frequencies({plain})", cost, exponent=name)
    elif abs(factor - 1) < LEAST - 1:
        return
    elif usual and factor > 1:
        line = f"position_interpolation({2 * n}, {factor!r}{base_argument(base)})"
        yield FrequencyRule("linear", base, line, cost, factor)
    else:
        more = 1 if factor < 1 else 0
        line = f"Frequencies({plain} / {factor!r})"
        yield FrequencyRule("linear", base, line, cost + more, factor, name)


def proportional(theta: np.ndarray, error: np.ndarray, moving: int) -> Iterator[FrequencyRule]:
    """Yield p-RoPE (Barbero et al. 2024): the first ``moving`` pairs rotate, the rest stay."""
    n = len(theta)
    if moving == 1:
        pairs = [(base, 1.0) for base in USUAL_BASES[:1]]
    else:
        start, slope, start_spread, spread = _line(theta[:moving], error[:moving])
        if not 0 < slope * n < MOST:
            return
        base = roundest(math.exp(slope * n), math.exp(slope * n) * spread * n)
        factor = roundest(math.exp(-start), math.exp(-start) * min(start_spread, 0.5))
        pairs = [(base, factor)] if base > 1 else []
    for base, factor in pairs:
        if base ** (-moving / n) < 4 * factor * error[moving]:
            continue  # it would not be seen if the next pair rotated
        share = moving / n if int(moving / n * n) == moving else (moving + 0.5) / n
        line = f"proportional_frequencies({2 * n}, {share!r}{base_argument(base)})"
        over = "" if factor == 1 else f" / {factor!r}"
        cost = 1 + cost_of(base) + (digits(factor) if over else 0)
        fraction = {"fraction": moving / n}
        yield FrequencyRule("proportional", base, f"Frequencies({line}{over})", cost, factor,
                   parameters=fraction)  # fmt: skip


def divided(theta: np.ndarray, error: np.ndarray) -> Iterator[FrequencyRule]:
    """LongRoPE: each frequency is divided by a number of its own, at least 1."""
    n = len(theta)
    if n < 3 or (theta <= 4 * error).any():
        return
    for base in USUAL_BASES:
        plain = rotary_frequencies(2 * n, base)
        spread = 4 * error / theta
        divisors = np.array(
            [roundest(d, d * s) for d, s in zip(plain / theta, spread, strict=True)]
        )
        if (divisors >= 1).all():  # the first base will do: none can be known
            cost = 40 + cost_of(base) + sum(map(digits, divisors)) + np.log(divisors).mean()
            line = f"Frequencies(rotary_frequencies({2 * n}, {base!r}) / {listed(divisors)})"
            yield FrequencyRule("longrope", base, line, cost, float(divisors.max()))
            return
