"""Name a table of positions, and cosines, sines or frequencies by themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from posviz.arrays import to_numpy
from posviz.wording import signed
from posviz_course.blackbox.blocks import Blocks
from posviz_course.blackbox.dump import layouts
from posviz_course.blackbox.function import Check
from posviz_course.blackbox.lines import compute, step_of
from posviz_course.blackbox.rotation import dtype_of, named
from posviz_course.blackbox.rule import FrequencyRule, roundest
from posviz_course.blackbox.rules import name_rule
from posviz_course.blackbox.sentences import method_of, rotation_verdict
from posviz_course.blackbox.track import start_of, track
from posviz_course.blackbox.verdict import ProgramVerdict, unknown
from posviz_course.blackbox.writing import line_of

SAMPLE = 256
ORDERS = {"interleaved": "interleaved", "concatenated": "half_split"}
ODD_EXPONENTS = {  # of a table whose columns each have a frequency of their own
    "2c/d of column c": lambda c, d: 2 * c / d,
    "c/d of column c": lambda c, d: c / d,
    "2c/d of column c, 2(c+1)/d of a cosine": lambda c, d: 2 * (c + c % 2) / d,
}


def array_of(values: Any, name: str) -> np.ndarray:
    """Return finite real numbers [rows, columns] in float64, without leading axes of length 1."""
    array = np.asarray(to_numpy(values))
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be real numbers, got dtype {array.dtype}.")
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    if array.ndim != 2:
        raise ValueError(f"{name} must be [len, d], got shape {array.shape}.")
    return array.astype(np.float64)


def identify_table(table: Any) -> ProgramVerdict:
    """Return the verdict on a table [rows, d_model] that is added to embeddings."""
    if np.ndim(table) == 3 and np.shape(table)[0] > 1:  # an image, row by row
        table = np.asarray(to_numpy(table)).reshape(-1, np.shape(table)[-1])
    rows = array_of(table, "table")
    if not np.isfinite(rows).all():
        return unknown("The table contains NaN or infinity, so nothing can be read off it.")
    if min(rows.shape) < 2 or len(rows) < 4:
        return unknown(f"A table of {rows.shape[0]} × {rows.shape[1]} numbers says too little.")
    if np.abs(rows - rows.mean(axis=0)).max() < 1e-12:
        return unknown("All rows of the table are the same, so it holds no positions.")
    empty = np.flatnonzero(np.abs(rows).max(axis=1) == 0)
    verdict = (
        _sinusoid(rows, empty) or _odd_columns(rows, empty) or _grid(rows) or _not_a_formula(rows)
    )
    if len(empty) and verdict.explained:
        which = ", ".join(map(str, empty[:3].tolist()))
        words = f"Row {which} is" if len(empty) == 1 else f"{len(empty)} rows ({which}, …) are"
        verdict = replace(verdict, sentences=(*verdict.sentences, f"{words} all zeros: padding."))
    return verdict


# ---------------------------------------------------------------- sines and cosines in pairs


def _sinusoid(rows: np.ndarray, empty: np.ndarray) -> ProgramVerdict | None:
    length, width = rows.shape
    even = width - width % 2
    if width % 2 and np.abs(rows[:, -1]).max() > 0:
        return None
    places = np.setdiff1d(np.unique(np.geomspace(1, length, SAMPLE).astype(int) - 1), empty)
    places = np.setdiff1d(np.union1d(places, np.arange(min(64, length))), empty)
    best = None
    for order, layout in ORDERS.items():
        pairs = layouts(even)[layout]
        z = rows[places][:, pairs[:, 1]] + 1j * rows[places][:, pairs[:, 0]]
        size = np.abs(z)
        if size.min() <= 0 or np.ptp(size) > 0.02 * size.mean():
            continue
        scale = roundest(float(size.mean()), 1e-6 * float(size.mean()) + float(np.ptp(size)) / 4)
        scale = 1.0 if abs(scale - 1) < 2e-6 else scale
        for cosine_first, waves in ((False, z), (True, 1j * z.conj())):
            seen = track(places, waves, step=step_of(rows) / 2)
            direction = -1 if seen.theta[np.abs(seen.theta) > 4 * seen.error].sum() < 0 else 1
            start = start_of(seen.theta, seen.phase, seen.error)
            rule = name_rule(np.maximum(direction * seen.theta, 0), seen.error)
            if rule is None or start is None:
                continue
            at = f"np.arange({length})" + (
                f" {'+' if start > 0 else '-'} {abs(start):g}" if start else ""
            )
            if direction < 0:
                at = f"{-start:g} - np.arange({length})"
            verdict = _verdict(rows, empty, order, cosine_first, _doubled(rule), start, scale, at)
            rank = verdict.explained, direction, -rule.cost
            if best is None or rank > best[0]:
                best = rank, verdict
    return best and best[1]


def _doubled(rule: FrequencyRule) -> FrequencyRule:
    """Read base 10⁸ as 10⁴ with a doubled exponent: no table has the one, some have the other."""
    if rule.exponent == "2k/d" and rule.base == 1e8 and rule.method == "plain":
        n = len(rule.frequencies().inv_freq)
        code = f"Frequencies({1e4!r} ** (-2 * np.arange({n}) / {n}))"
        return replace(rule, base=1e4, exponent="4k/d", code=code)
    return rule


def _verdict(
    rows, empty, order, cosine_first, rule: FrequencyRule, start, scale, at: str
) -> ProgramVerdict:
    length, width = rows.shape
    usual = {"2k/d": "paper", "k/(d/2-1)": "tensor2tensor"}
    plain = rule.method == "plain" and rule.exponent in usual and "rounded" not in rule.parameters
    if plain and not cosine_first and width % 2 == 0:
        base = "" if rule.base in (1e4, None) else f", base={rule.base!r}"
        kind = usual[rule.exponent]
        line = f"sinusoidal({at}, {width}{base}, layout={order!r}, frequencies={kind!r})"
    else:
        halves = "np.cos(a), np.sin(a)" if cosine_first else "np.sin(a), np.cos(a)"
        joined = {
            "interleaved": f"np.stack([{halves}], -1).reshape(len(a), -1)",
            "concatenated": f"np.concatenate([{halves}], -1)",
        }[order]
        joined = joined if width % 2 == 0 else f"np.pad({joined}, ((0, 0), (0, 1)))"
        line = f"(lambda a: {joined})(rotary_angles({at}, {rule.code}.inv_freq))"
    line = line if scale == 1 else f"{scale!r} * {line}"
    if len(empty):
        line += f" * ~np.isin(np.arange({length}), {empty.tolist()})[:, None]"
    said = [
        f"It is a sinusoidal table of {length:,} positions and {width} columns: "
        + ("cosine and sine" if cosine_first else "sine and cosine")
        + (" alternate." if order == "interleaved" else " each have one half of the columns."),
        f"The base is {rule.base:,.10g}, and the exponent is {rule.exponent}."
        if rule.base
        else "With one pair, no base can be told.",
    ]
    falls = not at.startswith("np.arange")
    position = -start if falls else start
    divided = rule.method == "linear"
    said += [f"All frequencies are divided by {rule.factor:g}."] if divided else []
    said += [f"Row 0 is position {signed(position, 'g')}."] if start else []
    said += ["Positions fall from row to row."] if falls else []
    said += [f"All numbers are multiplied by {scale:g}."] if scale != 1 else []
    return _checked(
        rows, line, said, order=order, base=rule.base, exponent=rule.exponent,
        direction=-1 if falls else 1, first_position=position, method=rule.method,
        factor=rule.factor,
        parameters={"scale": scale, "first": "cosine" if cosine_first else "sine"},
    )  # fmt: skip


def _checked(rows: np.ndarray, line: str, said: list[str], **facts: Any) -> ProgramVerdict:
    """Return the verdict on a table, all rows of which are compared with a line."""
    ours = np.broadcast_to(compute(line), rows.shape)
    off = np.abs(ours - rows)
    step, size = step_of(rows), float(np.abs(rows).max())
    allowed = size * (2 * step + 3e-7 * len(rows)) + 1e-6 * size
    bad = np.flatnonzero(off.max(axis=1) > allowed)
    if len(bad):
        said = [*said, f"Not explained: from row {bad[0]:,} on it differs from the line below."]
    exact = float(off.max()) / size
    formats = {2.0**-8: "bfloat16", 2.0**-10: "float16"}
    dtype = formats.get(step) or ("float64" if exact < 2e-6 else "float32")
    return ProgramVerdict("table", tuple(said), not len(bad), float(off.max()), line,
                   tried_on="all rows", dtype=None if len(bad) else dtype, **facts)  # fmt: skip


# ---------------------------------------------------------------- other tables


def _odd_columns(rows: np.ndarray, empty: np.ndarray) -> ProgramVerdict | None:
    """Return the verdict on a table whose sines and cosines each have a frequency of their own."""
    length, width = rows.shape
    near = np.setdiff1d(np.arange(min(length, 64)), empty)
    for name, share in ODD_EXPONENTS.items():
        for base in (1e4, 1e3, 1e5):
            for start in (0, 1):
                speed = base ** -share(np.arange(width), width)
                angles = np.outer(near + start, speed)
                waves = np.where(np.arange(width) % 2, np.cos(angles), np.sin(angles))
                if np.abs(waves - rows[near]).max() < 1e-3:
                    exponents = f"{share(np.arange(width), width).tolist()}"
                    at = f"np.arange({start}, {length + start})"
                    line = (
                        f"(lambda a: np.where(np.arange({width}) % 2, np.cos(a), np.sin(a)))"
                        f"(rotary_angles({at}, {base!r} ** -np.array({exponents})))"
                    )
                    said = [
                        "Sine and cosine alternate, but each column has a frequency of its own.",
                        f"The base is {base:,.10g}, and the exponent is {name}.",
                    ]
                    return _checked(
                        rows, line, said, order="interleaved", base=base, exponent=name,
                        first_position=float(start), method="other", direction=1,
                    )  # fmt: skip
    return None


def _grid(rows: np.ndarray) -> ProgramVerdict | None:
    """Return the verdict on a table of an image, half of whose columns follow each axis."""
    width, half = rows.shape[1], rows.shape[1] // 2
    if len(rows) < 16 or width % 4:
        return None
    columns = np.arange(width)
    orders = {
        "one axis after the other": columns,
        "sines of both axes first": columns.reshape(4, -1)[[0, 2, 1, 3]].ravel(),
        "four columns a frequency": columns.reshape(-1, 4).T.ravel(),
    }
    for skipped in (0, 1):  # a row for the image as a whole
        patches = len(rows) - skipped
        for high in (h for h in range(2, patches // 2 + 1) if patches % h == 0):
            for name, order in orders.items():
                grid = rows[skipped:, order].reshape(high, -1, width)
                down, right = grid[:, :1], grid[:1]
                for first, along in (("row", down), ("column", right)):
                    other = right if first == "row" else down
                    off = np.abs(grid[..., :half] - along[..., :half]).max()
                    if max(off, np.abs(grid[..., half:] - other[..., half:]).max()) < 1e-5:
                        one, two = along[..., :half], other[..., half:]
                        one, two = one.reshape(-1, half), two.reshape(-1, half)
                        return _grid_verdict(rows, one, two, first, name, order, skipped)
    return None


def _grid_verdict(
    rows, one, two, first: str, name: str, order, skipped: int
) -> ProgramVerdict | None:
    """Return the verdict on a grid whose first half of (ordered) columns follows one axis."""
    none = np.array([], int)
    high, wide = (len(one), len(two)) if first == "row" else (len(two), len(one))
    verdicts = [_sinusoid(part, none) for part in (one, two)]
    base = verdicts[0]
    if base is None or not all(v and v.explained for v in verdicts):
        return None
    codes = [f"({v.code})" for v in verdicts if v]
    along, across = f"np.repeat({{}}, {wide}, 0)", f"np.tile({{}}, ({high}, 1))"
    forms = (along, across) if first == "row" else (across, along)
    parts = ", ".join(form.format(code) for form, code in zip(forms, codes, strict=True))
    line = f"np.concatenate([{parts}], -1)"
    if not np.array_equal(order, np.arange(len(order))):
        line += f"[:, {np.argsort(order).tolist()}]"
    line = f"np.pad({line}, ((1, 0), (0, 0)))" if skipped else line
    said = [
        f"It is a sinusoidal table of a grid of {high} × {wide}, whose first columns follow the "
        f"{first}.",
        *base.sentences[1:],
    ]
    return _checked(
        rows, line, said, order=base.order, base=base.base, exponent=base.exponent,
        first_position=base.first_position, method=base.method, factor=base.factor, direction=1,
        parameters={**base.parameters, "first axis": first, "columns": name},
    )  # fmt: skip


def _not_a_formula(rows: np.ndarray) -> ProgramVerdict:
    """Return the verdict on learned numbers: neighbours are similar, or not even that."""
    unit = (rows - rows.mean(axis=0)) / (
        np.linalg.norm(rows - rows.mean(axis=0), axis=1)[:, None] + 1e-300
    )
    near = float((unit[1:] * unit[:-1]).sum(axis=1).mean())
    half = len(unit) // 2
    far = float((unit[:half] * unit[-half:]).sum(axis=1).mean())
    if near > far + 0.1:
        said = (
            "No formula of posviz gives this table: it is learned, or made by another rule. "
            f"Neighbouring rows are similar (cosine {near:.2f}), far ones less ({far:.2f})."
        )
        return ProgramVerdict("table", (said,), method="learned")
    return unknown(
        "No formula of posviz gives this table, and neighbouring rows are no more similar than far "
        "ones: random numbers, or a learned table before training."
    )


# ---------------------------------------------------------------- cosines, sines, frequencies


def identify_cos_sin(cos: Any, sin: Any, positions: Any = None) -> ProgramVerdict:
    """Return the verdict on cosines and sines [len, d/2], or twice as wide, as a cache has them."""
    c, s = array_of(cos, "cos"), array_of(sin, "sin")
    if c.shape != s.shape:
        raise ValueError(f"cos is {c.shape} and sin {s.shape}: they must have one shape.")
    if not (np.isfinite(c).all() and np.isfinite(s).all()) or len(c) < 3:
        return unknown("Cosines and sines must be finite numbers of at least 3 positions.")
    z, layout = c + 1j * s, None
    half = z.shape[1] // 2
    if z.shape[1] % 2 == 0 and np.abs(z[:, :half] - z[:, half:]).max() < 1e-6:
        z, layout = z[:, :half], "half_split"
    elif z.shape[1] % 2 == 0 and np.abs(z[:, ::2] - z[:, 1::2]).max() < 1e-6:
        z, layout = z[:, ::2], "interleaved"
    places = np.arange(len(z)) if positions is None else np.asarray(positions)
    step = max(step_of(c), step_of(s))
    sample = np.unique(np.geomspace(1, len(z), SAMPLE).astype(int) - 1)
    sample = np.union1d(sample, np.arange(min(64, len(z))))
    pairs = layouts(2 * z.shape[1])[layout or "half_split"]
    blocks = Blocks(2 * z.shape[1], pairs, pairs)
    rotation = named(
        blocks, [track(places[sample], z[sample], step=step / 2)], places[sample], z[sample]
    )
    where = sample[places[sample] < 4096]
    rotation = dtype_of(rotation, lambda _: z[where], places[where])
    line = line_of(rotation)
    size = rotation.gain or 1.0
    start = rotation.start or 0.0
    inv_freq = rotation.rule.frequencies().inv_freq if rotation.rule else np.abs(rotation.theta[0])
    ours = size * np.exp(1j * rotation.direction * np.outer(places + start, inv_freq))
    off = float(np.abs(ours - z).max())
    checks = [Check(len(z), off, size * (2 * step + 4e-7 * (len(z) + abs(start))))]
    verdict = rotation_verdict(rotation, line, checks, None)
    verdict = replace(verdict, tried_on="all rows")
    known = f"Equal columns show that it is meant for the layout {layout}."
    said = known if layout else "Which columns are pairs, cosines and sines do not tell."
    return replace(verdict, sentences=(said, *verdict.sentences[1:]), layout=layout)


def identify_inv_freq(inv_freq: Any) -> ProgramVerdict:
    """Return the verdict on frequencies [rotary_dim/2], in radians per token."""
    theta = np.asarray(to_numpy(inv_freq), np.float64).ravel()
    if not len(theta) or not np.isfinite(theta).all() or (theta < 0).any():
        return unknown("Frequencies must be finite numbers of at least 0.")
    step = step_of(theta)
    rule = name_rule(theta, theta * step / 4)
    if rule is None:
        rising = len(theta) > 1 and theta[-1] > theta[0]
        why = " They rise: they may be periods, or in reverse." if rising else ""
        return unknown(f"No rule of posviz gives these {len(theta)} frequencies.{why}")
    off = float(np.abs(rule.frequencies().inv_freq - theta).max())
    said = [f"These are the frequencies of {2 * len(theta)} dimensions."]
    if rule.base and rule.method != "longrope":
        said.append(f"The base is {rule.base:,.10g}.")
    elif not rule.base:
        said.append("One pair shows no base.")
    said += method_of(rule)
    return ProgramVerdict(
        "rotation", tuple(said), True, off, rule.code, rotary_dim=2 * len(theta), base=rule.base,
        direction=1, method=rule.method, factor=rule.factor, exponent=rule.exponent,
        parameters=rule.parameters, dtype=rule.parameters.get("rounded"), frequencies=theta,
        tried_on="all of them",
    )  # fmt: skip
