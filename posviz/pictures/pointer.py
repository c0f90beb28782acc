"""What lies under a reader's pointer, in words, and which knobs it moves when it drags."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from posviz.wording import signed

NEAR = 0.14  # inches between the pointer and a point that it means


def axes_at(figure: Figure, place: tuple[float, float]) -> Axes | None:
    """The first axes that hold a place in pixels."""
    return next((axes for axes in figure.axes if axes.bbox.contains(*place)), None)


def words_at(figure: Figure, place: tuple[float, float]) -> str:
    """The value of the cell, or the nearest point of a line, at a place in pixels; else ""."""
    axes = axes_at(figure, place)
    if axes is None or axes.name != "rectilinear":
        return ""
    return _cell(axes, place) or (_point(axes, place) if axes.axison else "")


def named_knobs(axes: Axes, knobs: dict[str, Any]) -> dict[str, int]:
    """The knobs that axes are named after, which a pointer in them moves: 0 along x, 1 along y."""
    named = ((_label(axis).split(",")[0], way) for way, axis in enumerate((axes.xaxis, axes.yaxis)))
    return {name: way for name, way in named if name in knobs and knobs[name].kind == "slider"}


def _cell(axes: Any, place) -> str:
    """What a map has here, by the words of its axes."""
    for image in axes.images:
        value = image.get_cursor_data(SimpleNamespace(x=place[0], y=place[1]))
        if value is None or np.ma.is_masked(value) or np.size(value) > 1 or np.isnan(value):
            continue
        x, y = axes.transData.inverted().transform(place)
        if -0.5 in image.get_extent():  # rows and columns are whole numbers
            x, y = round(x), round(y)
        cell = [name for name in (_named(axes.yaxis, y), _named(axes.xaxis, x)) if name]
        return f"{', '.join(cell)}: {_number(value)}" if cell else ""
    return ""


def _point(axes: Any, place) -> str:
    """The point of a line that is nearest, if it is near."""
    nearest, least = "", NEAR * axes.figure.get_dpi()
    for line in axes.lines:
        if not line.get_visible() or line.get_transform() is not axes.transData:
            continue
        points = np.asarray(line.get_xydata())
        gaps = np.hypot(*(axes.transData.transform(points) - place).T)
        gaps[~np.isfinite(gaps)] = np.inf
        if gaps.size and gaps.min() < least:
            least, (x, y), name = gaps.min(), points[gaps.argmin()], str(line.get_label())
            words = [word for word in (_named(axes.xaxis, x), _named(axes.yaxis, y)) if word]
            nearest = ("" if name.startswith("_") else f"{name}: ") + ", ".join(words)
            nearest = nearest if words else ""
    return nearest


def _named(axis: Any, value: float) -> str:
    """A place on an axis: its label, and the word that a tick has there or else the number."""
    words = {tick.get_loc(): tick.label1.get_text() for tick in axis.majorTicks}
    word = words.get(value, "").strip()
    if word and not word.startswith("$") and any(letter.isalpha() for letter in word):
        return f"{_label(axis)} {word}".strip()
    return f"{_label(axis)} {_number(value)}" if _label(axis) else ""


def _label(axis: Any) -> str:
    """The label without its unit; where several axes share one, of that which has it."""
    shared = getattr(axis.axes, f"get_shared_{axis.axis_name}_axes")().get_siblings(axis.axes)
    labels = (getattr(each, f"get_{axis.axis_name}label")() for each in (axis.axes, *shared))
    return next((re.sub(r"\s*\(.*|\n.*", "", label) for label in labels if label), "")


def _number(value: Any) -> str:
    """Three digits, and whole numbers whole."""
    return signed(value + 0.0, ",.0f" if abs(value) >= 1000 or value == round(value) else ".3g")
