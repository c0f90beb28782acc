"""The private names of matplotlib that draw calls need, each with the reason.

No other file of `stream` uses one. Where a version of matplotlib lacks a name, recording stops at
that name with an error, and the picture is sent as PNGs (`FigureLayers.recordings`).
"""

from typing import Any

import numpy as np
from matplotlib import cbook, ft2font
from matplotlib.backends import backend_agg


def aligned_axes(axis: Any) -> list:
    """The axes whose tick labels decide the label's place: its own, and those aligned with it.

    No public name lists what `Figure.align_labels` aligned. `FigureLayers` asks for bitmaps, too,
    so where the private name is missing, an axis counts as not aligned.
    """
    groups = getattr(axis.get_figure(root=False), "_align_label_groups", None)
    return groups[axis.axis_name].get_siblings(axis.axes) if groups else [axis.axes]


def ticks_of(axis: Any) -> list:
    """The ticks within the limits, in place; the public names return all, and do not place them."""
    return axis._update_ticks()


def place_label(axis: Any, recorder: Any, ticks: list, boxes: list) -> None:
    """Put the label beside boxes of tick labels: by itself an axis lays out each label again."""
    known: Any = {
        "_update_ticks": lambda: ticks,
        "_get_tick_boxes_siblings": lambda renderer: boxes,
    }
    with cbook._setattr_cm(axis, **known):
        axis._update_label_position(recorder)


def place_offset_text(axis: Any, boxes: list) -> None:
    """Put the power of ten beside boxes of tick labels; `Axis.draw` alone does so otherwise."""
    axis._update_offset_text_position(*boxes)


def lines_of(text: Any, renderer: Any) -> tuple[np.ndarray, list]:
    """A text's box, and its lines as (line, is mathtext, x, y); `Text.draw` keeps both inside."""
    box, lines, _ = text._get_layout(renderer)
    placed = [(*text._preprocess_math(line), *place) for line, _, place in lines]
    return box.get_points(), placed


def alignment_of_lines(text: Any) -> str:
    """Return how a text's lines are aligned: matplotlib has a public setter and no getter."""
    return text._get_multialignment()


def glyphs_of(agg: Any, words: str, prop: Any) -> list:
    """The glyphs of a line, kerned, as Agg lays them out: its `draw_text` returns none."""
    layout = agg._prepare_font(prop)._layout
    return layout(words, flags=backend_agg.get_hinting_flag(), features=None, language=None)


def bitmap_of(font: Any, glyph: int, matrix: list, start: list, antialiased: bool) -> Any:
    """A rotated glyph that begins between pixels; a font's public names draw whole lines."""
    font._set_transform(matrix, start)
    mode = ft2font.RenderMode.NORMAL if antialiased else ft2font.RenderMode.MONO
    return font._render_glyph(glyph, backend_agg.get_hinting_flag(), mode)


def extent_of(font: Any, glyph: int) -> Any:
    """An upright glyph's box and advance: `load_glyph` keeps the transform of the last bitmap."""
    font._set_transform([[0x10000, 0], [0, 0x10000]], [0, 0])
    return font.load_glyph(glyph, backend_agg.get_hinting_flag())


def draw_boxes(agg: Any, gc: Any, x: float, y: float, angle: float, boxes: list) -> None:
    """Draw the bars of a formula as Agg does, rotated and between pixels, without its letters."""
    agg._draw_text_glyphs_and_boxes(gc, x, y, angle, [], boxes)
