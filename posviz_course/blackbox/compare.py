"""How a program differs from what was meant, and which change mends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from posviz.encodings.doors import Encoding
from posviz.encodings.relative import BiasByOffset, offsets
from posviz.encodings.rotary import LAYOUTS, change_layout
from posviz_course.blackbox.box import Box
from posviz_course.blackbox.libraries import library
from posviz_course.blackbox.verdict import UNKNOWN, ProgramVerdict
from posviz_course.blackbox.writing import apply_line
from posviz_course.configs import read_config

Rotate = Callable[[np.ndarray, np.ndarray], np.ndarray]
CLOSE = 2e-3  # of outputs of size 3 at positions below 512, in float32

# What is compared, and the sentence for a difference; {own} and {meant} are values.
SENTENCES = {
    "kind": "It is a {own}, but a {meant} is meant.",
    "layout": "Its layout is {own}, but {meant} is meant: take the columns in the order of what is "
    "meant.",
    "axes": "Pairs follow the positions as {own}, but should follow them as {meant}.",
    "direction": "It rotates the wrong way round: change the sign of the sines.",
    "first_position": "Positions start at {own}, but should start at {meant}. Scores stay as they "
    "are if queries and keys are shifted alike.",
    "rotary_dim": "It rotates {own} columns of a head, but should rotate {meant}.",
    "base": "The base is {own}, but should be {meant}.",
    "exponent": "The exponent of the base is {own}, but should be {meant}.",
    "method": "The frequencies have {own}, but should have {meant}: make them by {code}.",
    "factor": "The factor is {own}, but should be {meant}.",
    "attention_factor": "Cosines and sines are multiplied by {own}, but should be by {meant}.",
    "dtype": "The {what} are rounded to {own}: keep positions as integers, and compute frequencies "
    "and angles in float32 at least.",
    "order": "Sines and cosines are {own}, but should be {meant}.",
    "slopes": "The slopes are {own}, but should be {meant}.",
    "depends_on": "The bias depends on the {own}, but should depend on the {meant}.",
}
LAYOUT = (
    "Its layout is {own}, but {meant} is meant: rotate the pairs {pairs}, or reorder the rows of "
    "W_Q.weight and W_K.weight in each head: {rows}."
)
PARAMETERS = {  # of a table
    "scale": "All numbers are multiplied by {own}, but should be by {meant}.",
    "first": "The {own} comes first, but the {meant} should.",
    "rows": "It has {own} rows, but should have {meant}.",
}
METHODS = {
    "plain": "no scaling",
    "other": "no known rule",
    "linear": "linear scaling",
    "ntk": "NTK's scaling",
    "yarn": "YaRN's scaling",
    "llama3": "Llama 3's scaling",
    "longrope": "a number for each pair",
    "proportional": "p-RoPE's pairs at rest",
}
BY_CONFIG = (
    *("kind", "rotary_dim", "base", "method", "factor", "attention_factor", "exponent"),
    *("direction", "first_position", "dtype"),
)  # what a config.json settles


BY_FREQUENCIES = ("base", "method", "factor", "exponent")


def compared(
    own: ProgramVerdict, meant: Any, rotate: Any, head_dim: int, axes: int | None
) -> ProgramVerdict:
    """Return the verdict with what differs from ``meant``, a sentence each, and what mends it."""
    target, settled, *notes = _meant(meant, own, head_dim, axes)
    own = replace(own, sentences=(*own.sentences, *notes))
    if UNKNOWN in (own.kind, target.kind):
        which = "it" if own.kind == UNKNOWN else "is meant"
        why = f"What {which} does is not known, so no difference can be named."
        return replace(own, differences=(why,))
    wrong = [n for n in settled if _differ(n, getattr(own, n), getattr(target, n))]
    if _have_same_frequencies(own, target):
        wrong = [name for name in wrong if name not in BY_FREQUENCIES]
    elif "method" in wrong and "factor" in wrong:
        wrong.remove("factor")
    said = [_sentence(name, own, target) for name in wrong]
    if not {"base", "exponent", "rotary_dim", "dtype"} & {*wrong}:
        said += _apart_by_pair(own, target)
    said += [PARAMETERS[n].format(own=own.parameters[n], meant=target.parameters[n])
             for n in PARAMETERS if own.parameters.get(n) != target.parameters.get(n)
             and n in own.parameters and n in target.parameters]  # fmt: skip
    is_whole, mended = "layout" in settled, None
    if is_whole and own.picture and target.picture and own.code and target.code:
        run = _runner(rotate, own)
        off = _apart(run, target)
        if not said and off > CLOSE:
            said.append(f"No fact differs, but the outputs do, by up to {off:.2g}.")
        mended = _tried(run, _mends(own, target, wrong), target)
    reach = own.parameters.get("reach")
    said += [reach] if reach and reach != target.parameters.get("reach") else []
    if not (said or own.explained):
        said.append("It is not explained, as is said above, so it may do something else.")
    more = [] if said else ["It does what was meant."]
    if own.kind == "rotation" and not is_whole:
        more.append(f"What is meant does not say the layout: here it is {own.layout}.")
    return replace(
        own, sentences=(*own.sentences, *more), differences=tuple(said), mended_by=mended
    )


def _meant(meant: Any, own: ProgramVerdict, head_dim: int, axes: int | None) -> tuple:
    """Return what is meant as a verdict, the facts that it settles, and sentences on it."""
    from posviz_course.blackbox import identify

    if isinstance(meant, ProgramVerdict):
        return meant, SENTENCES
    if isinstance(meant, BiasByOffset) and own.kind == "bias":
        apart = offsets(range(64), range(64))
        return identify(bias=meant.bias(apart, len(own.slopes or "1"))), SENTENCES
    if isinstance(meant, Encoding):
        encoding = meant
        meant = lambda x, p: encoding.at_query(x[None, None], p)[0, 0]  # noqa: E731
    if callable(meant):
        return identify(meant, head_dim=head_dim, axes=axes), SENTENCES
    arrays = {"rotate", "before", "table", "cos", "inv_freq", "bias", "scores"}
    if isinstance(meant, dict) and arrays & {*meant}:
        return identify(**meant), SENTENCES
    if isinstance(meant, dict) or (isinstance(meant, str | Path) and _is_config(meant)):
        return _of_config(meant, own)
    if not isinstance(meant, str):
        raise TypeError("meant takes arrays by their names, as meant=dict(table=…).")
    return library(meant, own)


def _have_same_frequencies(own: ProgramVerdict, meant: ProgramVerdict) -> bool:
    if own.frequencies is None or np.shape(own.frequencies) != np.shape(meant.frequencies):
        return False
    return bool(np.allclose(own.frequencies, meant.frequencies, rtol=1e-4, atol=1e-9))


def _is_config(meant: str | Path) -> bool:
    return str(meant).lstrip().startswith("{") or Path(meant).suffix == ".json"


def _of_config(source: Any, own: ProgramVerdict) -> tuple:
    """Return what a config.json means for the kind of layers that is nearest to a verdict."""
    from posviz_course.blackbox import identify

    try:
        kinds = [kind for kind in read_config(source).kinds if kind.frequencies is not None]
    except OSError as error:
        raise ValueError(f"{source}: {error.strerror}") from error
    if not kinds:
        raise ValueError("By this config.json no layer rotates, so there is nothing to compare.")
    verdicts = [(identify(inv_freq=k.frequencies.inv_freq), k) for k in kinds]  # type: ignore[union-attr]
    same = [pair for pair in verdicts if _have_same_frequencies(own, pair[0])]
    verdict, kind = (same or verdicts)[0]
    assert kind.frequencies is not None
    gain = float(kind.frequencies.attention_factor)
    more: dict[str, Any] = {"attention_factor": gain, "first_position": 0.0, "dtype": "float32"}
    note = [f"It is compared with the layers {kind.kind}."] if len(kinds) > 1 else []
    if kind.method == "longrope" and not same:
        note.append("LongRoPE has a list for short texts, which is not compared.")
        return replace(verdict, **more), ("rotary_dim", "direction", "first_position"), *note
    return replace(verdict, **more), BY_CONFIG, *note


def _differ(name: str, own: Any, meant: Any) -> bool:
    if own is None or meant is None:
        return name == "method" and own != meant
    if name == "dtype":
        return own != meant and bool({own, meant} & {"bfloat16", "float16"})
    if isinstance(own, float | int | tuple):
        if np.shape(own) != np.shape(meant):
            return True
        return bool((np.abs(np.subtract(own, meant)) > 1e-4 * np.abs(meant) + 1e-6).any())
    return own != meant


def _sentence(name: str, own: ProgramVerdict, meant: ProgramVerdict) -> str:
    mine, theirs = getattr(own, name), getattr(meant, name)
    if name == "layout" and theirs in LAYOUTS:
        return _layout(mine, theirs, (own.rotary_dim or 0) // 2)
    if name == "method":
        mine, theirs = (METHODS.get(value, value) for value in (mine, theirs))
    shown = [f"{v:,.10g}" if isinstance(v, float) else str(v) for v in (mine, theirs)]
    rule = meant.picture and meant.picture.rule
    return SENTENCES[name].format(
        own=shown[0],
        meant=shown[1],
        code=rule.code if rule else meant.code or "its rule",
        what=own.parameters.get("rounding", "angles"),
    )


def _layout(own: str, meant: str, half: int) -> str:
    """Say which pairs are meant, and how rows of weights are moved instead."""
    if own == "mixed":
        return f"Put the columns, the cosines and the sines all in the order of {meant}."
    if own.startswith(f"{meant} to "):
        return (
            "Pairs come out in other columns: put them back into those from which they came. "
            "Scores stay as they are if queries and keys come out alike."
        )
    if own not in LAYOUTS:
        return SENTENCES["layout"].format(own=own, meant=meant)
    pairs = {"interleaved": "(0, 1), (2, 3), …", "half_split": f"(0, {half}), (1, {half + 1}), …"}
    rows = {
        "interleaved": f"new[2i] = old[i] and new[2i + 1] = old[i + {half}]",
        "half_split": f"new[i] = old[2i] and new[i + {half}] = old[2i + 1]",
    }
    return LAYOUT.format(own=own, meant=meant, pairs=pairs[meant], rows=rows[own])


def _apart_by_pair(own: ProgramVerdict, meant: ProgramVerdict) -> list[str]:
    """Say which pairs have other frequencies than is meant."""
    if own.frequencies is None or np.shape(own.frequencies) != np.shape(meant.frequencies):
        return []
    theirs = np.asarray(meant.frequencies)
    ratio = np.asarray(own.frequencies) / np.where(theirs > 0, theirs, np.inf)
    said = []
    for word, wrong in (("slowly", ratio < 1 - 1e-4), ("fast", ratio > 1 + 1e-4)):
        pairs = np.flatnonzero(wrong & (theirs > 0))
        if len(pairs):
            most = np.max(1 / ratio[pairs] if word == "slowly" else ratio[pairs])
            which = f"Pairs {pairs[0]} to {pairs[-1]}" if len(pairs) > 1 else f"Pair {pairs[0]}"
            least = np.min(1 / ratio[pairs] if word == "slowly" else ratio[pairs])
            up_to = "up to " if most > 1.001 * least else ""
            rotate = "rotate" if len(pairs) > 1 else "rotates"
            said.append(f"{which} {rotate} {up_to}{most:.3g} times too {word}.")
    return said


# ---------------------------------------------------------------- changes that are tried


def _runner(rotate: Any, own: ProgramVerdict) -> Rotate:
    """Return the program, or the line of posviz for what is known by a dump alone."""
    if rotate is None:
        return lambda x, positions: apply_line(str(own.code), x, positions)
    return Box(rotate, own.picture.blocks.width, len(own.picture.theta))


def _mends(
    own: ProgramVerdict, meant: ProgramVerdict, wrong: list[str]
) -> dict[str, Callable[[Rotate], Rotate]]:
    """Return the changes that can be made around the program, by a name for readers."""
    mends: dict[str, Callable[[Rotate], Rotate]] = {}
    if "layout" in wrong and {own.layout, meant.layout} <= {*LAYOUTS}:
        mends["reordered columns of queries and keys"] = lambda run: _reordered(run, own, meant)
    if "direction" in wrong:
        mends["the other direction"] = lambda run: lambda x, p: run(x, -p)
    if "first_position" in wrong and own.first_position is not None:
        before = own.first_position * (-1 if "direction" in wrong else 1)
        shift = (meant.first_position or 0) - before
        shift = int(shift) if shift == int(shift) else shift
        mends[f"positions {'plus' if shift > 0 else 'minus'} {abs(shift):g}"] = lambda run: (
            lambda x, p: run(x, p + shift)
        )
    if {"factor", "method"} & {*wrong} and {own.method, meant.method} <= {"plain", "linear"}:
        ratio = (own.factor or 1) / (meant.factor or 1)
        by = f"positions divided by {1 / ratio:g}" if ratio < 1 else f"positions times {ratio:g}"
        mends[by] = lambda run: lambda x, p: run(x, p * ratio)
    if "attention_factor" in wrong and own.attention_factor and own.rotary_dim == meant.rotary_dim:
        gain = (meant.attention_factor or 1) / own.attention_factor
        mends[f"rotated columns times {gain:.6g}"] = lambda run: _multiplied(run, gain, own)
    return mends


def _reordered(run: Rotate, own: ProgramVerdict, meant: ProgramVerdict) -> Rotate:
    here, there, dim = str(own.layout), str(meant.layout), own.rotary_dim

    def rotate(x, positions):
        x = change_layout(x, source=there, target=here, rotary_dim=dim)
        return change_layout(run(x, positions), source=here, target=there, rotary_dim=dim)

    return rotate


def _multiplied(run: Rotate, gain: float, own: ProgramVerdict) -> Rotate:
    def rotate(x, positions):
        rows = np.array(run(x, positions))
        rows[:, : own.rotary_dim] *= gain
        return rows

    return rotate


def _apart(run: Rotate, meant: ProgramVerdict) -> float:
    """Return the largest difference on fresh inputs, or infinity where the program refuses."""
    rng, axes = np.random.default_rng(11), len(meant.picture.theta)
    x = rng.normal(size=(40, meant.picture.blocks.width))
    positions = np.arange(3, 483, 12) if axes == 1 else rng.integers(0, 12, size=(40, axes))
    try:
        return float(np.abs(run(x, positions) - apply_line(str(meant.code), x, positions)).max())
    except Exception:  # somebody's code may raise anything, as for negative positions
        return np.inf


def _tried(run: Rotate, mends: dict, meant: ProgramVerdict) -> str | None:
    """Return which of the changes suffice, as they were tried."""
    if not mends:
        return None
    for name, mend in mends.items():
        if (off := _apart(mend(run), meant)) < CLOSE:
            return _suffices(f"{name} alone", off)
    for mend in mends.values():
        run = mend(run)
    off = _apart(run, meant)
    return _suffices(" and ".join(mends), off) if off < CLOSE else None


def _suffices(changes: str, off: float) -> str:
    how = f"to {off:.0e}" if off else "exactly"
    return f"Tried: with {changes}, it does what was meant, {how}."
