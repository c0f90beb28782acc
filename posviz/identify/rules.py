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

from posviz.arrays import to_dtype
from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from posviz.identify.lines import compute, listed

USUAL_BASES = (1e4, 5e5, 1e6, 1e5, 5e6, 1e7, 1.5e5, 1.6e5, 2.5e5, 5e4, 8e6, 2e6, 1e8)
LENGTHS = tuple(2**power for power in range(8, 21))  # for which frequencies were learned
PLAIN = 1.0  # a cost up to which nothing else is looked for
USUAL_FACTORS = (2.0, 4.0, 8.0, 10.0, 16.0, 32.0, 40.0, 64.0)
EXPONENTS = {  # name, and the exponent of pair k of n, as a share of the base
    "2k/d": lambda k, n: k / n,
    "k/(d/2-1)": lambda k, n: k / max(n - 1, 1),
    "2(k+1)/d": lambda k, n: (k + 1) / n,
    "(2k+1)/d": lambda k, n: (k + 0.5) / n,
    "k/d": lambda k, n: k / (2 * n),
    "4k/d": lambda k, n: 2 * k / n,
}


@dataclass(frozen=True)
class Rule:
    """A rule for frequencies: `code` is a line that makes a `Frequencies`, `cost` its digits."""

    method: str
    base: float | None
    code: str
    cost: float
    factor: float = 1.0
    exponent: str = "2k/d"
    attention_factor: float = 1.0  # that the line gives by itself
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
    return digits(base) + (1.0 if base == round(base) else 4.0)


def name_rule(theta: np.ndarray, error: np.ndarray, gain: float = 1.0) -> Rule | None:
    """Return the likeliest rule for the frequencies of pairs 0 … n − 1, or None.

    Shapes: theta and its error [pairs], both at least 0. ``gain``, the norm of a rotated vector
    over its norm before, is used where a method sets it. Frequencies may have been rounded to half
    precision before they were used; a number for each pair is the last resort.
    """
    tolerance = 4 * error + 4e-7 * theta
    if (plain := name_straight(theta, error)) and plain.cost <= PLAIN:
        return plain
    return (
        _likeliest(_formulas(theta, error, gain), theta, tolerance)
        or _rounded(theta, error, gain)
        or _likeliest(_divided(theta, error), theta, tolerance)
    )


def name_straight(theta: np.ndarray, error: np.ndarray, gain: float = 1.0) -> Rule | None:
    """Return the rule of frequencies that lie evenly on a log scale, or None."""
    return _likeliest(_straight(theta, error), theta, 4 * error + 4e-7 * theta)


def name_loosely(theta: np.ndarray, error: np.ndarray, gain: float = 1.0) -> Rule | None:
    """Return the rule that fits if angles are rounded to half precision at every position."""
    loose = error + theta * 2.0**-9
    return _likeliest(_formulas(theta, loose, gain), theta, 4 * loose)


def _likeliest(rules: Iterator[Rule], theta: np.ndarray, tolerance: np.ndarray) -> Rule | None:
    """Return the cheapest rule that fits; of two that cost the same, the one that fits better."""
    best: tuple[float, Rule] | None = None
    for rule in rules:
        off = np.abs(rule.frequencies().inv_freq - theta) / np.maximum(tolerance, 1e-300)
        if (off <= 1).all():
            cost = rule.cost + 0.1 * float((off**2).mean())
            best = (cost, rule) if best is None or cost < best[0] else best
    return best and best[1]


def _fits(inv_freq: np.ndarray, theta: np.ndarray, tolerance: np.ndarray) -> bool:
    return bool((np.abs(inv_freq - theta) <= tolerance).all())


def _rounded(theta: np.ndarray, error: np.ndarray, gain: float) -> Rule | None:
    """Return a rule whose frequencies were rounded to half precision before they were used."""
    rule = name_loosely(theta, error, gain)
    for dtype in ("bfloat16", "float16") if rule and len(theta) > 2 else ():
        inv_freq = to_dtype(rule.frequencies().inv_freq, dtype)
        if _fits(inv_freq, theta, 4 * error + 4e-7 * theta):
            code = f'Frequencies(to_dtype(({rule.code}).inv_freq, "{dtype}"))'
            parameters = rule.parameters | {"rounded": dtype}
            return replace(rule, code=code, attention_factor=1.0, parameters=parameters)
    return None


