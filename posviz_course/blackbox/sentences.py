"""What a verdict on a rotation says, sentence by sentence."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from posviz.wording import signed
from posviz_course.blackbox.rotation import Rotation, axis_of_pairs
from posviz_course.blackbox.rule import FrequencyRule
from posviz_course.blackbox.verdict import ProgramVerdict

if TYPE_CHECKING:
    from posviz_course.blackbox.function import Check, Reach

CERTAIN = 16  # tokens: if a line differs before, its facts are guesses
MOST_RUNS = 4  # of pairs that follow one axis; more than that alternate
STYLE = {"interleaved": "GPT-J style", "half_split": "rotate_half, GPT-NeoX style"}
SLOWED = "scaling with factor {factor:g}: slow pairs are slowed, and fast pairs stay."
METHODS = {
    "linear": "All frequencies are divided by {factor:g}, as position interpolation does.",
    "doubled": "All frequencies are multiplied by {times:g}: positions are multiplied, or it "
    "rotates more than once.",
    "ntk": "NTK makes the last pair {factor:g} times as slow, and the first one stays.",
    "yarn": f"It has YaRN's {SLOWED}",
    "llama3": f"It has Llama 3's {SLOWED}",
    "longrope": "With base {base:,.10g}, each frequency is divided by a number of its own: "
    "LongRoPE does so, and so do unknown rules.",
    "proportional": "Only the first {fraction:.3g} of the pairs rotate (p-RoPE).",
}
UPSIDE_DOWN = "Its {method} is upside down: fast pairs are slowed by {factor:g}, slow ones stay."
DYNAMIC = (
    "It is dynamic NTK with factor {factor:g}: a call of more than {original_max_seq_len:,} "
    "tokens slows all pairs but the first."
)


def rotation_verdict(
    r: Rotation, line: str, checks: list[Check], reach: Reach | None
) -> ProgramVerdict:
    """Return the verdict on a rotation that was compared with its line of posviz."""
    bad = [c for c in checks if c.difference > c.allowed]
    near = [c for c in checks if c.end <= 4096] or checks[:1]
    parameters = (r.rule.parameters if r.rule else {}) | (r.xpos or {})
    parameters |= {"rounding": r.rounding} if r.rounding else {}
    parameters |= {"reach": " ".join(_reach(reach))} if _reach(reach) else {}
    rule, by_call = r.rule, bool(r.rule and "positions" in r.rule.code)
    said = [_pairs(r), *_angles(r), *method_of(r.rule), *_gain(r), *_format(r), *_reach(reach)]
    if bad and min(check.begins for check in bad) < CERTAIN:  # nothing but the pairs is sure
        norms = _gain(r) if r.gain is None and not r.xpos else []
        said, rule, r = [said[0], *norms], None, replace(r, start=None, gain=None, dtype=None)
        parameters = {}
    return ProgramVerdict(
        "rotation",
        (*said, *_unexplained(r, bad)),
        explained=not bad,
        difference=max((c.difference for c in near), default=None),
        code=line,
        layout=r.layout if r.leaving == r.layout else f"{r.layout} to {r.leaving}",
        rotary_dim=r.rotary_dim,
        axes=_axes(r),
        base=rule.base if rule else None,
        direction=None if rule is None and (bad or np.ptp(np.sign(r.theta)) > 1) else r.direction,
        first_position=r.start,
        method=rule.method if rule else "other",
        factor=None if rule is None or rule.parameters.get("unseen") else rule.factor,
        attention_factor=r.gain,
        dtype=r.dtype,
        exponent=rule.exponent if rule else None,
        frequencies=np.abs(r.theta).sum(axis=0)
        if by_call or not rule
        else rule.frequencies().inv_freq,
        parameters=parameters,
        picture=r,
    )


def _pairs(r: Rotation) -> str:
    b = r.blocks
    style = f"the layout {r.layout} ({STYLE[r.layout]})" if r.layout in STYLE else "no usual layout"
    style = "one pair, which all layouts share" if b.entering.tolist() == [[0, 1]] else style
    where = f" from column {r.first_column} on" if r.first_column else ""
    text = (
        f"It rotates {2 * len(b.entering)} of {b.width} columns{where}, in pairs "
        f"{_first(b.entering)}: {style}."
    )
    if np.array_equal(b.entering, b.leaving):
        return text
    return f"{text} The pairs come out in other columns, {_first(b.leaving)}."


def _axes(r: Rotation) -> str | None:
    """Return which pairs follow which column of positions, and whose frequencies these are."""
    axis, rule = axis_of_pairs(r.theta), r.rule
    if len(r.theta) == 1 or axis is None:
        return None
    names = ("time", "row", "column")[-len(r.theta) :]
    starts = np.flatnonzero(np.diff(axis, prepend=-1))
    counts = np.diff([*starts, len(axis)])
    runs = [f"{names[axis[s]]} × {n}" for s, n in zip(starts[:MOST_RUNS], counts, strict=False)]
    order = ", ".join([*runs, "…"] if len(starts) > MOST_RUNS else runs)
    if rule is None:
        return order
    if len(rule.frequencies().inv_freq) < len(axis):
        return f"{order}; each axis has frequencies of its own"
    falls = (np.diff(r.theta.sum(axis=0)) < 0).all()
    return f"{order}; one series of frequencies{'' if falls else ', alternately'}"


def _first(pairs: np.ndarray) -> str:
    more = ", …" if len(pairs) > 2 else ""
    return ", ".join(f"({a}, {b})" for a, b in pairs[:2].tolist()) + more


def _angles(r: Rotation) -> list[str]:
    rule, said = r.rule, []
    if len(r.theta) > 1:
        axis = axis_of_pairs(r.theta)
        counts = [] if axis is None else np.bincount(axis, minlength=len(r.theta)).tolist()
        follow = f"one of them: {counts} pairs" if counts else "several of them"
        said.append(f"Its positions have {len(r.theta)} columns, and each pair follows {follow}.")
    if rule is None:
        said.append("No rule of posviz gives its frequencies.")
    elif rule.base is None:
        said.append("It has one pair, which shows no base.")
    elif rule.method == "longrope":
        pass  # no base can be known
    else:
        exponent = "" if rule.exponent == "2k/d" else f", and its exponent {rule.exponent}"
        said.append(f"The base is {rule.base:,.10g}{exponent}.")
    if r.start is None:
        said.append("At position 0 the pairs have angles that no start gives.")
    elif r.start:
        said.append(f"Positions start at {signed(r.start, ',g')}, not at 0.")
    if rule is None and len(r.theta) == 1 and np.ptp(np.sign(r.theta[0])) > 1:
        return [*said, "Some pairs rotate forwards, and some backwards."]
    return [*said, "It rotates backwards, by minus the angle."] if r.direction < 0 else said


def method_of(rule: FrequencyRule | None) -> list[str]:
    """Say what context extension did to frequencies, in a sentence at most."""
    if rule is None or rule.method == "plain":
        return []
    form = METHODS[rule.method]
    if rule.parameters.get("upside_down"):
        form = UPSIDE_DOWN
    elif rule.parameters.get("dynamic"):
        form = DYNAMIC
    elif rule.method == "linear" and rule.factor < 1:
        form = METHODS["doubled"]
    if rule.parameters.get("unseen"):
        form = f"{form.partition(' with factor')[0]}, by a factor that these rows do not show."
    numbers = {"factor": rule.factor, "times": 1 / rule.factor, "method": rule.method}
    return [form.format(**numbers, base=rule.base, **rule.parameters)]


def _gain(r: Rotation) -> list[str]:
    if x := r.xpos:
        verb = "divided" if x["sign"] < 0 else "multiplied"
        return [
            f"Each pair is {verb} by the scale of xPos, with gamma {x['gamma']:g} and scale_base "
            f"{x['scale_base']:g}, counted from position {x['centre']:g}."
        ]
    said, is_yarn = [], r.rule is not None and r.rule.method == "yarn"
    if r.gain is None:
        said.append("The norms of vectors change, by no rule that posviz knows.")
    elif r.gain != 1:
        own = is_yarn and abs(r.gain - 0.1 * math.log(r.rule.factor) - 1) < 1e-4  # type: ignore[union-attr]
        why = "as YaRN does" if own else "so scores by its square"
        said.append(f"Rotated columns are multiplied by {r.gain:.6g}, {why}.")
    elif is_yarn:
        said.append("The attention factor of YaRN is missing.")
    if abs(r.blocks.rest_gain - 1) > 1e-4:
        said.append(f"Columns at rest are multiplied by {r.blocks.rest_gain:.6g}.")
    return said


def _format(r: Rotation) -> list[str]:
    if r.dtype not in ("bfloat16", "float16"):
        return [f"Far positions are right, as far as {r.dtype} goes."] if r.dtype else []
    what = r.rounding or "frequencies"
    return [f"The {what} are rounded to {r.dtype}, so far positions are wrong."]


def _reach(reach: Reach | None) -> list[str]:
    if reach is None:
        return []
    if reach.limit:
        return [f"It ends at position {reach.limit - 1:,}: position {reach.limit:,} {reach.error}."]
    if reach.held:
        return [f"All positions from {reach.held - 1:,} on come out alike."]
    if reach.remembers:
        return [
            f"It has a memory: after a call with a position between {reach.longest:,} and "
            f"{reach.until:,}, a short call gives other angles than before."
        ]
    if reach.longest is not None:
        return [
            f"Its frequencies depend on the call: with a position beyond {reach.longest:,} they "
            "change for all positions."
        ]
    return []


def _unexplained(r: Rotation, bad: list[Check]) -> list[str]:
    if not bad:
        return []
    begins = min(check.begins for check in bad)
    columns = {column for check in bad for column in check.wrong}
    pairs = [k for k, pair in enumerate(r.blocks.leaving.tolist()) if {*pair} & columns]
    which = f"pairs {pairs[0]} to {pairs[-1]}" if pairs else "columns at rest"
    return [f"Not explained: {which} differ from the line, from position {begins:,} on."]
