"""The screen: a canvas in the browser that shows frames of a live figure."""

import struct
import time
import zlib
from pathlib import Path
from typing import NamedTuple

import anywidget
import numpy as np
from isal import isal_zlib

from posviz.engine.live import LiveFigure
from posviz.engine.looks import drawing

FORGET_AFTER = 60.0  # seconds; a view that is seen is heard every two


class View(NamedTuple):
    """An open view: device pixels per CSS pixel, and when it was last heard (seconds)."""

    ratio: float
    heard: float


class Screen(anywidget.AnyWidget):
    """Sends frames to every view that is open; knows which are open and how sharp they are.

    There is no acknowledgement and so nothing that could stay in flight for ever: ipywidgets'
    sliders wait for the kernel, and a view that comes back asks for a frame.
    """

    # Strings, not paths: with a path anywidget watches the file and keeps every instance alive.
    _esm = (Path(__file__).parent / "screen.js").read_text(encoding="utf-8")
    _css = (Path(__file__).parent / "screen.css").read_text(encoding="utf-8")

    def __init__(self, live: LiveFigure, refresh):
        """`refresh` is called when a view asks for a frame."""
        super().__init__()
        self.live, self._refresh = live, refresh
        self.views: dict[str, View] = {}
        self.frames = 0
        self.on_msg(self._receive)

    def show(self):
        """Send the figure as it stands to every open view."""
        self.live.paint()
        fields, buffers = png_frame(self.live)
        self.frames += 1
        width, height = self.live.picture.size
        head = {
            "frame": self.frames,
            "caption": self.live.caption,
            "css": [round(100 * width), round(100 * height)],
        }
        self.send(head | fields, buffers)

    def _receive(self, _, message, buffers):
        """A view asks for a frame, tells that it is there, or goes; each names itself."""
        with drawing:
            self._hear(message)

    def _hear(self, message):
        view, now = message["view"], time.monotonic()
        known = view in self.views and self.views[view].ratio == message.get("ratio")
        if message.get("gone"):
            self.views.pop(view, None)
        else:
            self.views[view] = View(message["ratio"], now)
        # A page that crashed says no goodbye; a hidden one falls silent and asks when it is back.
        self.views = {name: v for name, v in self.views.items() if now - v.heard < FORGET_AFTER}
        if not self.views:
            self.live.release()
            return
        self.live.ratio = min(max(v.ratio for v in self.views.values()), 4.0)
        if message.get("ask") or not (known or message.get("gone")):
            self._refresh()
        else:
            self.send({"pong": True})

    def close(self):
        """Say goodbye to every view and let the figure go."""
        with drawing:
            self.views.clear()
            self.live.release()
        super().close()


def png_frame(live: LiveFigure):
    """The first transport: the whole frame as one PNG. Returns (fields of the message, buffers)."""
    return {"kind": "png"}, [encode_png(live.layers.pixels())]


def encode_png(rgba: np.ndarray) -> bytes:
    """Pixels [height, width, 4] as a PNG, ten times faster than Pillow and a little larger."""
    height, width = rgba.shape[:2]
    rows = np.zeros((height, 1 + 4 * width), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = rgba.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    data = isal_zlib.compress(rows, 0)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )
