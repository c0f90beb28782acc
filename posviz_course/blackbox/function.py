"""Name what a function does: unit vectors in, from near positions to far ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from posviz_course.blackbox.blocks import Blocks, blocks_of
from posviz_course.blackbox.box import Box, NotLinear, matrices, require_linear
from posviz_course.blackbox.lines import step_of
from posviz_course.blackbox.rotation import Rotation, dtype_of, named
from posviz_course.blackbox.rule import FrequencyRule, roundest
from posviz_course.blackbox.rules import name_loosely
from posviz_course.blackbox.sentences import rotation_verdict
from posviz_course.blackbox.track import track
from posviz_course.blackbox.verdict import ProgramVerdict, unknown
from posviz_course.blackbox.writing import apply_line, line_of

NEAR = 32  # positions that are asked one by one
FARTHEST = 2**17
CHANGED = 3e-6  # of a response; the same sums in a longer call differ by less


@dataclass(frozen=True)
class Reach:
    """How far a function goes: the first position where it ends, holds still, or changes its mind.

    limit and held: positions; longest: the largest position in a call that leaves the frequencies
    as they are; remembers: a short call after a long one is not as before it, and the long one was
    as long as ``until``.
    """

    limit: int | None = None
    error: str = ""
    held: int | None = None
    longest: int | None = None
    remembers: bool = False
    until: int = 0


def identify_function(
    rotate: Callable[..., Any], head_dim: int, axes: int | None
) -> ProgramVerdict:
    """Return the verdict on rotate(x [len, head_dim], positions [len] or [len, axes])."""
    box = Box(rotate, head_dim, axes)
    try:
        box(np.ones((5, head_dim)), box.place(np.arange(5)) if box.axes else np.arange(5))
        require_linear(box)
        near = _near(box)
        asked = [1, 2, 3, 5, near - 1]
        seen = np.concatenate([matrices(box, asked, a) for a in range(box.axes or 1)])
    except NotLinear as error:
        return unknown(str(error))
    blocks = blocks_of(seen)
    if isinstance(blocks, str):
        return unknown(blocks)
    if not len(blocks.entering):
        return unknown("Nothing rotates: the result does not depend on the position.")
    if blocks.mixed:
        from posviz_course.blackbox.mixed import mixed_verdict

        farthest = 2048
        while farthest > near and _fails(box, np.array([farthest - 1])):
            farthest //= 2
        return mixed_verdict(box, blocks, farthest)
    ask = _asker(box, blocks)
    positions, response, reach = _walk(ask, near)
    if np.abs(response - response[0]).max() < CHANGED:
        return unknown("It rotates by the same angles at all positions: it ignores them.")
    step = step_of(response.view(np.float64))
    tracks = [track(positions, response, step=step / 2)]
    for axis in range(1, box.axes or 1):
        tracks.append(track(positions, ask(positions, axis), step=step / 2))
    end = _end(reach)
    far = np.unique(np.geomspace(min(64, end), min(end, 4096), 24).astype(int) - 1)
    rotation = named(blocks, tracks, positions, response)
    rotation = dtype_of(rotation, _asker(box, rotation.blocks), far)
    if rotation.dtype is None and len(tracks) == 1:
        loose = named(blocks, tracks, positions, response, name_loosely)
        loose = dtype_of(loose, _asker(box, loose.blocks), far)
        rotation = loose if loose.rounding else rotation
    line = line_of(rotation)
    if reach.longest is not None:
        changed = _changed(rotation, ask, reach)
        if changed:
            line, rotation = changed
    checks = [_recorded(rotation, response)] if reach.remembers else check(box, line, end, step)
    return rotation_verdict(rotation, line, checks, reach)


def _asker(box: Box, blocks: Blocks) -> Callable[..., np.ndarray]:
    """Return a function: positions [len] on an axis → the responses of the pairs [len, pairs]."""
    probe = blocks.probe()

    def ask(places: np.ndarray, axis: int = 0) -> np.ndarray:
        rows = np.repeat(probe, len(places), axis=0)
        return blocks.response(box(rows, box.place(places, axis)))

    return ask


def _end(reach: Reach) -> int:
    ends = [e for e in (reach.limit, reach.held, reach.longest and reach.longest + 1) if e]
    return min([*ends, FARTHEST])


def _near(box: Box) -> int:
    """Return how many positions can be asked one by one: a small image has few rows."""
    near = NEAR
    while near > 8 and _fails(box, np.arange(near)):
        near //= 2
    return near


def _fails(box: Box, places: np.ndarray) -> bool:
    try:
        box(np.ones((len(places), box.head_dim)), box.place(places))
    except Exception:  # somebody's code may raise anything
        return True
    return False


def _walk(
    ask: Callable[[np.ndarray], np.ndarray], near: int
) -> tuple[np.ndarray, np.ndarray, Reach]:
    """Ask for farther and farther positions, until the function ends or changes."""
    places, responses, reach = [*range(near)], [*ask(np.arange(near))], Reach()
    before = responses[-1]  # at the same position in every call

    def trouble(place: int) -> str:
        try:
            again, there = ask(np.array([near - 1, place]))
        except Exception as error:  # somebody's code may raise anything
            return f"raises {type(error).__name__}"
        if not np.isfinite(there).all():
            return "gives NaN"
        return "changes" if np.abs(again - before).max() > CHANGED else ""

    far = [int(near * 1.5**power) for power in range(24)]
    for place in [*(place for place in far if place < FARTHEST - 1), FARTHEST - 1]:
        if what := trouble(place):
            remembers = what == "changes" and np.abs(ask(np.array([near - 1]))[0] - before).max()
            if remembers > CHANGED:
                reach = Reach(longest=places[-1], until=place, remembers=True)
                break
            first = _bisect(places[-1], place, lambda p: bool(trouble(p)))
            is_end = what != "changes"
            reach = Reach(limit=first, error=what) if is_end else Reach(longest=first - 1)
            break
        there = ask(np.array([near - 1, place]))[1]
        if np.abs(there - responses[-1]).max() < 1e-9 and np.abs(there - before).max() > CHANGED:
            reach = Reach(held=1 + _bisect(places[-2], place, functools.partial(_same, ask, place)))
            break
        places.append(place)
        responses.append(there)
    keep = np.array(places) < _end(reach)
    return np.array(places)[keep], np.array(responses)[keep], reach


def _same(ask: Callable[[np.ndarray], np.ndarray], end: int, place: int) -> bool:
    one, other = ask(np.array([place, end]))
    return bool(np.abs(one - other).max() < 1e-9)


def _bisect(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the first place in (low, high] where it holds, if it holds from there on."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


# ---------------------------------------------------------------- frequencies that change


def _changed(r: Rotation, ask: Callable[..., np.ndarray], reach: Reach) -> tuple | None:
    """Return the line and rotation of dynamic NTK or LongRoPE: others in a longer call."""
    if r.rule is None or r.rule.base is None or reach.longest is None or reach.remembers:
        return None
    original = reach.longest + 1
    speeds, errors, gains = [], [], []
    for longest in (2 * original, 4 * original):
        places = np.unique([*range(NEAR), *np.geomspace(NEAR, longest, 24).astype(int)])
        response = ask(places)
        seen = track(places, response)
        speeds.append(r.direction * seen.theta)
        errors.append(seen.error)
        gains.append(float(np.abs(response).mean()))
    plain, n = r.rule.frequencies().inv_freq[: len(speeds[0])], len(speeds[0])
    static = np.abs(speeds[0] - speeds[1]).max() < 4 * max(e.max() for e in errors) + 1e-7
    layout, base = f"layout={r.layout!r}", r.rule.base
    if static:
        return _longrope(r, original, speeds[0], gains[0], layout)
    k = np.arange(1, n)
    alpha = [float(np.exp(np.median(np.log(plain[1:] / s[1:]) * (n - 1) / k))) for s in speeds]
    factor = roundest((alpha[0] - 1) / (2 * original + 1 - original) * original, 2e-3)
    arguments = f"seq_len=int(positions.max()) + 1, original_max_seq_len={original}, base={base!r}"
    line = f"dynamic_ntk({2 * n}, {factor!r}, {arguments})"
    rule = FrequencyRule(
        "ntk", base, line, 0, factor, parameters={"original_max_seq_len": original, "dynamic": True}
    )
    whole = f"lambda x, positions: Rotary(frequencies={line}, {layout}).at_query(x, positions)"
    return whole, _with_rule(r, rule)


def _longrope(r: Rotation, original: int, speed: np.ndarray, gain: float, layout: str) -> tuple:
    assert r.rule
    n = len(speed)
    base = r.rule.base or 1e4
    long = base ** (-np.arange(n) / n) / speed
    short = base ** (-np.arange(n) / n) / r.rule.frequencies().inv_freq[:n]
    lists = [[roundest(float(f), 2e-8 * f) for f in factors] for factors in (short, long)]
    arguments = (
        f"short_factors={lists[0]}, long_factors={lists[1]}, seq_len=int(positions.max()) + 1, "
        f"original_max_seq_len={original}, max_seq_len={original}, base={base!r}, "
        f"attention_factor={roundest(gain, 1e-6)!r}"
    )
    line = f"longrope({2 * n}, {arguments})"
    rule = FrequencyRule(
        "longrope", base, line, 0, max(lists[1]), parameters={"original_max_seq_len": original}
    )
    whole = f"lambda x, positions: Rotary(frequencies={line}, {layout}).at_query(x, positions)"
    return whole, _with_rule(r, rule)


def _with_rule(r: Rotation, rule: FrequencyRule) -> Rotation:
    return replace(r, rule=rule)


# ---------------------------------------------------------------- fresh inputs


@dataclass(frozen=True)
class Check:
    """A comparison on fresh inputs at positions below ``end``: the largest difference, and where.

    begins: the first position, and wrong: the columns, that differ by more than rounding.
    """

    end: int
    difference: float
    allowed: float
    begins: int = 0
    wrong: tuple[int, ...] = ()


def compared(off: np.ndarray, allowed: float, places: np.ndarray, end: int) -> Check:
    """Return the comparison of rows [len, width] that differ by ``off`` at their positions."""
    off = np.nan_to_num(off, nan=np.inf)
    rows = np.flatnonzero(off.max(axis=1) > allowed)
    begins = int(places.reshape(len(off), -1)[rows].max(axis=1).min()) if len(rows) else 0
    wrong = np.flatnonzero(off.max(axis=0) > allowed)
    return Check(end, float(off.max()), allowed, begins, tuple(wrong.tolist()))


def _recorded(r: Rotation, response: np.ndarray) -> Check:
    """Compare with the outputs of a function with a memory from before it saw a long text."""
    inv_freq = r.rule.frequencies().inv_freq if r.rule else np.abs(r.theta[0])
    angles = r.direction * np.outer(np.arange(NEAR) + (r.start or 0), inv_freq)
    ours = (r.gain or 1.0) * np.exp(1j * angles[:, : response.shape[1]])
    off = float(np.abs(ours - response[:NEAR]).max())
    return Check(NEAR, off, 2e-5)


def check(box: Box, line: str, end: int, step: float) -> list[Check]:
    """Compare a function with a line of posviz, near first, then farther."""
    rng, checks = np.random.default_rng(7), []
    start = 0
    for stop in sorted({min(s, end) for s in (64, 512, 4096, 32768, FARTHEST)}):
        if stop <= start:
            continue
        for length in (1, 7, 40, 300):
            shape = (length,) if box.axes == 1 else (length, int(box.axes or 1))
            high = stop if box.axes == 1 else min(stop, 64)
            low = start if box.axes == 1 else 0
            places = np.sort(rng.integers(low, high, size=shape), axis=0)
            places[-1] = high - 1  # where a table ends
            x = rng.normal(size=(length, box.head_dim))
            got, ours = box(x, places), apply_line(line, x, places)
            eps = max(step_of(got), step)
            allowed = float(np.abs(ours).max()) * (3 * eps + 3e-7 * stop)
            checks.append(compared(np.abs(got - ours), allowed, places, stop))
        start = stop
    return checks
