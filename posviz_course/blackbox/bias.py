"""Name a bias that is added to attention scores: by offset, by distance, or by more than that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from posviz.arrays import to_numpy
from posviz.encodings.alibi import alibi_slopes
from posviz.encodings.deberta import deberta_bucket
from posviz.encodings.relative import offsets
from posviz.encodings.t5 import t5_bucket
from posviz_course.blackbox.lines import compute, listed, step_of
from posviz_course.blackbox.rule import digits, roundest
from posviz_course.blackbox.verdict import ProgramVerdict, unknown

FORMATS = {2.0**-8: "bfloat16", 2.0**-10: "float16"}
MASKED = -9.9e3  # what is below it hides a key


@dataclass(frozen=True)
class ByOffset:
    """A bias that is a function of the offset: values [heads, offsets] at offsets in rising order.

    ``grid`` has the offset i − j of every entry; ``shift`` is the position of the first query.
    """

    values: np.ndarray
    offsets: np.ndarray
    grid: np.ndarray
    shift: int
    tolerance: float

    def side(self, sign: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the distances and values [heads, distances] of past (1) or future (−1) keys."""
        keep = sign * self.offsets > 0
        order = np.argsort(np.abs(self.offsets[keep]))
        return np.abs(self.offsets[keep])[order], self.values[:, keep][:, order]


def identify_bias(bias: Any, without: Any = None) -> ProgramVerdict:
    """Return the verdict on a bias [heads, q_len, k_len], or on scores with it and without."""
    array = np.asarray(to_numpy(bias), np.float64)
    if without is not None:
        plain = np.asarray(to_numpy(without), np.float64)
        if plain.shape != array.shape:
            raise ValueError(f"scores are {array.shape} and without {plain.shape}: give one shape.")
        with np.errstate(invalid="ignore"):
            array = array - plain
            array = np.where(np.isnan(array), -np.inf, array)  # hidden in both
    if array.ndim == 4 and len(array) > 1:
        if np.nanmax(np.abs(np.where(np.isfinite(array), array - array[:1], 0))) > 1e-5:
            return ProgramVerdict(
                "bias", ("The bias differs from text to text, so it depends on their content.",),
                depends_on="content", method="other",
            )  # fmt: skip
        array = array[0]
    array = array[0] if array.ndim == 4 else array[None] if array.ndim == 2 else array
    if array.ndim != 3:
        raise ValueError(f"bias must be [heads, q_len, k_len], got shape {array.shape}.")
    if np.isnan(array).any():
        return unknown("The bias contains NaN, so nothing can be read off it.")
    seen = array > MASKED
    if (min(array.shape[1:]) < 2 and max(array.shape[1:]) < 8) or seen.sum() < 8:
        return unknown("The bias has too few entries that are not hidden: give 24 × 24 or more.")
    scale = float(np.abs(array[seen]).max())
    if scale == 0:
        return unknown("All entries are 0: no bias is added.")
    verdict = _identify(array, seen, scale * 2e-6)
    if not verdict.explained:  # in half precision, now or before it was cast
        rounded = _identify(array, seen, scale * 2.0**-8)
        if rounded.explained:
            said = (*rounded.sentences, "It agrees as closely as half precision does.")
            dtype = FORMATS.get(step_of(array[seen]))
            return replace(rounded, sentences=said, dtype=dtype)
    return verdict


def _identify(array: np.ndarray, seen: np.ndarray, tolerance: float) -> ProgramVerdict:
    by_offset, note = _by_offset(array, seen, tolerance)
    if by_offset is None:
        return _not_by_offset(array, seen, tolerance)
    known = by_offset.values[:, np.isfinite(by_offset.values).all(axis=0)]
    if np.ptp(known, axis=1).max() < tolerance:
        return unknown("All entries that are not hidden are the same: attention does not see it.")
    for verdict in _named(by_offset, array, seen):
        if verdict.explained:
            break
    else:
        verdict = _falling(by_offset)
    return replace(verdict, sentences=(*verdict.sentences, *note))