def _formulas(theta: np.ndarray, error: np.ndarray, gain: float) -> Iterator[Rule]:
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
    """Fit ln θ = start − slope · k where θ is above its error; return both, and how sure each is."""
    k = np.flatnonzero(theta > 4 * error)
    theta, error = theta[k], error[k]
    weight = (theta / (error + 1e-7 * theta)) ** 2
    total, mean = weight.sum(), (weight * k).sum() / weight.sum()
    spread = (weight * (k - mean) ** 2).sum()
    slope = -(weight * (k - mean) * np.log(theta)).sum() / spread
    start = (weight * np.log(theta)).sum() / total + slope * mean
    sure = 3 / math.sqrt(spread)
    return start, slope, 3 / math.sqrt(total) + mean * sure, sure


def _straight(theta: np.ndarray, error: np.ndarray) -> Iterator[Rule]:
    n, moving = len(theta), theta > 4 * error
    if n == 1:
        factor = roundest(1 / theta[0], 4 * error[0] / theta[0] ** 2 + 1e-7 / theta[0])
        one = f"Frequencies(np.array([{1 / factor:.12g}]))"
        yield Rule("plain" if factor == 1 else "linear", None, one, 0, factor)
        return
    if moving.sum() < 2:
        return
    start, slope, start_spread, slope_spread = _line(theta, error)
    if slope <= 0:
        return
    for name, share in EXPONENTS.items():
        first, step = share(0, n), share(1, n) - share(0, n)
        log_base = slope / step
        spread = slope_spread / step + 1e-9
        base = roundest(math.exp(log_base), math.exp(log_base) * spread)
        factor = math.exp(-start - first * math.log(base))
        factor = roundest(factor, factor * (start_spread + first * spread + 1e-9))
        if base > 1:
            yield from _named_line(n, name, base, factor)
    odd = math.exp(slope * n)  # the base of "2k/d"
    for base in USUAL_BASES[:8] if n > 1 else ():
        if base < odd * (1 - 1e-6):
            grown = (odd / base) ** ((n - 1) / n)
            factor = roundest(grown, grown * slope_spread * n)
            line = f"ntk({2 * n}, {factor!r}{_base(base)})"
            cost = 1.5 + cost_of(base) + digits(factor)
            yield Rule("ntk", base, line, cost, factor)


def _named_line(n: int, name: str, base: float, factor: float) -> Iterator[Rule]:
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
        yield Rule("plain", base, f"Frequencies({plain})", cost, exponent=name)
    elif usual and factor > 1:
        line = f"position_interpolation({2 * n}, {factor!r}{_base(base)})"
        yield Rule("linear", base, line, cost, factor)
    elif usual or factor != 1:
        more = 1 if factor < 1 else 0
        line = f"Frequencies({plain} / {factor!r})"
        yield Rule("linear", base, line, cost + more, factor, name)


def _base(base: float, default: float = 1e4) -> str:
    return "" if base == default else f", base={base!r}"


def _proportional(theta: np.ndarray, error: np.ndarray, moving: int) -> Iterator[Rule]:
    n = len(theta)
    if moving == 1:
        pairs = [(base, 1.0) for base in USUAL_BASES[:1]]
    else:
        start, slope, start_spread, spread = _line(theta[:moving], error[:moving])
        if slope <= 0:
            return
        base = roundest(math.exp(slope * n), math.exp(slope * n) * spread * n)
        factor = roundest(math.exp(-start), math.exp(-start) * (start_spread + 1e-9))
        pairs = [(base, factor)] if base > 1 else []
    for base, factor in pairs:
        line = f"proportional_frequencies({2 * n}, {moving / n:.12g}{_base(base)})"
        over = "" if factor == 1 else f" / {factor!r}"
        cost = 1 + cost_of(base) + (digits(factor) if over else 0)
        fraction = {"fraction": moving / n}
        yield Rule("proportional", base, f"Frequencies({line}{over})", cost, factor,
                   parameters=fraction)  # fmt: skip


# ---------------------------------------------------------------- bent


