"""Name a rotation from its responses: pairs, start, frequencies, gain, and the line of posviz."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from posviz.arrays import to_dtype
from posviz.encodings.xpos import xpos_scale
from posviz_course.blackbox.blocks import Blocks, layout_of
from posviz_course.blackbox.lines import step_of
from posviz_course.blackbox.rule import FrequencyRule, Gain, roundest
from posviz_course.blackbox.rules import name_rule, rounded
from posviz_course.blackbox.track import Track, start_of

TELLING = 128  # tokens: nearer positions do not separate float32 from float64


@dataclass(frozen=True)
class Rotation:
    """A rotation, named; each field is a fact of a verdict or goes into its line."""

    blocks: Blocks
    layout: str  # of what goes in
    leaving: str  # of what comes out
    first_column: int
    theta: np.ndarray  # [axes, pairs], signed
    direction: int
    start: float | None
    gain: float | None
    rule: FrequencyRule | None
    xpos: dict[str, Any] | None = None
    rounding: str = ""  # what is rounded: "", "positions" or "angles"
    dtype: str | None = None

    @property
    def rotary_dim(self) -> int:
        """The rotated dimensions of a head; those that a p-RoPE leaves at rest are among them."""
        return 2 * len(self.theta[0])


# ---------------------------------------------------------------- naming


def named(
    blocks: Blocks, tracks: list[Track], positions: Any, response: np.ndarray,
    name: Callable[..., FrequencyRule | None] = name_rule, weights: np.ndarray | None = None,
) -> Rotation:  # fmt: skip
    """Return the rotation that these pairs make, with as much of it named as fits.

    Shapes: response [len, pairs] at positions [len] on the first axis. ``tracks`` has one an axis.
    """
    theta = np.stack([track.theta for track in tracks])
    error = np.stack([track.error for track in tracks])
    layout, first = layout_of(blocks.entering, blocks.width)
    leaving, _ = layout_of(blocks.leaving, blocks.width)
    direction = -1 if theta[np.abs(theta) > 4 * error].sum() < 0 else 1
    measured, xpos = _gain(positions, response, weights)
    gain = measured and measured[0]
    rotation = Rotation(blocks, layout, leaving, first, theta, direction, 0.0, gain, None, xpos)
    if len(tracks) > 1:
        start = _start_of_axes(tracks)
        return replace(rotation, start=start, rule=rule_of_axes(theta, error.max(axis=0)))
    if layout == "other":
        return _reordered(blocks, tracks[0], (measured, xpos), name)
    start = start_of(theta[0], tracks[0].phase, error[0])
    speed, spread = direction * theta[0], error[0]
    trials: list[tuple[float, int, FrequencyRule | None]] = []
    for still in _zeros(blocks, layout, first):
        none = np.zeros(still)
        rule = _rule(np.append(speed, none), np.append(spread, none), measured, name)
        trials.append((rule.cost if rule else np.inf, still, rule))
    _, still, rule = min(trials, key=lambda trial: trial[0])
    if rule and measured:
        own = rule.frequencies().attention_factor  # computed, where the gain was measured
        gain = own if abs(own - measured[0]) <= measured[1] else gain
    padded = np.append(theta[0], np.zeros(still))[None]
    return replace(rotation, start=start, rule=rule, theta=padded, gain=gain)


def _start_of_axes(tracks: list[Track]) -> float | None:
    """Return the position that acts as 0 on every axis, if it is the same one."""
    theta = np.stack([track.theta for track in tracks])
    together = theta.sum(axis=0)  # at equal positions on all axes
    return start_of(together, tracks[0].phase, np.max([track.error for track in tracks], axis=0))


def _reordered(blocks: Blocks, seen: Track, gain: tuple, name: Callable) -> Rotation:
    """Name pairs in no usual order from the fastest to the slowest, all in one direction."""
    order = np.argsort(-np.abs(seen.theta), kind="stable")
    sign = np.where(seen.theta < 0, -1, 1)[order]
    entering, leaving = (
        np.where(sign[:, None] < 0, pairs[order][:, ::-1], pairs[order])
        for pairs in (blocks.entering, blocks.leaving)
    )
    theta, phase = sign * seen.theta[order], sign * seen.phase[order]
    start, error = start_of(theta, phase, seen.error[order]), seen.error[order]
    return Rotation(
        replace(blocks, entering=entering, leaving=leaving), "other", "other", 0, theta[None], 1,
        start, gain[0] and gain[0][0], _rule(theta, error, gain[0], name), gain[1],
    )  # fmt: skip


def _rule(
    speed: np.ndarray, spread: np.ndarray, gain: Gain | None, name: Callable
) -> FrequencyRule | None:
    if (speed < -4 * spread - 1e-9).any():
        return None
    return name(np.maximum(speed, 0), spread, gain)


def _zeros(blocks: Blocks, layout: str, first: int) -> list[int]:
    """Return how many pairs at rest may follow those that rotate: none, or the rest of the head."""
    pairs, left = len(blocks.entering), (blocks.width - first) // 2 - len(blocks.entering)
    if layout == "half_split":
        half = int(blocks.entering[0, 1] - blocks.entering[0, 0])
        return [half - pairs]
    return [0, left] if layout == "interleaved" and left > 0 else [0]


def _gain(
    positions: Any, response: np.ndarray, weights: np.ndarray | None = None
) -> tuple[Gain | None, dict | None]:
    """Return the gain of all pairs, or the scale of xPos, or neither."""
    log = np.log(np.maximum(np.abs(response), 1e-300))
    positions = np.asarray(positions, float)
    nearest = np.abs(positions).min()
    loud = (np.abs(log).max(axis=1) < 80)[:, None] & (np.abs(positions) < nearest + 20_000)[:, None]
    loud = loud & (weights > 0.2 * weights.mean() if weights is not None else log < np.inf)
    spread = np.abs(log - np.median(log[loud]))[loud].max()
    middle = float(np.exp(np.median(log[loud])))
    if spread < 0.02:
        is_one = abs(middle - 1) < 2e-5 + spread
        known = 1.0 if is_one else roundest(middle, 1e-6 + spread / 8)
        return (known, 2e-5 + spread / 4), None
    if loud.sum(axis=0).min() < 3:
        return None, None
    lines = [np.polyfit(positions[rows], log[rows, k], 1) for k, rows in enumerate(loud.T)]
    slope, at_zero = np.array(lines).T
    if np.abs(log - at_zero - np.outer(positions, slope))[loud].max() > 0.02:
        return None, None
    xpos = _xpos(slope)
    if xpos is None:
        return None, None
    centre = -float((at_zero * slope).sum() / (slope * slope).sum())
    return (1.0, 2e-5), {**xpos, "centre": roundest(centre, 0.02)}


def _xpos(slope: np.ndarray) -> dict[str, Any] | None:
    """Return gamma, scale_base and sign of xPos whose scales grow by these exponents a token."""
    sign = -1 if slope[0] > 0 else 1

    def scale_and_error(gamma: float) -> tuple[float, float]:
        unit = np.log(xpos_scale(1, 2 * len(slope), gamma=gamma, scale_base=1.0))
        scale_base = float((unit * unit).sum() / (sign * slope * unit).sum())
        return scale_base, float(np.abs(sign * slope * scale_base - unit).max())

    grid = np.geomspace(0.01, 10, 200)
    low, high = grid[0], grid[-1]
    for _ in range(24):  # around the best of a grid lies the next, finer one
        best = int(np.argmin([scale_and_error(gamma)[1] for gamma in grid]))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
        grid = np.linspace(low, high, 9)
    gamma = roundest(float(grid[4]), 1e-5 * float(grid[4]))
    scale_base, off = scale_and_error(gamma)
    if scale_base <= 0 or off > 0.02:
        return None
    return {"gamma": gamma, "scale_base": roundest(scale_base, 1e-5 * scale_base), "sign": sign}


def axis_of_pairs(theta: np.ndarray) -> np.ndarray | None:
    """Return the axis that each pair follows, or None where a pair follows several."""
    size = np.abs(theta)
    axis = size.argmax(axis=0)
    others = size.sum(axis=0) - size.max(axis=0)
    return axis if (others <= 1e-6 * size.max(axis=0) + 1e-12).all() else None


def rule_of_axes(theta: np.ndarray, error: np.ndarray) -> FrequencyRule | None:
    """Return the rule of the pairs' frequencies, over all pairs (M-RoPE) or over an axis's own."""
    axis, speed = axis_of_pairs(theta), theta.sum(axis=0)
    if axis is None or (speed <= 0).any():
        return None
    order = np.argsort(-speed, kind="stable")
    for pairs in (np.arange(len(speed)), order):
        whole = name_rule(speed[pairs], error[pairs])
        if whole and whole.exponent == "2k/d" and whole.method == "plain":
            return whole
    rules = [name_rule(speed[axis == a], error[axis == a]) for a in np.unique(axis)]
    bases = {rule and (rule.base, rule.method, rule.factor) for rule in rules}
    return rules[0] if len(bases) == 1 else None


# ---------------------------------------------------------------- how exact the angles are


def dtype_of(r: Rotation, ask: Callable[[np.ndarray], np.ndarray], places: np.ndarray) -> Rotation:
    """Return the rotation with the number format of its angles, by their error at far positions.

    ask: the responses [len, pairs] at positions [len].
    """
    if r.rule is None or r.start is None or len(r.theta) > 1:
        return r
    got = np.ascontiguousarray(ask(places))
    inv_freq = r.rule.frequencies().inv_freq[: got.shape[1]]
    unit, at = got / np.abs(got), places + r.start
    trials: dict[tuple[str, str], np.ndarray] = {("float64", ""): at[:, None] * inv_freq}
    for dtype in ("bfloat16", "float16"):
        near, slow = to_dtype(at, dtype)[:, None], to_dtype(inv_freq, dtype)
        trials[dtype, "frequencies"] = at[:, None] * slow
        trials[dtype, "positions"] = near * inv_freq
        trials[dtype, "angles"] = to_dtype(near * slow, dtype)
    with np.errstate(invalid="ignore"):
        off = {
            name: np.nan_to_num(np.abs(unit - np.exp(1j * r.direction * angles)), nan=9).max()
            for name, angles in trials.items()
        }
    best = min(off, key=lambda name: off[name])
    exact, step = off["float64", ""], step_of(got.view(np.float64))
    if exact < 2e-6 + step or off[best] > 0.5 * exact or off[best] > 0.1:
        worst = (places.max() + 1) * 4e-7 + 1e-6 + step
        if exact >= worst:
            return r
        plain = "float64" if exact < 2e-6 else "float32"
        told = None if places.max() < TELLING else plain
        return replace(r, dtype=r.rule.parameters.get("rounded", told))
    if best[1] == "frequencies":
        return replace(r, dtype=best[0], rule=rounded(r.rule, best[0]))
    return replace(r, dtype=best[0], rounding=best[1] if not r.xpos else "")
