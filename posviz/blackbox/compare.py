"""How a program differs from what was meant, and which change mends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from posviz.blackbox.box import Box
from posviz.blackbox.census import library
from posviz.blackbox.rotation import apply_line
from posviz.blackbox.verdict import ProgramVerdict
from posviz.configs import read_config
from posviz.encodings.doors import Encoding
from posviz.encodings.rotary import LAYOUTS, change_layout

Rotate = Callable[[np.ndarray, np.ndarray], np.ndarray]
CLOSE = 2e-3  # of outputs of size 3 at positions below 512, in float32

# What is compared, and the change in the program that mends it; {own} and {meant} are values.
REMEDIES = {
    "kind": "it is another kind of encoding",
    "layout": "{layout}",
    "axes": "let the pairs follow the positions as {meant}",
    "direction": "change the sign of the sines",
    "first_position": "let the first position be {meant:g} (scores stay as they are if queries and "
    "keys are shifted alike)",
    "rotary_dim": "rotate {meant} columns of a head",
    "base": "set the base to {meant:,.10g}",
    "exponent": "let the exponent of the base be {meant}",
    "method": "make the frequencies by {code}",
    "factor": "let the factor be {meant:g}",
    "attention_factor": "multiply cosines and sines by {meant:.6g}",
    "dtype": "compute angles in {meant}",
    "order": "put sines and cosines in the order {meant}",
    "slopes": "take the slopes {meant}",
    "depends_on": "let the bias depend on the {meant} alone",
}


def compared(own: ProgramVerdict, meant: Any, rotate: Any, head_dim: int) -> ProgramVerdict:
    """Return the verdict with what differs from ``meant``, a sentence each, and what mends it."""
    target, known, *notes = _meant(meant, own, head_dim)
    own = replace(own, sentences=(*own.sentences, *notes))
    names = [n for n in known if n in REMEDIES] if known else list(REMEDIES)
    wrong = [n for n in names if _differ(n, getattr(own, n), getattr(target, n))]
    if "method" in wrong and "factor" in wrong:
        wrong.remove("factor")
    said = [_sentence(n, own, target) for n in wrong]
    if own.kind == target.kind == "rotation" and target.code and own.code:
        mends, line = _mends(own, target, wrong), target.code
        run = _runner(rotate, own, head_dim)
        off = _apart(run, line, head_dim)
        if not wrong and off > CLOSE and not known:
            said.append(f"No fact differs, but the outputs do, by up to {off:.2g}.")
        if wrong and mends:
            trial = _tried(run, mends, line, head_dim)
            said += [trial] if trial else []
    if not said:
        said = ["It does what was meant."]
        return replace(own, sentences=(*own.sentences, *said))
    return replace(own, differences=tuple(said), mended_by=said[-1] if wrong else None)


def _meant(meant: Any, own: ProgramVerdict, head_dim: int) -> tuple:
    """Return what is meant as a verdict, the facts that it settles (none: all), and a sentence."""
    from posviz.blackbox import identify

    if isinstance(meant, ProgramVerdict):
        return meant, []
    if isinstance(meant, Encoding):
        encoding = meant
        return identify(
            lambda x, p: encoding.at_query(x[None, None], p)[0, 0], head_dim=head_dim
        ), []
    if callable(meant):
        return identify(meant, head_dim=head_dim), []
    arrays = {"before", "table", "cos", "inv_freq", "bias", "scores"}
    if isinstance(meant, dict) and arrays & {*meant}:
        return identify(**meant), []
    if isinstance(meant, dict) or (isinstance(meant, str | Path) and _is_config(meant)):
        return _of_config(meant)
    return library(str(meant), own)


def _is_config(meant: str | Path) -> bool:
    return str(meant).lstrip().startswith("{") or Path(meant).suffix == ".json"


def _of_config(source: Any) -> tuple[ProgramVerdict, list[str]]:
    """Return what a config.json means for the first kind of layers that rotates."""
    from posviz.blackbox import identify

    reading = read_config(source)
    kind = next((kind for kind in reading.kinds if kind.frequencies is not None), None)
    if kind is None:
        raise ValueError("By this config.json no layer rotates, so there is nothing to compare.")
    frequencies = kind.frequencies
    assert frequencies is not None
    factor = float(frequencies.attention_factor)
    verdict = replace(identify(inv_freq=frequencies.inv_freq), attention_factor=factor)
    known = ["kind", "rotary_dim", "base", "method", "factor", "attention_factor", "exponent"]
    return verdict, known


def _differ(name: str, own: Any, meant: Any) -> bool:
    if own is None or meant is None:
        return name in ("method", "kind") and own != meant
    if name == "dtype":
        half = ("bfloat16", "float16")
        return own != meant and (own in half or meant in half)
    if isinstance(own, float | int | tuple):
        if np.shape(own) != np.shape(meant):
            return True
        return bool((np.abs(np.subtract(own, meant)) > 1e-4 * np.abs(meant) + 1e-6).any())
    return own != meant


def _sentence(name: str, own: ProgramVerdict, meant: ProgramVerdict) -> str:
    mine, theirs = getattr(own, name), getattr(meant, name)
    what = name.replace("_", " ")
    shown = [f"{v:.10g}" if isinstance(v, float) else str(v) for v in (mine, theirs)]
    remedy = REMEDIES[name].format(
        own=mine, meant=theirs, code=meant.code or f"the rule {meant.method}",
        layout=_other_layout(str(own.layout), str(meant.layout)),
    )  # fmt: skip
    return f"The {what} is {shown[0]}, but {shown[1]} is meant: {remedy}."


def _other_layout(own: str, meant: str) -> str:
    """Return the change that makes one layout another; pairs may be in no usual order, or mixed."""
    if own in LAYOUTS and meant in LAYOUTS:
        change = f"change_projection_layout(w, num_heads=…, source={meant!r}, target={own!r})"
        return f"reorder the columns of W_Q and W_K in each head: {change}"
    if meant not in LAYOUTS:
        return "take the columns in the order of what was meant"
    if own == "mixed":
        return f"take the columns, the cosines and the sines in the order of {meant}"
    if own.startswith(f"{meant} to "):
        return (
            "put the rotated pairs into the columns from which they came (scores stay as they are "
            "if queries and keys come out alike)"
        )
    return f"take the columns in the order of {meant}"


# ---------------------------------------------------------------- changes that are tried


def _runner(rotate: Any, own: ProgramVerdict, head_dim: int) -> Rotate:
    """Return the program, or the line of posviz for what is known by a dump alone."""
    if rotate is None:
        return lambda x, positions: apply_line(str(own.code), x, positions)
    return Box(rotate, head_dim, 1)


def _mends(
    own: ProgramVerdict, meant: ProgramVerdict, wrong: list[str]
) -> dict[str, Callable[[Rotate], Rotate]]:
    """Return the changes that can be made around the program, by a name for readers."""
    mends: dict[str, Callable[[Rotate], Rotate]] = {}
    if "layout" in wrong and own.layout in LAYOUTS and meant.layout in LAYOUTS:
        mends["reordered columns of queries and keys"] = lambda run: _reordered(run, own, meant)
    if "direction" in wrong:
        mends["the other direction"] = lambda run: lambda x, p: run(x, -p)
    if "first_position" in wrong and own.first_position is not None:
        before = own.first_position * (-1 if "direction" in wrong else 1)
        shift = (meant.first_position or 0) - before
        shift = int(shift) if shift == int(shift) else shift
        mends[f"positions plus {shift:g}"] = lambda run: lambda x, p: run(x, p + shift)
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


def _apart(run: Rotate, line: str, head_dim: int) -> float:
    """Return the largest difference on fresh inputs, or infinity where the program refuses."""
    x = np.random.default_rng(11).normal(size=(40, head_dim))
    positions = np.arange(3, 483, 12)
    try:
        return float(np.abs(run(x, positions) - apply_line(line, x, positions)).max())
    except Exception:  # somebody's code may raise anything, as for negative positions
        return np.inf


def _tried(run: Rotate, mends: dict, line: str, head_dim: int) -> str | None:
    """Return which of the changes suffice, as they were tried."""
    for name, mend in mends.items():
        if (off := _apart(mend(run), line, head_dim)) < CLOSE:
            return f"Tried: with {name} alone, both agree to {off:.0e}."
    for mend in mends.values():
        run = mend(run)
    off = _apart(run, line, head_dim)
    return f"Tried: with {' and '.join(mends)}, both agree to {off:.0e}." if off < CLOSE else None