def _by_offset(array, seen, tolerance: float) -> tuple[ByOffset | None, list[str]]:
    """Return the bias as a function of the offset, where it is one, up to a number for each row."""
    q_len, k_len = array.shape[1:]
    shift = k_len - q_len  # the last query is the last token
    grid = offsets(np.arange(q_len) + shift, np.arange(k_len))
    rows = np.arange(q_len)
    own = np.minimum(rows + max(shift, 0), k_len - 1)
    for note, change in (
        ([], 0.0),
        (["Each row is shifted by a number of its own, which softmax does not see."],
         np.where(seen[:, rows, own], array[:, rows, own], 0.0)[:, :, None]),
    ):  # fmt: skip
        values, known = _means(array - change, seen, grid)
        at = np.searchsorted(known, grid)
        off = np.where(seen, np.abs(array - change - values[:, at]), 0)
        if np.nanmax(off) <= 2 * tolerance:
            return ByOffset(values, known, grid, shift, 2 * tolerance), note
    return None, []


def _means(array, seen, grid) -> tuple[np.ndarray, np.ndarray]:
    """Return one value a head and offset, [heads, offsets], and the offsets; NaN where hidden."""
    known, place = np.unique(grid, return_inverse=True)
    place = place.ravel()
    values = np.full((len(array), len(known)), np.nan)
    for head, (row, shown) in enumerate(zip(array, seen, strict=True)):
        flat = np.where(shown.ravel(), row.ravel(), 0)
        total = np.bincount(place, flat, len(known))
        count = np.bincount(place, shown.ravel(), len(known))
        values[head] = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return values, known


