"""Which rule made these frequencies: base, exponent, and what context extension did to them.

Each candidate is written as a line of posviz and computed by it. Of those that fit within what was
measured, the one with the fewest digits in its parameters is the most likely.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from posviz_course.blackbox.ramps import bent
from posviz_course.blackbox.rule import FrequencyRule, Gain
from posviz_course.blackbox.straight import divided, proportional, straight

PLAIN = 1.0  # a cost up to which nothing else is looked for


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
    return best or _likeliest(divided(theta, loose), theta, loose)


def name_straight(
    theta: np.ndarray, error: np.ndarray, gain: Gain | None = None
) -> FrequencyRule | None:
    """Return the rule of frequencies that lie evenly on a log scale, or None."""
    return _likeliest(straight(theta, error), theta, error)


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
    yield from straight(theta, error)
    if len(theta) > 1 and moving[0] and not moving[-1] and (np.diff(1.0 * moving) <= 0).all():
        yield from proportional(theta, error, int(moving.sum()))
    if len(theta) > 2 and moving[:2].all():
        yield from bent(theta, error, gain)
