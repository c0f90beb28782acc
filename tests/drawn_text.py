"""What a figure writes, where it stands, and which of it is cut off or runs into something else."""

from itertools import combinations
from unittest import mock

import numpy as np
from matplotlib.text import Text
from matplotlib.transforms import Bbox

TOLERANCE = 0.01  # inches: one pixel in a notebook


def drawn_texts(figure) -> dict[Text, Bbox]:
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


def text_faults(figure, least_points=0) -> list[str]:
    """A line for every text cut off by the figure or its axes, too small, or over another."""
    boxes = drawn_texts(figure)
    assert boxes
    slack = TOLERANCE * figure.get_dpi()
    faults = [
        f"{text.get_text()!r} is cut off"
        for text, box in boxes.items()
        if _sticks_out(box, figure.bbox, slack)
        or (text.get_clip_on() and _sticks_out(box, text.get_clip_box(), slack))
    ]
    small = [text for text in boxes if text.get_fontsize() < least_points]
    faults += [f"{text.get_text()!r} has {text.get_fontsize()} points" for text in small]
    for (text, box), (other, other_box) in combinations(boxes.items(), 2):
        common = Bbox.intersection(box, other_box)
        # A box is as tall as the tallest letter and wide around what is turned: ink decides.
        if common and min(common.size) > slack and _inks_meet(figure, text, other, common):
            faults.append(f"{text.get_text()!r} overlaps {other.get_text()!r}")
    return faults


def _sticks_out(box, frame, slack) -> bool:
    return frame is not None and (
        box.x0 < frame.x0 - slack
        or box.y0 < frame.y0 - slack
        or box.x1 > frame.x1 + slack
        or box.y1 > frame.y1 + slack
    )


def _inks_meet(figure, text, other, common) -> bool:
    """Whether two texts mark the same pixels, or pixels side by side."""
    first, second = (_ink(figure, each, common) for each in (text, other))
    return bool(np.any(_thicken(first) & second))


def _ink(figure, text, box) -> np.ndarray:
    """The pixels that a text alone marks inside a box, as [height, width] booleans."""
    renderer = figure.canvas.get_renderer()
    renderer.clear()
    Text.draw(text, renderer)
    marked = np.asarray(renderer.buffer_rgba())[::-1, :, 3] > 0  # rows from the bottom, as boxes
    x0, y0, x1, y1 = (max(0, edge) for edge in np.round(box.extents).astype(int))
    return marked[y0:y1, x0:x1]


def _thicken(marked) -> np.ndarray:
    """The marked pixels and their neighbours on all eight sides."""
    padded = np.pad(marked, 1)
    height, width = marked.shape
    shifts = [(i, j) for i in range(3) for j in range(3)]
    return np.any([padded[i : i + height, j : j + width] for i, j in shifts], axis=0)
