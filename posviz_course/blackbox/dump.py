"""Name what happened to rows: a dump of them before and after, as any engine can write it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from posviz.arrays import to_numpy
from posviz_course.blackbox.blocks import Blocks
from posviz_course.blackbox.function import Check, compared, identify_function
from posviz_course.blackbox.lines import step_of
from posviz_course.blackbox.rotation import Rotation, dtype_of, named
from posviz_course.blackbox.rules import PLAIN, name_loosely, name_rule, name_straight
from posviz_course.blackbox.sentences import rotation_verdict
from posviz_course.blackbox.track import Track, track
from posviz_course.blackbox.verdict import ProgramVerdict, unknown
from posviz_course.blackbox.writing import apply_line, line_of

SAMPLE = 256  # rows that are looked at; all are compared in the end
FEWEST = 6
HALF = 2.0**-12  # a rounding above it is half precision
BEGINNING = 48  # rows that are tried alone, if all of them follow no rule
MATCH = 0.03  # of a norm before and after, as a logarithm


def identify_dump(before: Any, after: Any, positions: Any = None) -> ProgramVerdict:
    """Return the verdict on rows before and after, [len, d], [heads, len, d] or [len, heads, d].

    positions [len] or [len, axes]; None: consecutive ones, whose first is found.
    """
    x, y = (_rows(rows, name) for rows, name in ((before, "before"), (after, "after")))
    if x.shape != y.shape:
        raise ValueError(f"before is {x.shape} and after {y.shape}: they must have one shape.")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return unknown("The rows contain NaN or infinity, so nothing can be read off them.")
    orders = {"[heads, len, d]": (x, y)}
    if x.ndim == 2:
        orders = {"": (x[None], y[None])}
    elif x.shape[0] > 1 and x.shape[1] > 1:
        orders["[len, heads, d]"] = x.swapaxes(0, 1), y.swapaxes(0, 1)
    tried = []
    for name, (one, other) in orders.items():
        if positions is not None and len(np.asarray(positions)) != one.shape[1]:
            continue
        verdict = _identify(one, other, positions)
        if name and verdict.kind == "rotation":
            heads, tokens = one.shape[:2]
            said = f"The rows are {name}: {heads} heads of {tokens} tokens."
            verdict = replace(verdict, sentences=(said, *verdict.sentences))
        tried.append(verdict)
        if verdict.explained:
            break
    if not tried:
        raise ValueError(f"positions must be as many as the rows of {x.shape}.")
    return max(tried, key=lambda v: (v.explained, v.kind == "rotation", -(v.difference or 0)))


def _rows(rows: Any, name: str) -> np.ndarray:
    array = np.asarray(to_numpy(rows), np.float64)
    while array.ndim > 3 and 1 in array.shape[:-2]:
        array = array.squeeze(axis=array.shape.index(1))
    if array.ndim not in (2, 3):
        raise ValueError(f"{name} must be [len, d] or [heads, len, d], got shape {array.shape}.")
    return array


def _identify(x: np.ndarray, y: np.ndarray, positions: Any) -> ProgramVerdict:
    """Return the verdict on rows [heads, len, d]."""
    length = x.shape[1]
    if length < FEWEST:
        rows = "1 row says" if length == 1 else f"{length} rows say"
        return unknown(f"{rows} too little: give at least {FEWEST}, better 200.")
    step = max(step_of(y), step_of(x))
    if step > HALF and length < 3 * FEWEST:
        return unknown(f"{length} rows in half precision say too little: give some 200.")
    if np.abs(x - y).max() <= step * np.abs(x).max():
        return unknown("The rows are the same before and after: nothing rotates.")
    places = np.arange(length) if positions is None else _places(positions, length)
    axes = places[0].size
    if axes == 1:
        places, keep = np.unique(places.reshape(length), return_index=True)
        x, y = x[:, keep], y[:, keep]
    sample = np.unique(np.geomspace(1, len(places), SAMPLE).astype(int) - 1)
    sample = np.union1d(sample, np.arange(min(64, len(places))))
    best = None
    for blocks in _pairings(x[:, sample], y[:, sample], step):
        rotation = _name(blocks, x, y, places, sample, axes, step)
        line = line_of(rotation)
        checks = _compare(line, x, y, places, step)
        tried_on = f"all rows, positions {places.min():,} to {places.max():,}"
        verdict = replace(rotation_verdict(rotation, line, checks, None), tried_on=tried_on)
        cost = rotation.rule.cost if rotation.rule else 1e3
        rank = (verdict.explained, -cost, -(verdict.difference or 0))
        if best is None or rank > best[0]:
            best = rank, verdict
    if best is None or not best[1].explained:
        for other in (_as_function, _by_head, _beginning):
            if of_others := other(x, y, places, step):
                return of_others
    if best is None or (not best[1].explained and best[1].difference > 0.5 * np.abs(y).max()):
        return unknown(
            "No rotation was found that makes these rows: this is no rotation, or the shape, the "
            "order of heads and tokens or the positions are others than was tried."
        )
    return best[1]


def _places(positions: Any, length: int) -> np.ndarray:
    """Return positions [len] or [len, axes] as finite numbers."""
    places = np.asarray(to_numpy(positions))
    if places.dtype.kind not in "iuf" or not np.isfinite(places).all():
        raise ValueError("positions must be finite numbers.")
    if places.ndim > 2 or len(places) != length:
        raise ValueError(f"positions must be [{length}] or [{length}, axes], got {places.shape}.")
    return places


def _beginning(
    x: np.ndarray, y: np.ndarray, places: np.ndarray, step: float
) -> ProgramVerdict | None:
    """Return the verdict on the first rows, if they alone are explained, and where it ends."""
    if x.shape[1] <= BEGINNING:
        return None
    verdict = _identify(x[:, :BEGINNING], y[:, :BEGINNING], places[:BEGINNING])
    if not verdict.explained:
        return None
    (check,) = _compare(str(verdict.code), x, y, places, step)
    if check.difference <= check.allowed:
        return replace(verdict, difference=check.difference)
    said = f"Not explained: the rows from position {check.begins:,} on, which differ from the line."
    return replace(verdict, explained=False, difference=check.difference,
                   sentences=(*verdict.sentences, said))  # fmt: skip


def _by_head(x, y, places, step) -> ProgramVerdict | None:
    """Return the verdict on most heads, if the others do something else."""
    if not 1 < len(x) <= 64:
        return None
    verdicts = [_identify(x[[head]], y[[head]], places) for head in range(len(x))]
    lines = [verdict.code for verdict in verdicts if verdict.explained]
    if not lines:
        return None
    most = max(lines, key=lines.count)
    others = [head for head, verdict in enumerate(verdicts) if verdict.code != most]
    verdict = next(verdict for verdict in verdicts if verdict.code == most)
    said = f"Not explained: heads {others} do something else: {verdicts[others[0]].sentences[0]}"
    return replace(verdict, explained=False, sentences=(*verdict.sentences, said))


def _as_function(x, y, places, step) -> ProgramVerdict | None:
    """Return the verdict on the matrices of pairs that several heads determine at each position.

    That is for mistakes within a pair, which change norms. Shapes: x and y [heads, len, d].
    """
    heads, _, width = x.shape
    if heads < 3 or width % 2:
        return None
    for pairs in layouts(width).values():
        before, after = (rows[..., pairs].transpose(1, 2, 0, 3) for rows in (x, y))
        # [len, pairs, heads, 2] → [len, pairs, 2, 2]
        matrices = np.linalg.pinv(before) @ after
        if np.abs(before @ matrices - after).max() > 8 * step * np.abs(y).max():
            continue

        def rotate(rows, positions, pairs=pairs, matrices=matrices):
            made = np.einsum("lpa,lpab->lpb", rows[:, pairs], matrices[positions])
            out = np.empty_like(rows)
            out[:, pairs] = made
            return out

        verdict = identify_function(rotate, width, 1)
        said = tuple(s for s in verdict.sentences if not s.startswith("It ends"))
        if verdict.explained:
            return replace(verdict, sentences=said, tried_on="these rows")
    return None


# ---------------------------------------------------------------- pairs of columns


def _pairings(x: np.ndarray, y: np.ndarray, step: float) -> Iterator[Blocks]:
    """Yield the pairs that keep their norm, the usual layouts first; all columns else at rest."""
    width = x.shape[-1]
    log_x, log_y = (_norms(rows) for rows in (x, y))
    still = np.array([np.abs(x[..., c] - y[..., c]).max() <= 2 * step * np.abs(x[..., c]).max()
                      for c in range(width)])  # fmt: skip
    last = int(np.flatnonzero(~still).max()) + 1
    first = int(np.flatnonzero(~still).min())
    has_pairs = False
    for start in dict.fromkeys((0, first)):
        for dim in range(2, width - start + 1, 2):
            pairs = {name: start + order for name, order in layouts(dim).items()}
            for name, entering in pairs.items():
                rest = np.setdiff1d(np.arange(width), entering)
                if not still[rest].all() or (dim < width - start and last > start + dim):
                    continue
                if name == "interleaved" and start + dim < width:
                    continue  # with pairs at rest it is the whole width; trimmed when it is named
                if _keeps(log_x(entering), log_y(entering)):
                    has_pairs = True
                    yield Blocks(width, entering, entering, rest, rest)
    if has_pairs:
        return
    whole = layouts(width).values() if width % 2 == 0 else ()
    for entering in whole:
        for leaving in whole:
            if entering is not leaving and _keeps(log_x(entering), log_y(leaving)):
                has_pairs = True
                yield Blocks(width, entering, leaving)
    if not has_pairs and (blocks := _nearest(log_x, log_y, width, still)):
        yield blocks


def layouts(dim: int) -> dict[str, np.ndarray]:
    """Return the pairs [pairs, 2] of both layouts."""
    columns = np.arange(dim)
    return {"interleaved": columns.reshape(-1, 2), "half_split": columns.reshape(2, -1).T}


def _norms(rows: np.ndarray):
    """Return a function: pairs [pairs, 2] → the logarithm of their norms [heads, len, pairs]."""
    squares = rows**2 + 1e-300
    return lambda pairs: 0.5 * np.log(squares[..., pairs[:, 0]] + squares[..., pairs[:, 1]])


def _keeps(log_before: np.ndarray, log_after: np.ndarray) -> bool:
    return bool((_off(log_before, log_after) < MATCH).all())


def _off(log_before: np.ndarray, log_after: np.ndarray) -> np.ndarray:
    """Return how far each pair's gain is from a straight line in the position (xPos), [pairs]."""
    gain = log_after - log_before
    at = np.linspace(-1, 1, gain.shape[1])
    middle = np.median(gain, axis=0)
    third = max(1, len(at) // 3)
    slope = np.median(middle[-third:], axis=0) - np.median(middle[:third], axis=0)
    slope = slope / (np.median(at[-third:]) - np.median(at[:third]))
    rest = gain - at[:, None] * slope
    return np.median(np.abs(rest - np.median(rest, axis=(0, 1))), axis=(0, 1))


def _nearest(log_x, log_y, width: int, still: np.ndarray) -> Blocks | None:
    """Return the pairs that keep their norm best, whatever their order; the others at rest."""
    moving = np.flatnonzero(~still)
    candidates = np.array([(i, j) for n, i in enumerate(moving) for j in moving[n + 1 :]])
    if not len(candidates):
        return None
    off, pairs = _off(log_x(candidates), log_y(candidates)), []
    used: set[int] = set()
    for best in np.argsort(off):
        i, j = candidates[best].tolist()
        if off[best] < MATCH and not {i, j} & used:
            pairs.append((i, j))
            used |= {i, j}
    if 2 * len(pairs) < len(moving) or not pairs:
        return None
    entering = np.array(sorted(pairs))
    rest = np.setdiff1d(np.arange(width), entering)
    return Blocks(width, entering, entering, rest, rest)


# ---------------------------------------------------------------- angles


def _name(blocks, x, y, places, sample, axes, step) -> Rotation:
    """Return the rotation of these pairs, of which as few rotate as their frequencies allow."""
    z_in, z_out = (
        rows[..., pairs[:, 0]] + 1j * rows[..., pairs[:, 1]]
        for rows, pairs in ((x, blocks.entering), (y, blocks.leaving))
    )
    weights = (np.abs(z_in) ** 2).sum(axis=0) + 1e-300
    response = (z_out * z_in.conj()).sum(axis=0) / weights
    if axes > 1:
        tracks = _jointly(places.astype(float), response, weights)
        return named(blocks, tracks, places[sample][:, 0], response[sample])
    seen = track(places[sample], response[sample], weights[sample], step / 2)
    fewest = int((np.abs(seen.theta) > 6 * seen.error).sum())
    counts = [len(seen.theta)]
    if np.array_equal(blocks.entering.ravel(), np.arange(blocks.entering.size)):
        every = range(max(fewest, 1), len(seen.theta) + 1)
        counts = [n for n in every if n % 4 == 0 or n in (every[0], every[-1])]
    at = places[sample], response[sample], weights[sample]
    rotations = [_named_part(blocks, seen, at, count, name_straight) for count in counts]
    best = min(rotations, key=_cost)
    if _cost(best) <= PLAIN:
        return best
    counts = sorted({counts[0], counts[-1], *(n for n in counts if n % 16 == 0)})
    rotations = [_named_part(blocks, seen, at, count, name_rule) for count in counts]
    loose = [_named_part(blocks, seen, at, count, name_loosely) for count in counts]
    return min([*rotations, *(r for r in loose if r.rounding)], key=_cost)


def _cost(rotation: Rotation) -> float:
    return rotation.rule.cost if rotation.rule else np.inf


def _named_part(blocks: Blocks, seen: Track, at: tuple, count: int, name: Callable) -> Rotation:
    """Return the rotation if only the first ``count`` pairs rotate."""
    places, response, weights = at
    rest = np.append(blocks.rest, blocks.entering[count:].ravel()).astype(int)
    rotating = replace(blocks, entering=blocks.entering[:count], leaving=blocks.leaving[:count],
                       rest=rest, rest_to=rest)  # fmt: skip
    tracks = [Track(*(array[..., :count] for array in vars(seen).values()))]
    rotation = named(rotating, tracks, places, response[:, :count], name, weights[:, :count])
    loud = weights.min(axis=1) > 0.02 * weights.mean()
    where = np.flatnonzero(loud & (np.abs(places) < 4096))
    if len(where):
        asked = response[where][:, rotation_columns(blocks, rotation)]
        rotation = dtype_of(rotation, lambda _: asked, places[where])
    return rotation


def rotation_columns(blocks: Blocks, rotation: Rotation) -> list[int]:
    """Return which of the pairs in ``blocks`` each pair of the rotation is."""
    place = {frozenset(pair): k for k, pair in enumerate(blocks.entering.tolist())}
    return [place[frozenset(pair)] for pair in rotation.blocks.entering.tolist()]


def _jointly(places: np.ndarray, response, weights) -> list[Track]:
    """Follow all columns of positions at once, from neighbours to far rows.

    Shapes: places [len, axes], response and weights [len, pairs].
    """
    steps = np.diff(places, axis=0)
    near = np.abs(steps).max(axis=1) == 1
    if not near.any() or np.linalg.matrix_rank(places - places[0]) < places.shape[1]:
        raise ValueError("Each column of positions must move by 1 somewhere, and in its own way.")
    turns = np.angle(response[1:] * response[:-1].conj())
    theta = np.linalg.lstsq(steps[near], turns[near], rcond=None)[0]
    phase, moved = np.angle(response[0]), places - places[0]
    for span in (1, 2, 4, 8, 16, 64, 256, np.inf):
        rows = np.abs(moved).max(axis=1) <= span
        rest = np.angle(response[rows] * np.exp(-1j * (phase + moved[rows] @ theta)))
        design = np.column_stack([moved[rows], np.ones(rows.sum())])
        change = np.linalg.lstsq(design, rest, rcond=None)[0]
        theta, phase = theta + change[:-1], phase + change[-1]
    left = rest - design @ change
    error = np.sqrt((left**2).mean(axis=0)) / max(np.ptp(moved), 1) + 1e-13
    at_zero = np.angle(np.exp(1j * (phase - places[0] @ theta)))
    return [Track(axis, at_zero, error, left) for axis in theta]


def _compare(
    line: str, x: np.ndarray, y: np.ndarray, places: np.ndarray, step: float
) -> list[Check]:
    """Compare all rows of up to eight heads with a line of posviz."""
    ours = np.stack([apply_line(line, head, places) for head in x[:8]])
    off = np.abs(ours - y[:8]).max(axis=0)
    allowed = 3 * float(np.abs(y).max()) * (step + 3e-7 * float(np.abs(places).max() + 1))
    return [compared(off, allowed, places, int(np.abs(places).max()) + 1)]
