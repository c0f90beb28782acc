"""Filmstrips: pictures that still move where no kernel is, from frames computed beforehand.

In the browser, screen.js and slider.js show them as they show an explorer; filmstrip.js answers in
place of the kernel. What frames have in common (the background, an artist that did not move, the
glyphs of a label) is kept once. Each frame is drawn for a light page and for a dark one, which have
all but colours in common.
"""

import base64
import copy
import itertools
import json
import math
import struct
import zlib
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from posviz.engine.cells import Cells
from posviz.engine.export import png_bytes
from posviz.engine.knobs import numeric
from posviz.engine.layers import Layers
from posviz.engine.live_figure import LiveFigure
from posviz.engine.picture import Picture
from posviz.engine.recorder import Recording

PLACES = 121  # of a number, at most
FRAMES = 150  # of both knobs together, at most
TRIAL = 8  # places from whose size it is estimated how many fit
GAP = 8  # pixels between parts of a background that are kept by themselves
RATIO = 2  # device pixels per CSS pixel
DARK = (False, True)

_HERE = Path(__file__).parent
_NO_DITHER = Image.Dither.NONE
_NOTHING = Recording([], b"", [])


def styles() -> str:
    """The style sheet of filmstrips."""
    names = ("slider.css", "screen.css", "filmstrip.css")
    return "".join((_HERE / name).read_text("utf-8") for name in names)


def filmstrip(picture: Picture, max_bytes: int = 400_000) -> str:
    """A picture as HTML in which its `filmed_knobs` move; it needs `styles` and filmstrip.js.

    It has as many places as fit into `max_bytes`, the picture's present values among them, and
    never fewer than a number's two ends. Raises what compute raises; the picture stays as it was.
    """
    strip = Strip(picture)
    try:
        strip.draw(2)
        room = 3 * (max_bytes - len(_html(strip, b""))) // 4  # base64 writes 3 bytes as 4
        return _html(strip, strip.fit(room))
    finally:
        strip.close()


def _html(strip, data) -> str:
    """What is seen at once, in print and without JavaScript; and the data."""
    width, height = (round(100 * inches) for inches in strip.picture.size)
    still = base64.b64encode(strip.still).decode()
    caption = escape(strip.caption)
    frames = base64.b64encode(data).decode()
    return f"""<div class="posviz-explorer posviz-filmstrip" data-frames="{frames}">
<div class="posviz-controls"></div>
<figure class="posviz-screen posviz-still">
<img src="data:image/png;base64,{still}" width="{width}" height="{height}" alt="{caption}">
<figcaption>{caption}</figcaption>
</figure>
<p class="posviz-fixed">{escape(strip.fixed_settings())}</p>
</div>
"""


class Frame(NamedTuple):
    """What is drawn over the first frame's background, light and dark, and the caption."""

    looks: list[list[Recording]]
    caption: str


class Strip:
    """The frames of a copy of a picture, at every combination of the `filmed_knobs`' places.

    backgrounds: of the first frame, light and dark, PNGs. still and caption: of the present values.
    """

    def __init__(self, picture: Picture) -> None:
        knobs = picture.knobs()
        self.picture, self.start = copy.copy(picture), picture.values()
        self.knobs = {name: knobs[name] for name in picture.filmed_knobs()}
        numbers = [knob for knob in self.knobs.values() if isinstance(knob, numeric)]
        few = math.prod(len(knob.options) or 1 for knob in self.knobs.values())
        each = max(int((FRAMES / few) ** (1 / max(len(numbers), 1))), 2)
        self.max_places = min(each, PLACES, max([1, *(knob.last_place + 1 for knob in numbers)]))
        self.still, self.caption = b"", ""
        self.frames: dict[tuple, Frame] = {}
        self._looks = [(LiveFigure(self.picture, dark=dark), _Backgrounds()) for dark in DARK]
        for live, _ in self._looks:
            live.ratio = RATIO

    def close(self) -> None:
        """Release the figures."""
        for live, _ in self._looks:
            live.release()

    def _stops(self, name, count) -> list:
        """So many values of a number, both ends and the present one among them; all options."""
        knob = self.knobs[name]
        if not isinstance(knob, numeric):
            return list(knob.options)
        return sorted({*knob.stops(min(count, self.max_places)), self.start[name]})

    def draw(self, count: int) -> None:
        """Draw the frames that are missing; what makes new artists changes least often."""
        names = sorted(self.knobs, key=lambda name: not self.knobs[name].redraw)
        for values in itertools.product(*(self._stops(name, count) for name in names)):
            now = dict(zip(names, values, strict=True))
            key = tuple(now[name] for name in self.knobs)
            if key in self.frames:
                continue
            for name, value in now.items():
                setattr(self.picture, name, value)
            for live, _ in self._looks:
                live.follow()
                live.paint()
            light = self._looks[0][0]
            drawn = [backgrounds.over(live.layers) for live, backgrounds in self._looks]
            self.frames[key] = Frame(drawn, light.caption)
            if self.picture.values() == self.start:
                self.still, self.caption = png_bytes(light.layers.pixels()), light.caption
        self.backgrounds = [png_bytes(backgrounds.first) for _, backgrounds in self._looks]

    def fixed_settings(self) -> str:
        """A sentence about the knobs that do not move here."""
        others = [name for name in self.start if name not in self.knobs]
        knobs = self.picture.knobs()
        told = [f"{knobs[name].label} = {knobs[name].write(self.start[name])}" for name in others]
        if not told:
            return ""
        return f"The other settings stay at {', '.join(told)}; the notebook moves them all."

    def fit(self, max_bytes: int) -> bytes:
        """The data of as many places as fit, found by trying: each of them takes about as much."""
        count, best, fitting = min(TRIAL, self.max_places), b"", 0
        while True:
            self.draw(count)
            data = self.packed(count)
            at_rest = sum(map(len, self.backgrounds))
            if len(data) <= max_bytes:
                best, fitting = data, count
            elif count <= 2:
                return data
            each = max(len(data) - at_rest, 1) / count
            wanted = min(int((max_bytes - at_rest) / each), self.max_places)
            if len(data) > max_bytes:
                wanted = min(wanted, count - 1)
            if best and wanted <= 1.1 * fitting:
                return best
            count = max(wanted, 2)

    def _drop_repeated_ends(self, stops, name):
        """Leave out a number's last stops that show what the one before shows, in all cases."""
        axis, own = list(stops).index(name), stops[name]
        cases = list(itertools.product(*(stops[other] for other in stops if other != name)))

        def shown(value):
            return [self.frames[*case[:axis], value, *case[axis:]] for case in cases]

        while len(own) > 2 and own[-1] != self.start[name] and shown(own[-1]) == shown(own[-2]):
            own.pop()

    def packed(self, count: int) -> bytes:
        """The frames of so many places of each number, deflated: header's length, header, blobs.

        The header is JSON: css (size in CSS pixels), knobs, start (a place for each knob), sizes of
        the blobs (the first two are the backgrounds, light and dark), recordings as [calls, blob of
        vertices, blobs of each image], frames as [recordings, those of the dark look, caption], the
        last knob's places one after the other.
        """
        stops = {name: self._stops(name, count) for name in self.knobs}
        for name, knob in self.knobs.items():
            if isinstance(knob, numeric):
                self._drop_repeated_ends(stops, name)
        blobs, recordings = _Indexed(), _Indexed()
        for number, background in enumerate(self.backgrounds):
            blobs[background] = number
        longest = max(len(drawn) for frame in self.frames.values() for drawn in frame.looks)

        def written(recording):
            cells = [box for kind, _, box, *_ in recording.calls if kind == "cells"]
            images = zip(cells, recording.images, strict=True)
            parts = tuple(tuple(map(blobs.index, _parts_of_cells(*image))) for image in images)
            vertices = blobs.index(_coarse(recording.vertices))
            return recordings.index((json.dumps(recording.calls), vertices, parts))

        frames: list = []
        for values in itertools.product(*stops.values()):
            looks, caption = self.frames[values]
            full = (drawn + [_NOTHING] * (longest - len(drawn)) for drawn in looks)
            frames.append([*([written(each) for each in drawn] for drawn in full), caption])
        header = {
            "css": [round(100 * inches) for inches in self.picture.size],
            "knobs": [_described(self.knobs[name], values) for name, values in stops.items()],
            "start": [values.index(self.start[name]) for name, values in stops.items()],
            "sizes": [len(blob) for blob in blobs],
            "recordings": [[json.loads(calls), *parts] for calls, *parts in recordings],
            "frames": frames,
        }
        text = json.dumps(header, separators=(",", ":")).encode()
        return zlib.compress(b"".join([struct.pack("<I", len(text)), text, *blobs]), 9)


class _Indexed(dict):
    """Distinct things, numbered in the order in which they came."""

    def index(self, thing: Any) -> int:
        """The thing's index."""
        return self.setdefault(thing, len(self))


def _coarse(vertices) -> bytes:
    """Vertices rounded to 1/64 of a pixel: no visible difference, and a third fewer bytes."""
    return (np.round(np.frombuffer(vertices, np.float32) * 64) / 64).tobytes()


def _parts_of_cells(box, image) -> tuple[bytes, bytes, bytes]:
    """Colours, which cell lies where, and the cells: each is often that of another image."""
    colours = 4 * box["colours"]
    lines = colours + 2 * (box["width"] + box["height"])
    return image[:colours], image[colours:lines], image[lines:]


def _described(knob, values) -> dict:
    """A knob and its places, for the browser."""
    told: dict[str, Any] = {"label": knob.label, "texts": [knob.write(value) for value in values]}
    if isinstance(knob, numeric):
        told |= {"values": values, "range": f"from {knob.low:,} to {knob.high:,}"}
    return told


class _Backgrounds:
    """Backgrounds as differences from the first one: mostly a few tick labels."""

    def __init__(self) -> None:
        self.first: Any = None
        self._background_id: Any = None
        self._patch = _NOTHING

    def over(self, layers: Layers) -> list[Recording]:
        """The recordings that turn the first background into the painted picture."""
        recordings = layers.recordings()
        if recordings is None:
            few = Image.fromarray(layers.pixels()).convert("RGB").quantize(255, dither=_NO_DITHER)
            return [self._difference(np.asarray(few.convert("RGBA")))]
        if layers.background_id is not self._background_id:
            self._background_id = layers.background_id
            self._patch = self._difference(layers.background())
        return [self._patch, *recordings]

    def _difference(self, pixels) -> Recording:
        """The parts of the pixels [height, width, 4] that differ, as cells of one pixel each."""
        if self.first is None:
            self.first = pixels.copy()
        differs = (pixels != self.first).any(axis=2)
        calls: list = []
        images: list[bytes] = []
        for box in _parts(differs):
            rows, columns = box
            sizes, data = _pixel_cells(pixels[box], differs[box]).packed()
            corner = {"left": int(columns.start), "top": int(rows.start)}
            calls.append(["cells", {}, corner | sizes, len(images)])
            images.append(data)
        return Recording(calls, b"", images)


def _parts(some):
    """Boxes around all that is True, as slices of rows and columns."""
    for rows in _runs(some.any(axis=1)):
        for columns in _runs(some[rows].any(axis=0)):
            yield rows, columns


def _runs(some):
    """Slices that cover all that is True, split where more than GAP in a row are False."""
    found = np.flatnonzero(some)
    for run in np.split(found, np.flatnonzero(np.diff(found) > GAP) + 1):
        if len(run):
            yield slice(run[0], run[-1] + 1)


def _pixel_cells(pixels, seen) -> Cells:
    """Pixels as cells, transparent where they are not to be seen."""
    levels = (pixels[seen] >> 3) * (255 / 31)  # edges of letters need no more than 32
    colours, which = np.unique(levels.round().astype(np.uint8).view(np.uint32), return_inverse=True)
    indices = np.zeros(seen.shape, np.uint8 if len(colours) < 256 else np.uint16)
    indices[seen] = which.ravel() + 1
    colours = np.append(np.uint32(0), colours).view(np.uint8).reshape(-1, 4)
    height, width = seen.shape
    return Cells(0, height, colours, np.arange(width), np.arange(height), indices)
