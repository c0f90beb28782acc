"""Filmstrips: pictures that still move where no kernel is, from frames computed beforehand.

In the browser, screen.js and slider.js show them as they show an explorer; filmstrip.js answers in
place of the kernel. `posviz.pictures.sweeps` chooses the settings. What frames have in common (the
background, an artist that did not move, the glyphs of a label) is kept once. Each frame is drawn
for a light page and for a dark one, which have all but colours in common; and all of them a second
time as in a paper's column, which a telephone loads in their place.
"""

import base64
import copy
import functools
import json
import struct
import zlib
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from posviz.pictures.declared import Declared
from posviz.pictures.export import distinct, png_bytes
from posviz.pictures.knobs import numeric
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.stream.cells import Cells
from posviz.pictures.stream.layers import Layers
from posviz.pictures.stream.recorder import Recording
from posviz.pictures.style import dpi
from posviz.pictures.sweeps import numbers, sweeps

GAPS = (8, 4, 2, 1)  # between a slider's places: the first that fit
GAP = 8  # pixels between parts of a background that are kept by themselves
RATIO = 2  # device pixels per CSS pixel
WIDE, NARROW = "notebook", "paper"
INCH = {WIDE: 100, NARROW: 113}  # in CSS pixels: letters of 7 points are 11 high, on 390 in all
DARK = (False, True)

_HERE = Path(__file__).parent
_NO_DITHER = Image.Dither.NONE
_NOTHING = Recording([], b"", [])


def styles() -> str:
    """The style sheet of filmstrips."""
    names = ("explorer.css", "filmstrip.css")
    return "".join((_HERE / name).read_text("utf-8") for name in names)


def filmstrip(picture: Declared, told: str = "", max_bytes: int = 1_000_000) -> str:
    """A picture as HTML in which its knobs move; it needs `styles` and filmstrip.js.

    told: a text whose numbers are among the places of every slider that takes them. There are as
    many more as fit into `max_bytes`. Raises what compute raises; the picture stays as it was.
    """
    strip, narrow = Strip(picture), Strip(picture, NARROW)
    try:
        data = b""
        for gaps in GAPS:
            settings = sweeps(picture, gaps, numbers(told))
            strip.draw(settings)
            data = strip.packed(settings)
            if 4 * len(data) // 3 <= max_bytes:  # base64 writes 3 bytes as 4
                break
        narrow.draw(settings)
        return _html(strip, data, narrow.packed(settings))
    finally:
        strip.close()
        narrow.close()


def _html(strip, wide, narrow) -> str:
    """What is seen at once, in print and without JavaScript; and the data, wide and narrow."""
    width, height = (round(inches * INCH[WIDE]) for inches in strip.picture.size)
    still, caption = strip.still()
    caption = escape(caption)
    still, frames, narrow = (base64.b64encode(data).decode() for data in (still, wide, narrow))
    explorer = "posviz-explorer posviz-filmstrip"
    return f"""<div class="{explorer}" data-frames="{frames}" data-narrow="{narrow}">
<div class="posviz-controls"></div>
<figure class="posviz-screen posviz-still">
<img src="data:image/png;base64,{still}" width="{width}" height="{height}" alt="{caption}">
<figcaption>{caption}</figcaption>
</figure>
<p class="posviz-fixed">{escape(strip.rule())}</p>
</div>
"""


class Frame(NamedTuple):
    """What is drawn over the first frame's background, light and dark, and the caption."""

    looks: list[list[Recording]]
    caption: str


