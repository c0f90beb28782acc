"""YaRN and Llama 3: fast pairs stay, slow ones are slowed, and those between lie on a ramp."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from posviz.encodings.frequencies import rotary_frequencies
from posviz_course.blackbox.rule import (
    LEAST,
    USUAL_BASES,
    FrequencyRule,
    Gain,
    base_argument,
    cost_of,
    digits,
    roundest,
)

LENGTHS = tuple(2**power for power in range(8, 21))  # for which frequencies were learned


def _bases(theta: np.ndarray, error: np.ndarray) -> list[float]:
    """Return the bases that neighbours at either end of the pairs suggest, then the usual ones."""
    n, bases = len(theta), []
    for k in (0, n - 2):
        ratio = theta[k] / max(theta[k + 1], 1e-300)
        if 1 < ratio < 1e3 and ratio**n < 1e12:
            spread = 4 * n * (error[k : k + 2] / theta[k : k + 2]).sum()
            bases.append(roundest(ratio**n, ratio**n * spread))
    suggested = [base for base in bases if base > 1]
    return list(dict.fromkeys([*suggested, *USUAL_BASES]))


def bent(theta: np.ndarray, error: np.ndarray, gain: Gain | None) -> Iterator[FrequencyRule]:
    """YaRN and Llama 3: fast pairs keep their frequency, slow ones are slowed; or upside down."""
    n = len(theta)
    for base in _bases(theta, error):
        plain = rotary_frequencies(2 * n, base)
        share, spread = theta / plain, np.maximum(4 * error / plain, 1e-12)
        if (share > 1 + spread).any():
            continue
        if abs(share[0] - 1) <= spread[0] and (share < 1 - spread).any():
            yield from _ramps(share, spread, base, gain)
        elif abs(share[-1] - 1) <= spread[-1] and share[0] < 1 - spread[0]:
            factor = roundest(1 / share[0], spread[0] / share[0] ** 2)
            plain_line = f"rotary_frequencies({2 * n}, {base!r}) * {1 + 1 / factor!r}"
            for rule in _ramps(1 + 1 / factor - share, spread, base, (1.0, 0.0)):
                line = f"Frequencies({plain_line} - {rule.code}.inv_freq)"
                parameters = {**rule.parameters, "upside_down": True}
                yield replace(rule, code=line, cost=rule.cost + 1, parameters=parameters)


def _ramps(
    share: np.ndarray, spread: np.ndarray, base: float, gain: Gain | None
) -> Iterator[FrequencyRule]:
    """Yield rules that make share = kept + (1 − kept)/factor, of the usual ramps or of others."""
    n, fitted = len(share), False
    for kept, method, arguments, cost, default in (
        *_usual_ramps(n, base),
        *_own_ramps(share, spread, base),
    ):
        if cost > 4 and fitted:
            continue
        factor = _factor(share, spread, kept)
        if factor < LEAST or (np.abs(kept + (1 - kept) / factor - share) > spread).any():
            continue
        fitted = fitted or cost <= 4
        usual = 0.1 * math.log(factor) + 1
        scaled, scaling = "", 1.0
        if method == "yarn":
            scaling = usual
            if gain and abs(gain[0] - usual) > gain[1]:
                scaling = roundest(gain[0], 1e-6)
            scaled = "" if scaling == usual else f", attention_factor={scaling!r}"
        line = f"{method}({2 * n}, {factor!r}, {arguments}{base_argument(base, default)}{scaled})"
        cost += cost_of(base) + digits(factor) + (2 if scaled else 0)
        unseen = {"unseen": True} if _is_unseen(share, spread, kept) else {}
        yield FrequencyRule(method, base, line, cost, factor, parameters=unseen)


def _factor(share: np.ndarray, spread: np.ndarray, kept: np.ndarray) -> float:
    """Return the factor that slows pairs from 1 to ``share`` where they are not kept; 0: none."""
    slowed = np.maximum(1 - kept, 1e-300)
    weight = (slowed / spread) ** 2
    if weight.sum() < 1e-9:
        return 0.0
    inverse, sure = _inverse(share, spread, kept)
    if inverse > 2 * sure and inverse > 1e-4:
        return roundest(1 / inverse, sure / inverse**2)
    return 8.0 if sure < 1 else 0.0  # slower than rounding shows


def _inverse(share: np.ndarray, spread: np.ndarray, kept: np.ndarray) -> tuple[float, float]:
    """Return 1/factor, and how sure it is."""
    slowed = np.maximum(1 - kept, 1e-300)
    weight = (slowed / spread) ** 2
    inverse = float((weight * (share - kept) / slowed).sum() / weight.sum())
    return inverse, 4 / math.sqrt(weight.sum())


def _is_unseen(share: np.ndarray, spread: np.ndarray, kept: np.ndarray) -> bool:
    """Tell whether pairs are slowed more than rounding lets see, so that any factor would do."""
    inverse, sure = _inverse(share, spread, kept)
    return inverse <= 2 * sure


def _usual_ramps(n: int, base: float) -> Iterator[tuple]:
    """Yield kept [pairs], method, arguments, cost and default base of ramps with the usual ends."""
    plain, k = rotary_frequencies(2 * n, base), np.arange(n)
    for original in LENGTHS:
        length = f"original_max_seq_len={original}"
        rotations = original * plain / (2 * np.pi)
        yield np.clip((rotations - 1) / 3, 0, 1), "llama3", length, 1, 5e5
        paper = f'{length}, ramp="paper"'
        yield np.clip((rotations - 1) / 31, 0, 1), "yarn", paper, 2, 1e4
        ends = [n * math.log(original / (2 * np.pi * r)) / math.log(base) for r in (32, 1)]
        yield _ramp(k, math.floor(ends[0]), math.ceil(ends[1])), "yarn", length, 1, 1e4
        yield _ramp(k, *ends), "yarn", f"{length}, truncate=False", 2, 1e4


def _ramp(k: np.ndarray, first: float, last: float) -> np.ndarray:
    """Return 1 up to the pair ``first`` and 0 from ``last`` on, as the released code of YaRN."""
    first, last = (min(max(end, 0), 2 * len(k) - 1) for end in (first, last))
    if first == last:
        last += 0.001
    return 1 - np.clip((k - first) / (last - first), 0, 1)


def _own_ramps(share: np.ndarray, spread: np.ndarray, base: float) -> Iterator[tuple]:
    """Yield ramps through what was measured, with the ends and the length that they imply."""
    n, k, plain = len(share), np.arange(len(share)), rotary_frequencies(2 * len(share), base)
    is_flat = abs(share[-1] - share[-2]) <= 2 * spread[-1] and spread[-1] < 0.1 * share[-1]
    low = share[-1] if is_flat else 0.0  # 1/factor, where the ramp ends before the last pair
    inside = np.flatnonzero((share < 1 - 2 * spread) & (share > low + 2 * spread))
    if len(inside) < 2:
        if is_flat:
            yield from _short_ramps((share - low) / (1 - low), inside, base)
        return
    slope, start = np.polyfit(plain[inside], share[inside], 1)  # by rotations
    highs: tuple[float, ...] = (4.0, 32.0)
    if is_flat and low > start:
        highs = (roundest(high := 1 + (1 - low) / (low - start), 1e-4 * high),)
    for high in highs:
        inverse = (start + 1 / (high - 1)) / (1 + 1 / (high - 1))
        original = round(2 * np.pi * slope * (high - 1) / (1 - inverse))
        if original > 0 < inverse < 1:
            kept = np.clip((original * plain / (2 * np.pi) - 1) / (high - 1), 0, 1)
            length = f"original_max_seq_len={original}"
            more = "" if high == 4 else f", high_freq_factor={high!r}"
            yield kept, "llama3", length + more, 5 if high == 4 else 6, 5e5
            more = "" if high == 32 else f", beta_fast={high!r}"
            yield kept, "yarn", f'{length}, ramp="paper"{more}', 5 if high == 32 else 6, 1e4
    slope, start = np.polyfit(inside, share[inside], 1)  # by index
    first, width = (1 - start) / slope, n * math.log(32) / math.log(base)
    lasts = [(low - start) / slope] if is_flat else [first + width]
    lasts += [] if is_flat else [round(first) + math.ceil(width) + more for more in (0, 1)]
    for last in lasts:
        yield from _index_ramp(k, first, last, base)


def _short_ramps(kept: np.ndarray, inside: np.ndarray, base: float) -> Iterator[tuple]:
    """Yield the ramps with one pair on them, or none: any line through it, the ends next to it."""
    if len(inside):
        place = int(inside[0])
        left, right = 1 / (1 - kept[place]), 1 / kept[place]
        first, last = (place - 1, place - 1 + left) if left <= 2 else (place + 1 - right, place + 1)
    else:
        first = last = int((kept > 0.5).sum()) - 0.5
        high = roundest(float(4096 / (2 * np.pi) * base ** (-first / len(kept))), 0.02)
        both = f"low_freq_factor={high!r}, high_freq_factor={high!r}"
        yield (kept > 0.5) * 1.0, "llama3", f"original_max_seq_len=4096, {both}", 7, 5e5
    yield from _index_ramp(np.arange(len(kept)), first, last, base)


def _index_ramp(k: np.ndarray, first: float, last: float, base: float) -> Iterator[tuple]:
    """Yield the ramp between two indices of pairs, as a length with the usual ends, or as ends."""
    n = len(k)
    near = round(first), round(last)
    if abs(first - near[0]) + abs(last - near[1]) < 1e-3:
        first, last = near
        # The ends are rounded outwards, so a range of lengths gives them.
        least = max(32 * base ** (first / n), base ** ((last - 1) / n)) * 2 * math.pi
        most = min(32 * base ** ((first + 1) / n), base ** (last / n)) * 2 * math.pi
        if least < most:
            length = roundest((least + most) / 2, (most - least) * 0.49)
            yield _ramp(k, first, last), "yarn", f"original_max_seq_len={round(length)}", 5, 1e4
    if first <= last and first >= 0:
        fast, slow = (float(4096 / (2 * np.pi) * base ** (-end / n)) for end in (first, last))
        betas = f"beta_fast={fast!r}, beta_slow={slow!r}, truncate=False"
        yield _ramp(k, first, last), "yarn", f"original_max_seq_len=4096, {betas}", 8, 1e4
