"""What a verdict on a rotation says, sentence by sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from posviz.blackbox.rotation import Rotation, axis_of_pairs, usual_attention
from posviz.blackbox.verdict import Verdict
from posviz.wording import signed

if TYPE_CHECKING:
    from posviz.blackbox.function import Check, Reach

STYLE = {"interleaved": "GPT-J style", "half_split": "rotate_half, GPT-NeoX style"}


def rotation_verdict(r: Rotation, line: str, checks: list[Check], reach: Reach | None) -> Verdict:
    """Return the verdict on a rotation that was compared with its line of posviz."""
    bad = [c for c in checks if c.difference > c.allowed]
    near = [c for c in checks if c.end <= 4096] or checks[:1]
    rule = r.rule
    facts: dict[str, Any] = {
        "layout": r.layout if r.leaving == r.layout else f"{r.layout} to {r.leaving}",
        "rotary_dim": r.rotary_dim,
        "base": rule.base if rule else None,
        "direction": r.direction,
        "first_position": r.start,
        "method": rule.method if rule else "other",
        "factor": rule.factor if rule else None,
        "attention_factor": r.gain,
        "dtype": r.dtype,
        "exponent": rule.exponent if rule else None,
        "parameters": (rule.parameters if rule else {}) | (r.xpos or {}),
    }
    said = [
        _pairs(r),
        _angles(r),
        *_extension(r),
        *_gain(r),
        *_format(r),
        *_reach(reach),
        *_unexplained(r, bad),
    ]
    return Verdict(
        "rotation",
        tuple(said),
        explained=not bad,
        difference=max((c.difference for c in near), default=None),
        code=line,
        picture=r,
        **facts,
    )


def _pairs(r: Rotation) -> str:
    name = (
        f"{r.layout} ({STYLE[r.layout]})"
        if r.layout in STYLE
        else "neither interleaved nor half_split"
    )
    first = ", ".join(f"({a}, {b})" for a, b in r.blocks.entering[:2].tolist())
    where = "" if r.first_column == 0 else f" from column {r.first_column} on"
    moving = 2 * len(r.blocks.entering)
    text = f"It rotates {moving} of {r.blocks.width} columns{where} in pairs {first}, …: the layout is {name}."
    if r.leaving != r.layout or not np.array_equal(r.blocks.entering, r.blocks.leaving):
        to = ", ".join(f"({a}, {b})" for a, b in r.blocks.leaving[:2].tolist())
        text += f" They come out in other columns, {to}, …, so the result is in another order."
    return text


def _angles(r: Rotation) -> str:
    if len(r.theta) > 1:
        return _axes(r)
    rule, parts = r.rule, []
    if rule is None:
        parts.append("No rule of posviz gives its frequencies")
    elif rule.base is None:
        parts.append("With one pair, no base can be told")
    else:
        exponent = "" if rule.exponent == "2k/d" else f" with the exponent {rule.exponent}"
        parts.append(f"The base is {rule.base:,.10g}{exponent}")
    if r.start is None:
        parts.append("and the angles at position 0 follow no first position")
    elif r.start:
        parts.append(f"and the first token is at position {signed(r.start, 'g')}")
    if r.direction < 0:
        parts.append("and it rotates backwards, by minus the angle")
    return ", ".join(parts) + "."


def _axes(r: Rotation) -> str:
    axis = axis_of_pairs(r.theta)
    if axis is None:
        return "Its positions have columns, and a pair follows several of them at once."
    counts = np.bincount(axis, minlength=len(r.theta)).tolist()
    base = f" The base is {r.rule.base:,.10g}." if r.rule and r.rule.base else ""
    return (
        f"Its positions have {len(counts)} columns, which {', '.join(map(str, counts))} pairs "
        f"follow.{base}"
    )


def _extension(r: Rotation) -> list[str]:
    rule = r.rule
    if rule is None or rule.method == "plain" or len(r.theta) > 1:
        return []
    if rule.parameters.get("upside_down"):
        return [
            f"{rule.method} with factor {rule.factor:g} is upside down: the fast pairs are slowed, and the slow ones are kept."
        ]
    if rule.parameters.get("dynamic"):
        original = rule.parameters["original_max_seq_len"]
        return [
            f"It is dynamic NTK with factor {rule.factor:g}: calls of more than {original:,} tokens slow all pairs but the first."
        ]
    return [
        {
            "linear": f"All frequencies are divided by {rule.factor:g}: positions are interpolated, or a step is 1/{rule.factor:g}.",
            "ntk": f"NTK raises the base by a factor of {rule.factor:g}: the last pair is {rule.factor:g} times as slow.",
            "yarn": f"YaRN with factor {rule.factor:g} slows the slow pairs and keeps the fast ones.",
            "llama3": f"Llama 3's method with factor {rule.factor:g} slows the slow pairs and keeps the fast ones.",
            "longrope": "Each frequency is divided by a number of its own, as in LongRoPE.",
            "proportional": f"Only the first {rule.parameters.get('fraction', 0):.0%} of the pairs rotate (p-RoPE).",
        }[rule.method]
    ]


def _gain(r: Rotation) -> list[str]:
    if r.xpos:
        what = "divided" if r.xpos["sign"] < 0 else "multiplied"
        return [
            f"Each pair is {what} by xPos's scale, with gamma {r.xpos['gamma']:g} and scale_base {r.xpos['scale_base']:g}, counted from position {r.xpos['centre']:g}."
        ]
    said = []
    if r.gain is None:
        said.append("The pairs are multiplied by different numbers.")
    elif r.gain != 1:
        usual = abs(r.gain - usual_attention(r.rule)) < 1e-4
        why = "as YaRN does" if usual else "which multiplies scores by its square"
        said.append(f"Rotated columns are multiplied by {r.gain:.6g}, {why}.")
    elif r.rule and r.rule.method == "yarn":
        said.append("The attention factor of YaRN is missing.")
    if abs(r.blocks.rest_gain - 1) > 1e-4:
        said.append(f"Columns at rest are multiplied by {r.blocks.rest_gain:.6g}.")
    return said


def _format(r: Rotation) -> list[str]:
    if r.dtype in ("bfloat16", "float16"):
        what = "frequencies" if "rounded" in r.rule.parameters else r.rounding  # type: ignore[union-attr]
        return [f"The {what} are rounded to {r.dtype}, so far positions are wrong."]
    if r.dtype:
        return [f"Angles are as exact as {r.dtype}."]
    return []


def _reach(reach: Reach | None) -> list[str]:
    if reach is None:
        return []
    if reach.limit:
        return [f"It ends at position {reach.limit - 1:,}: position {reach.limit:,} {reach.error}."]
    if reach.held:
        return [
            f"From position {reach.held - 1:,} on all positions have the same angles: its table has {reach.held:,} rows."
        ]
    if reach.remembers:
        return [
            f"It has a memory: after a call with positions up to {reach.longest:,} or more, a short call gives other angles than before."
        ]
    if reach.longest is not None:
        return [
            f"Its frequencies depend on the longest position of the call: from {reach.longest + 1:,} on they are others."
        ]
    return []


def _unexplained(r: Rotation, bad: list[Check]) -> list[str]:
    if not bad:
        return []
    first = min(bad, key=lambda c: c.end)
    pairs = [k for k, pair in enumerate(r.blocks.leaving.tolist()) if {*pair} & {*first.wrong}]
    which = (
        "all pairs"
        if len(pairs) == len(r.blocks.leaving)
        else f"pairs {pairs[0]} to {pairs[-1]}"
        if pairs
        else "columns at rest"
    )
    return [f"Not explained: below position {first.end:,}, {which} differ from the line below."]
