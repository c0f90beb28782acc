"""Texts as Agg draws them: each is laid out once, and put together from glyphs that are kept.

Laying out and rendering one tick label takes Agg half a millisecond, and an axis whose limits move
has all its labels in new places in every frame.
"""

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.ft2font import FT2Font

from posviz.pictures.stream import private


class Layout(NamedTuple):
    """A text around its anchor, in pixels upwards: its box, and (line, is mathtext, x, y) each."""

    box: np.ndarray
    lines: list[tuple[str, bool, float, float]]


@functools.lru_cache(maxsize=4)
def letters_at(dpi: float) -> "Letters":
    """The letters of a density, for all pictures: many have the same numbers at their axes."""
    return Letters(dpi)


class Letters:
    """Layouts, glyphs and covers of all texts at a density, in pixels an inch."""

    def __init__(self, dpi: float) -> None:
        self.agg = RendererAgg(1, 1, dpi)
        self.measure = functools.lru_cache(maxsize=1000)(self._measure)
        self.cover = functools.lru_cache(maxsize=1000)(self._cover)
        self._glyphs = functools.lru_cache(maxsize=1000)(self._set)
        self._bitmap = functools.lru_cache(maxsize=4000)(self._render)
        self._metrics = functools.lru_cache(maxsize=1000)(self._look_up)
        self._sized = functools.lru_cache(maxsize=40)(self._open)
        self._layouts: dict[tuple, Layout] = {}

    def layout(self, text: Any, renderer: Any) -> Layout | None:
        """How a plain text lies around its anchor; None for one that has to draw itself."""
        if text.get_bbox_patch() or text.get_path_effects() or text.get_usetex():
            return None
        if text.get_wrap() or text.get_fontfeatures() or text.get_language():
            return None
        if not text.get_text():
            return Layout(np.zeros((2, 2)), [])
        key = (
            text.get_text(),
            hash(text.get_fontproperties()),
            text.get_rotation(),
            text.get_rotation_mode(),
            text.get_horizontalalignment(),
            text.get_verticalalignment(),
            private.alignment_of_lines(text),
            text.get_linespacing(),
            text.get_parse_math(),
        )
        if key not in self._layouts:
            if len(self._layouts) == 1000:
                self._layouts.clear()
            self._layouts[key] = Layout(*private.lines_of(text, renderer))
        return self._layouts[key]

    def _measure(self, s, prop, ismath):
        """Width, height and descent as Agg has them, of glyphs that are laid out only once."""
        if ismath:
            return self.agg.get_text_width_height_descent(s, prop, ismath)
        glyphs, _ = self._glyphs(s, prop, False, True)
        edges = [(y, *self._metrics(*glyph)) for *glyph, _, y in glyphs]
        low = min(y + low for y, low, _, _ in edges)
        high = max(y + high for y, _, high, _ in edges)
        return glyphs[-1][3] + edges[-1][3], high - low, -low

    def _cover(self, s, prop, ismath, angle, x, y, antialiased):
        """Left, top and [height, width] of what a text covers, its start being at x, y 64ths."""
        glyphs, boxes = self._glyphs(s, prop, ismath, antialiased)
        cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        parts = []
        for font, size, glyph, dx, dy in glyphs:
            across = round(x + 64 * (dx * cos - dy * sin))
            up = round(-y + 64 * (dx * sin + dy * cos))
            rest = across % 64, up % 64
            left, top, ink = self._bitmap(font, size, glyph, cos, sin, *rest, antialiased)
            parts.append((left + across // 64, -top - up // 64, ink))
        if boxes:
            parts.append(self._ruled(boxes, x / 64, y / 64, angle, antialiased))
        parts = [part for part in parts if part[2].size]
        if not parts:
            return 0, 0, np.zeros((0, 0), np.uint8)
        left, top = min(part[0] for part in parts), min(part[1] for part in parts)
        right = max(x + ink.shape[1] for x, _, ink in parts)
        low = max(y + ink.shape[0] for _, y, ink in parts)
        clear = np.full((low - top, right - left), 255, np.uint16)
        for x, y, ink in parts:
            height, width = ink.shape
            seen = clear[y - top : y - top + height, x - left : x - left + width]
            seen[...] = (seen * (255 - ink.astype(np.uint16)) + 127) // 255
        return left, top, (255 - clear).astype(np.uint8)

    def _set(self, s, prop, ismath, antialiased):
        """Glyphs (font, size, index, x, y) and boxes (x, y, width, height), in pixels upwards."""
        if ismath:
            parse = self.agg.mathtext_parser.parse(s, self.agg.dpi, prop, antialiased=antialiased)
            return [(f, size, i, x, y) for f, size, _, i, x, y in parse.glyphs], parse.rects
        size, items = prop.get_size_in_points(), private.glyphs_of(self.agg, s, prop)
        return [(i.ft_object, size, i.glyph_index, i.x, i.y) for i in items], []

    def _render(self, font, size, glyph, cos, sin, x, y, antialiased):
        """Left and top (upwards) of a glyph, and its pixels; it starts at x, y 64ths."""
        along, up = round(0x10000 * cos), round(0x10000 * sin)
        matrix = [[along, -up], [up, along]]
        bitmap = private.bitmap_of(self._sized(font, size), glyph, matrix, [x, y], antialiased)
        return bitmap.left, bitmap.top, bitmap.buffer * np.uint8(1 if antialiased else 255)

    def _look_up(self, font, size, glyph):
        """The lowest and highest of a glyph, and its advance, in pixels."""
        box = private.extent_of(self._sized(font, size), glyph)
        return box.bbox[1] / 64, box.bbox[3] / 64, box.horiAdvance / 64

    def _open(self, font, size):
        """The font once more, for this size alone: each change of size takes as long as a glyph."""
        sized = FT2Font(font.fname, face_index=font.face_index)
        sized.set_size(size, self.agg.dpi)
        return sized

    def _ruled(self, boxes, x, y, angle, antialiased):
        """Left, top and pixels of the bars of a fraction or a root, drawn by Agg itself."""
        reach = math.ceil(max(math.hypot(abs(x) + w, abs(y) + h) for x, y, w, h in boxes)) + 2
        agg = RendererAgg(2 * reach, 2 * reach, self.agg.dpi)
        ink = agg.new_gc()
        ink.set_antialiased(antialiased)
        private.draw_boxes(agg, ink, reach + x, reach + y, angle, boxes)
        return -reach, -reach, np.asarray(agg.buffer_rgba())[..., 3]
