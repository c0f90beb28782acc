"""What a browser makes of frames: replay.js in Python, with Agg for the canvas.

It reads the very messages that go over the wire. What it shows differs from what Agg draws of the
artists themselves only where a number was written down wrongly: the two round alike.
"""

import io
import json
from types import SimpleNamespace
from unittest import mock
from weakref import WeakKeyDictionary

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Bbox, TransformedPath
from PIL import Image

import posviz.pictures.drawing
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.stream.frames import Frames

DPI = 72  # so that points are pixels


def decoded(png) -> np.ndarray:
    """The pixels of a PNG, every checksum checked."""
    image = Image.open(io.BytesIO(png))
    image.load()
    assert (image.format, image.mode) == ("PNG", "RGBA")
    return np.asarray(image)


class Scene:
    """What the canvas shows: the bitmap at rest, and the calls of each artist in front."""

    def __init__(self):
        self.bitmap = None
        self.artists = []

    def take(self, message, buffers):
        """Take in what a message brings."""
        message = json.loads(json.dumps(message))
        if message["whole"]:
            png, *buffers = buffers
            self.bitmap = decoded(png)
            self.artists = [None] * message["artists"]
        rows, *images = buffers
        rows = np.frombuffer(rows, np.float32).reshape(-1, 3)
        assert len(self.artists) == message["artists"]
        for artist, first_row, first_image, calls in message["moved"]:
            self.artists[artist] = (calls, rows[first_row:], images[first_image:])

    def pixels(self) -> np.ndarray:
        """What is seen then, [height, width, 4] uint8."""
        height, width = self.bitmap.shape[:2]
        canvas = RendererAgg(width, height, DPI)
        canvas.clip_paths = []  # alive: Agg takes another path at the same address for the last one
        np.asarray(canvas.buffer_rgba())[:] = self.bitmap
        for calls, rows, images in self.artists:
            for kind, style, *rest in calls:
                _DRAW[kind](canvas, _gc(canvas, style, rows), style, rows, images, *rest)
        return np.asarray(canvas.buffer_rgba()).copy()


def replayed(recording, background) -> np.ndarray:
    """What one artist's recording draws over these pixels."""
    scene = Scene()
    scene.bitmap, scene.artists = background, [None]
    moved = [[0, 0, 0, recording.calls]]
    buffers = [recording.vertices, *recording.images]
    scene.take({"whole": False, "artists": 1, "moved": moved}, buffers)
    return scene.pixels()


def fresh_pixels(picture, dpi=100) -> np.ndarray:
    """What Agg draws of the picture, its layout solved anew, [height, width, 4] uint8."""
    with mock.patch.object(posviz.pictures.drawing, "_layouts", WeakKeyDictionary()):
        figure = picture.figure()
    figure.set_dpi(dpi)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())


class Wire:
    """A live picture, and what a browser shows that got every one of its frames."""

    def __init__(self, picture):
        self.picture = picture
        self.live, self.frames, self.scene = LiveFigure(picture), Frames(), Scene()

    def send(self):
        """One more frame; what is seen then is right. Returns fields, buffers and bytes sent."""
        self.live.follow()
        self.live.paint()
        fields, buffers = self.frames.next(self.live.layers)
        self.scene.take(fields, buffers)
        assert self.live.layers.only_pixels == ""
        return SimpleNamespace(
            **fields, buffers=buffers, size=len(json.dumps(fields)) + sum(map(len, buffers))
        )

    def is_right(self, wanted=None):
        """Whether the browser shows what a fresh figure would; `wanted` are its pixels if known."""
        if wanted is None:
            wanted = fresh_pixels(self.picture, dpi=100 * self.live.ratio)
        return np.abs(self.scene.pixels() - wanted.astype(int)).max() <= 2

    def artists(self, sent):
        """The artists of which the frame brings something."""
        return {self.live.layers.front[place] for place, *_ in sent.moved}

    @property
    def moving(self):
        _, artists = [*self.live._built.values()][-1]
        return artists


def white(figure) -> np.ndarray:
    """An empty page of the figure's size, [height, width, 4] uint8."""
    width, height = figure.canvas.get_width_height()
    return np.full((height, width, 4), 255, np.uint8)


def _path(rows, first, count):
    code, *place = rows[first : first + count].astype(float).T
    path = Path(np.column_stack(place), code.astype(np.uint8))
    path.should_simplify = False
    return path


def _gc(canvas, style, rows):
    """How to stroke and clip; nothing is snapped any more."""
    gc = canvas.new_gc()
    gc.set_snap(False)
    gc.set_linewidth(style.get("width", 0))
    gc.set_foreground(_colour(style.get("stroke", "#00000000")), isRGBA=True)
    if "stroke" in style:
        gc.set_capstyle(style["cap"])
        gc.set_joinstyle(style["join"])
        gc.set_dashes(style.get("dash_offset", 0), style.get("dash"))
    if "clip" in style:
        left, top, width, height = style["clip"]
        gc.set_clip_rectangle(Bbox.from_bounds(left, canvas.height - top - height, width, height))
    if "clip_path" in style:
        path = _path(rows, *style["clip_path"])
        canvas.clip_paths.append(path)
        gc.set_clip_path(TransformedPath(path, _upwards(canvas)))
    return gc


def _upwards(canvas, x=0, y=0):
    """From a place that counts from the upper left to Agg's, from below."""
    return Affine2D().translate(x, y).scale(1, -1).translate(0, canvas.height)


def _colour(css):
    return tuple(np.frombuffer(bytes.fromhex(css[1:]), np.uint8) / 255)


def _face(style):
    """The fill, never quite unseen: what is not filled Agg would clip again."""
    *rgb, alpha = _colour(style.get("fill", "#00000000"))
    return (*rgb, max(alpha, 1e-9))


def _draw_path(canvas, gc, style, rows, images, first, count):
    face = _face(style)
    canvas.draw_path(gc, _path(rows, first, count), _upwards(canvas), face)


def _draw_markers(canvas, gc, style, rows, images, first, count, first_point, points):
    face = _face(style)
    marker = _path(rows, first, count)
    for code, x, y in rows[first_point : first_point + points].tolist():
        if code != Path.CLOSEPOLY:
            canvas.draw_path(gc, marker, _upwards(canvas, x, y), face)


def _draw_cells(canvas, gc, style, rows, images, place, image):
    pixels, left, top = coloured(place, images[image]), place["left"], place["top"]
    if "clip" in style:  # here, as Agg would clip images one pixel later
        x, y, width, height = style["clip"]
        right, bottom = max(x + width - left, 0), max(y + height - top, 0)
        cut_left, cut_top = max(x - left, 0), max(y - top, 0)
        pixels = pixels[cut_top:bottom, cut_left:right]
        left, top = left + cut_left, top + cut_top
    if pixels.size:
        canvas.draw_image(gc, left, canvas.height - top - len(pixels), pixels[::-1])


def coloured(place, data) -> np.ndarray:
    """The pixels of cells, [height, width, 4] uint8."""
    colours = np.frombuffer(data, np.uint8, 4 * place["colours"]).reshape(-1, 4)
    at, width, height = 4 * place["colours"], place["width"], place["height"]
    lines = np.frombuffer(data, np.uint16, width + height, at)
    kind = {1: np.uint8, 2: np.uint16}[place["wide"]]
    cells = np.frombuffer(data, kind, -1, at + 2 * (width + height)).reshape(-1, place["across"])
    return colours[cells[np.ix_(lines[width:], lines[:width])]]


_DRAW = {"path": _draw_path, "markers": _draw_markers, "cells": _draw_cells}