class Strip:
    """The frames of a copy of a picture."""

    def __init__(self, picture: Declared, style: str = WIDE) -> None:
        self.picture, self.start, self.knobs = copy.copy(picture), picture.values(), picture.knobs()
        self.moving: dict[str, list] = {}  # the values of each knob that has more than one
        self.frames: dict[tuple, Frame] = {}
        self._looks = {
            dark: (LiveFigure(self.picture, style, dark), _Backgrounds()) for dark in DARK
        }
        for live, _ in self._looks.values():
            live.ratio = RATIO * INCH[style] / dpi(style)

    def close(self) -> None:
        """Release the figures."""
        for live, _ in self._looks.values():
            live.release()

    def draw(self, settings: list[dict]) -> None:
        """Draw the frames that are missing; what makes new artists changes least often."""
        of = {name: {values[name] for values in settings} for name in self.knobs}
        self.moving = {
            name: _in_order(self.knobs[name], of[name]) for name in of if len(of[name]) > 1
        }
        anew = [name for name, knob in self.knobs.items() if knob.redraw]

        def made(values):  # first those that are made as at the start
            return [(values[name] != self.start[name], repr(values[name])) for name in anew]

        for values in sorted(settings, key=made):
            key = tuple(values.values())
            if key in self.frames:
                continue
            drawn = {
                dark: backgrounds.over(self._painted(live, values))
                for dark, (live, backgrounds) in self._looks.items()
            }
            self.frames[key] = Frame([drawn[dark] for dark in DARK], self._light.caption)

    @property
    def _light(self) -> LiveFigure:
        return self._looks[False][0]

    def _painted(self, live, values) -> Layers:
        for name, value in values.items():
            setattr(self.picture, name, value)
        live.follow()
        live.paint()
        return live.layers

    def still(self) -> tuple[bytes, str]:
        """What is shown where the picture stands: a PNG, light, and the caption."""
        pixels = self._painted(self._light, self.start).pixels()
        return png_bytes(pixels), self._light.caption

    def rule(self) -> str:
        """A line about how settings move here, and about those that do not."""
        fixed = [name for name in self.start if name not in self.moving]
        labels = {name: knob.label for name, knob in self.knobs.items()}
        told = []
        if len(self.moving) > 1:
            groups = [
                " and ".join(labels[name] for name in names) for names in self.picture.combined
            ]
            but = f"; only {', '.join(groups)} stay together" if groups else ""
            told.append(f"Move a setting, and the others go back to where they began{but}.")
        if fixed:
            values = [
                f"{labels[name]} = {self.knobs[name].write(self.start[name])}" for name in fixed
            ]
            told.append(f"Fixed here: {', '.join(values)}.")
        return " ".join([*told, "In the notebook all move freely."]) if told else ""

    def packed(self, settings: list[dict]) -> bytes:
        """The frames of the settings, deflated: header's length, header, blobs.

        The header is JSON: css (size in CSS pixels), knobs, sizes of the blobs, backgrounds (the
        blob of the light one and of the dark one), recordings as [calls, blob of vertices, blobs of
        each image], frames as [a place for each knob, recordings, those of the dark look, caption],
        the first where the picture stands.
        """
        blobs, recordings = _Indexed(), _Indexed()
        behind = {dark: blobs.index(first.png) for dark, (_, first) in self._looks.items()}
        longest = max(len(drawn) for frame in self.frames.values() for drawn in frame.looks)

        def written(recording):
            cells = [box for kind, _, box, *_ in recording.calls if kind == "cells"]
            images = zip(cells, recording.images, strict=True)
            parts = tuple(tuple(map(blobs.index, _parts_of_cells(*image))) for image in images)
            vertices = blobs.index(_coarse(recording.vertices))
            return recordings.index((json.dumps(recording.calls), vertices, parts))

        frames: list = []
        for values in settings:
            looks, caption = self.frames[tuple(values.values())]
            places = [stops.index(values[name]) for name, stops in self.moving.items()]
            full = (drawn + [_NOTHING] * (longest - len(drawn)) for drawn in looks)
            frames.append([places, *([written(each) for each in drawn] for drawn in full), caption])
        few = self.picture.filmed_knobs()
        header = {
            "css": [pixels / RATIO for pixels in reversed(self._looks[False][1].first.shape[:2])],
            "backgrounds": [behind[dark] for dark in DARK],
            "knobs": [
                _described(self.knobs[name], stops, name in few)
                for name, stops in self.moving.items()
            ],
            "sizes": [len(blob) for blob in blobs],
            "recordings": [[json.loads(calls), *parts] for calls, *parts in recordings],
            "frames": frames,
        }
        text = json.dumps(header, separators=(",", ":")).encode()
        # Level 9 takes three times as long, and saves 1 %.
        return zlib.compress(b"".join([struct.pack("<I", len(text)), text, *blobs]), 8)


def _in_order(knob, values) -> list:
    """Values from a slider's low end to its high one, or in the order in which they are offered."""
    return sorted(
        values, key=None if isinstance(knob, numeric) else knob.stops(len(knob.options)).index
    )


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


def _described(knob, values, few) -> dict:
    """A knob and its places, for the browser; few: it is one of those that a slide shows."""
    texts = [knob.write(value) for value in values]
    told: dict[str, Any] = {"label": knob.label, "texts": texts, "few": few}
    if isinstance(knob, numeric):
        told |= {
            "values": values,
            "range": f"from {texts[0]} to {texts[-1]}",
            "play": knob.play,
        }
    return told


class _Backgrounds:
    """Backgrounds as differences from the first one: mostly a few tick labels."""

    def __init__(self) -> None:
        self.first: Any = None
        self._background_id: Any = None
        self._patch = _NOTHING

    @functools.cached_property
    def png(self) -> bytes:
        """The first one."""
        return png_bytes(self.first)

    def over(self, layers: Layers) -> list[Recording]:
        """The recordings that turn the first background into the painted picture."""
        recordings = layers.recordings()
        if recordings is None:
            whole = Image.fromarray(layers.pixels()).convert("RGB")
            few = whole.quantize(255, kmeans=1, dither=_NO_DITHER).convert("RGBA")
            return [self._difference(np.asarray(few))]
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
            sizes, data = _pixel_cells(pixels[box], differs[box], self.first[0, 0]).packed()
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


def _pixel_cells(pixels, seen, paper) -> Cells:
    """Pixels as cells, transparent where they are not to be seen; the paper's colour is kept.

    Up to 255 colours are kept as they are; of more, alike ones become one.
    """
    shown = pixels[seen]
    colours, which = distinct(shown)
    if len(colours) > 255:
        is_paper = (shown == paper).all(axis=1)  # or what was there before would shine through
        shown = ((shown >> 3) * (255 / 31)).round().astype(np.uint8)  # enough for edges of letters
        shown[is_paper] = paper
        colours, which = distinct(shown)
    indices = np.zeros(seen.shape, np.uint8 if len(colours) < 256 else np.uint16)
    indices[seen] = which + 1
    colours = np.vstack([np.zeros(4, np.uint8), colours])
    height, width = seen.shape
    return Cells(0, height, colours, np.arange(width), np.arange(height), indices)
