"""What is wrong with the texts of a drawn figure: cut off, overlapping, without room."""

import contextlib
import warnings
from unittest import mock

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image, ImageFilter

from posviz.pictures.dress import panels
from posviz.pictures.picture import Picture
from posviz.pictures.style import SLIDE_PARTS, Appearance, parameters

TOLERANCE = 0.01  # inches: one pixel in a notebook
LEAST_LETTERS = 5  # the side of a square as large as a panel, in heights of letters
# Smaller letters cannot be read from the last row, or on a telephone, which shows style paper.
LEAST_POINTS = {"slide": 18, "paper": 7}


def room_faults(picture: Picture, look: Appearance) -> list[str]:
    """Return a line for each text without room in an appearance, and for too small panels."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        figure = picture.figure_in(look)
        faults = text_faults(figure)
    if any("constrained_layout not applied" in str(warning.message) for warning in warned):
        return ["its panels have no room at all"]
    least = LEAST_LETTERS * parameters(*look.theme)["font.size"] / 72 * figure.get_dpi()
    areas = [axes.bbox.width * axes.bbox.height for axes in panels(figure) if axes.get_visible()]
    if min(areas) < least**2:
        faults.append("a panel is too small to be read")
    return faults


def fitted(picture: Picture, look: Appearance) -> tuple[Appearance | None, str]:
    """Return the appearance with as many columns of values as fit, or None and the reason."""
    count = len(look.multiples[1]) if look.multiples else 1
    rows = [look._replace(columns=few) for few in (0, 2, 1) if few < count]
    if own := next((row for row in rows if not room_faults(picture, row)), None):
        return own, ""
    alone = []
    with contextlib.suppress(ValueError):  # its panels belong together
        for number in () if look.panel else range(1, 1 + len(panels(picture.figure()))):
            if fitted(picture, look._replace(panel=number))[0]:
                alone.append(str(number))
    advice = f" One panel fits: --panel {' or '.join(alone)}." if alone else ""
    parts = list(SLIDE_PARTS)
    larger = reversed(parts[: parts.index(look.layout)] if look.layout else [])
    fits = (part for part in larger if not room_faults(picture, look._replace(layout=part)))
    if part := next(fits, ""):
        advice += f" All of it fits: --layout {part}."
    return None, f"{room_faults(picture, look)[0]}.{advice}"


def text_faults(figure: Figure, least_points=0) -> list[str]:
    """A line for every text cut off by the figure or its axes, too small, or over another."""
    boxes = drawn_texts(figure)
    if not boxes:
        return ["nothing is written in the figure"]
    slack = TOLERANCE * figure.get_dpi()
    faults = [
        f"{text.get_text()!r} is cut off"
        for text, box in boxes.items()
        if _sticks_out(box, figure.bbox, slack)
        or (text.get_clip_on() and _sticks_out(box, text.get_clip_box(), slack))
    ]
    small = [text for text in boxes if text.get_fontsize() < least_points]
    faults += [f"{text.get_text()!r} has {text.get_fontsize()} points" for text in small]
    faults += [
        f"{text.get_text()!r} overlaps {other.get_text()!r}"
        for text, other, common in _overlapping(boxes, slack)
        # Boxes are generous (tallest letter, rotated text): only drawn pixels decide.
        if _inks_meet(figure, text, other, common)
    ]
    return faults


def drawn_texts(figure: Figure) -> dict[Text, Bbox]:
    """The texts that a draw of the figure really draws, each with its box in pixels."""
    boxes = {}
    draw = Text.draw

    def spy(text, renderer, *args, **kwargs):
        if text.get_visible() and text.get_text().strip():
            boxes[text] = Text.get_window_extent(text, renderer)
        return draw(text, renderer, *args, **kwargs)

    with mock.patch.object(Text, "draw", spy):
        figure.draw_without_rendering()
    return boxes


def _sticks_out(box, bounds, slack) -> bool:
    if bounds is None:
        return False
    return bool(np.any(box.min < bounds.min - slack) or np.any(box.max > bounds.max + slack))


def _overlapping(boxes, slack):
    """Two texts whose boxes meet, and where, for all of them."""
    texts, edges = list(boxes), np.array([box.extents for box in boxes.values()])
    low = np.maximum(edges[:, None, :2], edges[:, :2])
    high = np.minimum(edges[:, None, 2:], edges[:, 2:])
    for i, j in np.argwhere(np.triu((high - low > slack).all(axis=-1), 1)):
        yield texts[i], texts[j], Bbox([low[i, j], high[i, j]])


def _inks_meet(figure, text, other, common) -> bool:
    """Whether two texts mark the same pixels, or pixels side by side."""
    first, second = (_ink(figure, artist, common) for artist in (text, other))
    thick = Image.fromarray(first).convert("L").filter(ImageFilter.MaxFilter(3))
    return bool(np.any(np.asarray(thick, bool) & second))


def _ink(figure, text, box) -> np.ndarray:
    """The pixels that a text alone marks inside a box, as [height, width] booleans."""
    renderer = figure.canvas.get_renderer()
    renderer.clear()
    Text.draw(text, renderer)
    marked = np.asarray(renderer.buffer_rgba())[::-1, :, 3] > 0  # rows from the bottom, as boxes
    x0, y0, x1, y1 = (max(0, edge) for edge in np.round(box.extents).astype(int))
    return marked[y0:y1, x0:x1]
