"""A rotation whose cosines and sines are in the order of the other layout: no rotation at all.

It is what x · cos + rotate_half(x) · sin makes of angles that are repeated as neighbours, and
what swapping neighbours makes of angles that are repeated as halves.
"""

from __future__ import annotations

import numpy as np

from posviz.blackbox.blocks import Blocks, layout_of
from posviz.blackbox.box import Box
from posviz.blackbox.function import Check
from posviz.blackbox.lines import compute
from posviz.blackbox.rules import name_rule
from posviz.blackbox.track import track
from posviz.blackbox.verdict import ProgramVerdict, unknown

FORMS = {
    "half_split": "np.concatenate([-x[..., {h}:], x[..., :{h}]], -1)",
    "interleaved": "np.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)",
}


def mixed_verdict(box: Box, blocks: Blocks) -> ProgramVerdict:
    """Return the verdict on pairs whose two members rotate by different angles."""
    layout, first = layout_of(blocks.entering, blocks.width)
    width, places = blocks.width, np.unique([*range(32), *np.geomspace(32, 2000, 24).astype(int)])
    if layout not in FORMS or first or 2 * len(blocks.entering) != width:
        return unknown("The two columns of a pair rotate by different angles.")
    waves = np.zeros((len(places), width), complex)
    for member in (0, 1):
        x = np.zeros((len(places), width))
        x[:, blocks.entering[:, member]] = 1
        y = box(x, places)
        own, partner = blocks.entering[:, member], blocks.entering[:, 1 - member]
        waves[:, own] += y[:, own]
        waves[:, partner] += 1j * y[:, partner] * (1 if member == 0 else -1)
    seen = track(places, waves)
    half = width // 2
    repeats = {"half_split": seen.theta[::2], "interleaved": seen.theta[:half]}[layout]
    errors = {"half_split": seen.error[::2], "interleaved": seen.error[:half]}[layout]
    rule = name_rule(np.abs(repeats), errors)
    if rule is None:
        return unknown(
            "The two columns of a pair rotate by different angles, by no rule of posviz."
        )
    order = {"half_split": "np.repeat({}, 2, -1)", "interleaved": "np.tile({}, 2)"}[layout]
    sign = "-" if repeats.sum() < 0 else ""
    angles = order.format(f"rotary_angles({sign}positions, {rule.code}.inv_freq)")
    form = FORMS[layout].format(h=half)
    line = f"lambda x, positions: x * np.cos({angles}) + {form} * np.sin({angles})"
    x = np.random.default_rng(7).normal(size=(len(places), width))
    off = float(np.abs(compute(line)(x, places) - box(x, places)).max())
    other = "interleaved" if layout == "half_split" else "half_split"
    check = Check(2000, off, 1e-3)
    said = (
        f"Columns are paired {layout}, but cosines and sines are in the order of {other}: the two "
        "columns of a pair rotate by different angles, so vectors change their norm.",
        f"The base is {rule.base:,.10g}." if rule.base else "No base can be told.",
    )
    return ProgramVerdict(
        "rotation", said, check.difference < check.allowed, off, line, layout="mixed",
        rotary_dim=width, base=rule.base, direction=-1 if sign else 1, first_position=0.0,
        method=rule.method, factor=rule.factor, attention_factor=1.0,
    )  # fmt: skip
