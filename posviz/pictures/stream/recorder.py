"""Draw calls, recorded so that the browser can repeat them on a canvas.

What matplotlib asks of a renderer is little: fill and stroke paths, stamp markers, show images. A
browser fills and strokes as Agg does, so a few numbers take the place of a picture's pixels. Paths
go through matplotlib's own cleaning first (clipping, snapping, simplification, sketch): in the
browser nothing is left to decide. Text is hinted by Agg and so goes as what Agg makes of it.
"""

import functools
from math import floor
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axis import XAxis, YAxis
from matplotlib.backend_bases import RendererBase
from matplotlib.image import AxesImage
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from posviz.pictures.dense_line import clip
from posviz.pictures.stream.axis import record_axis
from posviz.pictures.stream.cells import Cells, Unfaithful, cells_of_image
from posviz.pictures.stream.letters import letters_at


class Recording(NamedTuple):
    """What one artist draws: calls, the vertices they name by row, the images they name by index.

    vertices: float32 rows of (code, x, y), in pixels from the upper left; codes as in Path.
    """

    calls: list
    vertices: bytes
    images: list[bytes]


def _refusing(what):
    """Return a renderer's method that raises Unfaithful, because no draw call can replace it."""

    def refuse(self, *_, **__):
        raise Unfaithful(what)

    return refuse


