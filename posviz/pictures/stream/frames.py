"""Frames for the browser: the background as a bitmap, and draw calls for what moves over it.

Only what the browser has not got is sent: the bitmap when it was redrawn, and of the artists in
front those that draw something else than last time. Where draw calls would not do, the bitmap
holds the whole picture, and nothing is drawn over it.
"""

import struct
import zlib
from typing import Any

import numpy as np

from posviz.pictures.stream.layers import FigureLayers
from posviz.pictures.stream.recorder import Recording

_BYTES_PER_ROW = 12  # code, x and y as float32


class Frames:
    """The frames of a picture, one after the other; knows what the browser already has."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Make the next frame a whole one: a new view has nothing yet."""
        self._background_id: Any = None
        self._sent: list[Recording] = []

    def next(self, layers: FigureLayers) -> tuple[dict, list[bytes]]:
        """The next frame of a picture whose background is painted.

        Returns the message's fields (`whole`: nothing that was sent before is needed; `artists`:
        how many are in front; `moved`: index, first row, first image and calls of each that draws
        something new) and its buffers: the bitmap if it is whole, the rows, the images.
        """
        recordings = layers.recordings()
        if recordings is None:
            self.forget()
            whole = {"whole": True, "artists": 0, "moved": []}
            return whole, [encode_png(layers.pixels()), b""]
        is_whole = layers.background_id is not self._background_id
        known = [None] * len(recordings) if is_whole else self._sent
        moved, rows, images = list[list](), list[bytes](), list[bytes]()
        for index, (old, new) in enumerate(zip(known, recordings, strict=True)):
            if old is not new and old != new:
                first_row = sum(len(block) for block in rows) // _BYTES_PER_ROW
                moved.append([index, first_row, len(images), new.calls])
                rows.append(new.vertices)
                images += new.images
        self._background_id, self._sent = layers.background_id, recordings
        bitmap = [encode_png(layers.background())] if is_whole else []
        fields = {"whole": is_whole, "artists": len(recordings), "moved": moved}
        return fields, [*bitmap, b"".join(rows), *images]


def encode_png(rgba: np.ndarray) -> bytes:
    """Pixels [height, width, 4] as a PNG, at the fastest level that compresses."""
    height, width = rgba.shape[:2]
    rows = np.zeros((height, 1 + 4 * width), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = rgba.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    data = zlib.compress(rows.data, 1)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )
