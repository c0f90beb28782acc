"""Figures as bitmaps: a small PNG for a notebook or a page, and how the pixels are freed."""

import base64
import html
import io
import sys
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image


def drop_bitmaps(figure: Figure, canvas: Any = None) -> None:
    """Give the figure another canvas (by default a new one), and free its old bitmaps.

    A notebook keeps every figure it shows in `Out`, and a bitmap of several megabytes with each.
    One that nobody needs would keep them until the next garbage collection.
    """
    if sys.is_finalizing():
        return
    figure.set_canvas(canvas or FigureCanvasAgg(figure))
    text: Any
    for text in figure.findobj(Text):
        text._renderer = None  # every text remembers the renderer that last drew it


def png_bytes(rgba: np.ndarray, colours=255) -> bytes:
    """Opaque pixels [height, width, 4] as a PNG with a palette, exact where that has room for all.

    The most frequent colours stay as they are. Others count by the root of their pixels, so that a
    colour bar keeps as smooth a map as a large area; the same pixels give the same bytes.
    """
    unique, where = distinct(rgba)
    palette = unique
    if len(unique) > colours:
        counts = np.bincount(where.ravel())
        order = np.argsort(-counts, kind="stable")
        exact, others = order[:16], order[16:]
        weighted = np.repeat(unique[others], np.ceil(counts[others] ** 0.5).astype(int), axis=0)
        means = Image.fromarray(weighted[None]).quantize(colours - 16, kmeans=1).getpalette()
        palette = np.vstack([unique[exact], np.array(means).reshape(-1, 3)])
    indices = nearest(unique, palette).astype(np.uint8)[where]
    image, data = Image.fromarray(indices), io.BytesIO()
    image.putpalette(palette.astype(np.uint8).tobytes())
    image.save(data, "PNG", optimize=True)
    return data.getvalue()


def distinct(rgba: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The colours of opaque pixels [..., 4], as [n, 3], and the index of each pixel's colour."""
    packed = np.ascontiguousarray(rgba).view("<u4")[..., 0]
    values = np.unique(packed)
    known = np.empty(1 << 24, np.int32)  # by colour: to search for each pixel takes longer
    known[values & 0xFFFFFF] = np.arange(len(values))
    return values.view(np.uint8).reshape(-1, 4)[:, :3], known[packed & 0xFFFFFF]


def nearest(colours: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """The index in the palette [n, 3] of the colour nearest to each [..., 3]; the first of several.

    Pillow's own way to a given palette takes similar colours for the same, and white for grey.
    """
    known = palette.astype(np.float32)  # which holds the squares of bytes exactly
    return ((known**2).sum(axis=1) - 2 * colours.astype(np.float32) @ known.T).argmin(axis=-1)


def notebook_png(figure: Figure) -> tuple[bytes, dict]:
    """A figure as a notebook stores it: a small PNG, its width in CSS pixels, alternative text."""
    own = figure.canvas
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    png = png_bytes(np.asarray(canvas.buffer_rgba()), 128)
    drop_bitmaps(figure, own)
    return png, {"width": round(figure.bbox.width), "alt": getattr(figure, "caption", "")}


def image_html(figure: Figure) -> str:
    """A figure as an image in HTML, its pixels inside."""
    png, about = notebook_png(figure)
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return f'<img src="{source}" width="{about["width"]}" alt="{html.escape(about["alt"])}">'