class Recorder(RendererBase):
    """A renderer that writes down what `agg`, of the same size and density, would draw."""

    def __init__(self, agg: Any) -> None:
        super().__init__()
        self.agg, self.dpi, self.width, self.height = agg, agg.dpi, agg.width, agg.height
        self._letters = letters_at(agg.dpi)
        self._downwards = Affine2D().scale(1, -1)
        self._flip = Affine2D().scale(1, -1).translate(0, self.height)
        self._clear()

    def record(self, artist: Any) -> Recording:
        """What the artist draws; Unfaithful if the browser could not show it as Agg does."""
        self._clear()
        if type(artist) is AxesImage and not artist.get_agg_filter():
            self._record_image(artist)
        elif type(artist) is Text and artist.get_visible():
            self.write(artist)
        elif type(artist) in (XAxis, YAxis):
            record_axis(artist, self)
        else:
            artist.draw(self)
        vertices = np.concatenate([np.empty((0, 3), np.float32), *self._vertices])
        return Recording(self._calls, vertices.tobytes(), self._images)

    def _clear(self):
        self._calls: list = []
        self._vertices: list[np.ndarray] = []
        self._images: list[bytes] = []
        self._rows = 0

    def write(self, text: Any) -> None:
        """Write down a visible text as it draws itself."""
        layout, place = self._laid_out(text)
        if layout is None:
            text.draw(self)
            return
        gc = self.new_gc()
        gc.set_foreground(text.get_color())
        gc.set_alpha(text.get_alpha())
        gc.set_antialiased(text.get_antialiased())
        clip(gc, text)
        prop, angle = text.get_fontproperties(), text.get_rotation()
        left, low = place
        for line, ismath, x, y in layout.lines if np.isfinite(place).all() else ():
            self.draw_text(gc, left + x, self.height - (low + y), line, prop, angle, ismath)

    def box(self, text: Any) -> np.ndarray:
        """The box of a text, [[left, low], [right, high]] in pixels."""
        layout, place = self._laid_out(text)
        return text.get_window_extent(self).get_points() if layout is None else layout.box + place

    def _laid_out(self, text):
        place = text.get_transform().transform(text.get_unitless_position())
        return self._letters.layout(text, self), place

    # -- what matplotlib calls -----------------------------------------------------------------

    def points_to_pixels(self, points):
        return points * self.dpi / 72

    def get_canvas_width_height(self):
        return self.width, self.height

    def get_text_width_height_descent(self, s, prop, ismath):
        """As Agg measures it, so that all text lands in the same place."""
        return self._letters.measure(s, prop, ismath)

    def draw_path(self, gc, path, transform, rgbFace=None):
        """Write down a path, cleaned as Agg cleans it."""
        style = self._style(gc, rgbFace)
        line = rgbFace is None
        cleaned = path.cleaned(
            transform + self._flip,
            remove_nans=True,
            clip=(0, 0, self.width, self.height) if line else None,
            simplify=line and path.should_simplify,
            curves=True,
            stroke_width=style.get("width", 0),
            snap=gc.get_snap(),
            sketch=gc.get_sketch_params(),
        )
        self._calls.append(["path", style, *self._keep(cleaned)])

    def draw_markers(self, gc, marker_path, marker_trans, path, trans, rgbFace=None):
        """Write down one marker and its points: whole pixels, as in Agg."""
        style, snap = self._style(gc, rgbFace), gc.get_snap()
        if "clip" in style:  # Agg lets markers reach one pixel further
            left, top, width, height = style["clip"]
            style["clip"] = [left, top, width + 1, height + 1]
        marker = marker_path.cleaned(
            marker_trans + self._downwards,
            remove_nans=True,
            curves=True,
            stroke_width=self.points_to_pixels(gc.get_linewidth()),  # invisible strokes, too
            snap=snap,
        )
        if not _snaps(marker, snap):  # then its centre is a pixel's
            marker = marker.transformed(Affine2D().translate(0.5, 0.5))
        to_pixels = trans + self._flip + Affine2D().translate(0.5, 0.5)
        points = path.cleaned(to_pixels, remove_nans=True)
        np.floor(points.vertices, out=points.vertices)  # a new Path would refuse to be empty
        self._calls.append(["markers", style, *self._keep(marker), *self._keep(points)])

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        """Write down how much of each pixel the text covers: a few hundred bytes for a number."""
        if mtext is not None and (mtext.get_fontfeatures() or mtext.get_language()):
            raise Unfaithful("a text with font features")
        column, row = floor(x), floor(y)
        rest = 64 * (x - column), 64 * (y - row)
        if not (ismath or angle % 90):  # else glyphs lie between the places of Agg's grid
            rest = round(rest[0]), round(rest[1])
        words = s, prop, ismath, angle
        left, top, cover = self._letters.cover(*words, *rest, gc.get_antialiased())
        if cover.size:
            high, shades = self.height - row - top, _shades(tuple(gc.get_rgb()))
            rows, columns = map(np.arange, cover.shape)
            cells = Cells(column + left, high, shades, columns, rows, cover)
            self._write_cells(self._clip_box(gc), cells)  # Agg cuts no text along a path

    draw_image = _refusing("an image that is not of cells")  # resampled, it is as large as a frame
    draw_tex = _refusing("text set by TeX")
    draw_gouraud_triangles = _refusing("gouraud shading")
    start_filter = _refusing("an Agg filter")

    # -- how it is written down ----------------------------------------------------------------

    def _keep(self, path) -> tuple[int, int]:
        """Add a path's vertices; return the first row and how many."""
        rows = np.empty((len(path.codes) - 1, 3), np.float32)  # the last code is to stop
        with np.errstate(over="ignore"):
            rows[:, 0], rows[:, 1:] = path.codes[:-1], path.vertices[:-1]
        if not np.isfinite(rows).all():
            raise Unfaithful("a point beyond what float32 can tell")
        first = self._rows
        self._rows += len(rows)
        self._vertices.append(rows)
        return first, len(rows)

    def _style(self, gc, face) -> dict:
        """How a path is filled, stroked and clipped, in pixels and CSS colours."""
        if gc.get_hatch() is not None or not gc.get_antialiased():
            raise Unfaithful("hatched" if gc.get_hatch() is not None else "not antialiased")
        style = self._clip(gc)
        if face is not None:
            given = len(face) == 4 and not gc.get_forced_alpha()
            style["fill"] = _css((*face[:3], face[3] if given else gc.get_alpha()))
        width, edge = self.points_to_pixels(gc.get_linewidth()), gc.get_rgb()
        if width > 0 and edge[3] > 0:
            style |= {"stroke": _css(edge), "width": width}
            style |= {"cap": gc.get_capstyle(), "join": gc.get_joinstyle()}
            offset, dashes = gc.get_dashes()
            if dashes is not None:
                style["dash"] = [self.points_to_pixels(length) for length in dashes]
                style["dash_offset"] = self.points_to_pixels(offset)
        return style

    def _clip_box(self, gc) -> dict:
        box = gc.get_clip_rectangle()
        if box is None:
            return {}
        x0, y0, x1, y1 = box.extents
        edges = x0, x1, self.height - y1, self.height - y0
        left, right, top, bottom = (floor(edge + 0.5) for edge in edges)
        return {"clip": [left, top, right - left, bottom - top]}

    def _clip(self, gc) -> dict:
        style = self._clip_box(gc)
        path, transform = gc.get_clip_path()
        if path is not None:
            to_pixels, snap = transform + self._flip, gc.get_snap()
            clip = path.cleaned(to_pixels, remove_nans=True, curves=True, stroke_width=0, snap=snap)
            style["clip_path"] = self._keep(clip)
        return style

    def _record_image(self, image):
        if image.get_visible() and image.get_array().size:
            cells = cells_of_image(image)
            if cells is not None:
                gc = self.new_gc()
                clip(gc, image)
                self._write_cells(self._clip(gc), cells)
        image.stale = False

    def _write_cells(self, style, cells):
        sizes, data = cells.packed()
        corner = {"left": cells.left, "top": self.height - cells.high}
        self._calls.append(["cells", style, corner | sizes, len(self._images)])
        self._images.append(data)


def _snaps(marker, snap) -> bool:
    """Return whether Agg snaps a path to pixels: on request, or if its edges are axis-aligned."""
    if snap is not None:
        return snap
    edges = marker.codes[(marker.codes != Path.STOP) & (marker.codes != Path.CLOSEPOLY)]
    corners = marker.vertices[: len(edges)]
    straight = np.abs(corners[1:] - corners[:-1]).min(axis=1) < 1e-4
    return bool((edges <= Path.LINETO).all() and straight.all())


@functools.lru_cache(maxsize=16)
def _shades(rgba):
    """A colour from transparent to whole, 256 × RGBA."""
    colours = np.tile(np.multiply(rgba, 255.0), (256, 1))
    colours[:, 3] *= np.linspace(0, 1, 256)
    return colours.round().astype(np.uint8)


@functools.lru_cache(maxsize=100)
def _css(rgba) -> str:
    """A colour as #rrggbbaa."""
    return "#" + bytes(round(255 * value) for value in rgba).hex()
