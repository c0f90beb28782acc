"""Pairs that are no rotation: the two mistakes that programs make within a pair.

In one, cosines and sines are in the order of the other layout: x · cos + rotate_half(x) · sin with
angles that are repeated as neighbours, or neighbours with angles that are repeated as halves. In
the other, the first member is overwritten before the second one is computed from it.
"""

from __future__ import annotations

import numpy as np

from posviz_course.blackbox.blocks import Blocks, layout_of
from posviz_course.blackbox.box import Box
from posviz_course.blackbox.lines import compute
from posviz_course.blackbox.rule import FrequencyRule
from posviz_course.blackbox.rules import name_rule
from posviz_course.blackbox.track import track
from posviz_course.blackbox.verdict import ProgramVerdict, unknown

UNNAMED = "The two columns of a pair are rotated by different angles, by no rule of posviz."
SWAPPED = {
    "half_split": "np.concatenate([-x[..., {h}:], x[..., :{h}]], -1)",
    "interleaved": "np.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)",
}
REPEATED = {"half_split": "np.repeat({}, 2, -1)", "interleaved": "np.tile({}, 2)"}
MEMBERS = {  # of a pair: the first ones, the second ones, and how both are joined
    "half_split": ("x[..., :{h}]", "x[..., {h}:]", "np.concatenate([{}, {}], -1)"),
    "interleaved": ("x[..., ::2]", "x[..., 1::2]", "np.stack([{}, {}], -1).reshape(x.shape)"),
}


def mixed_verdict(box: Box, blocks: Blocks, farthest: int) -> ProgramVerdict:
    """Return the verdict on pairs whose members do not rotate together."""
    layout, first = layout_of(blocks.entering, blocks.width)
    if layout not in SWAPPED or first or 2 * len(blocks.entering) != blocks.width:
        return unknown(UNNAMED)
    places = np.unique([*range(min(32, farthest)), *np.geomspace(32, farthest, 24).astype(int) - 1])
    i, j = blocks.entering.T
    of_first, of_second = (_asked(box, members, places) for members in (i, j))
    cos, sin = of_first[:, i], -of_second[:, i]
    is_even = np.abs(of_second[:, i] - of_first[:, j]).max() < 0.02
    if is_even and np.abs(cos**2 + sin**2 - 1).max() < 0.02:
        return unknown(
            f"Columns are paired {layout}, but a minus is missing: the first member of a pair is "
            "x₁ cos − x₂ sin, and the second one is x₂ cos + x₁ sin."
        )
    if np.abs(of_first[:, j] - cos * sin).max() < 0.02:
        rule, said, line = _overwritten(layout, track(places, cos + 1j * sin), blocks.width)
    else:
        waves = np.zeros((len(places), blocks.width), complex)
        waves[:, i], waves[:, j] = cos + 1j * sin, of_second[:, j] + 1j * of_first[:, j]
        rule, said, line = _in_other_order(layout, track(places, waves), blocks.width)
    if rule is None:
        return unknown(UNNAMED)
    x = np.random.default_rng(7).normal(size=(len(places), blocks.width))
    off = float(np.abs(compute(line)(x, places) - box(x, places)).max())
    base = f"The base is {rule.base:,.10g}." if rule.base else "No base can be told."
    return ProgramVerdict(
        "rotation", (said, base), off < 1e-3 * np.abs(x).max(), off, line, layout="mixed",
        rotary_dim=blocks.width, base=rule.base, direction=-1 if "-positions" in line else 1,
        first_position=0.0, method=rule.method, factor=rule.factor, attention_factor=1.0,
    )  # fmt: skip


def _asked(box: Box, members: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return what becomes of rows with a 1 in these members of all pairs."""
    x = np.zeros((len(places), box.head_dim))
    x[:, members] = 1
    return box(x, places)


def _angles(rule: FrequencyRule, theta: np.ndarray) -> str:
    sign = "-" if theta.sum() < 0 else ""
    return f"rotary_angles({sign}positions, {rule.code}.inv_freq)"


def _overwritten(layout: str, seen, width: int) -> tuple[FrequencyRule | None, str, str]:
    rule = name_rule(np.abs(seen.theta), seen.error)
    if rule is None:
        return None, "", ""
    one, two, join = (text.replace("{h}", str(width // 2)) for text in MEMBERS[layout])
    joined = join.format("y", f"{two} * c + y * s")
    line = (
        f"lambda x, positions: (lambda c, s: (lambda y: {joined})({one} * c - {two} * s))"
        f"(np.cos({_angles(rule, seen.theta)}), np.sin({_angles(rule, seen.theta)}))"
    )
    said = (
        f"Columns are paired {layout}, but the first member of a pair is overwritten before the "
        "second one is computed: keep the old value until both are done."
    )
    return rule, said, line


def _in_other_order(layout: str, seen, width: int) -> tuple[FrequencyRule | None, str, str]:
    own = slice(None, None, 2) if layout == "half_split" else slice(None, width // 2)
    rule = name_rule(np.abs(seen.theta[own]), seen.error[own])
    if rule is None:
        return None, "", ""
    angles = REPEATED[layout].format(_angles(rule, seen.theta))
    swapped = SWAPPED[layout].replace("{h}", str(width // 2))
    other = "interleaved" if layout == "half_split" else "half_split"
    said = (
        f"Columns are paired {layout}, but cosines and sines are in the order of {other}: the two "
        "columns of a pair rotate by different angles, so vectors change their norm."
    )
    line = f"lambda x, positions: x * np.cos({angles}) + {swapped} * np.sin({angles})"
    return rule, said, line
