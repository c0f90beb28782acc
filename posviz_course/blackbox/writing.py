"""Write the line of posviz that rotates as a program does: an encoding, or a function of x."""

from __future__ import annotations

import numpy as np

from posviz.encodings.doors import Encoding
from posviz.encodings.rotary import LAYOUTS
from posviz_course.blackbox.lines import compute, listed
from posviz_course.blackbox.rotation import Rotation, axis_of_pairs
from posviz_course.blackbox.rule import roundest


def apply_line(line: str, x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return the rows x [len, d] as a line of posviz rotates them."""
    value = compute(line)
    rotate = value.at_query if isinstance(value, Encoding) else value
    return np.asarray(rotate(x[None, None], positions)).reshape(len(x), -1)


def line_of(r: Rotation) -> str:
    """Return the line: an encoding where one suffices, else a function of x and positions."""
    layout = r.layout if r.layout in LAYOUTS else "interleaved"
    into, out = _around(r)
    if len(r.theta) > 1:
        angles = axes_line(r) or f"positions @ {listed(np.round(r.theta, 12))}"
        angles = angles.replace("positions", f"(positions + {r.start:g})") if r.start else angles
        return _calling(f"apply_rotary({into}, {angles}, layout={layout!r}{_gain(r)})", out)
    at = _positions_in(r)
    if r.rounding == "angles":
        angles = f'to_dtype(rotary_angles({at}, {_frequencies(r)}.inv_freq), "{r.dtype}")'
        return _calling(f"apply_rotary({into}, {angles}, layout={layout!r}{_gain(r)})", out)
    door, encoding = "at_query", f"Rotary({_arguments(r)}layout={layout!r})"
    if r.xpos and r.xpos["centre"]:
        out = f"{out} * {_scale(r, layout)}"
    elif r.xpos:
        encoding = _xpos(r, layout)
        door = "at_key" if r.xpos["sign"] < 0 else "at_query"
    if (into, out, at, door) == ("x", "{}", "positions", "at_query"):
        return encoding
    return _calling(f"{encoding}.{door}({into}, {at})", out)


def _calling(call: str, out: str) -> str:
    return f"lambda x, positions: {out.format(call)}"


def _gain(r: Rotation) -> str:
    return "" if r.gain in (1.0, None) else f", attention_factor={r.gain!r}"


def _positions_in(r: Rotation) -> str:
    start = r.start or 0
    at = "positions" if not start else f"positions {'+' if start > 0 else '-'} {abs(start):g}"
    if r.rounding:
        at = f'to_dtype({at}, "{r.dtype}")'
    return at if r.direction > 0 else (f"-({at})" if start and not r.rounding else f"-{at}")


def _frequencies(r: Rotation) -> str:
    """Return the line that makes the frequencies, with their gain."""
    if r.rule is None:
        speed = [float(f"{s:.10g}") for s in r.direction * r.theta[0]]
        return f"Frequencies({listed(speed)}" + (")" if r.gain in (1, None) else f", {r.gain!r})")
    own = compute(r.rule.code).attention_factor
    whole = abs(r.blocks.rest_gain - (r.gain or 1)) < 1e-4 and len(r.blocks.rest)
    gain = 1.0 if r.gain is None or whole else r.gain
    replaced = "" if abs(own - gain) < 2e-6 else f"._replace(attention_factor={gain!r})"
    return f"{r.rule.code}{replaced}"


def _arguments(r: Rotation) -> str:
    """Return the arguments of Rotary before the layout."""
    rule, line = r.rule, _frequencies(r)
    if rule is None or line != f"Frequencies(rotary_frequencies({r.rotary_dim}, {rule.base!r}))":
        return f"frequencies={line}, "
    base = "" if rule.base == 1e4 else f"base={rule.base!r}, "
    return base + ("" if r.rotary_dim == r.blocks.width else f"rotary_dim={r.rotary_dim}, ")


def _xpos(r: Rotation, layout: str) -> str:
    usual = {"base": 1e4, "gamma": 0.4, "scale_base": 512.0}
    own = {**(r.xpos or {}), "base": (r.rule and r.rule.base) or 1e4}
    given = [f"{name}={own[name]!r}, " for name in usual if own[name] != usual[name]]
    return f"XPos({''.join(given)}layout={layout!r})"


def _scale(r: Rotation, layout: str) -> str:
    """Return the line of xPos's scale, counted from its centre, for each column."""
    x = r.xpos or {}
    sign = "-" if x["sign"] < 0 else ""
    numbers = f"gamma={x['gamma']!r}, scale_base={x['scale_base']!r}"
    scale = f"xpos_scale({sign}(positions - {x['centre']!r}), {r.rotary_dim}, {numbers})"
    return f"np.repeat({scale}, 2, -1)" if layout == "interleaved" else f"np.tile({scale}, 2)"


# ---------------------------------------------------------------- other columns


def _around(r: Rotation) -> tuple[str, str]:
    """Return x as it goes in, and what is done with the result {}."""
    b, into, out = r.blocks, "x", "{}"
    is_same = np.array_equal(b.entering, b.leaving) and np.array_equal(b.rest, b.rest_to)
    in_order = r.leaving in LAYOUTS and bool((np.diff(b.leaving, axis=1) > 0).all())
    moves = in_order and b.leaving.min() == 0 and np.array_equal(b.rest, b.rest_to)
    if r.layout not in LAYOUTS or r.first_column or not (is_same or moves):
        order, back = _orders(r)
        into, out = _taking("x", order), _taking("{}", back)
    elif not is_same:
        argument = "" if r.rotary_dim == b.width else f", rotary_dim={r.rotary_dim}"
        out = f"change_layout({{}}, source={r.layout!r}, target={r.leaving!r}{argument})"
    if abs(b.rest_gain - 1) > 1e-4:
        out = f"{roundest(b.rest_gain, 1e-6)!r} * {out}"
    return into, out


def _orders(r: Rotation) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns that go into a usual layout, and those that its result is read from."""
    b = r.blocks
    entering, leaving = b.entering, b.leaving
    if r.layout == "half_split":  # pairs at rest are between the others
        still = np.arange(1, r.rotary_dim // 2 - len(entering) + 1)[:, None] + entering[-1]
        entering, leaving = (np.vstack([pairs, still]).T for pairs in (entering, leaving))
    rest = np.isin(b.rest, entering, invert=True)
    order = np.append(entering.ravel(), b.rest[rest])
    target = np.append(leaving.ravel(), b.rest_to[rest])
    return order.astype(int), np.argsort(target)


def _taking(x: str, order: np.ndarray) -> str:
    """Write that columns are taken in an order, short where it has a short form."""
    own = np.arange(len(order))
    if np.array_equal(order, own):
        return x
    known = {f"np.roll(np.arange({len(own)}), {-order[0]})": np.roll(own, -order[0])}
    if len(own) % 2 == 0:
        known[f"np.arange({len(own)}).reshape(-1, 2)[:, ::-1].ravel()"] = own ^ 1
    short = [line for line, columns in known.items() if np.array_equal(columns, order)]
    return f"{x}[..., {short[0] if short else order.tolist()}]"


# ---------------------------------------------------------------- positions with columns


def axes_line(r: Rotation) -> str | None:
    """Return the angles [len, pairs] of positions [len, axes] as posviz makes them, if it does."""
    axis, rule = axis_of_pairs(r.theta), r.rule
    if axis is None or rule is None:
        return None
    n, own = r.theta.shape[1], rule.frequencies().inv_freq
    lines = []
    if len(own) == n:
        inv_freq = f"rotary_frequencies({2 * n}, {rule.base!r})"
        sections = tuple(np.bincount(axis, minlength=3).tolist())
        lines = [
            f"mrope_angles(np.moveaxis(positions, -1, 0), {inv_freq}, {sections}, interleaved={i})"
            for i in (False, True)
            if len(r.theta) == 3
        ]
        lines.append(f"positions[..., {axis.tolist()}] * {inv_freq}")
    elif len(r.theta) == 2:
        base = "" if rule.base == 1e4 else f"base={rule.base!r}, "
        lines = [
            f"axial_angles(positions[..., 0], positions[..., 1], {2 * n}, {base}first={first!r})"
            for first in ("column", "row")
        ]
    return next((line for line in lines if _angles_fit(line, r.theta)), None)


def _angles_fit(line: str, theta: np.ndarray) -> bool:
    positions = np.array([[5, 3, 2], [0, 7, 4], [6, 0, 1]])[:, : len(theta)]
    try:
        angles = compute(f"lambda positions: {line}")(positions)
    except ValueError:
        return False
    return bool(np.abs(angles - positions @ theta).max() < 1e-4 * max(1, np.abs(theta).max()))