def _bases(theta: np.ndarray, error: np.ndarray) -> list[float]:
    """Return the bases that neighbours at either end of the pairs suggest, then the usual ones."""
    n, found = len(theta), []
    for k in (0, n - 2):
        ratio = theta[k] / max(theta[k + 1], 1e-300)
        if 1 < ratio < 1e3 and ratio**n < 1e12:
            spread = n * ((error[k : k + 2] / theta[k : k + 2]).sum() + 2e-7)
            found.append(roundest(ratio**n, ratio**n * spread))
    suggested = [base for base in found if base > 1]
    return list(dict.fromkeys([*suggested, *USUAL_BASES]))


def _bent(theta: np.ndarray, error: np.ndarray, gain: float) -> Iterator[Rule]:
    """YaRN and Llama 3: fast pairs keep their frequency, slow ones are slowed; or upside down."""
    n = len(theta)
    for base in _bases(theta, error):
        plain = rotary_frequencies(2 * n, base)
        share, spread = theta / plain, 4 * error / plain + 4e-7
        if (share > 1 + spread).any():
            continue
        if abs(share[0] - 1) <= spread[0] and (share < 1 - spread).any():
            for factor in _factors(share, spread):
                yield from _ramps(theta, share, spread, base, factor, gain, "")
        elif abs(share[-1] - 1) <= spread[-1] and share[0] < 1 - spread[0]:
            factor = roundest(1 / share[0], spread[0] / share[0] ** 2)
            mirror = 1 + 1 / factor - share
            swap = f"rotary_frequencies({2 * n}, {base!r}) * {1 + 1 / factor!r} - "
            yield from _ramps(theta, mirror, spread, base, factor, gain, swap)


def _factors(share: np.ndarray, spread: np.ndarray) -> list[float]:
    """Return what the slow pairs may be divided by: more than the last one if it is on the ramp."""
    last, off = share[-1], spread[-1]
    flat = abs(share[-1] - share[-2]) <= off + spread[-2]
    usual = [f for f in USUAL_FACTORS if 1 / f <= last + off and (1 / f >= last - off or not flat)]
    if off < 0.1 * last:
        usual.insert(0, roundest(1 / last, off / last**2))
    return list(dict.fromkeys(usual))


def _ramps(
    theta: np.ndarray, share: np.ndarray, spread: np.ndarray,
    base: float, factor: float, gain: float, swap: str,
) -> Iterator[Rule]:  # fmt: skip
    """Yield the ramps that fit, by index (YaRN's code) or by rotations (Llama 3, YaRN's paper)."""
    n, kept = len(share), (share - 1 / factor) / (1 - 1 / factor)
    loose = spread / (1 - 1 / factor)
    plain = rotary_frequencies(2 * n, base)
    cost = cost_of(base) + digits(factor) + (1 if swap else 0)
    for original, high, method in _by_rotations(plain, kept, loose):
        line = f"llama3({2 * n}, {factor!r}, original_max_seq_len={original}{_base(base, 5e5)}"
        line += "" if high == 4 else f", high_freq_factor={high!r}"
        is_paper = method == "yarn"
        if is_paper:
            line = f'yarn({2 * n}, {factor!r}, original_max_seq_len={original}{_base(base)}'
            line += f', ramp="paper", beta_fast={high!r}' + _scaled(gain, factor)
        extra = 2.0 if is_paper else 1.0
        extra += 0 if original in LENGTHS else digits(original)
        extra += 0 if high in (4, 32) else digits(high)
        yield _bent_rule(method, base, line + ")", cost + extra, factor, gain, swap,
                         {"original_max_seq_len": original, "upside_down": bool(swap)})  # fmt: skip
    for arguments, extra, original in _by_index(n, base, kept, loose):
        line = f"yarn({2 * n}, {factor!r}, {arguments}{_base(base)}{_scaled(gain, factor)})"
        yield _bent_rule("yarn", base, line, cost + 1 + extra, factor, gain, swap,
                         {"original_max_seq_len": original, "upside_down": bool(swap)})  # fmt: skip


def _scaled(gain: float, factor: float) -> str:
    """Return the argument attention_factor, where it is not the usual one."""
    usual = 0.1 * math.log(factor) + 1
    return "" if abs(gain - usual) < 1e-3 else f", attention_factor={roundest(gain, 1e-6)!r}"


def _bent_rule(
    method: str, base: float, line: str, cost: float, factor: float, gain: float, swap: str,
    parameters: dict,
) -> Rule:  # fmt: skip
    attention = gain if method == "yarn" else 1.0
    if swap:
        line, attention = f"Frequencies({swap}{line}.inv_freq)", 1.0
    return Rule(method, base, line, cost, factor, attention_factor=attention,
                parameters=parameters)  # fmt: skip