def _not_by_offset(array, seen, tolerance: float) -> ProgramVerdict:
    shown = seen.all(axis=0)
    rows = np.flatnonzero(shown.any(axis=1))
    said = "It depends on more than the offset: on content, on absolute positions, or on nothing."
    block = array[:, rows[len(rows) // 2] :, : int(shown[rows[len(rows) // 2]].sum())]
    if min(block.shape[1:]) > 2 and np.isfinite(block).all():
        crossed = block[:, 1:, 1:] - block[:, :-1, 1:] - block[:, 1:, :-1] + block[:, :-1, :-1]
        if np.abs(crossed).max() < 4 * tolerance:
            said = (
                "It is a number for each query plus one for each key, as the sums of FoX's forget "
                "gates are, and no function of the offset."
            )
    return ProgramVerdict("bias", (said,), depends_on="content", method="other")


# ---------------------------------------------------------------- rules


def _named(b: ByOffset, array: np.ndarray, seen: np.ndarray) -> Iterator[ProgramVerdict]:
    """Yield verdicts on the rules that the values look like, each compared with all entries."""
    where = f"offsets(np.arange({array.shape[1]}) + {b.shift}, np.arange({array.shape[2]}))"
    where = where.replace(" + 0,", ",")
    for said, line, facts in (*_alibi(b, where), *_buckets(b, where), *_kerple(b, where)):
        ours = np.broadcast_to(compute(line), array.shape)
        grid_values = b.values[:, np.searchsorted(b.offsets, b.grid)]
        off = np.where(seen, np.abs(ours - grid_values), 0)
        explained = bool(np.nanmax(off) <= 2 * b.tolerance + 1e-6)
        yield ProgramVerdict(
            "bias", tuple(said), explained, float(np.nanmax(off)), line, tried_on="all entries",
            **facts,
        )  # fmt: skip


def _alibi(b: ByOffset, where: str) -> Iterator[tuple[list[str], str, dict]]:
    far, past = b.side(1)
    ahead, future = b.side(-1)
    if not len(far) or np.isnan(past).any():
        return
    zero = b.values[:, b.offsets == 0][:, 0] if (b.offsets == 0).any() else np.zeros(len(past))
    zero = np.nan_to_num(zero)
    slopes = -((past - zero[:, None]) * far).sum(axis=1) / (far * far).sum()
    if np.abs(past - zero[:, None] + np.outer(slopes, far)).max() > b.tolerance:
        return
    heads, own = len(slopes), alibi_slopes(len(slopes))
    single = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
    spread = b.tolerance / far.max() * 2 + 1e-6 * np.abs(slopes).max()
    said = [f"It is ALiBi with {heads} slopes: a score falls by the slope times the distance."]
    if (slopes < 0).any():
        said = ["It is linear in the distance, but with the wrong sign: far keys gain."]
    made = f"alibi_slopes({heads})"
    if np.abs(slopes - own).max() < spread:
        said.append("The slopes are those of the released code of ALiBi.")
    elif np.abs(slopes - single).max() < spread:
        made = f"2.0 ** (-8 * np.arange(1, {heads + 1}) / {heads})"
        said.append("The slopes are one series, 2^(−8h/n); the released code takes two series.")
    elif np.abs(slopes - slopes[0] / own[0] * own).max() < 2 * spread:
        by = roundest(float(slopes[0] / own[0]), spread / own[0] + 1e-9)
        made = f"{by!r} * alibi_slopes({heads})"
        said.append(f"The slopes are those of the released code, times {by:g}.")
    else:
        made = listed([roundest(float(m), spread) for m in slopes])
        said.append(f"The slopes are {', '.join(f'{m:.4g}' for m in slopes[:8])}.")
    line, depends = f"alibi_bias({made}, {where})", "offset"
    if len(ahead) and not np.isnan(future).any():
        line, depends, more = _future(b, slopes, zero, ahead, future, made, where)
        said.append(more)
    if np.abs(zero).max() > b.tolerance:
        line = f"{line} + {listed(zero)}[:, None, None]"
        said.append("Each head has a constant besides, which softmax does not see.")
    yield said, line, {
        "slopes": tuple(slopes.tolist()), "depends_on": depends, "method": "alibi"}  # fmt: skip


def _future(b, slopes, zero, ahead, future, made, where) -> tuple[str, str, str]:
    """Return the line, on what it depends and a sentence, by the bias of future keys."""
    moved = future - zero[:, None]
    if np.abs(moved + np.outer(slopes, ahead)).max() <= b.tolerance:
        return f"alibi_bias({made}, {where})", "distance", "Future keys fall with distance, too."
    if np.abs(moved).max() <= b.tolerance:
        line = f"alibi_bias({made}, np.maximum({where}, 0))"
        return line, "offset", "Future keys have no bias: it is one-sided."
    line = f"-np.asarray({made})[:, None, None] * {where}"
    return line, "offset", "It goes on with the sign of the offset: future keys gain."


def _buckets(b: ByOffset, where: str) -> Iterator[tuple[list[str], str, dict]]:
    far, past = b.side(1)
    if len(far) < 4 or np.isnan(past).any():
        return
    own = b.values[:, b.offsets == 0]
    one_side = np.hstack([own, past])
    equal = np.abs(np.diff(one_side, axis=1)).max(axis=0) <= b.tolerance
    if equal.sum() < 2:
        return
    exact = int(np.argmax(equal))  # the first distance that shares its number with the next
    edges = (np.flatnonzero(~equal) + 1).tolist()
    for name, line in _bucket_rules(b, max(exact, 1)):
        index = compute(line.format(listed(b.offsets)))
        table = np.zeros((int(index.max()) + 1, len(b.values)))
        for row in np.unique(index):
            inside = b.values[:, index == row]
            table[row] = np.nan_to_num(inside[:, ~np.isnan(inside).any(axis=0)].mean(axis=1))
        arguments = line[line.index("}, ") + 3 :].partition(")")[0]
        said = [f"It has one number for each bucket of offsets, as {name} ({arguments}).",
                f"It changes at the distances {', '.join(map(str, edges[:24]))}."]  # fmt: skip
        numbers = listed([[float(f"{v:.9g}") for v in row] for row in table])
        parameters = {"edges": edges, "buckets": f"{name}, {arguments}"}
        facts = {"depends_on": "offset", "method": "buckets", "parameters": parameters}
        yield said, f"t5_bias({numbers}, {line.format(where)})", facts
        return


def _bucket_rules(b: ByOffset, exact: int) -> Iterator[tuple[str, str]]:
    """Yield the rules of buckets that fit, as a name and a line of offsets {}; usual ones first."""
    farthest = int(np.abs(b.offsets).max())
    usual = [(s, n, md) for s in (1, 2) for n in (32, 64, 16, 128) for md in (128, 256, 64)]
    reach = range(exact + 1, max(2 * farthest, 200))
    own = [(s, n * s, md) for s in (1, 2) for n in (2 * exact, 2 * exact + 1) for md in reach]
    for rules in (usual, own):
        for sides, number, longest in sorted(rules, key=lambda rule: digits(rule[2])):
            if 0 < number // sides // 2 < longest:
                more: dict[str, Any] = {
                    "bidirectional": sides == 2,
                    "num_buckets": number,
                    "max_distance": longest,
                }
                if _constant_within(b, t5_bucket(b.offsets, **more)):
                    yield "T5", f"t5_bucket({{}}, {', '.join(f'{k}={v}' for k, v in more.items())})"
    lengths = (512, 128, 256, *range(exact + 2, max(2 * farthest, 200)))
    for size in (2 * exact - 2, 2 * exact):
        for longest in lengths if size >= 4 else ():
            if longest >= size // 2 + 2:
                index = deberta_bucket(b.offsets, size, longest)
                if _constant_within(b, index):
                    yield "DeBERTa", f"deberta_bucket({{}}, {size}, {longest}) + {size}"


def _constant_within(b: ByOffset, index: np.ndarray) -> bool:
    """Tell whether the values are one number in each bucket, and differ from bucket to bucket."""
    known = ~np.isnan(b.values).any(axis=0)
    values, index = b.values[:, known], index[known]
    step = np.abs(np.diff(values, axis=1)).max(axis=0) > b.tolerance
    return bool(np.array_equal(step, np.diff(index) != 0))


def _kerple(b: ByOffset, where: str) -> Iterator[tuple[list[str], str, dict]]:
    far, past = b.side(1)
    if len(far) < 6 or np.isnan(past).any():
        return
    for name, shape, low, high in (
        ("kerple_log_bias", lambda r2: np.log1p(r2 * far), 1e-4, 1e4),
        ("kerple_power_bias", lambda r2: far**r2, 1e-2, 2.0),
    ):
        fits = [_one_head(values, shape, low, high) for values in past]
        if max(off for *_, off in fits) > b.tolerance or min(r1 for r1, *_ in fits) <= 0:
            continue
        r1, r2 = ([roundest(float(fit[n]), 1e-6 * fit[n]) for fit in fits] for n in (0, 1))
        rule = "−r₁ · ln(1 + r₂ · distance)" if "log" in name else "−r₁ · distance^r₂"
        said = [
            f"It is Kerple: it falls as {rule}.",
            f"In head 0, r₁ is {r1[0]:.4g} and r₂ is {r2[0]:.4g}.",
        ]
        ahead, future = b.side(-1)
        shown = len(ahead) and not np.isnan(future).any()
        facts = {
            "depends_on": "distance" if shown else "offset",
            "method": name.removesuffix("_bias"),
            "parameters": {"r1": r1, "r2": r2},
        }
        yield said, f"{name}({listed(r1)}, {listed(r2)}, {where})", facts


def _one_head(values, shape, low: float, high: float) -> tuple[float, float, float]:
    """Return r1, r2 and the largest residual of −r1 · shape(r2), by narrowing r2."""
    ends = np.log(low), np.log(high)
    for _ in range(60):
        trials = np.linspace(*ends, 9)
        shapes = np.array([shape(np.exp(t)) for t in trials])
        scale = -(shapes * values).sum(axis=1) / (shapes * shapes).sum(axis=1)
        off = np.abs(values + scale[:, None] * shapes).max(axis=1)
        best = int(np.argmin(off))
        width = (ends[1] - ends[0]) / 8
        if width < 1e-12:
            break
        ends = max(trials[best] - width, np.log(low)), min(trials[best] + width, np.log(high))
    return float(scale[best]), float(np.exp(trials[best])), float(off[best])


def _falling(b: ByOffset) -> ProgramVerdict:
    """Say what is known of a bias that depends on the offset by no rule of posviz."""
    far, past = b.side(1)
    keep = ~np.isnan(past).any(axis=0)
    far, past = far[keep], past[:, keep]
    ahead, future = b.side(-1)
    same = len(ahead) > 0 and len(ahead) == len(far) and np.abs(past - future).max() <= b.tolerance
    said = [f"It depends on the {'distance' if same else 'offset'} alone, by no rule of posviz."]
    if len(far) > 3:
        mean = past.mean(axis=0)
        shapes = {"the distance": far, "the logarithm of the distance": np.log(far)}
        if np.ptp(mean) > 0:
            name, like = max(
                ((name, abs(np.corrcoef(mean, x)[0, 1])) for name, x in shapes.items()),
                key=lambda pair: pair[1],
            )
            way = "falls" if mean[-1] < mean[0] else "rises"
            said += [f"On average over heads it {way} about as {name}."] if like > 0.95 else []
    return ProgramVerdict(
        "bias", tuple(said), method="other", depends_on="distance" if same else "offset"
    )
