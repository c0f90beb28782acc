"""Which rule made these frequencies: base, exponent, and what context extension did to them.

Each candidate is written as a line of posviz and computed by it. Of those that fit within what was
measured, the one with the fewest digits in its parameters is the most likely.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from posviz.blackbox.lines import compute, listed
from posviz.encodings.frequencies import Frequencies, rotary_frequencies

USUAL_BASES = (1e4, 5e5, 1e6, 1e5, 5e6, 1e7, 1.5e5, 1.6e5, 2.5e5, 5e4, 8e6, 2e6, 1e8)
LENGTHS = tuple(2**power for power in range(8, 21))  # for which frequencies were learned
Gain = tuple[float, float]  # as measured, and how exact that is
LEAST = 1.001  # a factor below it is rounding
MOST = 60.0  # the logarithm of a base
PLAIN = 1.0  # a cost up to which nothing else is looked for
EXPONENTS = {  # name, and the exponent of pair k of n, as a share of the base
    "2k/d": lambda k, n: k / n,
    "k/(d/2-1)": lambda k, n: k / max(n - 1, 1),
    "2(k+1)/d": lambda k, n: (k + 1) / n,
    "(2k+1)/d": lambda k, n: (k + 0.5) / n,
    "k/d": lambda k, n: k / (2 * n),
    "4k/d": lambda k, n: 2 * k / n,
}


@dataclass(frozen=True)
class FrequencyRule:
    """A rule for frequencies: `code` is a line that makes a `Frequencies`, `cost` its digits."""

    method: str
    base: float | None
    code: str
    cost: float
    factor: float = 1.0
    exponent: str = "2k/d"
    parameters: dict[str, Any] = field(default_factory=dict)

    def frequencies(self) -> Frequencies:
        """Return what the line computes."""
        return compute(self.code)


def roundest(value: float, spread: float) -> float:
    """Return the number of the fewest digits that lies within ``spread`` of ``value``."""
    if abs(value) <= spread:
        return 0.0
    for digits in range(1, 13):
        if abs((near := float(f"{value:.{digits}g}")) - value) <= spread:
            return near
    return value


def digits(value: float) -> int:
    """Count the significant digits of a number."""
    return len(f"{value:.12g}".partition("e")[0].replace(".", "").strip("-0")) or 1


def cost_of(base: float) -> float:
    """Return what a base costs beside others: nothing if everybody uses it."""
    if base in USUAL_BASES:
        return 0.0 if base == 1e4 else 0.5
    return digits(base) + (0.5 if base == round(base) else 4.0)


def name_rule(
    theta: np.ndarray, error: np.ndarray, gain: Gain | None = None
) -> FrequencyRule | None:
    """Return the likeliest rule for the frequencies of pairs 0 … n − 1, or None.

    Shapes: theta and its error [pairs], both at least 0. ``gain``, the norm of a rotated vector
    over its norm before, is used where a method sets it. Frequencies may have been rounded to half
    precision before they were used; a number for each pair is the last resort.
    """
    best: FrequencyRule | None = None
    for step, extra in ((1e-11, 0.0), (2.5e-7, 7.0)):  # computed in float64, or in float32
        loose = error + step * theta
        rule = name_straight(theta, loose)
        if rule is None or rule.cost > PLAIN:
            formulas = _likeliest(_formulas(theta, loose, gain), theta, loose)
            rule = formulas or _rounded(theta, loose, gain)
        if rule and (best is None or rule.cost + extra < best.cost):
            best = rule
        if best and best.cost <= PLAIN:
            break
    return best or _likeliest(_divided(theta, loose), theta, loose)


def name_straight(
    theta: np.ndarray, error: np.ndarray, gain: Gain | None = None
) -> FrequencyRule | None:
    """Return the rule of frequencies that lie evenly on a log scale, or None."""
    return _likeliest(_straight(theta, error), theta, error)


def name_loosely(
    theta: np.ndarray, error: np.ndarray, gain: Gain | None = None
) -> FrequencyRule | None:
    """Return the rule that fits if angles are rounded to half precision at every position."""
    loose = error + theta * 2.0**-9
    return _likeliest(_formulas(theta, loose, gain), theta, loose)


def _likeliest(
    rules: Iterator[FrequencyRule], theta: np.ndarray, error: np.ndarray
) -> FrequencyRule | None:
    """Return the cheapest rule that fits; of two that cost the same, the one that fits better."""
    best: tuple[float, FrequencyRule] | None = None
    for rule in rules:
        off = np.abs(rule.frequencies().inv_freq - theta) / np.maximum(4 * error, 1e-300)
        if (off <= 1).all():
            cost = rule.cost + 0.1 * float((off**2).mean())
            best = (cost, rule) if best is None or cost < best[0] else best
    return best and best[1]


def _rounded(theta: np.ndarray, error: np.ndarray, gain: Gain | None) -> FrequencyRule | None:
    """Return a rule whose frequencies were rounded to half precision before they were used."""
    rule = name_loosely(theta, error, gain)
    if rule is None or len(theta) < 3:
        return None
    for dtype in ("bfloat16", "float16"):
        made = rounded(rule, dtype)
        if (np.abs(made.frequencies().inv_freq - theta) <= 4 * error).all():
            return made
    return None


def rounded(rule: FrequencyRule, dtype: str) -> FrequencyRule:
    """Return the rule whose frequencies are rounded to a dtype."""
    code = f'Frequencies(to_dtype(({rule.code}).inv_freq, "{dtype}"))'
    parameters = rule.parameters | {"rounded": dtype}
    return replace(rule, code=code, parameters=parameters)


def _formulas(theta: np.ndarray, error: np.ndarray, gain: Gain | None) -> Iterator[FrequencyRule]:
    moving = theta > 4 * error
    if not moving.any():
        return
    yield from _straight(theta, error)
    if len(theta) > 1 and moving[0] and not moving[-1] and (np.diff(1.0 * moving) <= 0).all():
        yield from _proportional(theta, error, int(moving.sum()))
    if len(theta) > 2 and moving[:2].all():
        yield from _bent(theta, error, gain)


# ---------------------------------------------------------------- straight on a log scale


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


def _straight(theta: np.ndarray, error: np.ndarray) -> Iterator[FrequencyRule]:
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
    for base in USUAL_BASES[:8] if n > 1 else ():
        if base * LEAST < odd:
            grown = (odd / base) ** ((n - 1) / n)
            factor = max(roundest(grown, grown * min(slope_spread * n, 0.5)), LEAST)
            line = f"ntk({2 * n}, {factor!r}{_base(base)})"
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
        line = f"position_interpolation({2 * n}, {factor!r}{_base(base)})"
        yield FrequencyRule("linear", base, line, cost, factor)
    elif usual or factor != 1:
        more = 1 if factor < 1 else 0
        line = f"Frequencies({plain} / {factor!r})"
        yield FrequencyRule("linear", base, line, cost + more, factor, name)


def _base(base: float, default: float = 1e4) -> str:
    return "" if base == default else f", base={base!r}"


def _proportional(theta: np.ndarray, error: np.ndarray, moving: int) -> Iterator[FrequencyRule]:
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
        share = moving / n if int(moving / n * n) == moving else (moving + 0.5) / n
        line = f"proportional_frequencies({2 * n}, {share!r}{_base(base)})"
        over = "" if factor == 1 else f" / {factor!r}"
        cost = 1 + cost_of(base) + (digits(factor) if over else 0)
        fraction = {"fraction": moving / n}
        yield FrequencyRule("proportional", base, f"Frequencies({line}{over})", cost, factor,
                   parameters=fraction)  # fmt: skip


# ---------------------------------------------------------------- bent


def _bases(theta: np.ndarray, error: np.ndarray) -> list[float]:
    """Return the bases that neighbours at either end of the pairs suggest, then the usual ones."""
    n, found = len(theta), []
    for k in (0, n - 2):
        ratio = theta[k] / max(theta[k + 1], 1e-300)
        if 1 < ratio < 1e3 and ratio**n < 1e12:
            spread = 4 * n * (error[k : k + 2] / theta[k : k + 2]).sum()
            found.append(roundest(ratio**n, ratio**n * spread))
    suggested = [base for base in found if base > 1]
    return list(dict.fromkeys([*suggested, *USUAL_BASES]))


def _bent(theta: np.ndarray, error: np.ndarray, gain: Gain | None) -> Iterator[FrequencyRule]:
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
        line = f"{method}({2 * n}, {factor!r}, {arguments}{_base(base, default)}{scaled})"
        cost += cost_of(base) + digits(factor) + (2 if scaled else 0)
        yield FrequencyRule(method, base, line, cost, factor)


def _factor(share: np.ndarray, spread: np.ndarray, kept: np.ndarray) -> float:
    """Return the factor that slows pairs from 1 to ``share`` where they are not kept; 0: none."""
    slowed = np.maximum(1 - kept, 1e-300)
    weight = (slowed / spread) ** 2
    if weight.sum() < 1e-9:
        return 0.0
    inverse = float((weight * (share - kept) / slowed).sum() / weight.sum())
    sure = 4 / math.sqrt(weight.sum())
    if inverse > 2 * sure and inverse > 1e-4:
        return roundest(1 / inverse, sure / inverse**2)
    return 8.0 if sure < 1 else 0.0  # slower than rounding shows: Llama 3.1 has 8


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
    last += 0.001 * (first == last)
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
            yield kept, "llama3", length + more, 5 + (high != 4), 5e5
            more = "" if high == 32 else f", beta_fast={high!r}"
            yield kept, "yarn", f'{length}, ramp="paper"{more}', 5 + (high != 32), 1e4
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


# ---------------------------------------------------------------- a number for each pair


def _divided(theta: np.ndarray, error: np.ndarray) -> Iterator[FrequencyRule]:
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
        if (divisors >= 1).all():
            cost = 40 + cost_of(base) + sum(map(digits, divisors)) + np.log(divisors).mean()
            line = f"Frequencies(rotary_frequencies({2 * n}, {base!r}) / {listed(divisors)})"
            yield FrequencyRule("longrope", base, line, cost, float(divisors.max()))