def _by_rotations(
    plain: np.ndarray, kept: np.ndarray, loose: np.ndarray
) -> Iterator[tuple[int, float, str]]:
    """Yield the length, the upper border and the method of ramps linear in rotations."""
    fitting = False
    for original in LENGTHS:
        rotations = original * plain / (2 * np.pi)
        for high, method in ((4.0, "llama3"), (32.0, "yarn")):
            if (np.abs(np.clip((rotations - 1) / (high - 1), 0, 1) - kept) <= loose).all():
                fitting = True
                yield original, high, method
    if fitting:
        return
    inside = (kept > loose) & (kept < 1 - loose)
    if inside.sum() < 3:
        return
    slope, start = np.polyfit(plain[inside], kept[inside], 1)
    if slope > 0 > start:
        high = 1 - 1 / start
        original = 2 * np.pi * slope * (high - 1)
        yield round(original), roundest(high, 1e-4 * high), "llama3"


def _by_index(
    n: int, base: float, kept: np.ndarray, loose: np.ndarray
) -> Iterator[tuple[str, float, int]]:
    """Yield the arguments of ramps linear in the index of the pair, their cost and the length."""
    k = np.arange(n)

    def ends(first: float, last: float) -> bool:
        last += 0.001 * (first == last)
        return bool((np.abs(1 - np.clip((k - first) / (last - first), 0, 1) - kept) <= loose).all())

    def index(original: float, rotations: float) -> float:
        return n * math.log(original / (2 * math.pi * rotations)) / math.log(base)

    def clipped(value: float) -> float:
        return min(max(value, 0), 2 * n - 1)

    fitting = False
    for original in LENGTHS:
        first, last = index(original, 32), index(original, 1)
        if ends(clipped(math.floor(first)), clipped(math.ceil(last))):
            fitting = True
            yield f"original_max_seq_len={original}", 0, original
        elif ends(clipped(first), clipped(last)):
            fitting = True
            yield f"original_max_seq_len={original}, truncate=False", 1, original
    if fitting:
        return
    found = _ramp_ends(kept, loose, n)
    if found and ends(*found):
        first, last = found
        original = 4096
        fast, slow = (float(original / (2 * math.pi) * base ** (-end / n)) for end in (first, last))
        betas = f"beta_fast={fast!r}, beta_slow={slow!r}, truncate=False"
        yield f"original_max_seq_len={original}, {betas}", 6, 0


def _ramp_ends(kept: np.ndarray, loose: np.ndarray, n: int) -> tuple[float, float] | None:
    """Return the first and last index of a ramp, whole numbers if they fit."""
    inside = np.flatnonzero((kept > loose) & (kept < 1 - loose))
    if len(inside) == 0:
        step = int((kept > 0.5).sum())
        return step - 0.5, step - 0.5
    if len(inside) == 1:  # any line through it: the ends next to it
        k = int(inside[0])
        left = 1 / (1 - kept[k])
        return (k - 1.0, k - 1 + left) if left <= 2 else (k + 1 - 1 / kept[k], k + 1.0)
    slope, start = np.polyfit(inside, kept[inside], 1)
    if slope >= 0:
        return None
    first, last = (1 - start) / slope, -start / slope
    if abs(first - round(first)) + abs(last - round(last)) < 20 * loose.max():
        first, last = float(round(first)), float(round(last))
    return first, last


# ---------------------------------------------------------------- a number for each pair


def _divided(theta: np.ndarray, error: np.ndarray) -> Iterator[Rule]:
    """LongRoPE: each frequency is divided by a number of its own, at least 1."""
    n = len(theta)
    if n < 3 or (theta <= 4 * error).any():
        return
    for base in USUAL_BASES:
        plain = rotary_frequencies(2 * n, base)
        spread = 4 * error / theta + 4e-7
        divisors = np.array([roundest(d, d * s) for d, s in zip(plain / theta, spread, strict=True)])
        if (divisors >= 1).all():
            cost = 40 + cost_of(base) + sum(map(digits, divisors)) + np.log(divisors).mean()
            line = f"Frequencies(rotary_frequencies({2 * n}, {base!r}) / {listed(divisors)})"
            yield Rule("longrope", base, line, cost, float(divisors.max()))
